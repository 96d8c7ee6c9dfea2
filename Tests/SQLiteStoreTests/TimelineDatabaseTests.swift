import Feed
import Support
import Testing

@testable import SQLiteStore

@Suite struct TimelineDatabaseTests {
  let sandbox: Sandbox
  let store: TimelineDatabase

  init() throws {
    sandbox = try Sandbox()
    store = try sandbox.open()
  }

  @Test func knowsNothingOfFeedNeverWritten() throws {
    #expect(try store.timeline(of: items) == nil)
    #expect(try store.known(in: items, below: .top, above: .bottom).isEmpty)
    #expect(try store.elements().isEmpty)
    #expect(try store.budget(of: "qiita") == nil)
  }

  @Test func givesBackTimelineAsWritten() throws {
    var change = merge(sentAt: 90, seen: [seen("b", 20), seen("a", 10)])
    let middle = Cut.above(place("b", 20))
    change.timeline.proofs = [
      Proof(upper: .top, lower: middle, provenAt: instant(90), count: 3, rankBelow: 3),
      Proof(upper: middle, lower: .bottom, provenAt: instant(80), count: 2, rankBelow: 5),
    ]
    change.timeline.lookedAt = Timestamp(milliseconds: 90_123)
    change.timeline.total = Total(value: 680_484, asOf: instant(90))
    change.timeline.sequence = try store.commit(change, budget: nil)
    #expect(try store.timeline(of: items) == change.timeline)

    change.timeline.proofs.removeFirst()
    change.timeline.proofs[0].rankBelow = 6
    change.timeline.total = nil
    change.timeline.sequence = try store.commit(change, budget: nil)
    #expect(try store.timeline(of: items) == change.timeline)
  }

  /// A look at the top that showed nothing settled yet: what lies below a gap is not the head.
  @Test func givesBackAnEmptyHead() throws {
    var change = merge(sentAt: 90, seen: [seen("a", 10)])
    let (head, run) = (Cut.above(place("c", 30)), Cut.above(place("a", 10)))
    change.timeline.proofs = [
      Proof(upper: head, lower: head, provenAt: instant(90), count: 0, rankBelow: 0),
      Proof(upper: run, lower: .bottom, provenAt: instant(80), count: 1, rankBelow: 4),
    ]
    change.timeline.lookedAt = instant(90)
    change.timeline.sequence = try store.commit(change, budget: nil)
    #expect(try store.timeline(of: items) == change.timeline)
    #expect(try store.timeline(of: items)?.runs.first?.upper == head)
  }

  @Test(arguments: [
    Budget(limit: nil, remaining: 4, resetAt: nil),
    Budget(limit: 60, remaining: 0, resetAt: instant(3600)),
  ])
  func givesBackBudgetAsKept(budget: Budget) throws {
    try store.keep(Budget(limit: 1, remaining: 1, resetAt: instant(1)), of: "qiita")
    try store.keep(budget, of: "qiita")
    #expect(try store.budget(of: "qiita") == budget)
    #expect(try store.budget(of: "other") == nil)
  }

  @Test func keepsBudgetWithTheAnswerThatToldIt() throws {
    let budget = Budget(limit: 60, remaining: 59, resetAt: instant(3600))
    _ = try store.commit(merge(sentAt: 90), budget: budget)
    #expect(try store.budget(of: "qiita") == budget)
  }

  @Test func givesBackKnownElements() throws {
    _ = try store.commit(
      merge(
        sentAt: 90,
        seen: [seen("b", 20, updatedAt: 21), seen("x", 30, state: .displaced), seen("a", 10)]),
      budget: nil)
    _ = try store.commit(
      merge(sentAt: 95, missing: [place("b", 20)], removed: [place("a", 10)]), budget: nil)
    let known = try store.known(in: items, below: .top, above: .bottom)
    #expect(
      known == [
        KnownElement(
          position: place("x", 30), id: Identity("x"), updatedAt: nil, state: .displaced,
          sentAt: instant(90)),
        KnownElement(
          position: place("b", 20), id: Identity("b"), updatedAt: 21, state: .live,
          missingSince: instant(95), sentAt: instant(95)),
        KnownElement(
          position: place("a", 10), id: Identity("a"), updatedAt: nil, state: .removed,
          sentAt: instant(95)),
      ])
    let found = try store.known(in: items, ids: ["a", "x", "no", "a"].map { Identity($0) })
    #expect(Set(found) == [known[0], known[2]])
  }

  @Test func keepsFirstMissingMarkAndDropsItWhenSeen() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    for sentAt in [20, 30] as [Int64] {
      _ = try store.commit(merge(sentAt: sentAt, missing: [place("a", 1)]), budget: nil)
    }
    #expect(try store.known(in: items, ids: [Identity("a")])[0].missingSince == instant(20))
    _ = try store.commit(merge(sentAt: 40, seen: [seen("a", 1)]), budget: nil)
    #expect(try store.known(in: items, ids: [Identity("a")])[0].missingSince == nil)
  }

  @Test func leavesTombstoneWhereElementMovedAway() throws {
    let feed = tagged("Swift")
    _ = try store.commit(merge(feed, sentAt: 10, seen: [seen("a", 1), seen("b", 0)]), budget: nil)
    let last = try store.commit(merge(feed, sentAt: 20, seen: [seen("a", 5)]), budget: nil)
    #expect(last == 3)
    #expect(try store.standing(in: feed) == "a b")
    let known = try store.known(in: feed, ids: [Identity("a")])
    #expect(Set(known.map(\.state)) == [.live, .removed])
    #expect(try store.makeReader().position(of: Identity("a"), in: feed) == place("a", 5))
  }

  @Test func knowsWhereElementLastStood() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 9)]), budget: nil)
    _ = try store.commit(merge(sentAt: 20, seen: [seen("a", 5)]), budget: nil)
    _ = try store.commit(merge(sentAt: 30, removed: [place("a", 5)]), budget: nil)
    let reader = try store.makeReader()
    #expect(try reader.position(of: Identity("a"), in: items) == place("a", 5))
    #expect(try reader.position(of: Identity("b"), in: items) == nil)
    #expect(try reader.position(of: Identity("a"), in: tagged("Swift")) == nil)
  }

  @Test func keepsFeedsAndRealmsApart() throws {
    let owners = FeedID(
      source: "qiita", pattern: FeedPattern("mine", order: .value, isOwners: true),
      parts: [Array("mine".utf8)])
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1, content: "public")]), budget: nil)
    _ = try store.commit(
      merge(owners, sentAt: 10, seen: [seen("a", 1, content: "private")]), budget: nil)
    #expect(try store.elements()[0].bytes == Array("public".utf8))
    #expect(try store.elements(of: owners)[0].bytes == Array("private".utf8))
    #expect(try store.content("a") == "public")
    #expect(try store.content("a", realm: "qiita#owner") == "private")
  }

  @Test func changesNothingByCheck() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    let epoch = store.epoch
    try store.check()
    #expect(try store.standing() == "a")
    store.close()
    #expect(try sandbox.open().epoch == epoch)
  }

  @Test func refusesCallsAfterClose() throws {
    store.close()
    #expect(throws: StoreError.closed) { try store.check() }
    #expect(throws: StoreError.closed) { try store.timeline(of: items) }
  }

  @Test func goesOnAfterStoreWasFull() throws {
    store.close()
    let small = try sandbox.open(bytesMax: 1 << 20)
    _ = try small.commit(merge(sentAt: 5, seen: [seen("a", 1)]), budget: nil)
    let large = String(repeating: "x", count: 2 << 20)
    #expect(throws: StoreError.full) {
      try small.commit(
        merge(sentAt: 10, seen: [seen("b", 2), seen("c", 3, content: large)]), budget: nil)
    }
    #expect(try small.standing() == "a")
    #expect(try small.commit(merge(sentAt: 20, seen: [seen("d", 4)]), budget: nil) == 2)
    #expect(try small.standing() == "d a")
  }
}
