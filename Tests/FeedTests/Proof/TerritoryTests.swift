import Testing

@testable import Feed

/// What is a change to whoever follows a feed, and what is only learnt.
@Suite struct TerritoryTests {
  private func position(_ second: Int64) -> Position { Position(order: second, tie: [97]) }

  /// Runs 100…80 and 50…40; between 95 and 90 something was proven once.
  private func timeline(isLooked: Bool = true) -> Timeline {
    var timeline = Timeline()
    let now = Timestamp(seconds: 1_000)
    timeline.proofs = [(100, 80), (50, 40)].map { upper, lower in
      Proof(
        upper: .above(key: upper), lower: .above(key: lower), provenAt: now, count: 5,
        rankBelow: 5)
    }
    timeline.lookedAt = isLooked ? now : nil
    return timeline
  }

  @Test(
    arguments: [
      (101, true), (100, true), (81, true), (80, false), (70, false), (51, false), (50, true),
      (41, true), (40, false), (1, false),
    ] as [(Int64, Bool)])
  func theTopAndWhatIsProvenAreKnown(second: Int64, isChange: Bool) {
    #expect(Territory(timeline()).holds(position(second)) == isChange)
    #expect(!Territory(timeline(isLooked: false)).holds(position(second)))
  }

  @Test func whatWasProvenOnceAndWhatWasTheTopStayKnown() {
    let gap = CutRange(upper: .above(key: 70), lower: .above(key: 60))
    let opened = Territory(timeline(), opened: [gap])
    #expect(opened.holds(position(65)) && !opened.holds(position(55)))
    // A look that did not reach what was the top.
    let former = Territory(timeline(), former: .above(key: 50))
    #expect(former.holds(position(60)) && !former.holds(position(30)))
    // Of a stored feed nobody knows why there are gaps.
    let stored = Territory(timeline(), opened: Territory.opened(stored: timeline()))
    #expect(stored.holds(position(65)) && !stored.holds(position(30)))
  }

  /// What was proven once is known after a restart too, also where it is the end of a single run.
  @Test(arguments: [1, 2]) func whatWasProvenOnceIsStored(runs: Int) {
    var timeline = timeline()
    timeline.proofs.removeLast(2 - runs)
    let end = CutRange(upper: .above(key: 40), lower: .bottom)
    timeline.doubts.keep(nil, opened: [end], runs: runs)
    #expect(Territory.opened(stored: timeline) == [end])
    timeline.doubts.keep(nil, opened: [], runs: runs)
    #expect(Territory.opened(stored: timeline).isEmpty)
  }

  @Test(arguments: [Territory.openedMax, Territory.openedMax + 1])
  func aFewRangesAreKept(count: Int) {
    let ranges = (0..<Int64(count)).map {
      CutRange(upper: .above(key: 20_000 - 10 * $0), lower: .above(key: 19_995 - 10 * $0))
    }
    let kept = Territory.opened(ranges, in: timeline())
    #expect(kept.count == (count > Territory.openedMax ? 1 : count))
    // What is proven again is no longer open.
    #expect(
      Territory.opened(
        [CutRange(upper: .above(key: 95), lower: .above(key: 90))], in: timeline()
      ).isEmpty)
  }
}
