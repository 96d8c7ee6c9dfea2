import History
import Testing

@testable import Feed

/// When a place is left alone that answers do not prove.
@Suite struct ExtensionAttemptsTests {
  /// A page that comes smaller than it was asked for ends above the place each time.
  @Test func anAnswerThatEndsAboveThePlaceBringsItNearerAFewTimes() {
    var attempts = ExtensionAttempts()
    let above = evidence("9a 8b 7c", page: 2)
    let now = Timestamp(seconds: 1000)
    for _ in 0..<ExtensionAttempts.nearsMax {
      attempts.learn(from: above, total: nil, below: .above(key: 3), isCounted: true, at: now)
    }
    #expect(attempts.idle == 0 && attempts.rests == 0)
    for _ in 0..<ExtensionAttempts.idleMax {
      attempts.learn(from: above, total: nil, below: .above(key: 3), isCounted: true, at: now)
    }
    #expect(attempts.rests == 1 && attempts.restsUntil == now + Rest.place.min)
  }

  /// Past a wall, a page that is too large to come is no way to what lies below it.
  @Test func aSizeThatFailedReachesNothing() {
    let paging = Paging(.page(max: 4), perPageMax: 50, past: KeyGrain(length: 1))
    let pattern = FeedPattern("items", order: .value, content: "items", paging: paging)
    var timeline = Timeline()
    timeline.lookedAt = Timestamp(seconds: 1000)
    timeline.proofs = [
      Proof(
        upper: .top, lower: .above(key: 100), provenAt: Timestamp(seconds: 1000), count: 80,
        rankBelow: 80)
    ]
    var plan = Plan(
      timeline: timeline, of: pattern, policy: Policy(), now: Timestamp(seconds: 1001))
    for size in [50, 25] { plan.size.shrink(after: size, isTooLarge: false) }
    #expect(plan.pager.aim(at: .below(timeline.runs[0].lower))?.segment == nil)
    plan.size.shrink(after: 13, isTooLarge: true)
    #expect(plan.pager.aim(at: .below(timeline.runs[0].lower))?.segment?.keyMax == 100)
  }
}
