import Dispatch
import Glibc
import Synchronization
import Testing

@testable import HTTP

@Suite(.serialized) struct ServerTests {
  private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

  @Test(arguments: ["127.0.0.1", "::1", "localhost"])
  func answersOneRequest(_ host: String) async throws {
    try await withServer(host: host) { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"))
      #expect(
        answer.contains(/\r\nDate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} .* GMT\r\n/))
      #expect(answer.contains("\r\nContent-Length: 2\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n/a"))
    }
  }

  @Test func keepsConnectionForNextRequest() async throws {
    try await withServer { address in
      let client = try RawClient(address)
      for path in ["/a", "/b", "/c"] {
        try client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
        let answer = try client.receive(until: "\r\n\r\n" + path)
        #expect(!answer.contains("Connection"))
      }
    }
  }

  @Test func answersPipelinedRequestsInOrder() async throws {
    try await withServer(handle: answerOddPathsLater) { address in
      let numbers = (0..<50).map(String.init)
      let requests = numbers.map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
      let answer = try RawClient(address).exchange(requests)
      let paths = answer.matches(of: /\r\n\r\n\/([0-9]+)/).map { String($0.output.1) }
      #expect(paths == numbers)
    }
  }

  @Test func closesAfterConnectionClose() async throws {
    try await withServer { address in
      let client = try RawClient(address)
      try client.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + Self.get)
      let answer = try client.receiveAll()
      #expect(answer.contains("\r\nConnection: close\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n/a"))
    }
  }

  @Test func honoursVersionOneZero() async throws {
    try await withServer { address in
      let client = try RawClient(address)
      try client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let kept = try client.receive(until: "/a")
      #expect(kept.contains("\r\nConnection: keep-alive\r\n"))
      try client.send("GET /b HTTP/1.0\r\n\r\n")
      #expect(try client.receiveAll().contains("\r\nConnection: close\r\n"))
    }
  }

  @Test func answersHeadWithFieldsOfGetAndNoBody() async throws {
    try await withServer { address in
      let get = try RawClient(address).exchange("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
      let head = try RawClient(address).exchange("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n")
      let date = /Date: [^\r]*/
      #expect(head.replacing(date, with: "") + "/a" == get.replacing(date, with: ""))
    }
  }

  @Test(arguments: [204, 304])
  func sendsNoBodyWithBodilessStatus(_ status: Int) async throws {
    try await withServer { _, responder in
      responder.send(Response(status: Status(status), text: "ignored"))
    } _: { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(answer.hasSuffix("\r\n\r\n"))
      #expect(!answer.contains("Content-Length"))
    }
  }

  @Test func keepsServerFieldsToItself() async throws {
    try await withServer { _, responder in
      responder.send(
        Response(fields: [
          "Content-Length": "7", "Transfer-Encoding": "chunked", "Date": "then",
          "X": "a\r\nY: b", "Connection": "close",
        ]))
    } _: { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(
        answer
          == "HTTP/1.1 200 OK\r\nDate: then\r\nX: a  Y: b\r\nContent-Length: 0\r\n"
          + "Connection: close\r\n\r\n")
    }
  }

  @Test func answers500WhenResponderIsDropped() async throws {
    try await withServer { _, _ in
    } _: { address in
      let client = try RawClient(address)
      try client.send(Self.get + Self.get)
      client.endSending()
      let answer = try client.receiveAll()
      #expect(answer.matches(of: /HTTP\/1.1 500 Internal Server Error/).count == 2)
    }
  }

  @Test func firstAnswerOfHeldResponderCounts() async throws {
    try await withServer { _, responder in
      let held = responder.hold()
      held.send(Response(text: "first"))
      held.send(Response(text: "second"))
    } _: { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(answer.hasSuffix("\r\n\r\nfirst"))
    }
  }

  @Test func halfClosedClientGetsWholeLargeAnswer() async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8 * 1024 * 1024)
    try await withServer { _, responder in
      let held = responder.hold()
      DispatchQueue.global().async { held.send(Response(body: body)) }
    } _: { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(answer.utf8.count > body.count)
      #expect(answer.hasSuffix("xxx"))
    }
  }

  @Test func doesNotReadOnWhileOutputIsBlocked() async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 4 * 1024 * 1024)
    let calls = Atomic<Int>(0)
    try await withServer { _, responder in
      calls.add(1, ordering: .relaxed)
      responder.send(Response(body: body))
    } _: { address in
      let client = try RawClient(address)
      try client.send(String(repeating: Self.get, count: 20))
      client.endSending()
      _ = try client.receive(1)
      #expect(calls.load(ordering: .relaxed) <= 3)
      #expect(try client.receiveAll().utf8.count > 20 * body.count)
      #expect(calls.load(ordering: .relaxed) == 20)
    }
  }

  @Test func sendsContinueBeforeBodyIsThere() async throws {
    try await withServer { request, responder in
      responder.send(Response(body: request.body))
    } _: { address in
      let client = try RawClient(address)
      try client.send(
        "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      #expect(try client.exchange("abc").hasSuffix("\r\n\r\nabc"))
    }
  }

  @Test(arguments: RefusedInput.all.filter { $0.status != 413 })
  func refusalReachesClient(_ input: RefusedInput) async throws {
    try await withServer { address in
      let client = try RawClient(address)
      // What follows stays unread in the socket: a plain close would reset the connection.
      try client.send(input.text + String(repeating: "y", count: 100_000))
      let answer = try client.receiveAll()
      #expect(answer.hasPrefix("HTTP/1.1 \(input.status) "))
      #expect(answer.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test(arguments: [
    "HEAD / HTTP/1.1\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: h\r\nA\r\n\r\n",
    "HEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
  ])
  func refusalOfHeadHasNoBody(_ text: String) async throws {
    try await withServer { address in
      let answer = try RawClient(address).exchange(text)
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(answer.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func answersRequestsBeforeARefusedOne() async throws {
    try await withServer { address in
      let answer = try RawClient(address).exchange(Self.get + "BAD\r\n\r\n")
      #expect(answer.contains("\r\n\r\n/aHTTP/1.1 400 Bad Request\r\n"))
    }
  }

  @Test func servesManyConnectionsOnSeveralLoops() async throws {
    try await withServer(loops: 2) { address in
      let clients = try (0..<300).map { _ in try RawClient(address) }
      for (index, client) in clients.enumerated() {
        try client.send("GET /\(index) HTTP/1.1\r\nHost: h\r\n\r\n")
      }
      for (index, client) in clients.enumerated() {
        #expect(try client.receive(until: "\r\n\r\n/\(index)").hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func tellsPeerAndAuthority() async throws {
    try await withServer { request, responder in
      responder.send(Response(status: 200, text: "\(request.peer) \(request.authority)"))
    } _: { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(answer.hasSuffix("\r\n\r\n127.0.0.1 h"))
    }
  }

  @Test func lateAnswerNeverReachesAnotherConnection() async throws {
    let late = Mutex<HeldResponder?>(nil)
    let (waiting, arrived) = AsyncStream.makeStream(of: Void.self)
    try await withServer { request, responder in
      guard request.path == "/late" else {
        responder.send(Response(status: 200, text: request.path))
        return
      }
      let held = responder.hold()
      late.withLock { $0 = held }
      arrived.yield()
    } _: { address in
      do {
        let gone = try RawClient(address)
        try gone.send("GET /late HTTP/1.1\r\nHost: h\r\n\r\n")
        for await _ in waiting { break }
        gone.reset()
      }
      let client = try RawClient(address)
      try client.send(Self.get)
      _ = try client.receive(until: "\r\n\r\n/a")
      late.withLock { $0.take() }?.send(Response(status: 200, text: "late"))
      try client.send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(try client.receive(until: "/b").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func runsWorkOnItsLoop() async throws {
    try await withServer { _, responder in
      let thread = pthread_self()
      let held = responder.hold()
      DispatchQueue.global().async {
        held.loop.run { held.send(Response(text: "\(thread == pthread_self())")) }
      }
    } _: { address in
      let answer = try RawClient(address).exchange(Self.get)
      #expect(answer.hasSuffix("\r\n\r\ntrue"))
    }
  }

  @Test func startsOnceOnly() async throws {
    let server = Server { _, responder in responder.send(Response()) }
    _ = try server.start()
    #expect(throws: ServerError.alreadyStarted) { try server.start() }
    await server.stop(drain: .zero)
    #expect(throws: ServerError.alreadyStarted) { try server.start() }
  }

  @Test func doesNotShareAPortWithAnotherServer() async throws {
    let first = Server(ServerOptions(loops: 3)) { _, responder in responder.send(Response()) }
    let address = try first.start()
    let second = Server(ServerOptions(address: address, loops: 2)) { _, responder in
      responder.send(Response())
    }
    #expect(throws: ServerError.systemCall(name: "bind", errno: EADDRINUSE)) {
      try second.start()
    }
    await first.stop(drain: .zero)
  }

  @Test func refusesHostThatDoesNotResolve() {
    let configuration = ServerOptions(address: Address(host: "no host", port: 0))
    let server = Server(configuration) { _, responder in responder.send(Response()) }
    #expect(throws: ServerError.hostUnknown("no host")) { try server.start() }
  }
}

/// Answers `/1`, `/3` and so on from another thread, the rest at once.
private func answerOddPathsLater(_ request: Request, _ responder: consuming Responder) {
  let response = Response(status: 200, text: request.path)
  guard let number = Int(request.path.dropFirst()), number % 2 == 1 else {
    responder.send(response)
    return
  }
  let held = responder.hold()
  DispatchQueue.global().async { held.send(response) }
}
