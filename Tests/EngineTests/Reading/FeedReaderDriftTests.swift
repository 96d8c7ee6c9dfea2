import History
import Synchronization
import Testing

@testable import Feed

/// Schedules that a feed read by page numbers does not survive.
@Suite struct FeedReaderDriftTests {
  /// Walks along `next` from a slice on; between two slices `drift` moves the upstream.
  private func walk(
    _ rig: Rig, limit: Int = 20, drift: (Int) -> Void = { _ in }
  ) -> Walk {
    var request = rig.request(limit: limit)
    request.wait = .seconds(30)
    return Walk(from: request, answer: rig.slice, between: drift)
  }

  private func violation(_ walk: Walk, _ rig: Rig) -> String? {
    walk.violation(of: rig.feed.history, endedAt: rig.time.now)
  }

  /// A day passes, in which as many items appear.
  private func goAway(_ rig: Rig, missing count: Int) {
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(90_000)) }
    for second in 0..<count {
      rig.feed.insert(second: rig.time.now.seconds - 10_000 + Int64(second))
    }
  }

  @Test(arguments: [1, 30, 100, 150, 300, 600], Dialect.all)
  func bearsManyDeletionsAboveTheReader(count: Int, dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(1_200)
    let walk = self.walk(rig, limit: 50) { slices in
      guard slices == 16 else { return }
      for entry in rig.feed.entries.prefix(count) { rig.feed.delete(entry.id) }
    }
    #expect(violation(walk, rig) == nil)
    #expect(rig.feed.calls.count * dialect.paging.perPageMax < 4_000)
  }

  @Test(arguments: [1, 30, 150, 600], Dialect.all)
  func bearsManyInsertionsAboveTheReader(count: Int, dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(600)
    let walk = self.walk(rig, limit: 50) { slices in
      guard slices == 3 else { return }
      for _ in 0..<count { rig.feed.insert(second: rig.time.now.seconds) }
    }
    #expect(violation(walk, rig) == nil)
    #expect(rig.feed.calls.count * dialect.paging.perPageMax < 3_000)
  }

  @Test(arguments: Dialect.all)
  func findsTheOneItemThatDeletionsMovedOutOfTheNextWindow(dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(101)
    let walk = self.walk(rig) { slices in
      guard slices == 1 else { return }
      for entry in rig.feed.entries.prefix(3) { rig.feed.delete(entry.id) }
    }
    #expect(violation(walk, rig) == nil)
    #expect(walk.ids.count == 101)
  }

  @Test(arguments: [1, 49, 50, 97, 98, 99, 100, 150, 250, 400, 1_000], Dialect.all)
  func readsASecondOfAnySize(size: Int, dialect: Dialect) throws {
    // Where places are named by keys, the total does not tell whether one has moved inside.
    let isByKey = dialect.paging.addressing == .key
    let places = [(0, 0), (30, 0), (0, 30), (60, 60)]
    let most = dialect.paging.isRanked ? dialect.paging.perPageMax * 3 / 2 : 90
    let isShownWhole = isByKey ? size < dialect.paging.perPageMax : size <= most
    let shuffled = isShownWhole ? [false, true] : [false]
    for ((above, below), isShuffled) in places.flatMap({ place in shuffled.map { (place, $0) } }) {
      let rig = try Rig(in: dialect)
      rig.feed.state.withLock { $0.shufflesTies = isShuffled }
      let second = rig.time.now.seconds - 10_000
      for offset in 0..<below { rig.feed.insert(second: second - 1_000 + Int64(offset)) }
      for _ in 0..<size { rig.feed.insert(second: second) }
      for offset in 0..<above { rig.feed.insert(second: second + 10 + Int64(offset)) }
      let walk = self.walk(rig, limit: 50)
      #expect(violation(walk, rig) == nil, "\(above) above, \(below) below")
      #expect(walk.ids.count == above + size + below)
      #expect(walk.slices.allSatisfy { !$0.items.isEmpty })
    }
  }

  @Test(arguments: Dialect.all)
  func showsAnItemMadePublicLateBelowTheReader(dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(300)
    var late: Identity?
    let walk = self.walk(rig) { slices in
      guard slices == 1 else { return }
      late = rig.feed.insert(second: rig.feed.entries[250].second)
    }
    #expect(violation(walk, rig) == nil)
    #expect(walk.ids.contains { $0 == late })
  }

  @Test(arguments: Dialect.all)
  func neverShowsAnItemMadePublicLateAboveTheReader(dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(300)
    let walk = self.walk(rig) { slices in
      guard slices == 4 else { return }
      rig.feed.insert(second: rig.feed.entries[10].second)
    }
    #expect(violation(walk, rig) == nil)
    #expect(walk.ids.count == 300)
  }

  @Test(arguments: Dialect.all)
  func keepsItemsOfTheSecondStillBeingWrittenBack(dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(10)
    let now = rig.time.now.seconds
    rig.feed.insert(second: now)
    #expect(try rig.slice(rig.request()).get().items.count == 10)
    let late = rig.feed.insert(second: now)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(30)) }
    var refresh = rig.request()
    refresh.refreshes = true
    let slice = try rig.slice(refresh).get()
    #expect(slice.items.count == 12)
    #expect(slice.items.prefix(2).contains { $0.id == late })
  }

  @Test(arguments: Dialect.all)
  func closesTheGapThatAThousandNewItemsLeave(dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(300)
    #expect(violation(walk(rig), rig) == nil)
    goAway(rig, missing: 1_000)
    let walk = self.walk(rig, limit: 100)
    #expect(violation(walk, rig) == nil)
    #expect(walk.ids.count == 1_300)
  }

  @Test(arguments: Dialect.all)
  func endsAtAGapWhileTheUpstreamMayNotBeAsked(dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.fill(300)
    #expect(violation(walk(rig), rig) == nil)
    goAway(rig, missing: 1_000)
    var request = rig.request()
    request.refreshes = true
    let top = try rig.slice(request).get()
    request = rig.request(limit: 100)
    request.wait = .zero
    let slice = try rig.slice(request).get()
    #expect(slice.hasMore && slice.gap != nil && slice.items.count < 100)
    #expect(top.hasMore)
  }
}
