import Feed
import Support
import Testing

@testable import PostgreSQLStore

/// A new database of this process's server, and a ledger over it, not prepared yet.
func ownDatabase() throws -> (
  server: RunningPostgreSQL, url: String, ledger: PostgreSQLLedger
) {
  let server = try #require(RunningPostgreSQL.shared)
  let url = try server.newDatabase()
  return (server, url, PostgreSQLLedger(url: url))
}

/// A new database with its tables, and two ledgers over it, as of two servers.
func sharedDatabase() throws -> (
  server: RunningPostgreSQL, url: String, one: PostgreSQLLedger, other: PostgreSQLLedger
) {
  let (server, url, one) = try ownDatabase()
  try one.prepare()
  return (server, url, one, PostgreSQLLedger(url: url))
}

/// Expects that a call finds the shared store unreachable, for a reason that has a text.
func expectOutage<Value>(
  _ text: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) {
  #expect(sourceLocation: location) {
    _ = try body()
  } throws: { error in
    guard case .unreachable(let message) = error as? StoreError else { return false }
    return message.contains(text)
  }
}
