import HTTP
import Support
import Synchronization
import Testing

@testable import Assembly

/// The raw route at several servers in one process, on one PostgreSQL.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct SharedAnswersTests {
  /// An upstream whose answers may be kept for a minute, and say which call they are the answer to.
  /// From the second call on it says 304 where it may.
  private final class Upstream: Sendable {
    let port: Int
    private let server: Server
    private let counted: Counted

    private final class Counted: Sendable {
      let count = Mutex(0)
    }

    var calls: Int { counted.count.withLock(\.self) }

    init(_ lifetime: Int) throws {
      let counted = Counted()
      self.counted = counted
      server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
        request, responder in
        let call = counted.count.withLock { count in
          count += 1
          return count
        }
        var fields = Fields()
        fields.append(named: "cache-control", "max-age=\(lifetime)")
        fields.append(named: "etag", "\"one\"")
        let isKnown = request.fields["if-none-match"] == "\"one\""
        responder.send(
          Response(status: isKnown ? 304 : 200, fields: fields, body: Array("\(call)".utf8)))
      }
      port = try server.start().port
    }

    func stop() async { await server.stop(drain: .zero) }
  }

  private func servers(_ count: Int, of upstream: Upstream) async throws -> SharedServers {
    try await SharedServers(
      count,
      of: """
        "baseURL":"http://127.0.0.1:\(upstream.port)","raw":{"paths":["**"]},
        "feeds":{"items":{"order":"whole"}}
        """)
  }

  @Test func whatOneKeepsNoOtherFetches() async throws {
    let upstream = try Upstream(60)
    let servers = try await servers(3, of: upstream)
    for port in servers.ports + servers.ports {
      let answer = try Asked("/v1/s/raw/a", at: port)
      #expect(answer.status == 200 && answer.content == "1")
    }
    #expect(upstream.calls == 1)
    try await servers.stop()
    await upstream.stop()
  }

  /// What one has validated needs no other to ask again.
  @Test func whatOneRenewsIsRenewedEverywhere() async throws {
    let upstream = try Upstream(1)
    let servers = try await servers(2, of: upstream)
    for port in servers.ports { #expect(try Asked("/v1/s/raw/a", at: port).content == "1") }
    #expect(upstream.calls == 1)
    try await Task.sleep(for: .milliseconds(2_100))
    for port in servers.ports { #expect(try Asked("/v1/s/raw/a", at: port).content == "1") }
    #expect(upstream.calls <= 3)
    try await servers.stop()
    await upstream.stop()
  }

  @Test(arguments: ["path=a", "prefix=a", "all=true"])
  func aPurgeReachesEveryServer(query: String) async throws {
    let upstream = try Upstream(600)
    let servers = try await servers(3, of: upstream)
    for port in servers.ports {
      #expect(try Asked("/v1/s/raw/a", at: port).content == "1")
      #expect(try Asked("/v1/s/raw/b", at: port).content == "2")
    }
    let purged = try Asked("/v1/s:purge?\(query)", by: "POST", at: servers.ports[1])
    #expect(purged.content == "{\"purged\":\(query == "all=true" ? 2 : 1)}\n")
    // The first to know fetches again, and all others take that.
    #expect(try Asked("/v1/s/raw/a", at: servers.ports[1]).content == "3")
    let deadline = ContinuousClock.now + .seconds(20)
    for port in [servers.ports[0], servers.ports[2]] {
      while try Asked("/v1/s/raw/a", at: port).content != "3", ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try Asked("/v1/s/raw/a", at: port).content == "3")
      if query != "all=true" { #expect(try Asked("/v1/s/raw/b", at: port).content == "2") }
    }
    #expect(upstream.calls == 3)
    try await servers.stop()
    await upstream.stop()
  }
}
