@testable import HTTP

/// Runs `body` against a server on a free port of this machine, then stops it.
func withServer(
  limits: Limits = Limits(), loops: Int = 1, host: String = "127.0.0.1",
  handle: @escaping @Sendable (Request, consuming Responder) -> Void = { request, responder in
    responder.send(Response(status: 200, text: request.path))
  },
  _ body: (Address) async throws -> Void
) async throws {
  var limits = limits
  limits.handshakeGrace = .zero
  let configuration = ServerOptions(
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
