import Feed
import History
import SQLiteStore
import SharedStore
import Support
import Synchronization
import Testing

/// How a call is claimed and ended where others may move the source meanwhile.
@Suite struct CallEndTests {
  private let time = VirtualTime()
  private let ledger: MemoryLedger
  private let folder: TemporaryDirectory
  private let feed = FeedID.shared
  private let call: SharedCall
  private let other = SharedCall(source: "s", key: "item x", feed: nil, budget: nil)

  init() throws {
    ledger = MemoryLedger(time: time)
    folder = try TemporaryDirectory("tsugi-ends")
    call = SharedCall(source: "s", key: "feed s/items", feed: feed, budget: nil)
  }

  /// A server, and how often it asks the ledger; each call is counted before and after it.
  private func store(_ name: String) throws -> (SharedStore, asked: () -> Int) {
    let count = Counter()
    let counted = FaultyLedger(to: ledger) { _ in
      count.value.add(1, ordering: .relaxed)
      return false
    }
    let store = try SharedStore(name, in: folder, over: counted, time: time)
    return (store, { count.value.load(ordering: .relaxed) / 2 })
  }

  private final class Counter: Sendable {
    let value = Atomic(0)
  }

  private func merge(_ id: String, at second: Int64) -> Merge {
    var merge = Merge(feed: feed, sentAt: Timestamp(seconds: second), timeline: Timeline())
    merge.seen = [
      Merge.Seen(
        position: Position(order: second, tie: Array(id.utf8)),
        item: PageItem(id: Identity(id), key: second, updatedAt: nil, bytes: Array("{}".utf8)),
        state: .live, takesNumber: true)
    ]
    return merge
  }

  /// Claims a call while some are left of nine, and notes an answer that changes nothing of that.
  private func claim(_ call: SharedCall, at store: SharedStore) throws -> CallClaim {
    let claim = try store.claim(call) { ground in
      var budget =
        ground?.budget ?? Budget(limit: 9, remaining: 9, resetAt: time.now + .seconds(99))
      guard budget.remaining > 0 else { return nil }
      budget.spend(at: time.now)
      return budget
    }
    store.note(
      CallAnswer(budget: Budget(limit: 9, remaining: 0, resetAt: nil), moved: nil) {
        $0.inFlight = max(0, $0.inFlight - 1)
      }, to: call)
    return claim
  }

  private let none = (budget: Budget(limit: 9, remaining: 0, resetAt: nil), isWritten: true)

  @Test func aCallThatWritesAsksTwice() throws {
    let (a, asked) = try store("a")
    #expect(try claim(call, at: a) == .granted)
    _ = try a.commit([merge("x", at: 1)], budget: none.budget)
    _ = try a.settle(call, settling: none, pausing: nil)
    let before = asked()
    #expect(try claim(call, at: a) == .granted)
    _ = try a.commit([merge("y", at: 2)], budget: none.budget)
    #expect(try a.settle(call, settling: none, pausing: nil)?.remaining == 7)
    #expect(asked() - before == 2)
  }

  /// A call for an item ends with what it brings, or with the deletion that it leads to.
  @Test func aCallForAnItemAsksTwice() throws {
    let (a, asked) = try store("a")
    let item = PageItem(
      id: Identity("x"), key: 1, updatedAt: nil, bytes: Array(#"{"id":"x"}"#.utf8))
    #expect(try claim(other, at: a) == .granted)
    _ = try a.settle(other, settling: none, pausing: nil)
    for (second, isGone) in [(Int64(1), false), (2, true)] {
      let before = asked()
      #expect(try claim(other, at: a) == .granted)
      let sentAt = Timestamp(seconds: second)
      if isGone {
        _ = try a.delete([item.id], realm: "s#items", sentAt: sentAt)
      } else {
        try a.keep(item, realm: "s#items", sentAt: sentAt)
      }
      #expect(try a.settle(other, settling: none, pausing: nil)?.remaining == 8 - Int(second))
      #expect(asked() - before == 2)
      #expect(try ledger.ground(of: other, for: Server(id: "b")).othersInFlight == 0)
      while let news = try a.news(of: "s") { try a.take(news) }
    }
    #expect(try ledger.items([item.id], realm: "s#items").items.first?.digest == nil)
  }

  /// The acknowledgement of an end is lost, and the end is made again, or the call is released.
  @Test(arguments: [false, true], [false, true])
  func anEndThatTookEffectCountsOnce(isItem: Bool, isRepeated: Bool) throws {
    let isLost = Atomic(false)
    let faulty = FaultyLedger(to: ledger) { isAfter in
      isAfter && isLost.exchange(false, ordering: .relaxed)
    }
    if isRepeated { faulty.repeatEnds() }
    let a = try SharedStore("a", in: folder, over: faulty, time: time)
    let call = isItem ? other : call
    #expect(try claim(call, at: a) == .granted)
    a.note(
      CallAnswer(budget: Budget(limit: 9, remaining: 0, resetAt: nil), moved: nil) {
        $0.remaining -= 1
      }, to: call)
    func end() throws {
      guard isItem else {
        _ = try a.commit([merge("x", at: 1)], budget: none.budget)
        return
      }
      let item = PageItem(id: Identity("x"), key: 1, updatedAt: nil, bytes: Array("{}".utf8))
      try a.keep(item, realm: "s#items", sentAt: Timestamp(seconds: 1))
    }
    if isRepeated {
      try end()
    } else {
      isLost.store(true, ordering: .relaxed)
      #expect(throws: StoreError.self) { try end() }
    }
    #expect(try a.settle(call, settling: none, pausing: nil)?.remaining == 7)
    #expect(try ledger.budget(of: "s")?.remaining == 7)
    if !isItem { #expect(try a.timeline(of: feed)?.sequence == 1) }
    #expect(try claim(call, at: a) == .granted)
  }

  /// What is written for a call that failed, as doubts are, leaves it open.
  @Test(arguments: [false, true])
  func aCommitWithABudgetEndsTheCall(isEnd: Bool) throws {
    let (a, b) = (try store("a").0, try store("b").0)
    #expect(try claim(call, at: a) == .granted)
    _ = try a.commit([merge("x", at: 1)], budget: isEnd ? none.budget : nil)
    _ = try b.timeline(of: feed)
    let claim = try claim(call, at: b)
    if isEnd { #expect(claim == .granted) } else if case .held = claim {} else { Issue.record() }
  }

  @Test func whatAnotherSpentMeanwhileIsSpent() throws {
    let (a, b) = (try store("a").0, try store("b").0)
    #expect(try claim(call, at: a) == .granted && claim(other, at: b) == .granted)
    _ = try a.commit([merge("x", at: 1)], budget: none.budget)
    let left = try a.settle(call, settling: none, pausing: nil)
    #expect(left?.remaining == 7 && left?.inFlight == 1)
    #expect(try b.settle(other, settling: none, pausing: nil)?.inFlight == 0)
    // By turns, neither spends more than there is, whatever it remembers.
    var granted = 2
    for turn in 0..<20 {
      let store = turn.isMultiple(of: 3) ? a : b
      guard try claim(other, at: store) == .granted else { continue }
      granted += 1
      _ = try store.settle(other, settling: none, pausing: nil)
    }
    #expect(granted == 9)
  }

  @Test func whatAnotherMakesIsHeldWhateverIsRemembered() throws {
    let (a, b) = (try store("a").0, try store("b").0)
    #expect(try claim(other, at: a) == .granted)
    _ = try a.settle(other, settling: none, pausing: nil)
    #expect(try claim(other, at: b) == .granted)
    if case .held = try claim(other, at: a) {} else { Issue.record() }
  }

  /// A pause that another has told is met by who remembers a time without any.
  @Test func aPauseOfAnotherIsMet() throws {
    let (a, b) = (try store("a").0, try store("b").0)
    #expect(try claim(other, at: a) == .granted)
    _ = try a.settle(other, settling: none, pausing: nil)
    #expect(try claim(other, at: b) == .granted)
    let pause = CallPause(until: time.now + .seconds(9), meaning: .unavailable, failures: 1)
    _ = try b.settle(other, settling: none, pausing: pause)
    var met: CallPause?
    _ = try a.claim(other) { ground in
      met = ground?.pause
      return met == nil ? Budget(limit: 9, remaining: 5, resetAt: nil) : nil
    }
    #expect(met == pause)
  }

  @Test func anotherEpochIsNotClaimedIn() throws {
    let (a, _) = try store("a")
    #expect(try claim(other, at: a) == .granted)
    _ = try a.settle(other, settling: none, pausing: nil)
    ledger.tell(epoch: "ledger77")
    #expect(try claim(other, at: a) == .behind)
  }
}
