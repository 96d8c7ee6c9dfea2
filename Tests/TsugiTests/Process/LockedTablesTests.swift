import Dispatch
import Foundation
import Support
import Testing

/// Two servers on one PostgreSQL of which a table is locked, as `VACUUM FULL` or a migration does.
@Suite(
  .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .serialized,
  .timeLimit(.minutes(3)))
struct LockedTablesTests {
  private static let configuration = """
    {"server": {"port": 0}, "store": {"url": "STORE"},
     "sources": {"a": {"kind": "qiita", "baseURL": "UPSTREAM"},
       "b": {"kind": "qiita", "baseURL": "UPSTREAM"}}}
    """
  private let database: RunningPostgreSQL
  private let url: String
  private let upstream: RunningCommand
  private var servers: [RunningCommand] = []
  private var ports: [Int] = []

  init() async throws {
    database = try #require(RunningPostgreSQL.shared)
    url = try database.newDatabase()
    upstream = try RunningCommand(["simulate", "--port", "0", "--items", "200"])
    let base = try #require(await upstream.servedAddress())
    let configuration = LockedTablesTests.configuration
      .replacingOccurrences(of: "STORE", with: url).replacingOccurrences(of: "UPSTREAM", with: base)
    for _ in 0..<2 {
      let server = try RunningCommand(
        ["serve", "--config", "config.json"], files: ["config.json": configuration])
      ports.append(try await port(of: server))
      servers.append(server)
    }
  }

  private static func status(_ request: String, _ port: Int) throws -> String {
    let answer = try exchange(
      "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port)
    return String(decoding: answer.prefix(12).dropFirst(9), as: UTF8.self)
  }

  /// Locks a table until the session is ended.
  private func lock(_ table: String) throws {
    try database.begin(
      "BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)", in: url)
    while try !isLocked(table) { usleep(10_000) }
  }

  private func isLocked(_ table: String) throws -> Bool {
    try database.query(
      """
      SELECT count(*) FROM pg_locks
      WHERE relation = '\(table)'::regclass AND mode = 'AccessExclusiveLock' AND granted
      """, in: url) == "1"
  }

  private func unlock() throws {
    _ = try database.query(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%pg_sleep(60)' AND pid <> pg_backend_pid()
      """, in: url)
  }

  @Test func aLockedTableKeepsOnlyWhatNeedsItWaiting() async throws {
    for port in ports {
      for source in ["a", "b"] {
        #expect(try Self.status("GET /v1/\(source)/items?limit=20", port) == "200")
      }
    }
    let id = try database.query("SELECT convert_from(id, 'UTF8') FROM item LIMIT 1", in: url)
    for port in ports { #expect(try Self.status("GET /v1/b/items/\(id)", port) == "200") }
    let tables = try database.query(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1", in: url)
    for table in tables.split(separator: "\n").map(String.init).sample(4) {
      try lock(table)
      for port in ports {
        for request in ["POST /v1/a/items:refresh", "GET /v1/a/items?page=4&limit=50"] {
          DispatchQueue.global().async { _ = try? Self.status(request, port) }
        }
      }
      for _ in 0..<3 {
        for port in ports {
          for target in [
            "/readyz", "/v1/b/items?limit=20", "/v1/b/items/\(id)", "/v1/b/items:status",
            "/v1/a/items?limit=20&wait=0",
          ] {
            #expect(try Self.status("GET \(target)", port) == "200", "\(target) beside \(table)")
          }
        }
        usleep(300_000)
      }
      #expect(try isLocked(table), "\(table)")
      try unlock()
      for port in ports {
        var tries = 0
        while try Self.status("POST /v1/a/items:refresh", port) != "200" {
          tries += 1
          try #require(tries < 100, "\(table)")
          usleep(100_000)
        }
      }
    }
    for server in servers {
      server.signal(SIGTERM)
      #expect(await server.exitCode() == 0)
    }
  }
}
