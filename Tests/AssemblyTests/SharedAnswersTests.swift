import HTTP
import Support
import Testing

@testable import Assembly

/// The raw route at several servers in one process, on one PostgreSQL.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct SharedAnswersTests {
  /// An upstream whose answers may be kept for so many seconds, and say which call they are the
  /// answer to. From the second call on it says 304 where it may.
  private func upstream(keptFor seconds: Int) throws -> CountedUpstream {
    try CountedUpstream { request, call in
      var fields = Fields()
      fields.append(named: "cache-control", "max-age=\(seconds)")
      fields.append(named: "etag", "\"one\"")
      let isKnown = request.fields["if-none-match"] == "\"one\""
      return Response(status: isKnown ? 304 : 200, fields: fields, body: Array("\(call)".utf8))
    }
  }

  private func servers(_ count: Int, of upstream: CountedUpstream) async throws -> SharedServers {
    try await SharedServers(
      count,
      of: """
        "baseURL":"http://127.0.0.1:\(upstream.port)","raw":{"paths":["**"]},
        "feeds":{"items":{"order":"whole"}}
        """)
  }

  @Test func whatOneKeepsNoOtherFetches() async throws {
    let upstream = try upstream(keptFor: 60)
    let servers = try await servers(3, of: upstream)
    for port in servers.ports + servers.ports {
      let answer = try Asked("/v1/s/raw/a", at: port)
      #expect(answer.status == 200 && answer.content == "1")
    }
    #expect(upstream.calls == 1)
    try await servers.stop()
    await upstream.stop()
  }

  /// What one has validated needs no other to ask again, for as long as it is fresh: a round that
  /// takes longer says nothing.
  @Test func whatOneRenewsIsRenewedEverywhere() async throws {
    let upstream = try upstream(keptFor: 2)
    let servers = try await servers(3, of: upstream)
    func readEverywhere() throws {
      for port in servers.ports { #expect(try Asked("/v1/s/raw/a", at: port).content == "1") }
    }
    try readEverywhere()
    var calls: [Int] = []
    for _ in 0..<20 where calls.isEmpty {
      try await Task.sleep(for: .milliseconds(3_100))
      let (before, begun) = (upstream.calls, ContinuousClock.now)
      try readEverywhere()
      if ContinuousClock.now - begun < .seconds(1) { calls.append(upstream.calls - before) }
    }
    #expect(calls == [1])
    try await servers.stop()
    await upstream.stop()
  }

  @Test(arguments: ["path=a", "prefix=a", "all=true"])
  func aPurgeReachesEveryServer(query: String) async throws {
    let upstream = try upstream(keptFor: 600)
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
