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
    let others = [above, evidence("9a 8b 7d", page: 2)]
    for number in 0..<ExtensionAttempts.idleMax {
      let other = others[number % 2]
      attempts.learn(from: other, total: nil, below: .above(key: 3), isCounted: true, at: now)
    }
    #expect(attempts.rests == 1 && attempts.restsUntil == now + Rest.place.min)
  }

  /// L6: what brought nothing twice is not requested a third time.
  @Test func theSameAnswerTwiceIsOneTooMany() {
    var attempts = ExtensionAttempts()
    let (above, now) = (evidence("9a 8b 7c", page: 2), Timestamp(seconds: 1000))
    for expected in Array(repeating: 0, count: ExtensionAttempts.nearsMax + 1) + [1] {
      attempts.learn(from: above, total: nil, below: .above(key: 3), isCounted: true, at: now)
      #expect(attempts.rests == expected)
    }
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
