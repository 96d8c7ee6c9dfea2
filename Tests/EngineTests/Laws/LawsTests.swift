import Engine
import Feed
import History
import Support
import Synchronization
import Testing

/// The laws of the engine that hold of answers one by one, whatever the way of paging.
@Suite struct LawsTests {
  /// Answers as no list gives them, each once among right ones.
  enum WrongAnswer: CaseIterable {
    case nothing, nothingOfMany, half, strangers, strangersOnly, backwards, unusable, lessTotal

    /// The answer in place of the right first page.
    func page(instead right: Page) -> Page {
      var page = right
      let strangers = right.items.map { slot in
        var slot = slot
        slot.item.id = Identity("stranger" + slot.item.id.text)
        return slot
      }
      switch self {
      case .nothing: page = Page(items: [], count: 0, hasNext: false, total: 0)
      case .nothingOfMany: page = Page(items: [], count: 0, hasNext: true, total: right.total)
      case .half:
        page.items = Array(right.items.prefix(right.items.count / 2))
        (page.count, page.hasNext, page.total) = (page.items.count, false, page.items.count)
      case .strangers: page.items = strangers
      case .strangersOnly:
        page.items = Array(strangers.prefix(5))
        (page.count, page.hasNext, page.total) = (5, false, 5)
      case .backwards:
        page.items = zip(right.items, right.items.reversed()).map {
          Page.Slot(index: $0.index, item: $1.item)
        }
      case .unusable: page.items = []
      case .lessTotal: page.total = 1
      }
      page.nextMark = page.hasNext ? right.nextMark : nil
      return page
    }
  }

  /// L3: nothing that is known is taken away by one answer, whatever it is.
  @Test(arguments: WrongAnswer.allCases, Dialect.all)
  func oneAnswerTakesNothingAway(wrong: WrongAnswer, dialect: Dialect) throws {
    for isDated in [true, false] {
      let rig = try Rig(policy: .unbounded, in: dialect)
      if isDated { rig.fill(150) } else { for _ in 0..<150 { rig.feed.insert(second: 0) } }
      rig.feed.state.withLock { $0.isUndated = !isDated }
      var request = rig.request(limit: 100)
      if !isDated { request.feed = dialect.lists.tagged }
      let known = try Walk(from: request, answer: rig.slice)
      #expect(known.ids.count == 150 && known.failure == nil)
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
      let feed = request.feed
      let top = feed.pattern.paging.top(perPage: feed.pattern.paging.perPageMax)
      let right: Fetched<Page>? = rig.time.run { [fetcher = rig.feed] in
        await fetcher.page(top, of: feed)
      }
      let page = try #require(try right?.result.get())
      rig.feed.state.withLock { state in
        state.pages = [wrong.page(instead: page)]
        state.failures = []
      }
      request.refreshes = true
      _ = rig.slice(request)
      // From now on nothing comes but what is stored.
      rig.feed.state.withLock { state in
        state.pages = []
        state.failures = Array(repeating: .unreachable(reason: "away"), count: 1_000)
      }
      request.refreshes = false
      let after = try Walk(from: request, answer: rig.slice)
      let isOver = after.slices.last?.hasMore == false
      #expect(
        !isOver || Set(after.ids).isSuperset(of: known.ids), "\(isDated): \(after.ids.count)")
      let stored = try rig.store.known(in: feed, ids: known.ids)
      let standing = Set(stored.filter { $0.state != .removed }.map(\.id))
      #expect(standing.count == 150, "\(isDated)")
    }
  }

  /// L4: an estimate can make calls dearer, never an answer wrong.
  @Test(arguments: Dialect.all, [UInt64](1...6))
  func wrongRanksMakeNoAnswerWrong(dialect: Dialect, seed: UInt64) throws {
    let rig = try Rig(seed: seed, policy: .unbounded, in: dialect)
    rig.fill(700, ties: 20)
    let request = rig.request(limit: 100)
    _ = Walk(from: request, answer: rig.slice) { slices in
      if slices == 3 { rig.feed.state.withLock { $0.failures = [.unreachable(reason: "away")] } }
    }
    var timeline = try #require(try rig.store.timeline(of: request.feed))
    var random = SeededGenerator(seed: seed)
    for index in timeline.proofs.indices {
      timeline.proofs[index].rankBelow = Int.random(in: 0...1_500, using: &random)
      timeline.proofs[index].count = Int.random(in: 0...500, using: &random)
    }
    _ = try rig.store.commit(
      Merge(feed: request.feed, sentAt: rig.time.now, timeline: timeline), budget: nil)
    let reader = try rig.restarted()
    let time = rig.time
    let first = rig.request(limit: 100)
    let walk = try Walk(from: first) { request in
      for _ in 0..<20 {
        let answer = time.slice(request, from: reader)
        if case .success = answer { return answer }
        time.run { await time.sleep(.seconds(60)) }
      }
      return .failure(.timedOut)
    }
    #expect(walk.failure == nil && walk.slices.last?.endReason == .end)
    #expect(walk.violation(of: rig.feed.history, endedAt: rig.time.now) == nil)
  }

  /// L6: the same is not asked for twice while nothing that bears on it has changed: of a list that
  /// stands still no window comes again within a second.
  @Test(arguments: Dialect.all, [7, 40, 150, 400])
  func noWindowIsAskedForTwice(dialect: Dialect, count: Int) throws {
    for (isDated, ties) in [(true, 0), (true, 60), (false, 0)] {
      let rig = try Rig(policy: .unbounded, in: dialect)
      if isDated {
        rig.fill(count, ties: ties)
      } else {
        for _ in 0..<count { rig.feed.insert(second: 0) }
      }
      rig.feed.state.withLock { $0.isUndated = !isDated }
      var request = rig.request(limit: 30)
      if !isDated { request.feed = dialect.lists.tagged }
      let walk = try Walk(from: request, answer: rig.slice)
      #expect(walk.ids.count == count, "\(isDated) \(ties)")
      var last: [Window: Timestamp] = [:]
      for call in rig.feed.calls {
        if let before = last[call.window] {
          #expect(call.sentAt - before >= .seconds(1), "\(isDated) \(ties): \(call.window)")
        }
        last[call.window] = call.sentAt
      }
    }
  }
}
