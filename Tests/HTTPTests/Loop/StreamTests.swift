import Support
import Synchronization
import Testing

@testable import HTTP

/// Bodies that go on while their clients listen.
@Suite(.serialized) struct StreamTests {
  /// What streams told, and the streams themselves.
  private final class Stage: Sendable {
    let events = Mutex<[BodyStream.Event]>([])
    let streams = Mutex<[BodyStream]>([])

    /// Begins a stream for every request.
    func begin(_ responder: consuming Responder) {
      let stream = responder.begin(Response(status: 200, fields: ["Content-Type": "text/x"])) {
        event in self.events.withLock { $0.append(event) }
      }
      streams.withLock { $0.append(stream) }
    }

    var stream: BodyStream? { streams.withLock(\.last) }
    var eventCount: Int { events.withLock(\.count) }

    /// Returns when a stream has told `event`.
    func wait(for event: BodyStream.Event) async {
      while !events.withLock({ $0.contains(event) }) { await Task.yield() }
    }
  }

  private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
  /// Whoever asks so gets parts as they are.
  private static let oldGet = "GET /a HTTP/1.0\r\n\r\n"

  /// A client whose stream has begun: its head is read.
  private func listener(_ address: Address, _ request: String = get) throws -> RawClient {
    let client = try RawClient(address)
    try client.send(request)
    _ = try client.receive(until: "\r\n\r\n")
    return client
  }

  private func withStage(
    limits: Limits = Limits(), _ body: (Stage, Address) async throws -> Void
  ) async throws {
    let stage = Stage()
    try await withServer(limits: limits) { _, responder in
      stage.begin(responder)
    } _: { address in
      try await body(stage, address)
    }
  }

  /// What comes back to a request once two parts were written and the body ended.
  private func answer(to request: String) async throws -> String {
    var answer = ""
    try await withStage { stage, address in
      let client = try RawClient(address)
      try client.send(request)
      answer = try client.receive(until: "\r\n\r\n")
      guard !request.hasPrefix("HEAD") else { return }
      stage.stream?.write(BodyPart("ab".utf8))
      stage.stream?.write(BodyPart("0123456789abcdefg".utf8))
      stage.stream?.end()
      answer += try client.receiveAll()
    }
    return answer
  }

  @Test func sendsPartsAsChunks() async throws {
    let answer = try await answer(to: Self.get)
    #expect(answer.contains("\r\nTransfer-Encoding: chunked\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n2\r\nab\r\n11\r\n0123456789abcdefg\r\n0\r\n\r\n"))
  }

  @Test func sendsPartsAsTheyAreToAnOldClient() async throws {
    let answer = try await answer(to: Self.oldGet)
    #expect(answer.contains("\r\nConnection: close\r\n"))
    #expect(!answer.contains("Transfer-Encoding"))
    #expect(answer.hasSuffix("\r\n\r\nab0123456789abcdefg"))
  }

  @Test func headHasTheSameHead() async throws {
    let head = try await answer(to: "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n")
    let whole = try await answer(to: Self.get)
    let lines = { (text: String) in
      text.components("\r\n\r\n").first?.components("\r\n").filter { !$0.hasPrefix("Date") }
    }
    #expect(lines(head) == lines(whole))
  }

  @Test func aHeadIsToldToBeOver() async throws {
    try await withStage { stage, address in
      let client = try RawClient(address)
      try client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n")
      await stage.wait(for: .ended(.gone))
      try client.send(Self.get)
      _ = try client.receive(until: "\r\n\r\n")
    }
  }

  @Test func tellsThatTheClientHasGone() async throws {
    try await withStage { stage, address in
      do {
        _ = try listener(address)
      }
      await stage.wait(for: .ended(.gone))
      #expect(stage.eventCount == 1)
    }
  }

  @Test func tellsWhenAllIsTaken() async throws {
    try await withStage { stage, address in
      let client = try listener(address)
      let size = 8 << 20
      stage.stream?.write(BodyPart([UInt8](repeating: 1, count: size)), tellsWhenTaken: true)
      var count = 0
      // The system holds less than this, so all of it is taken only once most has been read.
      while count < size / 2 { count += try client.receive().count }
      #expect(stage.eventCount == 0)
      while count < size { count += try client.receive().count }
      await stage.wait(for: .taken)
    }
  }

  @Test func cutsAClientThatIsBehind() async throws {
    var limits = Limits()
    limits.streamBacklogBytes = 1 << 10
    try await withStage(limits: limits) { stage, address in
      let client = try listener(address)
      let part = BodyPart([UInt8](repeating: 1, count: 1 << 20))
      for _ in 0..<64 { stage.stream?.write(part) }
      await stage.wait(for: .ended(.behind))
      #expect(stage.eventCount == 1)
      withExtendedLifetime(client) {}
    }
  }

  /// A client is behind by what waited before, so one that keeps up gets a part of any size.
  @Test(arguments: [
    (0, OpenStream.Step.write), (1024, .write), (1025, .cut),
  ])
  func cutsAboveTheLimitOnly(waiting: Int, step: OpenStream.Step) {
    #expect(OpenStream.step(waitingBytes: waiting, limitBytes: 1024) == step)
  }

  @Test func aClientThatKeepsUpGetsALargePart() async throws {
    var limits = Limits()
    limits.streamBacklogBytes = 1 << 10
    try await withStage(limits: limits) { stage, address in
      let client = try listener(address, Self.oldGet)
      stage.stream?.write(BodyPart([UInt8](repeating: 97, count: 4 << 20)))
      stage.stream?.end()
      #expect(try client.receiveAll().utf8.count == 4 << 20)
    }
  }

  @Test func manyGetOnePart() async throws {
    try await withStage { stage, address in
      let clients = try (0..<10).map { _ in try listener(address, Self.oldGet) }
      let streams = stage.streams.withLock { $0 }
      streams.first?.loop.write(BodyPart("one".utf8), to: streams)
      for stream in streams { stream.end() }
      #expect(try clients.map { try $0.receiveAll() } == .init(repeating: "one", count: 10))
    }
  }

  @Test(arguments: [
    (0, [0]), (7, [7, 0]), (8, [8, 0]), (9, [8, 1, 0]), (18, [8, 8, 2, 0]),
  ])
  func writesToSoManyStreamsInATurn(count: Int, turns: [Int]) {
    var due = DueStreams()
    let tickets = (0..<count).map { Ticket(slot: UInt32($0), generation: 0) }
    for ticket in tickets { due.append(ticket) }
    let taken = turns.map { _ in due.takeTurn() }
    #expect(taken.map(\.count) == turns)
    #expect(taken.flatMap(\.self) == tickets)
    #expect(due.isEmpty)
  }

  /// Any parts for any of them, from any thread's point of view at once: each gets its own, whole
  /// and in order, and the end after them.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func eachGetsItsPartsInOrder(seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    try await withStage { stage, address in
      let clients = try (0..<80).map { _ in try listener(address, Self.oldGet) }
      let streams = stage.streams.withLock { $0 }
      var sent = [String](repeating: "", count: streams.count)
      for number in 0..<200 {
        let size = Int.random(in: 1...(number % 10 == 0 ? 9000 : 40), using: &numbers)
        let text = "\(number):" + String(repeating: "x", count: size) + "\n"
        let chosen = streams.indices.filter { _ in Bool.random(using: &numbers) }
        if chosen.count == 1 || number % 3 == 0, let one = chosen.first {
          streams[one].write(BodyPart(text.utf8))
          sent[one] += text
        } else {
          streams[0].loop.write(BodyPart(text.utf8), to: chosen.map { streams[$0] })
          for one in chosen { sent[one] += text }
        }
      }
      for stream in streams { stream.end() }
      #expect(try clients.map { try $0.receiveAll() } == sent)
    }
  }

  /// What waits for its turn only is nobody's fault: a burst above the limit cuts no client that
  /// takes it.
  @Test func aBurstCutsNobodyWhoKeepsUp() async throws {
    var limits = Limits()
    limits.streamBacklogBytes = 1 << 10
    try await withStage(limits: limits) { stage, address in
      let client = try listener(address, Self.oldGet)
      let stream = try #require(stage.stream)
      // On the loop, so that all of it comes in one turn.
      stream.loop.run {
        for _ in 0..<20 { stream.write(BodyPart([UInt8](repeating: 97, count: 1000))) }
        stream.end()
      }
      #expect(try client.receiveAll().utf8.count == 20_000)
    }
  }

  /// A request behind one whose answer goes on is not read.
  @Test func answersNoFurtherRequest() async throws {
    try await withStage { stage, address in
      let client = try RawClient(address)
      try client.send(Self.get + Self.get)
      _ = try client.receive(until: "\r\n\r\n")
      stage.stream?.end()
      #expect(try client.receiveAll() == "0\r\n\r\n")
      #expect(stage.streams.withLock { $0.count } == 1)
    }
  }

  @Test func stoppingEndsStreamsAtOnce() async throws {
    let stage = Stage()
    let server = Server(ServerOptions()) { _, responder in stage.begin(responder) }
    let client = try RawClient(try server.start())
    try client.send(Self.get)
    _ = try client.receive(until: "\r\n\r\n")
    await server.stop(drain: .seconds(60))
    #expect(try client.receiveAll() == "0\r\n\r\n")
    await stage.wait(for: .ended(.finished))
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}
