import Engine
import History
import Support
import Synchronization
import Testing

@testable import Feed

/// Pages asked for by number, as the upstream counts them.
@Suite struct PageByRankTests {
  private static let observed = FeedID(
    source: "qiita", pattern: FeedPattern("tags/:id/items", order: .observed),
    parts: ["tags", "Swift", "items"].map { Array($0.utf8) })

  private func request(_ page: Int, _ perPage: Int, of feed: FeedID = itemsFeed) -> SliceRequest {
    var request = SliceRequest(feed: feed, limit: perPage, wait: .seconds(30))
    if page > 1 { request.page = Window(page: page, perPage: perPage) }
    request.fillsUp = true
    return request
  }

  private func rig(
    _ count: Int, ties: Int = 0, undated: Bool = false, prefetch: Int = 0
  ) throws -> Rig {
    var policy = Policy()
    policy.prefetchItems = prefetch
    let rig = try Rig(policy: policy)
    rig.fill(count, ties: ties)
    rig.feed.state.withLock { $0.isUndated = undated }
    return rig
  }

  /// What the feed shows by rank, each second's items in the order of positions.
  private func ids(_ rig: Rig, _ range: Range<Int>) -> [Identity] {
    let entries = rig.feed.entries.sorted { ($0.second, $0.id) > ($1.second, $1.id) }
    return entries.dropFirst(range.lowerBound).prefix(range.count).map(\.id)
  }

  @Test(arguments: [(2, 20, 2), (5, 20, 3), (7, 20, 2), (50, 20, 2), (90, 100, 3), (3, 1, 2)])
  func aPageOfAColdFeedCostsAWindowOrTwo(page: Int, perPage: Int, calls: Int) throws {
    let rig = try rig(20_000)
    let slice = try rig.slice(request(page, perPage)).get()
    let first = (page - 1) * perPage
    #expect(slice.items.map(\.id) == ids(rig, first..<first + perPage))
    #expect(slice.hasMore && slice.hasPrevious && !slice.isUnplaced)
    #expect(rig.feed.calls.count <= calls, "\(rig.feed.calls.map(\.window))")
  }

  @Test(arguments: [1, 7, 20, 33, 100])
  func pagesCountedThroughAQuietFeedShowItWhole(perPage: Int) throws {
    let rig = try rig(950, ties: 30)
    var seen: [Identity] = []
    for page in 1...min(100, 950 / perPage + 2) {
      seen += try rig.slice(request(page, perPage)).get().items.map(\.id)
    }
    #expect(seen == ids(rig, 0..<min(950, 100 * perPage)))
    // An overlap walk: one window for every 90 or so.
    #expect(rig.feed.calls.count <= seen.count / 90 + 2)
  }

  @Test func pagesCountedThroughAnObservedFeedShowItWhole() throws {
    let rig = try rig(450, undated: true)
    var seen: [Identity] = []
    for page in 1...24 {
      let slice = try rig.slice(request(page, 20, of: Self.observed)).get()
      #expect(!slice.isUnplaced)
      seen += slice.items.map(\.id)
    }
    #expect(seen == rig.feed.entries.map(\.id))
    #expect(rig.feed.calls.count <= 7)
  }

  @Test func whatIsStoredCostsNothing() throws {
    let rig = try rig(500)
    for page in [10, 10, 11, 10] { _ = try rig.slice(request(page, 5)).get() }
    #expect(rig.feed.calls.count == 2)
    #expect(try rig.reader.stored(request(10, 5), from: rig.store.makeReader()) != nil)
    #expect(try rig.reader.stored(request(90, 5), from: rig.store.makeReader()) == nil)
  }

  @Test func readersOfOnePageShareItsCalls() throws {
    let rig = try rig(5_000)
    let (reader, request) = (rig.reader, request(30, 50))
    let slices = rig.time.run {
      async let first = reader.slice(request)
      async let second = reader.slice(request)
      return try? await [first, second].map { $0.items.map(\.id) }
    }
    #expect(slices == [ids(rig, 1_450..<1_500), ids(rig, 1_450..<1_500)])
    #expect(rig.feed.calls.count == 2)
  }

  @Test func farDownAFeedWithoutOrderThePageIsShownAsItIs() throws {
    let rig = try rig(3_000, undated: true)
    let slice = try rig.slice(request(50, 20, of: Self.observed)).get()
    #expect(slice.items.map(\.id) == rig.feed.entries[980..<1_000].map(\.id))
    #expect(slice.isUnplaced && slice.hasMore)
    #expect(slice.total?.value == 3_000)
    #expect(rig.feed.calls.map(\.window).last == Window(page: 50, perPage: 20))
    #expect(rig.feed.calls.count == 2)
  }

  @Test func atTheWallThePageIsShownAsItIs() throws {
    let rig = try rig(12_000)
    let slice = try rig.slice(request(100, 100)).get()
    #expect(slice.items.map(\.id) == rig.feed.entries[9_900..<10_000].map(\.id))
    #expect(slice.isUnplaced)
  }

  /// A short page would be taken for the last one: what is not known whole is shown as it is, in
  /// whatever order pages are asked for.
  @Test(arguments: [Dialect.articles, .days], [true, false])
  func pagesAtTheWallAreWhole(dialect: Dialect, isObserved: Bool) throws {
    let asked = [
      (Array(95...100), 100, false), ([98, 97, 99, 96, 100], 99, false),
      ([100, 99, 98, 97], 98, false), ([98, 99], 100, true),
    ]
    for (pages, perPage, isWalked) in asked {
      let rig = try Rig(policy: Policy.unbounded, in: dialect)
      rig.fill(10_400)
      rig.feed.state.withLock { $0.isUndated = isObserved }
      var whole = rig.request(limit: 100)
      if isObserved { whole.feed = dialect.lists.tagged }
      let (reader, first) = (rig.reader, whole)
      if isWalked { _ = rig.time.run { await Walk.run(reader, first) {} } }
      for page in pages {
        let slice = try rig.slice(request(page, perPage, of: first.feed)).get()
        let ranks = (page - 1) * perPage..<page * perPage
        #expect(slice.items.map(\.id) == rig.feed.entries[ranks].map(\.id), "\(page)")
        #expect(slice.hasMore)
      }
    }
  }

  /// While new elements come, the last pages stay whole: what is known of them ends anywhere.
  @Test(arguments: [true, false], [97...100, 100...100])
  func pagesAtTheWallStayWholeWhileTheListMoves(isObserved: Bool, pages: ClosedRange<Int>) throws {
    var policy = Policy.unbounded
    policy.freshSeconds = 3
    let rig = try Rig(policy: policy)
    rig.fill(12_000)
    rig.feed.state.withLock { $0.isUndated = isObserved }
    let feed = isObserved ? Dialect.articles.lists.tagged : rig.request().feed
    for round in 0..<12 {
      for page in pages {
        let slice = try rig.slice(request(page, 100, of: feed)).get()
        #expect(slice.items.count == 100 && slice.hasMore, "\(round) \(page)")
        #expect(Set(slice.items.map(\.id)).count == 100)
      }
      rig.feed.insert(second: rig.time.now.seconds)
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(4)) }
    }
  }

  @Test(arguments: [(3, 20, 10), (4, 20, 0), (100, 100, 0), (50, 1, 1), (51, 1, 0)])
  func pastTheEndThereIsNothing(page: Int, perPage: Int, count: Int) throws {
    let rig = try rig(50)
    let slice = try rig.slice(request(page, perPage)).get()
    #expect(slice.items.count == count)
    #expect(!slice.hasMore && slice.endReason == .end)
    #expect(rig.feed.calls.count <= 2)
  }

  @Test func aSecondLargerThanAWindowIsShownAsItIs() throws {
    let rig = try rig(0)
    for _ in 0..<600 { rig.feed.insert(second: 1_700_000_000) }
    for index in 0..<50 { rig.feed.insert(second: 1_700_000_001 + Int64(index)) }
    let slice = try rig.slice(request(20, 20)).get()
    #expect(slice.items.map(\.id) == rig.feed.entries[380..<400].map(\.id))
    #expect(slice.isUnplaced)
  }

  /// Whatever comes or goes while pages are counted, those who go on from a position miss nothing.
  @Test(arguments: UInt64(1)...30)
  func goingOnFromAPageDoesNotDrift(seed: UInt64) throws {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(seed: seed, policy: policy)
    rig.fill(2_000, ties: 20)
    rig.feed.state.withLock { $0.beforeCall = { feed in feed.drift() } }
    let begin = rig.time.now
    var slice = try rig.slice(request(5 + Int(seed), 17)).get()
    var walked = slice.items
    while slice.hasMore, walked.count < 700, let last = slice.items.last {
      rig.feed.drift()
      var next = request(1, 17)
      next.start = .cut(.below(last.position))
      slice = try rig.slice(next).get()
      walked += slice.items
    }
    #expect(Set(walked.map(\.id)).count == walked.count)
    #expect(walked.map(\.position) == walked.map(\.position).sorted(by: >))
    let (top, bottom) = (try #require(walked.first), try #require(walked.last))
    let stayed = rig.feed.history.filter { id, presence in
      let position = Position(order: presence.second, tie: id.bytes)
      return presence.since < begin && presence.until == nil
        && position <= top.position && position >= bottom.position
    }
    #expect(stayed.keys.allSatisfy { id in walked.contains { $0.id == id } })
  }

  @Test func aShortPageIsNoAnswerWhileMoreMayCome() throws {
    let rig = try rig(500)
    _ = try rig.slice(request(1, 20)).get()
    rig.feed.state.withLock { $0.failures = Array(repeating: .serverError(status: 500), count: 9) }
    var next = request(1, 40)
    #expect(throws: ReadError.self) { try rig.slice(next).get() }
    next.fillsUp = false
    #expect(try rig.slice(next).get().items.count < 40)
  }

  @Test func whereAPageBeginsIsAsOldAsTheTop() throws {
    let rig = try rig(300)
    _ = try rig.slice(request(3, 20)).get()
    let time = rig.time
    time.run { await time.sleep(.seconds(61)) }
    let new = rig.feed.insert(second: rig.time.now.seconds - 30)
    #expect(try rig.slice(request(3, 20)).get().freshness.state == .stale)
    time.run { await time.sleep(.seconds(5)) }
    // It was looked at behind the reply: the page begins one further up now.
    #expect(try rig.slice(request(3, 20)).get().items.map(\.id) == ids(rig, 40..<60))
    #expect(ids(rig, 0..<1) == [new])
  }

  @Test func pagesThatNothingLeadsToAreOpenings() throws {
    var policy = Policy()
    policy.openingPermille = 50
    let rig = try Rig(policy: policy)
    rig.fill(9_000)
    // Of 60 calls three: the feed's first window, and two pages far apart.
    for page in [20, 40] { _ = try rig.slice(request(page, 100)).get() }
    guard case .failure(.tooManyOpenings) = rig.slice(request(60, 100)) else {
      Issue.record("a third page was opened")
      return
    }
    #expect(try !rig.slice(request(20, 100)).get().items.isEmpty)
  }

  @Test func withoutWaitingOnlyWhatIsStoredIsShown() throws {
    let rig = try rig(300)
    var request = request(5, 20)
    request.wait = .zero
    #expect(throws: ReadError.self) { try rig.slice(request).get() }
    #expect(rig.feed.calls.isEmpty)
  }
}
