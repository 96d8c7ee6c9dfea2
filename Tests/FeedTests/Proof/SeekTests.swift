import History
import Support
import Testing

@testable import Feed

@Suite struct SeekTests {
  /// How the seconds of a feed are spread: the distance from each item to the next older one.
  enum Spread: String, CaseIterable, Sendable {
    case even, bursts, silences, growing, shrinking, onlyTies, oneOldItem, random

    func distance(_ rank: Int, of count: Int, _ random: inout SeededGenerator) -> Int64 {
      switch self {
      case .even: 60
      case .bursts: rank.isMultiple(of: 250) ? 1_000_000 : Int64.random(in: 0...1, using: &random)
      case .silences: random.chance(1) ? 50_000_000 : 3
      case .growing: Int64(1) << Int64(rank * 30 / count)
      case .shrinking: Int64(1) << Int64((count - rank) * 30 / count)
      case .onlyTies: rank.isMultiple(of: 40) ? 1 : 0
      case .oneOldItem: rank == count - 2 ? 40_000_000_000 : 1
      case .random: Int64(1) << Int64.random(in: 0...20, using: &random)
      }
    }
  }

  static func feed(_ count: Int, _ spread: Spread, seed: UInt64 = 3) -> [Int64] {
    var random = SeededGenerator(seed: seed)
    var second: Int64 = 1_800_000_000
    return (0..<count).map { rank in
      second -= spread.distance(rank, of: count, &random)
      return second
    }
  }

  static func answer(_ window: Window, _ feed: [Int64]) -> Evidence {
    let shown = feed.enumerated().dropFirst(window.firstRank).prefix(window.perPage)
    let items = shown.map { rank, second in
      PageItem(id: Identity("i\(rank)"), key: second, updatedAt: nil, bytes: [])
    }
    let page = Page(
      items: items.enumerated().map { Page.Slot(index: $0, item: $1) }, count: items.count,
      hasNext: feed.count > window.endRank, total: feed.count)
    return Evidence(
      page, to: window, sentAt: Timestamp(seconds: 1_900_000_000), clock: 1_900_000_000)
  }

  /// Whether a reader could begin at the cut: it lies in the range, or in the second open below.
  static func shows(_ target: Cut, _ evidence: Evidence) -> Bool {
    guard evidence.upper > evidence.lower else { return false }
    if evidence.lower < target, target <= evidence.upper { return true }
    guard evidence.lower != .bottom else { return false }
    return target <= evidence.lower
      && target >= .below(key: evidence.lower.position.order - 1)
  }

  /// Looks at the top, then seeks; the windows asked for after the top, or nil when it fails.
  static func seek(_ target: Cut, in feed: [Int64], perPageMax: Int = 100) throws -> Int? {
    let ledger = Ledger()
    let top = answer(Window(page: 1, perPage: 30), feed)
    try ledger.lay(top, total: feed.count)
    if target >= top.lower || shows(target, top) { return 0 }
    var seek = Seek(target: target, timeline: ledger.timeline, paging: .hundreds)
    while let window = seek.window(perPageMax: perPageMax) {
      let evidence = answer(window, feed)
      seek.note(evidence)
      if shows(target, evidence) { return seek.asked }
    }
    return nil
  }

  /// Keys are what an upstream says: whatever they are, a seek that a client asks for ends.
  @Test func noKeyOverflows() {
    let keys: [Int64] = [.min, .min + 1, -1_000_000_000, -1, 0, 1_800_000_000, .max - 1, .max]
    for above in keys {
      for below in keys where below <= above {
        for target in keys {
          var timeline = Timeline()
          timeline.proofs = [(above, 1), (below, 40)].map { key, rank in
            let cut = Cut.below(key: key)
            return Proof(
              upper: cut, lower: cut, provenAt: Timestamp(seconds: 0), count: 0, rankBelow: rank)
          }
          let seek = Seek(target: .below(key: target), timeline: timeline, paging: .hundreds)
          if let window = seek.window(perPageMax: 100) { #expect(window.perPage > 0) }
        }
      }
    }
  }

  @Test(
    arguments: Extent.pairs(
      Spread.allCases, [1, 99, 100, 101, 1_000, 3_333, 9_700]
    ).sample(24))
  func findsEveryPlaceInAtMostEightWindows(spread: Spread, count: Int) throws {
    let feed = Self.feed(count, spread)
    for rank in stride(from: 0, to: count, by: max(1, count / 97)) {
      for target in [Cut.above(key: feed[rank]), .below(key: feed[rank])] {
        let asked = try Self.seek(target, in: feed)
        #expect(asked.map { $0 <= 8 } ?? false, "rank \(rank)")
      }
    }
  }

  @Test func findsAPlaceOfAnEvenFeedInAFewWindows() throws {
    let feed = Self.feed(9_700, .even)
    let asked = try stride(from: 50, to: 9_700, by: 93).map { rank in
      try Self.seek(.below(key: feed[rank]), in: feed) ?? 9
    }
    #expect(asked.reduce(0, +) <= 4 * asked.count, "\(asked)")
  }

  @Test(arguments: [1, 100, 101, 5_000, 9_700])
  func findsTheEndForATimeBelowAll(count: Int) throws {
    let asked = try Self.seek(.below(key: -60_000_000_000), in: Self.feed(count, .silences))
    #expect(asked.map { $0 <= 8 } ?? false)
  }

  /// Pages come smaller than they are asked for: a search learns from them as from its own.
  @Test func aSearchLearnsFromASmallerPage() throws {
    let feed = Self.feed(1_000, .even)
    let pattern = FeedPattern("items", order: .value, content: "items", paging: .hundreds)
    var timeline = Timeline()
    timeline.lookedAt = Timestamp(seconds: 1)
    let plan = Plan(
      timeline: timeline, of: pattern, policy: Policy(), now: Timestamp(seconds: 1_900_000_000))
    let seek = Seek(
      target: .below(key: feed[500]), timeline: timeline, paging: .hundreds)
    let ask = Ask(.sought(seek), for: .reader)
    var window = try #require(plan.pager.aim(at: ask.place))
    window.perPage = 20
    var demand = Demand(limit: 20, arrivedAt: plan.now)
    demand.note(Self.answer(window, feed), to: ask, by: plan)
    #expect(demand.seek?.asked == 1)
    demand.note(nil, to: ask, by: plan)
    #expect(demand.seek?.asked == 1 && demand.calls == 2)
    demand.note(Self.answer(Window(page: 77, perPage: 1), feed), to: ask, by: plan)
    #expect(demand.seek?.asked == 0)
  }

  /// L6: where nothing shows anything new, no window is asked for a third time in a row.
  @Test func aSearchThatLearnsNothingEnds() throws {
    var seek = Seek(target: .below(key: 50), timeline: Timeline(), paging: .hundreds)
    var windows: [Window] = []
    while let window = seek.window(perPageMax: 100) {
      windows.append(window)
      seek.note(
        Evidence(
          window: window, sentAt: Timestamp(seconds: 1),
          elements: [
            Evidence.Placed(
              position: Position(order: 70, tie: []), rank: 3, isDisplaced: false,
              item: PageItem(id: Identity("a"), key: 70, updatedAt: nil, bytes: []))
          ], upper: .top, lower: .top, rankBelow: 0, isTop: false, isEnd: false))
    }
    for index in windows.indices.dropFirst(2) {
      #expect(Set(windows[index - 2...index]).count > 1)
    }
    #expect(seek.isSpent)
  }

  @Test func tellsThatAPlaceIsBeyondReach() throws {
    let feed = Self.feed(10_500, .even)
    var seek = Seek(target: .below(key: feed[10_300]), timeline: Timeline(), paging: .hundreds)
    while let window = seek.window(perPageMax: 100) { seek.note(Self.answer(window, feed)) }
    #expect(seek.isBeyondReach)
  }

  @Test func findsAPlaceInsideASecondLargerThanAWindow() throws {
    let feed = (0..<3_000).map { rank -> Int64 in
      let before: Int = rank < 1_000 ? rank : max(1_000, rank - 400)
      return 1_800_000_000 - Int64(before)
    }
    let target = Cut.below(Position(order: feed[1_200], tie: Array("i1200".utf8)))
    #expect(try Self.seek(target, in: feed) != nil)
  }

  @Test func readingUpwardsGoesOnAboveARangeThatEndsAtTheTarget() throws {
    let feed = Self.feed(2_000, .even)
    for rank in stride(from: 150, to: 2_000, by: 41) {
      let target = Cut.above(key: feed[rank])
      var seek = Seek(target: target, takesLast: true, timeline: Timeline(), paging: .hundreds)
      var isFound = false
      while !isFound, let window = seek.window(perPageMax: 100) {
        let evidence = Self.answer(window, feed)
        seek.note(evidence)
        isFound = evidence.lower <= target && target < evidence.upper
      }
      #expect(isFound, "rank \(rank)")
    }
  }

  @Test func bearsTargetsFromForgedCursors() throws {
    let feed = Self.feed(3_333, .random)
    for order in [Int64.min, .min + 1, .max - 1, .max] {
      let target = Cut.below(Position(order: order, tie: [7]))
      _ = try Self.seek(target, in: feed)
    }
  }
}
