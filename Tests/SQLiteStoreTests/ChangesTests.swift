import Feed
import Support
import Testing

@testable import SQLiteStore

/// What a reader is told of the changes after a number.
@Suite struct ChangesTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
  }

  /// The changes after a number as `1+a 3-b`, `>` for a move, `*` for a deletion, `|4` for where
  /// they lead, `…` where there is more; or that the number is expired, and what the present one
  /// is.
  private func told(
    _ store: TimelineDatabase, after number: Int64, limit: Int = 100, feed: FeedID = items,
    epoch: String? = nil, learned: Bool = false, learnt: Int64 = 0
  ) throws -> String {
    let since = SequenceNumber(epoch: epoch ?? store.epoch, number: number, learnt: learnt)
    let reader = try store.makeReader()
    switch try reader.changes(of: feed, after: since, limit: limit, learned: learned) {
    case .expired(let present): return "expired \(present.number)"
    case .changes(let changes):
      let events = changes.changes.map { change in
        let sign =
          switch change.event {
          case .upsert: change.hasMoved ? ">" : "+"
          case .remove: "-"
          case .delete: "*"
          }
        return "\(change.number)\(sub(change.learnt))\(sign)\(change.id.text) "
      }
      return events.joined() + "|\(changes.next.number)\(sub(changes.next.learnt))"
        + (changes.hasMore ? "…" : "")
    }
  }

  private func sub(_ learnt: Int64) -> String { learnt > 0 ? "/\(learnt)" : "" }

  private func store(_ merges: [Merge]) throws -> TimelineDatabase {
    let store = try sandbox.open()
    for merge in merges { _ = try store.commit(merge, budget: nil) }
    return store
  }

  @Test(arguments: [
    (0, "1+c 2+b 3+a |3"), (1, "2+b 3+a |3"), (3, "|3"), (4, "expired 3"), (-1, "expired 3"),
  ])
  func tellsWhatComesAfterANumber(number: Int64, told: String) throws {
    let store = try store([merge(sentAt: 10, seen: [seen("c", 3), seen("b", 2), seen("a", 1)])])
    #expect(try self.told(store, after: number) == told)
  }

  @Test(arguments: [(1, "1+c |1…"), (2, "1+c 2+b |2…"), (3, "1+c 2+b 3+a |3")])
  func tellsNoMoreThanAsked(limit: Int, told: String) throws {
    let store = try store([merge(sentAt: 10, seen: [seen("c", 3), seen("b", 2), seen("a", 1)])])
    #expect(try self.told(store, after: 0, limit: limit) == told)
  }

  @Test func tellsTheLastChangeOfAnElementOnly() throws {
    let store = try store([
      merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]),
      merge(sentAt: 20, seen: [seen("b", 2, updatedAt: 5)]),
    ])
    #expect(try told(store, after: 0) == "2+a 3+b |3")
  }

  @Test func tellsARemovalAndAReturn() throws {
    let store = try store([
      merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]),
      merge(sentAt: 20, removed: [place("b", 2)]),
    ])
    #expect(try told(store, after: 2) == "3-b |3")
    _ = try store.commit(merge(sentAt: 30, seen: [seen("b", 2)]), budget: nil)
    #expect(try told(store, after: 2) == "4+b |4")
  }

  /// What moved has not left: its old place is not told of.
  @Test func tellsAMoveAsOneChange() throws {
    let feed = tagged("Swift")
    let store = try store([
      merge(feed, sentAt: 10, seen: [seen("b", 2), seen("a", 1)]),
      merge(feed, sentAt: 20, seen: [seen("a", 7)]),
    ])
    #expect(try told(store, after: 0, feed: feed) == "1+b 3>a |3")
    #expect(try told(store, after: 2, feed: feed) == "3>a |3")
    // From then on it stands where it stands.
    _ = try store.commit(merge(feed, sentAt: 30, seen: [seen("a", 7, updatedAt: 9)]), budget: nil)
    #expect(try told(store, after: 3, feed: feed) == "4+a |4")
    #expect(try told(store, after: 2, feed: feed) == "4>a |4")
  }

  @Test func tellsADeletionInEveryFeed() throws {
    let feed = tagged("Swift")
    let store = try store([
      merge(sentAt: 10, seen: [seen("a", 1)]), merge(feed, sentAt: 10, seen: [seen("a", 1)]),
    ])
    _ = try store.delete([Identity("a")], realm: items.realm, sentAt: instant(20))
    #expect(try told(store, after: 1) == "2*a |2")
    #expect(try told(store, after: 1, feed: feed) == "2*a |2")
  }

  /// A client that has a number for an id has one for who is gone.
  @Test func tellsWhetherWhoIsGoneWasNamedByANumber() throws {
    var number = seen("7", 2)
    number.item.id.isNumber = true
    let store = try store([merge(sentAt: 10, seen: [number, seen("8", 1)])])
    _ = try store.delete([Identity("7"), Identity("8")], realm: items.realm, sentAt: instant(20))
    let since = SequenceNumber(epoch: store.epoch, number: 2)
    let reading = try store.makeReader().changes(of: items, after: since, limit: 9, learned: false)
    guard case .changes(let changes) = reading else {
      Issue.record("expired")
      return
    }
    #expect(
      Set(changes.changes.map { "\($0.id.text) \($0.id.isNumber)" }) == ["7 true", "8 false"])
    #expect(changes.changes.allSatisfy { $0.event == .delete })
  }

  /// A store of before knows it once the item comes again.
  @Test func learnsWhetherAnItemIsNamedByANumber() throws {
    var number = seen("7", 2)
    let store = try store([merge(sentAt: 10, seen: [number])])
    number.item.id.isNumber = true
    _ = try store.commit(merge(sentAt: 20, seen: [number]), budget: nil)
    _ = try store.delete([Identity("7")], realm: items.realm, sentAt: instant(30))
    let since = SequenceNumber(epoch: store.epoch, number: 1)
    let reading = try store.makeReader().changes(of: items, after: since, limit: 9, learned: false)
    guard case .changes(let changes) = reading else {
      Issue.record("expired")
      return
    }
    #expect(changes.changes.map(\.id.isNumber) == [true])
  }

  @Test func aRemovedElementHasItsLastContent() throws {
    let store = try store([
      merge(sentAt: 10, seen: [seen("a", 1, content: #"{"id":7}"#)]),
      merge(sentAt: 20, removed: [place("a", 1)]),
    ])
    let since = SequenceNumber(epoch: store.epoch, number: 1)
    let reading = try store.makeReader().changes(of: items, after: since, limit: 1, learned: false)
    guard case .changes(let changes) = reading else {
      Issue.record("expired")
      return
    }
    #expect(changes.changes.map(\.event) == [.remove(bytes: Array(#"{"id":7}"#.utf8))])
  }

  @Test func anotherEpochIsExpired() throws {
    let store = try store([merge(sentAt: 10, seen: [seen("a", 1)])])
    #expect(try told(store, after: 0, epoch: "other") == "expired 1")
  }

  @Test func onlyZeroIsKnownOfAFeedWithoutARow() throws {
    let store = try sandbox.open()
    #expect(try told(store, after: 0) == "|0")
    #expect(try told(store, after: 1) == "expired 0")
  }

  /// What was given up took its numbers with it.
  @Test func aNumberBeforeWhatWasGivenUpIsExpired() throws {
    let store = try store([
      merge(sentAt: 10, seen: [seen("a", 1)]), merge(sentAt: 20, seen: [seen("b", 2)]),
      merge(sentAt: 30, seen: [seen("c", 3)]),
    ])
    try store.cut(items.name, below: .above(place("b", 2)), leaving: Timeline())
    #expect(try told(store, after: 1) == "expired 3")
    #expect(try told(store, after: 2) == "3+c |3")
  }

  @Test func aFeedMadeAnewExpiresWhatWasToldBefore() throws {
    let store = try store([merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)])])
    try store.drop(items.name)
    _ = try store.commit(merge(sentAt: 20, seen: [seen("c", 3)]), budget: nil)
    #expect(try told(store, after: 1) == "expired 4")
    // Also the last number told: what was read since may have taken none.
    #expect(try told(store, after: 2) == "expired 4")
    #expect(try told(store, after: 3) == "4+c |4")
  }

  /// What was merely learnt stands between the changes, by when it was learnt, for who asks.
  @Test func tellsWhatWasLearntToWhoAsks() throws {
    let learnt = { (sentAt: Int64, names: [(String, Int64)]) in
      merge(sentAt: sentAt, seen: names.map { seen($0.0, $0.1, takesNumber: false) })
    }
    let store = try store([
      learnt(10, [("i", 9), ("h", 8)]), merge(sentAt: 20, seen: [seen("k", 11)]),
      learnt(30, [("g", 7), ("f", 6)]), learnt(40, [("g", 7), ("e", 5)]),
    ])
    #expect(try told(store, after: 0) == "1+k |1")
    let all = "0/1+i 0/2+h 1+k 1/1+g 1/2+f 1/3+e |1/3"
    #expect(try told(store, after: 0, learned: true) == all)
    #expect(try told(store, after: 0, learned: true, learnt: 1) == String(all.dropFirst(6)))
    #expect(try told(store, after: 1, learned: true) == "1/1+g 1/2+f 1/3+e |1/3")
    #expect(try told(store, after: 1, learned: true, learnt: 3) == "|1/3")
    #expect(try told(store, after: 0, limit: 4, learned: true) == "0/1+i 0/2+h 1+k 1/1+g |1/1…")
    // An edit of one is a change, and so is that it goes.
    _ = try store.commit(
      merge(sentAt: 50, seen: [seen("f", 6)], removed: [place("h", 8)]), budget: nil)
    #expect(try told(store, after: 0, learned: true) == "0/1+i 1+k 1/1+g 1/3+e 2-h 3+f |3")
    #expect(try told(store, after: 1, learned: true, learnt: 3) == "2-h 3+f |3")
    #expect(try told(store, after: 1, learnt: 3) == "2-h 3+f |3")
  }
}
