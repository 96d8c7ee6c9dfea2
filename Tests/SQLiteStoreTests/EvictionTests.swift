import Feed
import Support
import Testing

@testable import SQLiteStore

/// How rows leave the store, and what stays with them.
@Suite struct EvictionTests {
  let sandbox: Sandbox
  let store: TimelineDatabase

  init() throws {
    sandbox = try Sandbox()
    store = try sandbox.open()
  }

  private func integer(_ sql: String) throws -> Int64 {
    try Connection(path: sandbox.path, access: .readOnly).integer(sql)
  }

  /// A feed of so many elements, one a second, of which each takes a page or two.
  private func fill(_ feed: FeedID = items, _ count: Int, bytes: Int = 20_000) throws {
    var change = merge(feed, sentAt: 10)
    change.timeline.proofs = [
      Proof(
        upper: .top, lower: .bottom, provenAt: instant(10), count: count, rankBelow: count)
    ]
    change.timeline.lookedAt = instant(10)
    if feed.pattern.order != .value { change.timeline.lineages = [Lineage(name: 1)] }
    for number in (0..<count).reversed() {
      change.seen.append(
        seen("\(number)", Int64(number), content: String(repeating: "x", count: bytes)))
    }
    _ = try store.commit(change, budget: nil)
  }

  /// Takes the steps the rules decide until nothing more may go.
  private func giveUp(_ feed: FeedID = items, keepsTop: Bool = false) throws -> Int {
    var steps = 0
    let limit = Eviction.foot(keepsTop: keepsTop)
    while let foot = try store.foot(of: feed.name, limit: limit) {
      switch Eviction.step(for: foot, limit: limit, keepsTop: keepsTop) {
      case .drop: try store.drop(feed.name)
      case .cut(let cut, let timeline):
        try store.cut(feed.name, below: cut, leaving: timeline)
      case .needsMore, .nothing: return steps
      }
      steps += 1
    }
    return steps
  }

  @Test func aCutTakesWhatStandsBelowAndNothingElse() throws {
    _ = try store.commit(
      merge(sentAt: 10, seen: [seen("d", 4), seen("c", 3), seen("b", 2), seen("a", 1)]),
      budget: nil)
    var timeline = Timeline()
    timeline.proofs = [
      Proof(
        upper: .top, lower: .above(key: 2), provenAt: instant(10), count: 2, rankBelow: 2)
    ]
    timeline.lookedAt = instant(10)
    try store.cut(items.name, below: .above(key: 2), leaving: timeline)
    #expect(try store.standing() == "d c")
    #expect(
      try ["a", "b", "c", "d"].map { try store.content($0) != nil } == [
        false, false, true, true,
      ])
    var stored = try #require(try store.timeline(of: items))
    #expect(stored.sequence == 4)
    stored.sequence = 0
    #expect(stored == timeline)
    #expect(try integer("SELECT count(*) FROM item") == 2)
    #expect(try integer("SELECT changes_floor FROM feed") == 4)
  }

  @Test func anItemStaysWhileAnyFeedHoldsIt() throws {
    let both = [seen("a", 1)]
    for feed in [items, tagged("Swift"), tagged("C#")] {
      _ = try store.commit(merge(feed, sentAt: 10, seen: both), budget: nil)
    }
    // It left this one, so this one does not hold it.
    _ = try store.commit(merge(tagged("C#"), sentAt: 20, removed: [place("a", 1)]), budget: nil)
    try store.drop(items.name)
    #expect(try store.content("a") != nil)
    #expect(try store.standing(in: tagged("Swift")) == "a")
    try store.drop(tagged("Swift").name)
    #expect(try store.content("a") == nil)
    #expect(try integer("SELECT count(*) FROM item") == 0)
    #expect(try integer("SELECT count(*) FROM content") == 0)
  }

  @Test func aTombstoneNeverTakesAnotherItemWithIt() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    _ = try store.commit(merge(tagged("Swift"), sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    _ = try store.commit(merge(sentAt: 20, removed: [place("a", 1)]), budget: nil)
    try store.drop(tagged("Swift").name)
    #expect(try store.content("a") == nil)
    // The next item gets the key that the tombstone still names.
    try store.keep(seen("b", 2).item, realm: "qiita#items", sentAt: instant(30))
    #expect(try integer("SELECT count(*) FROM element JOIN item ON item = item.key") == 1)
    try store.drop(items.name)
    #expect(try store.content("b") != nil)
  }

  @Test func whatIsKnownToBeDeletedStaysKnown() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]), budget: nil)
    _ = try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(20))
    try store.drop(items.name)
    let reader = try store.makeReader()
    #expect(
      try reader.item(Identity("a"), realm: "qiita#items")
        == StoredItem(bytes: nil, sentAt: instant(20)))
    #expect(try reader.item(Identity("b"), realm: "qiita#items") == nil)
  }

  @Test func aFeedMadeAnewCountsOnFromWhatAllDroppedOnesTold() throws {
    try fill(items, 5, bytes: 1)
    try fill(tagged("Swift"), 2, bytes: 1)
    try store.drop(items.name)
    try store.drop(tagged("Swift").name)
    #expect(try store.timeline(of: items) == nil)
    #expect(try store.commit(merge(sentAt: 20, seen: [seen("a", 1)]), budget: nil) == 7)
    #expect(try integer("SELECT changes_floor FROM feed") == 6)
  }

  @Test(arguments: [items, tagged("Swift")])
  func aDroppedFeedLeavesNoRow(feed: FeedID) throws {
    try fill(feed, 250, bytes: 10)
    #expect(try giveUp(feed) == 3)
    for table in ["feed", "element", "proof", "lineage", "item", "content"] {
      #expect(try integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    #expect(store.load.feedsEvicted == 1)
    #expect(store.load.placesEvicted == 250)
    #expect(store.load.feeds == 0)
  }

  @Test func theTopOfTheLastFeedStays() throws {
    try fill(items, 350, bytes: 10)
    #expect(try giveUp(keepsTop: true) == 3)
    let kept = (250..<350).reversed().map { "\($0)" }.joined(separator: " ")
    #expect(try store.standing() == kept)
  }

  @Test func theLoadFollowsTheRowsUpAndDown() throws {
    let empty = store.load.bytes
    try fill(items, 200)
    let full = store.load.bytes
    #expect(full - empty >= 200 * 20_000)
    #expect(full - empty <= 200 * 40_000)
    _ = try giveUp()
    #expect(store.load.bytes <= empty + 10 * 16_384)
    #expect(store.load.feeds == 0)
    try fill(items, 200)
    #expect(abs(store.load.bytes - full) <= 10 * 16_384)
  }

  @Test func theLoadIsKnownFromTheOpeningOn() throws {
    try fill(items, 20)
    try fill(tagged("Swift"), 2)
    let load = store.load
    store.close()
    let again = try sandbox.open()
    #expect(again.load.feeds == 2)
    #expect(abs(again.load.bytes - load.bytes) <= 16_384)
  }

  @Test func aFileBeyondItsLimitIsGivenBackToTheDisk() throws {
    try fill(items, 400)
    store.close()
    let limit: Int64 = 2 << 20
    let small = try sandbox.open(bytesMax: limit)
    let before = try sandbox.bytes(sandbox.path).count
    #expect(before > 8 << 20)
    while let foot = try small.foot(of: items.name, limit: 101) {
      guard
        case .cut(let cut, let timeline) = Eviction.step(
          for: foot, limit: 101, keepsTop: false)
      else { break }
      try small.cut(items.name, below: cut, leaving: timeline)
    }
    try small.drop(items.name)
    var steps = 1
    while try small.shrink() { steps += 1 }
    #expect(steps > 1)
    small.close()
    #expect(try sandbox.bytes(sandbox.path).count <= Int(limit))
    // And the limit holds again.
    let again = try sandbox.open(bytesMax: limit)
    var change = merge(sentAt: 20)
    change.seen = [seen("large", 1, content: String(repeating: "x", count: 3 << 20))]
    #expect(throws: StoreError.full) { try again.commit(change, budget: nil) }
  }

  @Test func readingsAreNotedAndNeverGoBack() throws {
    try fill(items, 1)
    #expect(
      try store.feeds() == [
        StoredFeed(name: items.name, source: "qiita", readAt: instant(10))
      ])
    try store.note([items.name: instant(50), "qiita/unknown": instant(60)])
    try store.note([items.name: instant(40)])
    #expect(try store.feeds().map(\.readAt) == [instant(50)])
  }

  @Test func moreReadingsThanATransactionTakesAreNoted() throws {
    let feeds = (0..<1_100).map { tagged("\($0)") }
    for feed in feeds {
      _ = try store.commit(merge(feed, sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    }
    try store.note(Dictionary(uniqueKeysWithValues: feeds.map { ($0.name, instant(70)) }))
    #expect(try store.feeds().allSatisfy { $0.readAt == instant(70) })
  }

  private func sweep(gone: Int64 = 0, loose: Int64 = 0, rows: Int = 100) throws {
    let sweep = Sweep(
      goneBefore: instant(gone), looseBefore: instant(loose), rowsMax: rows)
    while try !store.sweep(sweep) {}
  }

  @Test func tombstonesAreForgottenAfterTheirTime() throws {
    _ = try store.commit(
      merge(sentAt: 10, seen: [seen("c", 3), seen("b", 2), seen("a", 1)]), budget: nil)
    _ = try store.commit(
      merge(sentAt: 20, seen: [seen("c", 3, takesNumber: false)], removed: [place("b", 2)]),
      budget: nil)
    _ = try store.commit(merge(sentAt: 30, removed: [place("a", 1)]), budget: nil)
    try sweep(gone: 20)
    #expect(try store.known(in: items, below: .top, above: .bottom).count == 3)
    try sweep(gone: 21)
    #expect(
      try store.known(in: items, below: .top, above: .bottom).map(\.id.text) == ["c", "a"])
    // Changes up to the fourth are whole no longer.
    #expect(try integer("SELECT changes_floor FROM feed") == 4)
    #expect(try store.content("b") == nil)
    #expect(try store.content("a") != nil)
  }

  @Test func deletionsAreForgottenAfterTheirTime() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    _ = try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(20))
    let reader = try store.makeReader()
    try sweep(gone: 20, loose: 90)
    #expect(try reader.item(Identity("a"), realm: "qiita#items") != nil)
    try sweep(gone: 21)
    #expect(try reader.item(Identity("a"), realm: "qiita#items") == nil)
  }

  @Test func onlyOldItemsInNoFeedAreLoose() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("held", 1)]), budget: nil)
    try store.keep(seen("loose", 1).item, realm: "qiita#items", sentAt: instant(10))
    try store.keep(seen("young", 1).item, realm: "qiita#items", sentAt: instant(20))
    try sweep(loose: 20)
    #expect(
      try ["held", "loose", "young"].map { try store.content($0) != nil } == [
        true, false, true,
      ])
  }

  @Test(arguments: [1, 7, 100, 1_000])
  func aSweepComesBySoManyRowsAtATimeAndMissesNone(rows: Int) throws {
    try fill(items, 300, bytes: 10)
    let places = (0..<300).filter { $0 % 2 == 0 }.map { place("\($0)", Int64($0)) }
    _ = try store.commit(merge(sentAt: 20, removed: places), budget: nil)
    try sweep(gone: 21, rows: rows)
    #expect(try store.known(in: items, below: .top, above: .bottom).count == 150)
    #expect(try integer("SELECT count(*) FROM item") == 150)
    #expect(store.load.placesEvicted == 150)
  }
}
