import Synchronization
import Testing

@testable import HTTP

/// Each deadline is short here and the others are the usual ones, so that only it can be the
/// reason for what the client sees.
@Suite(.serialized) struct DeadlineTests {
  private static let short = Duration.milliseconds(50)
  private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

  @Test(arguments: ["G", "GET / HTTP/1.1\r\nHost: h\r\n", "\r\nGET "])
  func refusesHeadThatIsNotCompleteInTime(_ part: String) async throws {
    var limits = Limits()
    limits.headDeadline = Self.short
    try await withServer(limits: limits) { address in
      let client = try RawClient(address)
      try client.send(part)
      #expect(try client.receiveAll().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    }
  }

  @Test func headDeadlineIsForTheWholeHead() async throws {
    var limits = Limits()
    limits.headDeadline = .milliseconds(100)
    try await withServer(limits: limits) { address in
      let client = try RawClient(address)
      try client.send(Self.get + "GET / HTTP/1.1\r\n")
      _ = try client.receive(until: "\r\n\r\n/a")
      // A byte now and then does not put it off: the answer comes while bytes are still sent.
      try client.sendUntilAnswered("a")
      #expect(try client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    }
  }

  @Test(arguments: ["", "\r\n\r\n"])
  func closesMuteConnectionWithoutAWord(_ part: String) async throws {
    var limits = Limits()
    limits.headDeadline = Self.short
    try await withServer(limits: limits) { address in
      let client = try RawClient(address)
      try client.send(part)
      #expect(try client.receiveAll() == "")
    }
  }

  @Test(arguments: ["Content-Length: 5\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nab"])
  func refusesBodyThatIsNotCompleteInTime(_ rest: String) async throws {
    var limits = Limits()
    limits.bodyDeadline = Self.short
    try await withServer(limits: limits) { address in
      let client = try RawClient(address)
      try client.send("POST / HTTP/1.1\r\nHost: h\r\n" + rest)
      #expect(try client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    }
  }

  /// What is begun came with requests whose answers the socket does not take at once.
  @Test(arguments: ["POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n", "POST / HT"])
  func refusesWhatIsNotCompleteInTimeBehindOtherAnswers(_ part: String) async throws {
    var limits = Limits()
    limits.bodyDeadline = Self.short
    limits.headDeadline = Self.short
    let text = String(repeating: "a", count: 3000)
    try await withServer(
      limits: limits, handle: { $1.send(Response(status: 200, text: text)) }
    ) { address in
      let client = try RawClient(address)
      try client.send(Self.get)
      _ = try client.receive(until: text)
      client.shrinkBuffers()
      // Encoded together, and sent when all of the input is parsed.
      try client.send(String(repeating: Self.get, count: 18) + part)
      #expect(try client.receiveAll(pausing: 1).contains("aaaHTTP/1.1 408 "))
    }
  }

  @Test(arguments: ["", "\r\n"])
  func closesIdleConnection(_ stray: String) async throws {
    var limits = Limits()
    limits.idleTime = Self.short
    try await withServer(limits: limits) { address in
      let client = try RawClient(address)
      try client.send(Self.get + stray)
      #expect(try client.receiveAll().hasSuffix("\r\n\r\n/a"))
    }
  }

  /// The server begins with a minute for each, and is told of less while it runs.
  @Test(arguments: ["GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "GET /a HTTP"])
  func otherTimesHoldFromThenOn(_ part: String) async throws {
    let server = Server { request, responder in
      responder.send(Response(status: 200, text: request.path))
    }
    let address = try server.start()
    server.setPatience(head: Self.short, idle: Self.short)
    let client = try RawClient(address)
    try client.send(part)
    let text = try client.receiveAll()
    #expect(text.hasPrefix(part.contains("Host") ? "HTTP/1.1 200" : "HTTP/1.1 408"))
    await server.stop(drain: .seconds(5))
  }

  @Test func resetsConnectionThatTakesNoOutput() async throws {
    var limits = Limits()
    limits.writeStallTime = Self.short
    let body = [UInt8](repeating: 0, count: 32 * 1024 * 1024)
    try await withServer(limits: limits) { _, responder in
      responder.send(Response(body: body))
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get)
      try client.waitForReset()
      #expect(throws: ServerError.self) { try client.receiveAll() }
    }
  }

  @Test func resetsConnectionThatTakesOutputTooSlowly() async throws {
    var limits = Limits()
    limits.writeStallTime = .milliseconds(500)
    limits.outputBytesPerSecond = .max
    let body = [UInt8](repeating: 0, count: 32 * 1024 * 1024)
    try await withServer(limits: limits) { _, responder in
      responder.send(Response(body: body))
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get)
      // Something is taken every 50 ms, but it would take 1.6 s for all.
      #expect(throws: ServerError.systemCall(name: "read", errno: 104)) {
        try client.receiveAll(pausing: 50)
      }
    }
  }

  @Test func dropsClientThatLingers() async throws {
    var limits = Limits()
    limits.lingerTime = Self.short
    try await withServer(limits: limits) { address in
      let client = try RawClient(address)
      try client.send("BAD\r\n\r\n")
      #expect(try client.receiveAll().hasPrefix("HTTP/1.1 400 "))
      // Our side stays open; stopping the server would wait for it without the deadline.
      try client.waitForReset(sending: "x")
    }
  }

  @Test func noDeadlineRunsWhileAHandlerHasTheRequest() async throws {
    var limits = Limits()
    limits.headDeadline = Self.short
    limits.bodyDeadline = Self.short
    limits.idleTime = Self.short
    let held = Mutex<HeldResponder?>(nil)
    try await withServer(limits: limits) { _, responder in
      let responder = responder.hold()
      held.withLock { $0 = responder }
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get)
      // These come later and last as long: when they have passed, the first would have too.
      for _ in 0..<3 {
        let mute = try RawClient(address)
        try mute.send("G")
        _ = try mute.receiveAll()
      }
      held.withLock { $0.take() }?.send(Response(text: "late"))
      #expect(try client.receiveAll().hasSuffix("\r\n\r\nlate"))
    }
  }
}
