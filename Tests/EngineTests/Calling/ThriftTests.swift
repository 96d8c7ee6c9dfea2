import History
import Support
import Synchronization
import Testing

@testable import Feed

/// How calls are spent and saved: ahead of readers, on strangers' feeds, on what has gone.
@Suite struct ThriftTests {
  private func feed(_ query: String) -> FeedID {
    FeedID(
      source: "qiita", pattern: itemsFeed.pattern, parts: [Array("items".utf8)],
      query: Array(query.utf8))
  }

  private func rest(_ rig: Rig, _ duration: Duration) {
    _ = rig.time.run { [time = rig.time] in await time.sleep(duration) }
  }

  /// A list that is opened, and opened again, costs one call; who reads on finds the next elements
  /// there.
  @Test(arguments: [(0, 2), (20, 2), (100, 3)])
  func whatReadersWillAskForIsFetchedAhead(items: Int, calls: Int) throws {
    var policy = Policy()
    policy.prefetchItems = items
    let rig = try Rig(policy: policy)
    rig.fill(1_000)
    for _ in 0..<3 {
      _ = try rig.slice(rig.request(limit: 20)).get()
      rest(rig, .seconds(5))
    }
    #expect(rig.feed.calls.count == 1)
    let first = try rig.slice(rig.request(limit: 20)).get()
    var next = rig.request(limit: 20)
    next.start = .cut(.below(try #require(first.items.last).position))
    _ = try rig.slice(next).get()
    rest(rig, .seconds(5))
    #expect(rig.feed.calls.count == calls)
    // Opened again, what was read ahead is there.
    _ = try rig.slice(rig.request(limit: 20)).get()
    rest(rig, .seconds(5))
    #expect(rig.feed.calls.count == calls)
  }

  /// Who jumps to a date and reads back up is shown what lies above by windows that go up from it.
  @Test(arguments: [300, 2_000, 4_500, 9_000])
  func aJumpAndItsWayBackCostWhatTheyShow(rank: Int) throws {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(9_900)
    let entries = rig.feed.entries
    _ = try rig.slice(rig.request(limit: 20)).get()
    var jump = rig.request(limit: 20)
    jump.start = .cut(.above(key: entries[rank].second))
    var slice = try rig.slice(jump).get()
    #expect(rig.feed.calls.count <= 6)
    let found = rig.feed.calls.count
    var ids = slice.items.map(\.id)
    for _ in 0..<10 {
      var previous = rig.request(limit: 20)
      previous.end = .cut(.above(try #require(slice.items.first).position))
      previous.takesLast = true
      slice = try rig.slice(previous).get()
      ids = slice.items.map(\.id) + ids
    }
    #expect(rig.feed.calls.count <= found + 3)
    let start = try #require(entries.firstIndex { $0.id == ids.first })
    #expect(ids == entries[start..<start + 220].map(\.id))
  }

  @Test func aWholeWalkCostsNoMoreForFetchingAhead() throws {
    for items in [0, 100] {
      var policy = Policy()
      policy.prefetchItems = items
      let rig = try Rig(policy: policy)
      rig.fill(1_500)
      let (reader, time, first) = (rig.reader, rig.time, rig.request(limit: 50))
      let walk = try #require(
        time.run { await Walk.run(reader, first) { await time.sleep(.milliseconds(50)) } })
      #expect(walk.ids.count == 1_500)
      #expect(rig.feed.calls.count <= 18)
    }
  }

  @Test func openingsStopAtTheirShareAndBeginAnew() throws {
    var policy = Policy()
    policy.openingPermille = 100
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(5)
    rig.feed.state.withLock {
      $0.budget = BudgetReading(limit: 60, remaining: 60, resetSeconds: 1_900_000_000)
    }
    let outcomes = (0..<10).map { index -> Bool in
      var request = rig.request()
      request.feed = feed("word\(index)")
      return (try? rig.slice(request).get()) != nil
    }
    #expect(outcomes == [Bool](repeating: true, count: 6) + [Bool](repeating: false, count: 4))
    var request = rig.request()
    request.feed = feed("word9")
    guard case .failure(.tooManyOpenings(let retryAt, _)) = rig.slice(request) else {
      Issue.record("an opening too many was made")
      return
    }
    rest(rig, retryAt - rig.time.now)
    #expect(try rig.slice(request).get().items.count == 5)
  }

  /// Who asks on is served what is there, no call is made, and all is fresh again right after.
  @Test func tenMinutesWithoutBudgetAreServedFromTheStore() throws {
    var policy = Policy()
    policy.prefetchItems = 0
    policy.refreshSeconds = 5
    let rig = try Rig(policy: policy)
    rig.fill(40)
    let resetSeconds = rig.time.now.seconds + 600
    rig.feed.state.withLock {
      $0.budget = BudgetReading(limit: 60, remaining: 0, resetSeconds: resetSeconds)
    }
    var request = rig.request()
    let first = try rig.slice(request).get()
    rig.feed.insert(second: rig.time.now.seconds - 5)
    request.refreshes = true
    while rig.time.now.seconds < resetSeconds - 10 {
      let slice = try rig.slice(request).get()
      #expect(slice.items.map(\.id) == first.items.map(\.id))
      rest(rig, .seconds(10))
    }
    #expect(rig.feed.calls.count == 1)
    rig.feed.state.withLock { $0.budget = nil }
    rest(rig, .seconds(resetSeconds + 1 - rig.time.now.seconds))
    let after = try rig.slice(request).get()
    #expect(after.items.first?.id != first.items.first?.id)
    #expect(after.freshness.state == .fresh)
    #expect(rig.feed.calls.count == 2)
  }

  /// A deletion shows at the second pull: one call for the item tells of it, or a second refresh
  /// that lacks it, however long an answer stays fresh.
  @Test(arguments: [false, true])
  func whatLeftTheListOfAllItemsIsDeleted(isConfirmed: Bool) throws {
    var policy = Policy()
    policy.freshSeconds = 600
    policy.refreshSeconds = 0
    let rig = try Rig(policy: policy)
    rig.fill(40)
    var request = rig.request()
    let gone = try rig.slice(request).get().items[5].id
    rig.feed.delete(gone)
    if !isConfirmed { rig.feed.state.withLock { $0.itemFailure = .timedOut } }
    request.refreshes = true
    // One proven window without it is no proof yet.
    #expect(try rig.slice(request).get().items.contains { $0.id == gone })
    rest(rig, .seconds(1))
    #expect(try rig.slice(request).get().items.contains { $0.id == gone } == !isConfirmed)
    rest(rig, .seconds(3))
    #expect(try !rig.slice(request).get().items.contains { $0.id == gone })
    let reader = rig.reader
    let failure: ReadError? =
      rig.time.run { () async -> ReadError? in
        do throws(ReadError) {
          _ = try await reader.item(ItemName(gone), wait: .seconds(1))
          return nil
        } catch {
          return error
        }
      } ?? nil
    #expect(failure == .deleted)
  }

  @Test func aPageTooLargeIsAskedForInHalvesAndWholeAgainLater() throws {
    let rig = try Rig()
    rig.fill(3_000)
    rig.feed.state.withLock { $0.failures = [.tooLarge(limitBytes: 1), .cut] }
    let (reader, time) = (rig.reader, rig.time)
    var request = rig.request(limit: 100)
    request.wait = .seconds(30)
    let first = request
    let walk = time.run { await Walk.run(reader, first) {} }
    #expect(walk?.ids == rig.feed.entries.map(\.id))
    let sizes = rig.feed.calls.map(\.window.perPage)
    #expect(sizes.prefix(3) == [100, 50, 25])
    #expect(sizes.contains { $0 > 50 })
  }
}

@Suite struct PageSizeTests {
  @Test func halvesToItsLeastAndGrowsBack() {
    var size = PageSize(full: 100)
    var sizes: [Int] = []
    for _ in 0..<5 {
      size.shrink(after: size.perPageMax, isTooLarge: true)
      sizes.append(size.perPageMax)
    }
    #expect(sizes == [50, 25, 12, 10, 10])
    for _ in 0..<PageSize.workedMin - 1 { size.noteWhole(of: 100) }
    #expect(size.perPageMax == 10)
    size.noteWhole(of: 100)
    #expect(size.perPageMax == 20)
    for _ in 0..<PageSize.workedMin * 3 { size.noteWhole(of: 100) }
    #expect(size.perPageMax == 100)
  }

  /// Answers of an upstream that bears so much: what is asked for settles just below it, and what
  /// it does not bear is asked for ever less often.
  @Test(arguments: [10, 11, 17, 21, 39, 50, 64, 99])
  func settlesBelowWhatIsBorne(most: Int) {
    var size = PageSize(full: 100)
    var failures: [Int] = []
    for answer in 0..<10_000 {
      if size.perPageMax > most {
        size.shrink(after: size.perPageMax, isTooLarge: true)
        failures.append(answer)
      } else {
        size.noteWhole(of: 100)
      }
      if answer > 200 { #expect(size.perPageMax >= most * 3 / 4, "after \(answer)") }
    }
    #expect(failures.count { $0 > 5_000 } < 50)
    for _ in 0..<2_000 { size.noteWhole(of: 100) }
    #expect(size.perPageMax == 100)
  }

  /// The rank of a place that a key names is an estimate: two answers of one element are the end
  /// of one list, or two pages of one each.
  @Test(arguments: [("a", nil), ("b", 1)] as [(String, Int?)])
  func answersThatEndWithOneElementShowOneEnd(last: String, served: Int?) {
    var size = PageSize(full: 100)
    let first = size.learn(
      count: 1, of: Window(.mark("9", rank: 157), perPage: 100), says: .contested,
      last: Identity("a"))
    let second = size.learn(
      count: 1, of: Window(.mark("8", rank: 60), perPage: 100), says: .contested,
      last: Identity(last))
    #expect(first == nil && second == served && size.served == served)
  }

  /// Windows of more than 60 elements come cut: a reader who refreshes is not the one who tries.
  @Test func aLookAtTheTopAsksForWhatIsKnownToComeWhole() throws {
    let rig = try Rig()
    rig.fill(400)
    rig.feed.state.withLock { $0.perPageBorne = 60 }
    var request = rig.request(limit: 20)
    request.refreshes = true
    var lags = 0
    for _ in 0..<60 {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(15)) }
      let id = rig.feed.insert(second: rig.time.now.seconds - 5)
      let first = try rig.slice(request).get().items.first?.id
      if first != id { lags += 1 }
    }
    // The first look of all finds out.
    #expect(lags <= 1)
  }
}
