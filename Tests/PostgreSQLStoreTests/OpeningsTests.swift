import Feed
import Support
import Testing

@testable import PostgreSQLStore

/// How many feeds a site may open at all servers, over a real PostgreSQL where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct OpeningsTests {
  private let server: RunningPostgreSQL
  private let url: String
  private let one: PostgreSQLLedger
  private let other: PostgreSQLLedger

  init() throws {
    (server, url, one, other) = try sharedDatabase()
  }

  @Test func twoServersCountTogether() throws {
    for ledger in [one, other, one] { #expect(try ledger.open(for: "a", perMinute: 3) == nil) }
    for ledger in [one, other] {
      let wait = try #require(try ledger.open(for: "a", perMinute: 3))
      #expect(wait > .zero && wait <= .seconds(20))
    }
    #expect(try other.open(for: "b", perMinute: 3) == nil)
    _ = try server.query("UPDATE opening SET paid_until = paid_until - 20000000", in: url)
    #expect(try other.open(for: "a", perMinute: 3) == nil)
    #expect(try one.open(for: "a", perMinute: 3) != nil)
  }

  /// What a clock noted that was set wrong keeps no client waiting.
  @Test func whatLiesYearsAheadIsNotPaid() throws {
    #expect(try one.open(for: "a", perMinute: 3) == nil)
    _ = try server.query(
      "UPDATE opening SET paid_until = paid_until + 1000000000000000", in: url)
    for _ in 0..<3 { #expect(try one.open(for: "a", perMinute: 3) == nil) }
    #expect(try #require(try one.open(for: "a", perMinute: 3)) <= .seconds(20))
  }

  @Test func whoHasPaidIsForgotten() throws {
    #expect(try one.open(for: "a", perMinute: 3) == nil)
    #expect(try one.open(for: "b", perMinute: 3) == nil)
    _ = try server.query("UPDATE opening SET paid_until = 1 WHERE site = 'a'", in: url)
    _ = try one.tidy(
      PostgreSQLLedger.Limits(
        bytesMax: 1 << 30, answerBytesMax: 1 << 30, feedsMax: 9, remembers: .seconds(9)))
    #expect(try server.query("SELECT site FROM opening", in: url) == "b")
  }
}
