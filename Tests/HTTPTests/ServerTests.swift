import Testing

@testable import HTTP

/// Runs `body` against a server on a free port of the loopback address, then stops it.
func withServer(
  limits: Limits = Limits(), loops: Int = 1, host: String = "127.0.0.1",
  handle: @escaping @Sendable (Request, consuming Responder) -> Void = { request, responder in
    responder.send(Response(status: 200, text: request.path))
  },
  _ body: (Address) async throws -> Void
) async throws {
  let configuration = Configuration(
    address: Address(host: host, port: 0), loops: loops, limits: limits)
  let server = Server(configuration, handle: handle)
  let address = try server.start()
  do {
    try await body(address)
  } catch {
    await server.stop(drain: .zero)
    throw error
  }
  await server.stop(drain: .seconds(5))
}

@Suite struct ServerTests {
  @Test func answersOneRequest() async throws {
    try await withServer { address in
      let answer = try RawClient(address).exchange("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"))
      #expect(answer.contains("\r\nContent-Length: 2\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n/a"))
    }
  }

  @Test func answersPipelinedRequestsInOrder() async throws {
    try await withServer { address in
      let requests = (0..<50).map { "GET /\($0)/ HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
      let answer = try RawClient(address).exchange(requests)
      let paths = answer.matches(of: /\r\n\r\n(\/[0-9]+\/)/).map { String($0.output.1) }
      #expect(paths == (0..<50).map { "/\($0)/" })
    }
  }
}
