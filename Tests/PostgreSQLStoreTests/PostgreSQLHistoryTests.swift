import History
import PostgreSQLStore
import Support
import Testing

/// The same histories over PostgreSQL, where the machine has it; half of them where transactions
/// are serializable, as other engines have them.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct PostgreSQLHistoryTests {
  @Test(arguments: Extent.seeds(3, of: 12))
  func serversThatShareItKeepWhatOneDoes(seed: UInt64) throws {
    let server = try #require(RunningPostgreSQL.shared)
    let url = try server.newDatabase()
    if seed.isMultiple(of: 2) {
      let name = RunningPostgreSQL.name(of: url)
      _ = try server.query(
        "ALTER DATABASE \(name) SET default_transaction_isolation = serializable", in: url)
    }
    let ledger = PostgreSQLLedger(url: url)
    try ledger.prepare()
    let verdict = try History.play(seed: 500 + seed, servers: 2, sharing: ledger)
    #expect(verdict.violation == nil)
  }
}
