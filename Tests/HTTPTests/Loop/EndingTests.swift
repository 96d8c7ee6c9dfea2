import Dispatch
import Glibc
import Support
import Synchronization
import Testing

@testable import HTTP

/// How connections, and the server, end.
@Suite(.serialized) struct EndingTests {
  private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

  @Test func cutsBodyShort() async throws {
    try await withServer { _, responder in
      responder.sendRaw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".utf8), then: .close)
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get)
      #expect(try client.receiveAll().hasSuffix("\r\n\r\nabc"))
    }
  }

  /// The client's own end, on a request that is its last: the answer comes whole, whatever of it
  /// the socket took, then the end.
  @Test(arguments: [1, 4 << 20], ["HTTP/1.1", "HTTP/1.0"])
  func aLastAnswerComesWhole(size: Int, version: String) async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: size)
    try await withServer { _, responder in
      responder.send(Response(body: body))
    } _: { address in
      for _ in 0..<20 {
        let client = try RawClient(address)
        try client.send("GET /a \(version)\r\nHost: h\r\nConnection: close\r\n\r\n")
        let answer = try client.receiveAll()
        #expect(answer.contains("Connection: close\r\n") && answer.hasSuffix("x"))
        #expect(answer.utf8.count > size)
      }
    }
  }

  /// A connection that ends where its turn ends leaves nothing to the one that gets its place.
  @Test func theNextConnectionIsServedWhereverTheLastOneEnded() async throws {
    try await withServer { address in
      for count in (0..<3 * EventLoop.calledPerTurnMax) {
        let first = try RawClient(address)
        try first.send(
          String(repeating: Self.get, count: count)
            + "GET /z HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        #expect(try first.receiveAll().hasSuffix("/z"))
        let next = try RawClient(address)
        #expect(try next.exchange(Self.get).hasPrefix("HTTP/1.1 200 "), "behind \(count)")
      }
    }
  }

  @Test(arguments: ["", "abc"])
  func resets(_ sent: String) async throws {
    try await withServer { _, responder in
      responder.sendRaw(Array(sent.utf8), then: .reset)
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get)
      #expect(throws: ServerError.systemCall(name: "read", errno: 104)) {
        try client.receiveAll()
      }
    }
  }

  @Test func hangsUntilClientGoes() async throws {
    try await withServer { _, responder in
      responder.sendRaw(Array("HTTP/1.1 200".utf8), then: .keepOpen)
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get + Self.get)
      #expect(try client.receive(until: "200") == "HTTP/1.1 200")
      client.endSending()
      #expect(try client.receiveAll() == "")
    }
  }

  @Test func refusesConnectionsOverTheLimit() async throws {
    var limits = Limits()
    limits.connections = 2
    limits.idleGrace = .seconds(3600)
    try await withServer(limits: limits) { address in
      let kept = try (0..<2).map { _ in try RawClient(address) }
      for client in kept {
        try client.send(Self.get)
        _ = try client.receive(until: "\r\n\r\n/a")
      }
      #expect(try RawClient(address).receiveAll().hasPrefix("HTTP/1.1 503 "))
      let answer = try kept[0].exchange(Self.get)
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
      // Its place is free again.
      #expect(try RawClient(address).exchange(Self.get).hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func stopClosesIdleConnectionsAndAnswersWaitingRequests() async throws {
    let held = Mutex<HeldResponder?>(nil)
    let (waiting, arrived) = AsyncStream.makeStream(of: Void.self)
    let server = Server { request, responder in
      let responder = responder.hold()
      if request.path == "/wait" {
        held.withLock { $0 = responder }
        arrived.yield()
      } else {
        responder.send(Response(text: request.path))
      }
    }
    let address = try server.start()
    let idle = try RawClient(address)
    try idle.send(Self.get)
    _ = try idle.receive(until: "\r\n\r\n/a")
    let waiter = try RawClient(address)
    try waiter.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n")
    for await _ in waiting { break }
    async let stopped: Void = server.stop(drain: .seconds(30))
    #expect(try await onThread { try idle.receiveAll() } == "")
    #expect(throws: ServerError.systemCall(name: "connect", errno: 111)) {
      try RawClient(address)
    }
    held.withLock { $0.take() }?.send(Response(text: "done"))
    let answer = try waiter.exchange("")
    #expect(answer.contains("\r\nConnection: close\r\n"))
    #expect(answer.hasSuffix("\r\n\r\ndone"))
    await stopped
  }

  /// The system greets a client before the server hears of it. On a busy machine a handshake may
  /// take longer than the server waits for it; then it is tried again with more time.
  @Test(.enabled(if: LateClient.isPossible)) func stopServesAClientWhoseHandshakeHasBegun()
    async throws
  {
    for seconds in [4, 20, 90] {
      let (answer, time) = try await lateAnswer(grace: .seconds(seconds))
      if answer.hasSuffix("\r\n\r\n/a") { return }
      try #require(time > .seconds(seconds), "\(answer)")
    }
    Issue.record("no handshake ended in time")
  }

  /// What a stopping server answers a client that was late, and how long after the stop began.
  private func lateAnswer(grace: Duration) async throws -> (answer: String, time: Duration) {
    var limits = Limits()
    limits.drainGrace = grace * 2
    // A packet that was lost is sent again after 1 s, and after 2 s more, and after 4.
    limits.handshakeGrace = grace
    let server = Server(ServerOptions(loops: 2, limits: limits)) { request, responder in
      responder.send(Response(text: request.path))
    }
    let address = try server.start()
    let client = try LateClient(address)
    let begin = ContinuousClock.now
    async let stopped: Void = server.stop(drain: grace * 4)
    let answer = try await onThread {
      try RawClient.waitUntilRefused(by: address)
      return (try? client.finish(sending: Self.get)) ?? "no answer"
    }
    let time = ContinuousClock.now - begin
    await stopped
    return (answer, time)
  }

  /// The loop reads what has come, then looks for deadlines: here a request comes in between.
  @Test func aRequestThatComesWithItsDeadlineIsAnswered() async throws {
    var limits = Limits()
    limits.idleTime = .milliseconds(20)
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    let goesOn = DispatchSemaphore(value: 0)
    try await withServer(limits: limits) { request, responder in
      if request.path != "/last" {
        turn.yield()
        goesOn.wait()
        // Past the deadline of the next request, which is counted from this turn's begin.
        usleep(500_000)
      }
      responder.send(Response(text: request.path))
    } _: { address in
      let (other, client) = (try RawClient(address), try RawClient(address))
      var turns = turns.makeAsyncIterator()
      try client.send(Self.get)
      await turns.next()
      try other.send(Self.get)
      goesOn.signal()
      await turns.next()
      _ = try client.receive(until: "\r\n\r\n/a")
      try client.send("GET /last HTTP/1.1\r\nHost: h\r\n\r\n")
      goesOn.signal()
      #expect(try client.receive(until: "\r\n\r\n/last").hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func stopCutsWhatIsLeftAfterDraining() async throws {
    let held = Mutex<[HeldResponder]>([])
    let (waiting, arrived) = AsyncStream.makeStream(of: Void.self)
    let server = Server { _, responder in
      let responder = responder.hold()
      held.withLock { $0.append(responder) }
      arrived.yield()
    }
    let client = try RawClient(try server.start())
    try client.send(Self.get)
    for await _ in waiting { break }
    await server.stop(drain: .milliseconds(20))
    #expect(try client.receiveAll() == "")
    held.withLock { $0.first }?.send(Response(text: "too late"))
  }

  @Test(.timeLimit(.minutes(10)))
  func stopReleasesTheLoopsAndTheirDescriptors() async throws {
    let mailboxes = Mutex<[WeakMailbox]>([])
    do {
      let server = Server(ServerOptions(loops: 2)) { loop in
        mailboxes.withLock { $0.append(WeakMailbox(loop.mailbox)) }
        return ClosureHandler { _, responder in responder.send(Response(text: "a")) }
      }
      let client = try RawClient(try server.start())
      try client.send(Self.get)
      _ = try client.receive(until: "\r\n\r\na")
      await server.stop(drain: .seconds(5))
    }
    #expect(mailboxes.withLock { $0.count } == 2)
    // The queue lets go of its work just after the work has ended.
    while mailboxes.withLock({ $0.contains { $0.mailbox != nil } }) { await Task.yield() }
  }
}

/// Tells whether a loop, which holds its mailbox, has gone.
private struct WeakMailbox: Sendable {
  private(set) weak var mailbox: Mailbox?

  init(_ mailbox: Mailbox) {
    self.mailbox = mailbox
  }
}
