import History
import Support
import Testing

@testable import Feed

/// When a place is left alone that answers do not prove.
@Suite struct ExtensionAttemptsTests {
  /// A page that comes smaller than it was asked for ends above the place each time.
  @Test func anAnswerThatEndsAboveThePlaceBringsItNearerAFewTimes() {
    var attempts = ExtensionAttempts()
    let others = [evidence("9a 8b 7c", page: 2), evidence("9a 8b 7d", page: 2)]
    let now = Timestamp(seconds: 1000)
    let learn = { (attempts: inout ExtensionAttempts, number: Int) in
      let other = others[number % 2]
      attempts.learn(from: other, total: nil, below: .above(key: 3), isCounted: true, at: now)
    }
    for number in 0..<ExtensionAttempts.nearsMax { learn(&attempts, number) }
    #expect(attempts.idle == 0 && attempts.rests == 0)
    for number in 0..<ExtensionAttempts.idleMax { learn(&attempts, number) }
    #expect(attempts.rests == 1 && attempts.restsUntil == now + Rest.place.min)
  }

  /// Nor does one that comes again and again between others that end elsewhere.
  @Test func twoAnswersInTurnBringNothingNearer() {
    var attempts = ExtensionAttempts()
    let others = [evidence("9a 8b 7c", page: 2), evidence("7c 2d 1e", page: 3)]
    for number in 0..<24 {
      attempts.learn(
        from: others[number % 2], total: nil, below: .above(key: 3), isCounted: false,
        at: Timestamp(seconds: 1000))
    }
    #expect(attempts.rests == 1)
  }

  /// L6: what brought nothing twice is not requested a third time, wherever it seems to end.
  @Test func theSameAnswerTwiceIsOneTooMany() {
    var attempts = ExtensionAttempts()
    let (above, now) = (evidence("9a 8b 7c", page: 2), Timestamp(seconds: 1000))
    for expected in [0, 1, 1, 2] {
      attempts.learn(from: above, total: nil, below: .above(key: 3), isCounted: true, at: now)
      #expect(attempts.rests == expected)
    }
  }

  /// Nor is what shows nothing known, or leads no further on the way to the place.
  @Test func theSameAnswerOnTheWayTwiceIsOneTooMany() {
    let (shown, now) = (evidence("9a 8b 7c", page: 2), Timestamp(seconds: 1000))
    let other = Window(page: 3, perPage: 3)
    var attempts = ExtensionAttempts()
    attempts.pass(shown, at: now)
    attempts.pass(evidence("9a 8b 7c", page: 3), at: now)
    #expect(attempts.rests == 0)
    attempts.pass(evidence("9a 8b 7c", page: 3), at: now)
    #expect(attempts.rests == 1)
    attempts = ExtensionAttempts()
    attempts.miss(shown.window, showing: [Identity("a")], total: nil, at: now)
    attempts.miss(other, showing: [Identity("a")], total: nil, at: now)
    attempts.miss(other, showing: nil, total: nil, at: now)
    attempts.miss(other, showing: nil, total: nil, at: now)
    #expect(attempts.rests == 0 && attempts.misses == 4)
    attempts.miss(other, showing: [Identity("a")], total: nil, at: now)
    #expect(attempts.rests == 1)
  }

  /// Two pages out of a cache, each of a second in an order of its own, are not one more of each
  /// other for as long as the cache keeps them.
  @Test func pagesInTurnOutOfACacheAreTooMany() {
    var attempts = ExtensionAttempts()
    let now = Timestamp(seconds: 1000)
    let pages = [evidence("9a 5b 5c", page: 1), evidence("5c 5d 4e", page: 2)]
    var requests = 0
    while attempts.rests == 0, requests < 100 {
      let page = pages[requests % 2]
      attempts.learn(from: page, total: 9, below: .above(key: 5), isCounted: true, at: now)
      requests += 1
    }
    #expect(requests <= 6 + ExtensionAttempts.idleMax)
  }

  /// Pages that are laid side by side show more of an instant each; begun anew they show nothing
  /// more, until the place has rested.
  @Test func onlyMoreThanEverIsProgress() {
    var attempt = ExtensionAttempts()
    #expect(
      [12, 32, 52, 12, 32, 52, 72].map { attempt.notesMore($0) }
        == [true, true, true, false, false, false, true])
    let window = Window(page: 1, perPage: 20)
    while attempt.rests == 0 {
      attempt.miss(window, showing: nil, total: nil, at: Timestamp(seconds: 1))
    }
    #expect(attempt.notesMore(12) == true)
  }

  /// The plan for a list with a wall, of which so many elements are known.
  private func walledPlan(knowing count: Int) -> Plan {
    let paging = Paging(.page(max: 4), perPageMax: 50, past: KeyGrain(length: 1))
    let pattern = FeedPattern("items", order: .value, content: "items", paging: paging)
    var timeline = Timeline()
    timeline.lookedAt = Timestamp(seconds: 1000)
    timeline.proofs = [
      Proof(
        upper: .top, lower: .above(key: 100), provenAt: Timestamp(seconds: 1000), count: count,
        rankBelow: count)
    ]
    return Plan(timeline: timeline, of: pattern, policy: Policy(), now: Timestamp(seconds: 1001))
  }

  /// Past a wall, a page that is too large to come is no way to what lies below it.
  @Test func aSizeThatFailedReachesNothing() {
    var plan = walledPlan(knowing: 80)
    let lower = plan.timeline.runs[0].lower
    for size in [50, 25] { plan.size.shrink(after: size, isTooLarge: false) }
    #expect(plan.pager.aim(at: .below(lower))?.segment == nil)
    plan.size.shrink(after: 13, isTooLarge: true)
    #expect(plan.pager.aim(at: .below(lower))?.segment?.keyMax == 100)
  }

  /// Pages of 20 reach 80 elements of a list, and as many of each that begins at a key.
  @Test(arguments: [(nil, false), ((150, 55), false), ((100, 55), false), ((100, 10), true)])
  func smallerPagesEndNoListThatGoesOnPastAWall(
    segment: (keyMax: Int64, rank: Int)?, isTooSmall: Bool
  ) {
    var plan = walledPlan(knowing: 102)
    plan.size.serve(20)
    plan.segment = segment.map { Window.Segment(keyMax: $0.keyMax, rank: $0.rank) }
    #expect(plan.pager.isTooSmall(below: plan.timeline.runs[0]) == isTooSmall)
  }

  /// A list of 10,000 elements in pages that became smaller: of 25 they reach 2,500.
  @Test(arguments: [100, 50, 25, 10])
  func whatSmallerPagesDoNotReachIsSoughtByLargerOnes(size: Int) throws {
    let pattern = FeedPattern("items", order: .value, content: "items", paging: .hundreds)
    var timeline = Timeline()
    timeline.lookedAt = Timestamp(seconds: 1000)
    var plan = Plan(
      timeline: timeline, of: pattern, policy: Policy(), now: Timestamp(seconds: 1001))
    for _ in 0..<8 where plan.size.perPageMax > size {
      plan.size.shrink(after: plan.size.perPageMax, isTooLarge: false)
    }
    let seek = Seek(target: .below(key: 50), timeline: timeline, paging: .hundreds)
    #expect(plan.size.perPageMax <= size)
    let window = try #require(plan.pager.aim(at: .sought(seek)))
    #expect(window.endRank > 2_500 && Paging.hundreds.takes(window))
    // No larger than it takes.
    #expect(window.perPage <= max(size, 60))
  }

  /// Three answers with nothing on them, where the run's end came again after one and says that
  /// more follows, lead to a rest; six such rests in a row are a wall.
  @Test(arguments: [true, false]) func nothingBelowAnEndThatIsSeenAgainIsAWall(isSeen: Bool) {
    var attempts = ExtensionAttempts()
    let now = Timestamp(seconds: 1000)
    attempts.noteEnd()
    for rest in 1...ExtensionAttempts.wallsMax {
      for (count, page) in [26, 27, 29].enumerated() {
        #expect(!isSeen || attempts.rests < rest && attempts.nothings == count)
        attempts.miss(Window(page: page, perPage: 90), showing: [], total: nil, at: now)
        if isSeen, count == 1 { attempts.noteEnd() }
      }
      #expect(!isSeen || attempts.rests == rest)
      #expect(attempts.isWalled == (isSeen && rest == ExtensionAttempts.wallsMax))
    }
    attempts.noteNews()
    #expect(!attempts.isWalled)
  }

  /// After one with nothing on it a page in front of that is asked for, by whatever number it came.
  @Test(arguments: 25...29) func pagesInFrontOfEmptyOnesAreAskedFor(page: Int) throws {
    let pattern = FeedPattern("items", order: .observed, content: "items", paging: .hundreds)
    let cut = Cut.below(key: 1)
    let now = Timestamp(seconds: 1000)
    var timeline = Timeline()
    timeline.proofs = [
      Proof(upper: .top, lower: cut, provenAt: now, count: 2_299, rankBelow: 2_299)
    ]
    var plan = Plan(timeline: timeline, of: pattern, policy: Policy(), now: now)
    plan.attempts[cut] = ExtensionAttempts()
    plan.attempts[cut]?.miss(Window(page: page, perPage: 90), showing: [], total: nil, at: now)
    let window = try #require(plan.pager.aim(at: .below(cut)))
    #expect(window.page < page && window.endRank > 2_299 && window.firstRank < 2_299)
  }
}
