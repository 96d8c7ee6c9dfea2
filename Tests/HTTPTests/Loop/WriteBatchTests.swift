import Dispatch
import Testing

@testable import HTTP

@Suite(.serialized) struct WriteBatchTests {
  private static func ticket(_ slot: Int) -> Ticket { Ticket(slot: UInt32(slot), generation: 1) }

  /// What of so many answers in a row waits, when all are made in one round.
  private static func taken(_ count: Int, bytes: Int) -> Int {
    var gathering = WriteBatch()
    gathering.isOpen = true
    for slot in 0..<count {
      gathering.offer()
      if gathering.takeOffer() { gathering.add(bytes, for: ticket(slot)) }
    }
    return gathering.takeAll().count
  }

  @Test func waitsForNoMoreAnswersThanAllowed() {
    #expect(Self.taken(WriteBatch.answersMax, bytes: 1) == WriteBatch.answersMax)
    #expect(Self.taken(WriteBatch.answersMax + 1, bytes: 1) == WriteBatch.answersMax)
  }

  @Test func waitsForNoMoreBytesThanAllowed() {
    let half = WriteBatch.bytesMax / 2
    #expect(Self.taken(3, bytes: half) == 2)
    #expect(Self.taken(3, bytes: half - 1) == 3)
    #expect(Self.taken(3, bytes: 8 * WriteBatch.bytesMax) == 1)
  }

  @Test func onlyWhatIsOfferedInAnOpenRoundWaits() {
    var gathering = WriteBatch()
    gathering.offer()
    let unopened = gathering.takeOffer()
    gathering.isOpen = true
    let unoffered = gathering.takeOffer()
    gathering.offer()
    let (offered, again) = (gathering.takeOffer(), gathering.takeOffer())
    #expect([unopened, unoffered, offered, again] == [false, false, true, false])
  }

  @Test func hasRoomAgainOnceAllAreTaken() {
    var gathering = WriteBatch()
    gathering.isOpen = true
    gathering.add(WriteBatch.bytesMax, for: Self.ticket(0))
    gathering.offer()
    let full = gathering.takeOffer()
    let all = gathering.takeAll()
    gathering.offer()
    let emptied = gathering.takeOffer()
    #expect([full, emptied] == [false, true])
    #expect(all == [Self.ticket(0)])
  }

  /// Each client gets its own answers, whole and in order, when all are made in one round.
  @Test(arguments: [1, 2, 31, 33, 100], [0, 10, 5_000, 100_000])
  func eachClientGetsItsOwn(_ clientCount: Int, _ size: Int) async throws {
    let gate = Gate()
    let filler = String(repeating: "x", count: size)
    try await withServer(handle: { request, responder in
      if request.path == "/gate" { gate.hold() }
      responder.send(Response(status: 200, text: request.path + filler))
    }) { address in
      let (one, end) = (" HTTP/1.1\r\nHost: h\r\n\r\n", "\r\nConnection: close\r\n\r\n")
      let first = try RawClient(address)
      // These are watched when their requests come; those below come with theirs.
      let watched = try (0..<(clientCount / 2)).map { _ in try RawClient(address) }
      try first.send("GET /gate HTTP/1.1\r\nHost: h" + end)
      gate.waitUntilHeld()
      let clients = try watched + (watched.count..<clientCount).map { _ in try RawClient(address) }
      for (number, client) in clients.enumerated() {
        let more = number.isMultiple(of: 3) ? "GET /\(number)/a" + one + "HEAD /x" + one : ""
        try client.send(more + "GET /\(number)/b HTTP/1.1\r\nHost: h" + end)
      }
      gate.open()
      for (number, client) in clients.enumerated() {
        let bodies = try client.receiveAll().split(separator: "\r\n\r\n").filter {
          !$0.hasPrefix("HTTP")
        }
        var expected = ["/\(number)/b" + filler]
        if number.isMultiple(of: 3) { expected.insert("/\(number)/a" + filler, at: 0) }
        // Pipelined: the next head stands right behind a body.
        let given = bodies.map { body in String(body.prefix { $0 != "H" }) }
        #expect(given == expected)
      }
      #expect(try first.receiveAll().hasSuffix("\r\n\r\n/gate" + filler))
    }
  }
}

/// Holds a loop until it is told to go on.
private final class Gate: Sendable {
  private let isHeld = DispatchSemaphore(value: 0)
  private let isOpen = DispatchSemaphore(value: 0)

  func hold() {
    isHeld.signal()
    isOpen.wait()
  }

  func waitUntilHeld() { isHeld.wait() }

  func open() { isOpen.signal() }
}
