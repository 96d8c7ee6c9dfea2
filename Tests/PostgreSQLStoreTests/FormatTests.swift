import Feed
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// A server whose program is older or newer than the tables, while it runs.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct FormatTests {
  private let server: RunningPostgreSQL
  private let url: String
  private let ledger: PostgreSQLLedger
  private let one = Server(id: "one")

  init() throws {
    (server, url, ledger) = try ownDatabase()
  }

  @Test func oneThatIsOlderThanTheTablesAllowSaysSoAndGoesOnWithThem() throws {
    try ledger.prepare()
    try server.query("UPDATE store SET format = 90, format_oldest = 80", in: url)
    for _ in 0..<2 { expectOutage("programs of format 80 and later") { try ledger.beat(one) } }
    // A newer format that an older program may use is none of its business.
    try server.query("UPDATE store SET format_oldest = 1", in: url)
    #expect(try ledger.beat(one).servers == 1)
  }

  /// As after the restore of a dump that an older program has written.
  @Test func oneThatIsNewerBringsTheTablesUpToDate() throws {
    try ledger.prepare()
    try server.query(
      """
      ALTER TABLE source DROP COLUMN clock_date, DROP COLUMN clock_made_at, DROP COLUMN calls;
      ALTER TABLE feed DROP COLUMN recipe; ALTER TABLE flight DROP COLUMN ended;
      DROP TABLE opening, answer; DROP INDEX log_of_purges; UPDATE store SET format = 1
      """, in: url)
    expectOutage("it has format 1") { try ledger.beat(one) }
    #expect(try ledger.beat(one).servers == 1)
    #expect(try server.query("SELECT format FROM store", in: url) == "\(Steps.format)")
  }

  /// It waits for the operator who may, and goes on by itself.
  @Test func oneThatMayNotMigrateWaitsForTheTables() throws {
    expectOutage("tsugi store migrate") { try ledger.prepare(mayMigrate: false) }
    expectOutage("tsugi store migrate") { try ledger.beat(one) }
    try PostgreSQLLedger(url: url).prepare()
    #expect(try ledger.beat(one).servers == 1)
  }
}
