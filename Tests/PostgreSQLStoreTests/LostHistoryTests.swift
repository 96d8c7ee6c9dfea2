import Feed
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// What becomes of a history that was lost, over a real PostgreSQL where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct LostHistoryTests {
  private let ledger: PostgreSQLLedger
  private let one = Server(id: "one")

  init() throws {
    ledger = try ownDatabase().ledger
    try ledger.prepare()
  }

  /// Of a history that was lost, positions may have been given out that are others' now.
  @Test func anotherEpochGivesPositionsOutUnderAnotherName() throws {
    try ledger.write(sharedRows(version: 1, ["a"]), over: nil, of: nil, leaving: nil, for: one)
    var ordered = sharedRows(version: 1, ["a"])
    ordered.feed.name = "s/value"
    ordered.feed.timeline.lineages = []
    try ledger.write(ordered, over: nil, of: nil, leaving: nil, for: one)
    let before = try #require(try ledger.feed("s/f"))
    let heartbeat = try ledger.beat(one)
    // Only the first of two that find the loss begins anew.
    try ledger.begin(after: heartbeat.epoch)
    let after = try #require(try ledger.feed("s/f"))
    try ledger.begin(after: heartbeat.epoch)
    #expect(try ledger.feed("s/f")?.feed == after.feed)
    #expect(try ledger.beat(one).epoch != heartbeat.epoch)
    let lineages = after.feed.timeline.lineages
    #expect(lineages.count == 1 && lineages != before.feed.timeline.lineages)
    #expect(lineages.first?.floor == .bottom)
    #expect(after.feed.version == 2 && after.feed.stamp != before.feed.stamp)
    #expect(try ledger.feed("s/value")?.feed == ordered.feed)
    #expect(try ledger.beat(one).revisions["s"] ?? 0 > heartbeat.revisions["s"] ?? 0)
    #expect(throws: StoreError.overtaken) {
      try ledger.write(
        sharedRows(version: 2, ["b"]), over: before.feed.state, of: nil, leaving: nil, for: one)
    }
  }

  /// A heartbeat names the change of each source's number, so that two histories differ in it.
  @Test func aHeartbeatNamesTheLastChange() throws {
    try ledger.write(sharedRows(version: 1, ["a"]), over: nil, of: nil, leaving: nil, for: one)
    let change = Heartbeat.Change("s/f", SharedState(version: 1, stamp: 7))
    #expect(try ledger.beat(one).changes == ["s": change])
    try ledger.write(
      [SharedItem(realm: "s#items", id: Identity("z"), sentAt: Timestamp(seconds: 9), digest: nil)],
      contents: [:], of: "s", ending: nil, for: one)
    #expect(try ledger.beat(one).changes == [:])
  }
}
