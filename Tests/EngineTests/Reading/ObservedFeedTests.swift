import History
import Support
import Synchronization
import Testing

@testable import Feed

/// Feeds whose order is the upstream's own: tag items, stocks, followers.
@Suite struct ObservedFeedTests {
  static let feed = FeedID(
    source: "qiita", pattern: FeedPattern("users/:id/stocks", order: .observed),
    parts: ["users", "a", "stocks"].map { Array($0.utf8) })

  static func request(limit: Int = 20) -> SliceRequest {
    SliceRequest(feed: feed, limit: limit, wait: .seconds(30))
  }

  /// A rig whose upstream shows no times; `count` items, the first put in last.
  static func rig(_ count: Int, seed: UInt64 = 1, policy: Policy = Policy()) throws -> Rig {
    let rig = try Rig(seed: seed, policy: policy)
    rig.feed.state.withLock { $0.isUndated = true }
    for _ in 0..<count { rig.feed.insert(second: 0) }
    return rig
  }

  @Test(arguments: [0, 1, 2, 3, 4, 19, 20, 21, 40, 99, 100, 101, 200, 450])
  func everyElementComesOnceInTheUpstreamsOrder(count: Int) throws {
    for limit in [1, 7, 20, 100] where count / limit < 200 {
      let rig = try Self.rig(count)
      let (reader, first) = (rig.reader, Self.request(limit: limit))
      let walk = try #require(rig.time.run { await Walk.run(reader, first) {} })
      #expect(walk.failure == nil)
      #expect(walk.ids == rig.feed.entries.map(\.id), "\(count) by \(limit)")
      #expect(walk.slices.last?.endReason == .end)
    }
  }

  @Test(arguments: Extent.seeds(2, of: 8).map { $0 * 50..<$0 * 50 + 50 })
  func everyWalkKeepsThePromise(seeds: Range<UInt64>) throws {
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      var policy = Policy.unbounded
      policy.freshSeconds = 3
      policy.recheckSeconds = Int64.random(in: 5...60, using: &random)
      let rig = try Self.rig(Int.random(in: 0...420, using: &random), seed: seed, policy: policy)
      let most = [0, 1, 3].randomElement(using: &random) ?? 0
      rig.feed.state.withLock { state in
        state.beforeCall = { feed in
          for _ in 0..<most { feed.driftUndated() }
        }
      }
      // A store that knows the feed from before, sometimes.
      if random.chance(50) {
        for _ in 0..<3 { _ = rig.slice(Self.request(limit: 100)) }
        for _ in 0..<Int.random(in: 0...250, using: &random) { rig.feed.driftUndated() }
        _ = rig.time.run { [time = rig.time] in await time.sleep(.seconds(20)) }
      }
      let (reader, time) = (rig.reader, rig.time)
      var request = Self.request(limit: Int.random(in: 1...100, using: &random))
      request.refreshes = random.chance(50)
      let first = request
      let walk = try #require(
        time.run { await Walk.run(reader, first) { await time.sleep(.milliseconds(400)) } })
      let violation = walk.violation(of: rig.feed.history, endedAt: time.now)
      #expect(violation == nil, "seed \(seed)")
    }
  }

  @Test func aRestockedItemMovesToTheTop() throws {
    var policy = Policy.unbounded
    policy.refreshSeconds = 0
    let rig = try Self.rig(60, policy: policy)
    let first = try rig.slice(Self.request(limit: 30)).get()
    let moved = first.items[20].id
    rig.feed.restock(moved)
    var refresh = Self.request(limit: 30)
    refresh.refreshes = true
    let second = try rig.slice(refresh).get()
    #expect(second.items.map(\.id) == rig.feed.entries.prefix(30).map(\.id))
    // The others kept their positions, so an old cursor goes on where it stood.
    #expect(
      second.items.dropFirst().map(\.position)
        == first.items.filter { $0.id != moved }.map(\.position))
    var rest = Self.request(limit: 30)
    rest.start = .cut(.below(first.items[20].position))
    #expect(try rig.slice(rest).get().items.first?.id == first.items[21].id)
  }

  /// Neighbours that move to the top together, in their old order, do not stand for all that was
  /// above them: a reader on his way misses nothing, however many came before anybody looked.
  @Test(arguments: [0, 1, 2, 30, 60] + Array(90..<102))
  func neighboursThatMoveTogetherTakeNobodyAway(inserted: Int) throws {
    var policy = Policy.unbounded
    policy.refreshSeconds = 0
    let rig = try Self.rig(150, policy: policy)
    let first = try rig.slice(Self.request(limit: 100)).get()
    let moved = first.items[70..<73].map(\.id)
    for id in moved.reversed() { rig.feed.restock(id) }
    for _ in 0..<inserted { rig.feed.insert(second: 0) }
    var refresh = Self.request(limit: 20)
    refresh.refreshes = true
    // What one answer leaves out is gone when a later one leaves it out, too.
    for _ in 0..<3 {
      _ = rig.slice(refresh)
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    }
    var rest = Self.request(limit: 20)
    rest.start = .observed(.below(first.items[30].position), lineage: first.lineage)
    let (reader, request) = (rig.reader, rest)
    let walk = try #require(rig.time.run { await Walk.run(reader, request) {} })
    let passed = Set(first.items[...30].map(\.id) + moved)
    let standing = rig.feed.entries.map(\.id).dropFirst(inserted + 3)
    let expected = standing.filter { !passed.contains($0) }
    #expect(walk.ids.filter { !moved.contains($0) } == expected)
  }

  @Test func aHundredNewElementsOpenAGapThatReadersFill() throws {
    var policy = Policy.unbounded
    policy.refreshSeconds = 0
    let rig = try Self.rig(150, policy: policy)
    _ = rig.slice(Self.request(limit: 100))
    for _ in 0..<250 { rig.feed.insert(second: 0) }
    var refresh = Self.request(limit: 100)
    refresh.refreshes = true
    let (reader, first) = (rig.reader, refresh)
    let walk = try #require(rig.time.run { await Walk.run(reader, first) {} })
    #expect(walk.ids == rig.feed.entries.map(\.id))
  }

  /// An empty answer among good ones removes nothing, and no cursor; the third of three, far enough
  /// apart, empties a feed that had more than twenty elements.
  @Test(arguments: [1, 2, 3, 4], [true, false])
  func onlyAThirdEmptyAnswerEmptiesAFeed(answers: Int, tellsTotal: Bool) throws {
    let rig = try Self.rig(150)
    let first = try rig.slice(Self.request(limit: 100)).get()
    var rest = Self.request(limit: 100)
    rest.start = .observed(
      .below(try #require(first.items.last).position), lineage: first.lineage)
    let empty = Page(items: [], count: 0, hasNext: false, total: tellsTotal ? 0 : nil)
    rig.feed.state.withLock { $0.pages = Array(repeating: empty, count: answers) }
    for answer in 1...answers {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
      _ = rig.slice(Self.request())
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
      let slice = try rig.slice(Self.request(limit: 100)).get()
      #expect(slice.items.map(\.id) == (answer < 3 ? first.items.map(\.id) : []))
      // What is not believed is no look at the top.
      #expect((slice.freshness.checkedAt == first.freshness.checkedAt) == (answer < 3))
      if answer == 1 {
        #expect(try rig.slice(rest).get().items.map(\.id) == rig.feed.entries.map(\.id).suffix(50))
      }
    }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    _ = rig.slice(Self.request())
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
    let (reader, request) = (rig.reader, Self.request(limit: 100))
    let walk = try #require(rig.time.run { await Walk.run(reader, request) {} })
    #expect(walk.ids == rig.feed.entries.map(\.id))
  }

  @Test func aPositionOfNowhereHasExpired() throws {
    let rig = try Self.rig(50)
    _ = rig.slice(Self.request())
    var request = Self.request()
    request.start = .cut(.below(Position(order: 77 << 32, tie: [])))
    // A position above all that is known begins at the top.
    #expect(try rig.slice(request).get().items.first?.id == rig.feed.entries.first?.id)
    request.start = .cut(.below(Position(order: 5, tie: [])))
    #expect(rig.slice(request) == .failure(.positionExpired(isStart: true)))
  }
}

@Suite struct ObservedPositionTests {
  @Test func positionsBetweenTwoAreInOrderAndApart() {
    var random = SeededGenerator(seed: 4)
    var positions = ObservedPosition.head(count: 3, epoch: 2)
    for _ in 0..<400 {
      let index = Int.random(in: 0..<positions.count - 1, using: &random)
      let count = Int.random(in: 1...5, using: &random)
      let new = ObservedPosition.between(positions[index], positions[index + 1], count: count)
      #expect(new.count == count)
      positions.insert(contentsOf: new, at: index + 1)
    }
    for (a, b) in zip(positions, positions.dropFirst()) { #expect(a > b) }
    #expect(positions.allSatisfy { $0.tie.last != 0 })
  }

  @Test(
    arguments: [
      ([], nil, [128]), ([4], [5], [4, 128]), ([4], [4, 1], [4, 0, 128]), ([255], nil, [255, 128]),
      ([1], [200], [100]), ([], [1], [0, 128]), ([7, 255], [8], [7, 255, 128]),
    ] as [([UInt8], [UInt8]?, [UInt8])])
  func tiesAreShort(lower: [UInt8], upper: [UInt8]?, expected: [UInt8]) {
    #expect(ObservedPosition.tie(above: lower, below: upper) == expected)
  }

  @Test func epochsAreTold() {
    for epoch in [1, 2, 77] as [Int64] {
      let positions = ObservedPosition.head(count: 1000, epoch: epoch)
      #expect(positions.allSatisfy { ObservedPosition.epoch(of: $0) == epoch })
    }
  }
}
