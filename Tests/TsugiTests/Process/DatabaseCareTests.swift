import Foundation
import JSONBytes
import Support
import Testing

/// What an operator does to a PostgreSQL while servers share it.
@Suite(
  .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .serialized,
  .timeLimit(.minutes(3)))
struct DatabaseCareTests {
  private static let slice = "/v1/qiita/items?limit=20"

  private func answer(_ request: String, from port: Int) throws -> String {
    let answer = try exchange(
      "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port)
    return String(decoding: answer, as: UTF8.self)
  }

  /// Asks until the answer has a text.
  private func expect(_ text: String, to request: String, from port: Int) throws {
    var tries = 0
    while try !answer(request, from: port).contains(text) {
      tries += 1
      try #require(tries < 150, "\(request) never has \(text)")
      usleep(100_000)
    }
  }

  /// Ends all sessions of the servers' database, and refuses new ones.
  private func close(_ servers: ServersInTurn) throws {
    try servers.database.query(
      "ALTER DATABASE \(servers.name) ALLOW_CONNECTIONS false", in: "postgres")
    try servers.database.endSessions(of: servers.url)
  }

  private func calls(_ port: Int) throws -> [Substring] {
    try answer("GET /metrics", from: port).split(separator: "\n")
      .filter { $0.hasPrefix("tsugi_upstream_calls_total") }
  }

  @Test func aReadOnlyDatabaseIsServedFromCopiesWithoutACall() async throws {
    let servers = try await ServersInTurn(2, items: 60, drift: "insert=0")
    _ = try servers.walk(limit: 20, from: 0)
    _ = try servers.walk(limit: 20, from: 1)
    let name = servers.name
    try servers.database.query(
      "ALTER DATABASE \(name) SET default_transaction_read_only = on", in: "postgres")
    try servers.database.endSessions(of: servers.url)
    for port in servers.ports {
      try expect(#""store":"unreachable""#, to: "GET /readyz", from: port)
      let before = try calls(port)
      #expect(try answer("GET \(Self.slice)", from: port).hasPrefix("HTTP/1.1 200"))
      _ = try answer("POST /v1/qiita/items:refresh?wait=500", from: port)
      #expect(try servers.body(of: "/v1/qiita/tags/none/items?wait=0", from: port) == nil)
      #expect(try calls(port) == before)
    }
    #expect(await servers.servers[0].errorLine(with: "25006") != nil)
    try servers.database.query("ALTER DATABASE \(name) RESET ALL", in: "postgres")
    try servers.database.endSessions(of: servers.url)
    for port in servers.ports {
      try expect(#"{"status":"ready"}"#, to: "GET /readyz", from: port)
      try expect("HTTP/1.1 200", to: "POST /v1/qiita/items:refresh", from: port)
    }
    servers.database.stop()
  }

  /// The database goes on from a copy that lacks what was written since.
  @Test func aFailoverToAnOlderCopyIsAReset() async throws {
    let servers = try await ServersInTurn(2, items: 200, drift: "insert=3")
    let port = servers.ports[0]
    let stored = try servers.walk(limit: 50, from: 0)
    try close(servers)
    let older = try servers.database.newDatabase(from: servers.url)
    try servers.database.query(
      "ALTER DATABASE \(servers.name) ALLOW_CONNECTIONS true", in: "postgres")
    let number = { try servers.query("SELECT max(sequence) FROM feed") }
    let before = try number()
    var tries = 0
    while try number() == before {
      _ = try answer("POST /v1/qiita/items:refresh", from: port)
      tries += 1
      try #require(tries < 100)
      usleep(100_000)
    }
    let top = try #require(try servers.body(of: Self.slice, from: port))
    let since = try #require(top["seq"]?.scalar)
    let epoch = try servers.query("SELECT epoch FROM store")
    let name = servers.name
    try close(servers)
    try servers.database.query("ALTER DATABASE \(name) RENAME TO lost", in: "postgres")
    try servers.database.query(
      "ALTER DATABASE \(RunningPostgreSQL.name(of: older)) RENAME TO \(name)", in: "postgres")
    for port in servers.ports {
      try expect("HTTP/1.1 410", to: "GET /v1/qiita/items:changes?since=\(since)", from: port)
    }
    #expect(try servers.query("SELECT epoch FROM store") != epoch)
    for first in 0..<2 {
      let ids = try servers.walk(limit: 20, from: first)
      #expect(Set(ids).count == ids.count && Set(ids).isSuperset(of: stored))
    }
    servers.database.stop()
  }

  @Test func aDumpIsTakenAndRestoredBesideTheServers() async throws {
    let servers = try await ServersInTurn(2, items: 200, drift: "insert=0")
    let before = try servers.walk(limit: 50, from: 0)
    let dump = try servers.database.dump(servers.url)
    #expect(try servers.walk(limit: 50, from: 1) == before)
    try servers.database.restore(dump, to: servers.url)
    for port in servers.ports {
      try expect("HTTP/1.1 200", to: "POST /v1/qiita/items:refresh", from: port)
    }
    #expect(try servers.walk(limit: 20, from: 0) == before)
    servers.database.stop()
  }

  @Test func everyTableIsRewrittenBesideTheServers() async throws {
    let servers = try await ServersInTurn(2, items: 200, drift: "insert=0")
    let before = try servers.walk(limit: 50, from: 0)
    _ = try servers.walk(limit: 50, from: 1)
    let tables = try servers.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    for table in tables.split(separator: "\n") {
      try servers.database.begin("VACUUM FULL \(table)", in: servers.url)
      for port in servers.ports {
        #expect(try answer("GET \(Self.slice)", from: port).hasPrefix("HTTP/1.1 200"), "\(table)")
      }
    }
    _ = try servers.query("VACUUM FULL")
    for port in servers.ports {
      try expect("HTTP/1.1 200", to: "POST /v1/qiita/items:refresh", from: port)
    }
    #expect(try servers.walk(limit: 20, from: 0) == before)
    servers.database.stop()
  }

  /// `LISTEN` is lost there, and nothing else is.
  @Test(.enabled(if: RunningPooler.isThere, "pgbouncer is not installed"))
  func serversBehindAPoolerSayThatTheyPoll() async throws {
    let database = try RunningPostgreSQL.start()
    let pooler = try RunningPooler(before: database.port)
    defer { pooler.stop() }
    let servers = try await ServersInTurn(2, on: database) { url in
      #""url": "\#(pooler.url(of: url))""#
    }
    for first in 0..<4 {
      let ids = try servers.walk(limit: 50, from: first)
      #expect(Set(ids).count == ids.count && ids.count >= 500)
    }
    for server in servers.servers {
      let line = await server.errorLine(with: "store.listenURL")
      #expect(line?.contains("warning") == true)
      server.signal(SIGTERM)
      #expect(await server.exitCode() == 0)
      #expect(server.errorText.count { $0.contains("store.listenURL") } == 1)
    }
    database.stop()
  }
}
