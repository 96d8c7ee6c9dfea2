import Feed
import Support
import Testing

@testable import SQLiteStore

@Suite struct SequenceTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
  }

  @Test func takesOneNumberForEachChange() throws {
    let store = try sandbox.open()
    let first = merge(sentAt: 10, seen: [seen("c", 3), seen("b", 2), seen("a", 1)])
    #expect(try store.commit(first, budget: nil) == 3)
    let second = merge(
      sentAt: 20, seen: [seen("d", 4), seen("c", 3, takesNumber: false)],
      removed: [place("b", 2), place("a", 1)])
    #expect(try store.commit(second, budget: nil) == 6)
    #expect(try store.commit(merge(sentAt: 30), budget: nil) == 6)
  }

  @Test func takesNoNumberForRemovalOfWhatDoesNotStand() throws {
    let store = try sandbox.open()
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    let removal = merge(sentAt: 20, removed: [place("a", 1), place("never", 5)])
    #expect(try store.commit(removal, budget: nil) == 2)
    #expect(try store.commit(removal, budget: nil) == 2)
  }

  @Test func keepsLastNumberWithElement() throws {
    do {
      let store = try sandbox.open()
      _ = try store.commit(merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]), budget: nil)
      _ = try store.commit(
        merge(sentAt: 20, seen: [seen("b", 2, takesNumber: false)], removed: [place("a", 1)]),
        budget: nil)
    }
    let connection = try Connection(path: sandbox.path, access: .readOnly)
    #expect(try connection.integer("SELECT sequence FROM element WHERE ord = 2") == 1)
    #expect(try connection.integer("SELECT sequence FROM element WHERE ord = 1") == 3)
  }

  @Test func countsEachFeedByItself() throws {
    let store = try sandbox.open()
    #expect(try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil) == 1)
    let other = merge(tagged("Swift"), sentAt: 10, seen: [seen("b", 2), seen("a", 1)])
    #expect(try store.commit(other, budget: nil) == 2)
  }

  @Test func countsOnAfterReopening() throws {
    var last: Int64 = 0
    for round in 1...5 as ClosedRange<Int64> {
      let store = try sandbox.open()
      #expect(try store.timeline(of: items)?.sequence ?? 0 == last)
      last = try store.commit(merge(sentAt: round, seen: [seen("a", round)]), budget: nil)
      #expect(last == round)
    }
  }

  @Test func countsOnFromFloorInFeedMadeAnew() throws {
    do {
      let store = try sandbox.open()
      _ = try store.commit(merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]), budget: nil)
    }
    // What whoever drops a feed has to do.
    try Connection(path: sandbox.path, access: .readWrite).execute(
      """
      UPDATE store SET sequence_floor = (SELECT max(sequence) FROM feed);
      DELETE FROM feed; DELETE FROM element;
      """)
    let store = try sandbox.open()
    #expect(try store.commit(merge(sentAt: 20, seen: [seen("a", 1)]), budget: nil) == 3)
  }
}
