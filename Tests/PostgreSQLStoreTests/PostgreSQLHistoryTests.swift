import History
import PostgreSQLStore
import Support
import Testing

/// The same histories over PostgreSQL, where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct PostgreSQLHistoryTests {
  @Test(arguments: 0..<UInt64(12))
  func serversThatShareItKeepWhatOneDoes(seed: UInt64) throws {
    let server = try #require(RunningPostgreSQL.shared)
    let ledger = PostgreSQLLedger(url: try server.newDatabase())
    try ledger.prepare()
    let verdict = try History.play(seed: 500 + seed, servers: 2, sharing: ledger)
    #expect(verdict.violation == nil)
  }
}
