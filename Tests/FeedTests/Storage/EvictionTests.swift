import History
import Testing

@testable import Feed

/// What leaves a full store, decided on values.
@Suite struct EvictionTests {
  private static let limits = Eviction.Limits(
    bytesMax: 4096 << 20, feedsMax: 10_000, remembers: .seconds(86_400))

  private func load(megabytes: Int64 = 0, feeds: Int = 0) -> StoreLoad {
    var load = StoreLoad()
    load.bytes = megabytes << 20
    load.feeds = feeds
    return load
  }

  @Test(
    arguments: [
      (0, 0, nil, nil), (3584, 10_000, nil, nil), (3585, 10_000, 3072, nil),
      (3584, 10_001, nil, 9_375), (5000, 20_000, 3072, 9_375),
    ] as [(Int64, Int, Int64?, Int?)])
  func isDueAboveTheMarksAndDoneBelowThem(
    megabytes: Int64, feeds: Int, goalMegabytes: Int64?, goalFeeds: Int?
  ) throws {
    let goal = Eviction.goal(for: load(megabytes: megabytes, feeds: feeds), within: Self.limits)
    #expect(goal?.bytes == goalMegabytes.map { $0 << 20 })
    #expect(goal?.feeds == goalFeeds)
    guard let goal else { return }
    #expect(!goal.isMet(by: load(megabytes: megabytes, feeds: feeds)))
    let reached = load(megabytes: goalMegabytes ?? megabytes, feeds: goalFeeds ?? feeds)
    #expect(goal.isMet(by: reached))
  }

  @Test(arguments: 1...40)
  func fewFeedsAreNeverMoreThanAllowed(feedsMax: Int) {
    let limits = Eviction.Limits(bytesMax: nil, feedsMax: feedsMax, remembers: .seconds(1))
    #expect(Eviction.goal(for: load(megabytes: 99_999, feeds: feedsMax), within: limits) == nil)
    let goal = Eviction.goal(for: load(feeds: feedsMax + 1), within: limits)
    #expect(goal?.feeds.map { (1...feedsMax).contains($0) } == true)
  }

  @Test func theLeastRecentlyReadGoesFirstAndTheLastKeepsItsTop() {
    let feeds = [("b", 5), ("last", 9), ("a", 5), ("first", 1)].map { name, seconds in
      StoredFeed(name: name, source: "s", readAt: Timestamp(seconds: Int64(seconds)))
    }
    let order = Eviction.order(feeds)
    #expect(order.map(\.name) == ["first", "a", "b", "last"])
    #expect(order.map(\.keepsTop) == [false, false, false, true])
  }

  /// A feed of one run whose places stand in these seconds, lowest first.
  private func foot(
    _ seconds: [Int64], order: FeedOrder = .value, isLive: (Int) -> Bool = { _ in true }
  ) -> FeedTail {
    var timeline = Timeline()
    let count = seconds.indices.count(where: isLive)
    timeline.proofs = [
      Proof(
        upper: .top, lower: .bottom, provenAt: Timestamp(seconds: 1), count: count,
        rankBelow: count)
    ]
    timeline.lookedAt = Timestamp(seconds: 1)
    let places = seconds.enumerated().map { index, second in
      KnownElement(
        position: Position(
          order: second, tie: order == .value ? [UInt8(index / 256), UInt8(index % 256)] : []),
        id: Identity("\(index)"), updatedAt: nil, state: isLive(index) ? .live : .removed)
    }
    return FeedTail(order: order, timeline: timeline, places: places)
  }

  @Test func takesAHundredPlacesAndLeavesOneProvenAbove() throws {
    let step = Eviction.step(for: foot((0..<101).map { $0 }), limit: 101, keepsTop: false)
    guard case .cut(let cut, let timeline) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(cut == .above(key: 99))
    #expect(timeline.proofs.map(\.lower) == [cut])
    #expect(timeline.proofs.map(\.count) == [1])
    #expect(timeline.proofs.map(\.rankBelow) == [1])
  }

  @Test func neverPartsASecond() {
    // Seconds of three places each: the hundredth is the first of its second.
    let step = Eviction.step(
      for: foot((0..<101).map { Int64($0 / 3) }), limit: 101, keepsTop: false)
    guard case .cut(let cut, _) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(cut == .above(key: 32))
  }

  @Test func looksFurtherWhereOneSecondIsAllItSees() {
    let seconds = [Int64](repeating: 5, count: 150) + [6]
    #expect(
      Eviction.step(for: foot(Array(seconds.prefix(101))), limit: 101, keepsTop: false)
        == .needsMore)
    let step = Eviction.step(for: foot(seconds), limit: 151, keepsTop: false)
    guard case .cut(let cut, let timeline) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(cut == .above(key: 5))
    #expect(timeline.proofs.map(\.count) == [1])
  }

  @Test func theLastToGoIsOneThatStood() {
    // Only the tenth stood: what was seen below the run tells that it goes on there.
    let step = Eviction.step(
      for: foot((0..<101).map { $0 }, order: .observed, isLive: { $0 == 10 || $0 == 100 }),
      limit: 101, keepsTop: false)
    guard case .cut(let cut, let timeline) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(cut == .above(Position(order: 10, tie: [])))
    #expect(timeline.proofs.map(\.count) == [1])
  }

  @Test(
    arguments: [
      (1, .value, false, .drop), (100, .value, false, .drop), (100, .observed, false, .drop),
      (500, .whole, false, .drop), (500, .whole, true, .nothing), (100, .value, true, .nothing),
      (100, .observed, true, .nothing),
    ] as [(Int, FeedOrder, Bool, Eviction.Step)])
  func whatIsSmallOrComesWholeGoesAtOnceOrStays(
    count: Int, order: FeedOrder, keepsTop: Bool, expected: Eviction.Step
  ) {
    let limit = Eviction.foot(keepsTop: keepsTop)
    let foot = foot((0..<Int64(count)).prefix(limit).map { $0 }, order: order)
    #expect(Eviction.step(for: foot, limit: limit, keepsTop: keepsTop) == expected)
  }

  @Test(arguments: [FeedOrder.value, .observed])
  func theTopThatStaysIsAFirstSlice(order: FeedOrder) {
    var seconds = (0..<Int64(350)).map { $0 }
    var steps = 0
    while true {
      let limit = Eviction.foot(keepsTop: true)
      let step = Eviction.step(
        for: foot(Array(seconds.prefix(limit)), order: order), limit: limit, keepsTop: true)
      guard case .cut(let cut, _) = step else { break }
      seconds.removeAll { Position(order: $0, tie: []) < cut.position }
      steps += 1
    }
    #expect(seconds.count == Eviction.keptMin)
    #expect(steps == 3)
  }

  @Test func namesFindNothingBelowACut() {
    var timeline = foot([1]).timeline
    timeline.lineages = [Lineage(name: 1), Lineage(name: 2, floor: .above(key: 50))]
    let cut = timeline.cut(below: .above(key: 20), losing: [])
    #expect(cut.lineages.map(\.floor) == [.above(key: 20), .above(key: 50)])
  }
}
