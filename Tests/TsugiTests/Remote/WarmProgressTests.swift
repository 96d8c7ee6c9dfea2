import Glibc
import JSONBytes
import Testing

@testable import tsugi

@Suite struct WarmProgressTests {
  private static func status(_ json: String) throws -> WarmStatus {
    try WarmStatus(body: Array(json.utf8))
  }

  private static func state(
    _ read: Int, wanted: Int? = nil, total: Int? = nil, order: String = "value",
    endReason: String? = nil
  ) throws -> WarmState {
    let total = total.map { #"{"value":\#($0),"asOf":""}"# } ?? "null"
    return WarmState(
      read: read, wanted: wanted, endReason: endReason,
      status: try status(
        #"""
        {"order":"\#(order)","total":\#(total),
         "budget":{"limit":1000,"remaining":978,"resetAt":"2026-11-21T00:00:00Z"}}
        """#))
  }

  @Test func readsAStatus() throws {
    let status = try Self.state(1, total: 7).status
    #expect(status.total == 7 && status.limit == 1_000 && status.remaining == 978)
    #expect(status.resetAt == "2026-11-21T00:00:00Z")
    let unknown = try Self.status(
      #"{"order":"whole","total":null,"budget":{"limit":null,"remaining":60,"resetAt":null}}"#)
    #expect(unknown.total == nil && unknown.calls == "60 calls left")
  }

  @Test(arguments: ["", "[]", "{}", #"{"budget":{}}"#, #"{"budget":{"remaining":"x"}}"#])
  func refusesWhatIsNoStatus(_ body: String) {
    #expect(throws: JSONError.self) { try Self.status(body) }
  }

  /// Read, wanted, the feed's size, its order, why it ended; and how many it is thought to become.
  @Test(
    arguments: [
      (100, nil, 2_000, "value", nil, 2_000), (100, 500, 2_000, "value", nil, 500),
      (100, 5_000, 2_000, "value", nil, 2_000), (100, nil, 680_484, "value", nil, 680_484),
      (100, nil, 20_000, "whole", nil, 20_000), (100, nil, nil, "observed", nil, 100),
      (100, 300, nil, "observed", nil, 300), (2_100, nil, 2_000, "value", nil, 2_100),
      (1_990, nil, 2_000, "value", "end", 1_990), (600, 500, 2_000, "value", nil, 600),
      (0, nil, 0, "value", "end", 0),
    ] as [(Int, Int?, Int?, String, String?, Int)])
  func knowsHowManyItWillBe(
    _ read: Int, _ wanted: Int?, _ total: Int?, _ order: String, _ endReason: String?, _ goal: Int
  ) throws {
    let state = try Self.state(
      read, wanted: wanted, total: total, order: order, endReason: endReason)
    #expect(state.goal == goal)
  }

  @Test(arguments: [
    (0, "[                              ]   0 %"), (50, "[###############               ]  50 %"),
    (99, "[############################# ]  99 %"), (100, "[##############################] 100 %"),
  ])
  func drawsABar(_ percent: Int, _ bar: String) {
    #expect(WarmProgress.bar(percent) == bar)
  }

  @Test func tellsTheOutcome() throws {
    #expect(
      try Self.state(20, total: 20, endReason: "end").outcome
        == "20 items are stored, endReason: end; "
        + "978 of 1000 calls left until 2026-11-21T00:00:00Z")
  }

  @Test func aLineForEachTenthWhereNobodyLooks() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let progress = WarmProgress(stream: StandardStream(descriptor: ends[1]))
    for read in [100, 110, 250, 990, 1_000] {
      progress.show(try Self.state(read, total: 1_000))
    }
    progress.end()
    close(ends[1])
    let calls = "978 of 1000 calls left"
    #expect(
      text(from: ends[0])
        == [100, 250, 990, 1_000].map { "\($0) of 1000 items, \(calls)\n" }.joined())
  }

  @Test func aBarThatIsDrawnAnewWhereAPersonLooks() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let progress = WarmProgress(
      stream: StandardStream(descriptor: ends[1]), isLookedAt: true)
    progress.show(try Self.state(500, total: 1_000))
    progress.tell("asking again")
    progress.show(try Self.state(1_000, total: 1_000))
    progress.end()
    close(ends[1])
    let calls = "978 of 1000 calls left"
    #expect(
      text(from: ends[0])
        == "\r\u{1B}[K[###############               ]  50 % 500 of 1000 items, \(calls)"
        + "\r\u{1B}[Kasking again\n"
        + "\r\u{1B}[K[##############################] 100 % 1000 of 1000 items, \(calls)\n")
  }

  /// All that comes until the other side is closed.
  private func text(from descriptor: Int32) -> String {
    defer { close(descriptor) }
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
      all += bytes[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }
}
