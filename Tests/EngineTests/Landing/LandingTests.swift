import Feed
import History
import Support
import Testing

@testable import Engine

/// An answer lands as a function of values: what it is compared with, and what comes out.
@Suite struct LandingTests {
  /// Rows that can be read a number of times before the store fails.
  private final class FailingRows: StoredRows {
    private let store: MemoryStore
    private(set) var readsLeft: Int

    init(_ store: MemoryStore, readsLeft: Int) {
      (self.store, self.readsLeft) = (store, readsLeft)
    }

    private func read() throws(StoreError) {
      guard readsLeft > 0 else { throw .full }
      readsLeft -= 1
    }

    func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
      try read()
      return try store.known(in: feed, ids: ids)
    }

    func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
      -> [KnownElement]
    {
      try read()
      return try store.known(in: feed, below: upper, above: lower)
    }

    func last(_ limit: Int, of feed: FeedID, in range: CutRange) throws(StoreError) -> [Element] {
      try read()
      return Array(
        try store.makeReader().lastElements(
          of: feed, below: range.upper, above: range.lower, limit: limit))
    }

    func position(at offset: Int, of feed: FeedID, below upper: Cut) throws(StoreError)
      -> Position?
    {
      try read()
      return try store.makeReader().position(at: offset, of: feed, below: upper, above: .bottom)
    }

    func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
      try read()
      return try store.makeReader().item(id, realm: realm)
    }
  }

  private let rig: Rig
  private let feed: FeedID

  init() throws {
    rig = try Rig(policy: .unbounded)
    feed = rig.feed.dialect.lists.items
  }

  private func answer() throws -> (Fetched<Page>, Asked) {
    let window = feed.pattern.paging.top(perPage: 20)
    let (fetcher, feed) = (rig.feed, feed)
    let answer = try #require(rig.time.run { await fetcher.page(window, of: feed) })
    return (answer, Asked(Ask(.top(20), for: .reader), window))
  }

  private func landing(on state: FeedState, _ rows: any StoredRows) -> Landing {
    Landing(
      on: state, of: feed, rows: rows, policy: .unbounded, at: rig.time.now,
      clock: UpstreamClock(), recentEdits: RecentEdits(), recallsEdits: false,
      newLineage: { Lineage(name: 1) })
  }

  /// Lands a first answer, and stores what comes out.
  private func landed() throws -> FeedState {
    let (answer, ask) = try answer()
    var first = landing(on: FeedState(feed.pattern), FailingRows(rig.store, readsLeft: .max))
    _ = try first.land(answer, to: ask)
    first.state.timeline.sequence = try rig.store.commit(first.draft.merges, budget: nil)
    first.state.record.isStored = true
    return first.state
  }

  @Test func theSameValuesLeadToTheSame() throws {
    rig.fill(50)
    let (answer, ask) = try answer()
    let before = FeedState(feed.pattern)
    var landings = (0..<2).map { _ in
      landing(on: before, FailingRows(rig.store, readsLeft: .max))
    }
    for index in landings.indices { _ = try landings[index].land(answer, to: ask) }
    #expect(landings[0].draft.merges == landings[1].draft.merges)
    #expect(landings[0].draft.merges.count == 1)
    // Others may stand at the last element's second, so that it is not proven yet.
    let seen = landings[0].draft.merges.first?.seen.map(\.item.id)
    #expect(seen == (try answer.result.get().items.dropLast().map(\.item.id)))
    #expect(landings[0].state.timeline == landings[1].state.timeline)
    #expect(before.timeline == Timeline())
  }

  @Test func nothingIsStoredByDecidingIt() throws {
    rig.fill(50)
    let (answer, ask) = try answer()
    var landing = landing(
      on: FeedState(feed.pattern), FailingRows(rig.store, readsLeft: .max))
    _ = try landing.land(answer, to: ask)
    #expect(try rig.store.timeline(of: feed) == nil)
  }

  @Test func aFailingStoreLeavesWhatWasHeard() throws {
    rig.fill(50)
    let before = try landed()
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
    for _ in 0..<30 { rig.feed.insert(second: rig.time.now.seconds - 30) }
    let (answer, ask) = try answer()
    let enough = FailingRows(rig.store, readsLeft: .max)
    var whole = landing(on: before, enough)
    _ = try whole.land(answer, to: ask)
    let reads = Int.max - enough.readsLeft
    #expect(reads > 0)
    for readsLeft in 0..<reads {
      var failing = landing(on: before, FailingRows(rig.store, readsLeft: readsLeft))
      #expect(throws: StoreError.full) { _ = try failing.land(answer, to: ask) }
      #expect(failing.heard.timeline.proofs == before.timeline.proofs)
    }
    #expect(whole.state.timeline.proofs != before.timeline.proofs)
  }
}
