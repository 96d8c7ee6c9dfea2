import History
import Support
import Testing

@testable import Feed

/// Feeds in random states, given up step by step.
@Suite struct EvictionPropertyTests {
  /// A feed made of runs, its rows the lowest first, and the proofs counting what stands in them.
  private func feed(_ order: FeedOrder, by random: inout SeededGenerator) -> FeedTail {
    var places: [KnownElement] = []
    var proofs: [Proof] = []
    var second: Int64 = 0
    for run in 0..<Int.random(in: 1...3, using: &random) {
      // A gap, or the feed's end.
      second += run == 0 ? 0 : 1_000
      var lower: Cut =
        run == 0 && random.chance(50) ? .bottom : .above(key: second)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        var live = 0
        second += 1
        for _ in 0..<Int.random(in: 0...150, using: &random) {
          if order != .value || !random.chance(30) { second += 1 }
          let state: KnownElement.State =
            random.chance(15) ? .removed : random.chance(5) ? .displaced : .live
          if state == .live { live += 1 }
          let tie = UInt16(places.count)
          places.append(
            KnownElement(
              position: Position(
                order: second,
                tie: order == .value ? [UInt8(tie >> 8), UInt8(tie & 255)] : []),
              id: Identity("\(places.count)"), updatedAt: nil, state: state))
        }
        let upper = Cut.above(key: second)
        proofs.append(
          Proof(
            upper: upper, lower: lower, provenAt: Timestamp(seconds: 1), count: live,
            rankBelow: 0))
        lower = upper
      }
    }
    var timeline = Timeline()
    timeline.proofs = proofs.reversed()
    timeline.lookedAt = Timestamp(seconds: 1)
    timeline.lineages = [Lineage(name: 1)]
    return FeedTail(order: order, timeline: timeline, places: places)
  }

  @Test(arguments: [FeedOrder.value, .observed], [false, true])
  func everyStepLeavesATimelineThatIsTrue(order: FeedOrder, keepsTop: Bool) throws {
    for seed in 1...300 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var feed = feed(order, by: &random)
      var limit = Eviction.foot(keepsTop: keepsTop)
      var steps = 0
      giving: while steps < 100 {
        steps += 1
        var foot = feed
        foot.places = Array(feed.places.prefix(limit))
        switch Eviction.step(for: foot, limit: limit, keepsTop: keepsTop) {
        case .drop:
          #expect(!keepsTop && feed.places.count < limit, "seed \(seed)")
          feed.places = []
          break giving
        case .nothing:
          break giving
        case .needsMore:
          #expect(limit <= feed.places.count, "seed \(seed)")
          limit *= 2
        case .cut(let cut, let timeline):
          let gone = feed.places.prefix { !cut.isBelow($0.position) }
          try check(cut, timeline, gone, of: feed, "seed \(seed)")
          feed.places.removeFirst(gone.count)
          feed.timeline = timeline
          limit = Eviction.foot(keepsTop: keepsTop)
        }
      }
      #expect(steps < 100, "seed \(seed)")
      #expect(keepsTop || feed.places.isEmpty, "seed \(seed)")
    }
  }

  private func check(
    _ cut: Cut, _ timeline: Timeline, _ gone: ArraySlice<KnownElement>, of feed: FeedTail,
    _ when: Comment
  ) throws {
    let highest = try #require(gone.last { $0.state == .live }, when)
    #expect(gone.last?.position == highest.position || feed.order == .value, when)
    // In a feed by value the cut is the upper bound of the second of an element that was seen.
    if feed.order == .value { #expect(cut == .above(key: highest.position.order), when) }
    // More than a hundred go only where none of the first hundred could be the last to go.
    let mayEnd = zip(feed.places, feed.places.dropFirst()).prefix(Eviction.placesMax)
      .contains { place, next in
        place.state == .live
          && (feed.order != .value || place.position.order < next.position.order)
      }
    #expect(gone.count <= Eviction.placesMax || !mayEnd, when)
    for proof in timeline.proofs {
      let standing = feed.places.count {
        $0.state == .live && proof.lower.isBelow($0.position) && !proof.upper.isBelow($0.position)
      }
      #expect(proof.count == standing, when)
      #expect(proof.lower >= cut && proof.upper > proof.lower, when)
    }
    // What is proven above the cut stays proven.
    for proof in feed.timeline.proofs where proof.upper > cut {
      #expect(
        timeline.proofs.contains {
          $0.upper == proof.upper && $0.lower == max(proof.lower, cut)
        }, when)
    }
  }
}
