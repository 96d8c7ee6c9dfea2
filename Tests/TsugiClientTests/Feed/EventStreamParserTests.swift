import Testing

@testable import TsugiClient

struct EventStreamParserTests {
  private struct Sample: Sendable {
    var text: String
    var events: [EventStreamParser.Event]
    var id: String?
  }

  private static let samples = [
    Sample(text: "data: a\n\n", events: [.init(data: "a")]),
    Sample(text: "data:a\r\rdata:  b\r\r", events: [.init(data: "a"), .init(data: " b")]),
    Sample(text: "data: a\r\ndata: b\r\n\r\n", events: [.init(data: "a\nb")]),
    Sample(
      text: "event: upsert\nid: e.1\ndata: {}\n\n", events: [.init(name: "upsert", data: "{}")],
      id: "e.1"),
    Sample(
      text: "id: e.1\ndata\n\ndata: b\n\n", events: [.init(data: ""), .init(data: "b")], id: "e.1"),
    Sample(text: ": still here\n\ndata: あ\n\n", events: [.init(data: "あ")]),
    Sample(text: "\u{feff}data: a\n\n", events: [.init(data: "a")]),
    // An id without data counts; one of an event that never ended does not.
    Sample(text: "id: e.1\n\nid: e.2\ndata: lost\n", events: [], id: "e.1"),
    Sample(text: "id: a\0b\ndata: x\n\n", events: [.init(data: "x")]),
    Sample(text: "id: e.1\n\nid\n\n", events: [], id: ""),
    Sample(text: "color: red\ndata: a\n\n", events: [.init(data: "a")]),
    Sample(text: "event: lost\n\ndata: a\n\n", events: [.init(data: "a")]),
  ]

  @Test(arguments: samples.indices)
  func readsEventsHoweverTheyAreCut(index: Int) throws {
    let sample = Self.samples[index]
    let bytes = Array(sample.text.utf8)
    for size in 1...max(1, bytes.count) {
      var parser = EventStreamParser()
      var events: [EventStreamParser.Event] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        events += try parser.take(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(events == sample.events, "parts of \(size)")
      #expect(parser.lastEventID == sample.id)
    }
  }

  @Test(arguments: [
    ("retry: 250\n", 250), ("retry: -1\n", nil), ("retry: 1s\n", nil),
    ("retry: 3600000\n", 3_600_000), ("retry: 3600001\n", 3_600_000),
    ("retry: 9223372036854775808\n", 3_600_000),
  ])
  func learnsHowLongToWait(text: String, milliseconds: Int64?) throws {
    var parser = EventStreamParser()
    _ = try parser.take(text.utf8)
    #expect(parser.retry == milliseconds.map { .milliseconds($0) })
  }

  @Test func keepsTheIdAndNothingElseForTheNextConnection() throws {
    var parser = EventStreamParser()
    _ = try parser.take("id: e.1\ndata: a\n\nid: e.2\ndata: half".utf8)
    parser.reconnect()
    #expect(try parser.take("\n\ndata: b\n\n".utf8) == [.init(data: "b")])
    #expect(parser.lastEventID == "e.1")
  }

  @Test func takesAnEventOfEightMegabytesAndNoMore() throws {
    let largest = [UInt8](repeating: UInt8(ascii: "a"), count: EventStreamParser.eventBytesMax)
    var parser = EventStreamParser()
    #expect(try parser.take(largest + Array("\n\n".utf8)).isEmpty)
    #expect(throws: EventStreamParser.TooLarge.self) { try parser.take(largest + [97]) }
  }

  @Test func countsNoComments() throws {
    var parser = EventStreamParser()
    let comment = ":" + String(repeating: "c", count: 1 << 20) + "\n"
    for _ in 0..<10 { _ = try parser.take(comment.utf8) }
    #expect(try parser.take("data: a\n\n".utf8).count == 1)
  }
}
