import Feed
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// Idle connections that the database ends.
@Suite(
  .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .timeLimit(.minutes(3)))
struct ConnectionEndTests {
  private let server: RunningPostgreSQL
  private let url: String
  private let ledger: PostgreSQLLedger
  private let one = Server(id: "one")

  init() throws {
    (server, url, ledger) = try ownDatabase()
    try ledger.prepare()
  }

  private var name: String { RunningPostgreSQL.name(of: url) }

  private func claim(_ key: String) throws -> Token? {
    let call = SharedCall(source: "s", key: key, feed: nil, budget: nil)
    let ground = try ledger.ground(of: call, for: one)
    try server.endSessions(of: url)
    // A claim that was lost may not be made again: it must not be sent into a dead connection.
    return try ledger.claim(
      call, knowing: ground, leaving: Budget(limit: 9, remaining: 8, resetAt: nil),
      lease: .seconds(30), for: one)
  }

  @Test func aCallAfterTheEndOfItsConnectionOpensAnother() throws {
    for number in 0..<3 { #expect(try claim("feed \(number)") == 1) }
    try server.endSessions(of: url)
    #expect(try ledger.beat(one).servers == 1 && ledger.isUp)
  }

  /// What an operator sets for all sessions of a database is no failure of a call.
  @Test func theLimitsOfADatabaseHoldNothingUp() throws {
    for setting in [
      "statement_timeout = '1s'", "idle_session_timeout = '1s'",
      "idle_in_transaction_session_timeout = '1ms'", "lock_timeout = '1s'",
    ] {
      try server.query("ALTER DATABASE \(name) SET \(setting)", in: "postgres")
    }
    try server.endSessions(of: url)
    for number in 0..<2 {
      _ = try ledger.beat(one)
      while try idleSessions() > 0 {}
      #expect(try claim("feed \(number)") == 1)
    }
  }

  private func idleSessions() throws -> Int {
    let idle = try server.query(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)'", in: "postgres")
    return Int(idle) ?? 0
  }

  /// It can be read and not written to: a beat says so, and no call can be claimed.
  @Test func aReadOnlyDatabaseIsAnOutageThatEndsByItself() throws {
    let call = SharedCall(source: "s", key: "feed", feed: nil, budget: nil)
    let ground = try ledger.ground(of: call, for: one)
    try server.query(
      "ALTER DATABASE \(name) SET default_transaction_read_only = on", in: "postgres")
    try server.endSessions(of: url)
    for _ in 0..<2 { expectOutage("25006") { try ledger.beat(one) } }
    #expect(throws: StoreError.self) {
      try ledger.claim(
        call, knowing: ground, leaving: Budget(limit: 9, remaining: 8, resetAt: nil),
        lease: .seconds(30), for: one)
    }
    #expect(try ledger.budget(of: "s") == nil)
    try server.query("ALTER DATABASE \(name) RESET ALL", in: "postgres")
    try server.endSessions(of: url)
    #expect(try ledger.beat(one).servers == 1)
  }
}
