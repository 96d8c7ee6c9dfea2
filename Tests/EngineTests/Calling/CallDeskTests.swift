import Support
import Testing

@testable import Engine
@testable import Feed

/// Which calls are made, as a table: what is asked and answered goes in, what is to be done comes
/// out.
@Suite struct CallDeskTests {
  private let start = Timestamp(seconds: 1_800_000_000)

  private func desk(
    remaining: Int = 60, limit: Int? = 60, _ change: (inout Policy) -> Void = { _ in }
  ) -> CallDesk {
    var policy = Policy()
    change(&policy)
    let budget = Budget(
      limit: limit, remaining: remaining, resetAt: start + .seconds(3_600))
    return CallDesk(budget: budget, policy: policy) { $0.lowerBound }
  }

  private func feed(_ name: String) -> FeedID {
    FeedID(source: "qiita", pattern: FeedPattern(":id", order: .value), parts: [Array(name.utf8)])
  }

  private func call(_ name: String, for purpose: Purpose = .reader) -> CallDesk.Call {
    CallDesk.Call(key: .feed(feed(name)), ask: Ask(.top(100), for: purpose))
  }

  /// A call for a feed that has a rate limit of this name.
  private func call(_ name: String, in budget: String) -> CallDesk.Call {
    var pattern = FeedPattern(":id", order: .value)
    pattern.budget = budget
    let feed = FeedID(source: "qiita", pattern: pattern, parts: [Array(name.utf8)])
    return CallDesk.Call(key: .feed(feed), ask: Ask(.top(100), for: .reader))
  }

  private func item(_ id: String, isForUnknown: Bool = true) -> CallDesk.Call {
    CallDesk.Call(
      key: .item(ItemName(Identity(id))), ask: Ask(.top(1), for: .reader),
      isForUnknown: isForUnknown)
  }

  /// Lets the calls go that may go. Returns what became of them, in short: `send a`, `end a`.
  private func depart(_ desk: inout CallDesk, at now: Timestamp) -> [String] {
    var results: [String] = []
    while let key = desk.next {
      switch desk.decision(on: key, nil, at: now) {
      case .go(let budget):
        _ = desk.send(key, nil, leaving: budget, at: now)
        results.append("send \(name(key))")
      case .refused:
        _ = desk.land(key)
        results.append("end \(name(key))")
      case .busy: return results
      }
    }
    return results
  }

  private func board(
    _ desk: inout CallDesk, _ call: CallDesk.Call, at now: Timestamp
  ) -> [String] {
    desk.board(call, at: now)
    return depart(&desk, at: now)
  }

  private func name(_ key: FlightKey) -> String {
    switch key {
    case .item(let item): item.id.text
    case .errand(let target, _): target
    case .feed(let feed), .window(let feed, _):
      feed.path
    }
  }

  private func answer(
    _ result: Result<Page, FetchError>, at seconds: Int = 1
  ) -> Fetched<Page> {
    let at = start + .seconds(seconds)
    return Fetched(sentAt: at, receivedAt: at, date: nil, budget: nil, result: result)
  }

  /// Ends a call with an answer.
  private func land(_ desk: inout CallDesk, _ call: CallDesk.Call, _ answer: Fetched<Page>) {
    desk.learn(call.key, desk.change(by: answer, to: call.key, at: answer.receivedAt))
    if case .failure(let error) = answer.result, error != .unchanged {
      _ = desk.fail(call.key, after: error, at: answer.receivedAt)
    }
    _ = desk.land(call.key)
  }

  @Test func sendsAtOnceWhileThereIsAPlace() {
    var desk = desk { $0.maxInFlight = 2 }
    #expect(board(&desk, call("a"), at: start) == ["send a"])
    #expect(desk.budgets.own.remaining == 59 && desk.budgets.own.inFlight == 1)
    #expect(board(&desk, call("b"), at: start) == ["send b"])
    #expect(board(&desk, call("c"), at: start).isEmpty)
    #expect(desk.flights.count == 3 && desk.budgets.own.remaining == 58)
  }

  /// One call of a feed may end, and the next depart, before who waits for the first has lain down.
  @Test func whoWaitsForACallDoesNotWaitForTheNextOne() {
    var desk = desk()
    desk.board(call("a"), at: start)
    let ticket = desk.wait(for: .feed(feed("a")))
    #expect(desk.holds(ticket, for: .feed(feed("a"))))
    _ = desk.land(.feed(feed("a")))
    #expect(!desk.holds(ticket, for: .feed(feed("a"))))
    desk.board(call("a", for: .gap), at: start)
    #expect(!desk.holds(ticket, for: .feed(feed("a"))))
    let second = desk.wait(for: .feed(feed("a")))
    #expect(desk.holds(second, for: .feed(feed("a"))))
  }

  @Test func aPlaceThatIsFreeIsForWhoeverCameFirst() {
    var desk = desk { $0.maxInFlight = 1 }
    for name in ["a", "b", "c"] { _ = board(&desk, call(name), at: start) }
    for (landed, name) in [("a", "b"), ("b", "c")] {
      land(&desk, call(landed), answer(.failure(.unchanged)))
      #expect(depart(&desk, at: start + .seconds(1)) == ["send \(name)"])
    }
    #expect(depart(&desk, at: start).isEmpty)
  }

  @Test func anErrandIsAfterReadersAndBeforeWhatNobodyWaitsFor() {
    var desk = desk { $0.maxInFlight = 1 }
    let errand = { (target: String) in
      CallDesk.Call(
        key: .errand(target: target, number: 1), ask: Ask(.top(1), for: .raw))
    }
    _ = board(&desk, call("first"), at: start)
    for call in [
      call("gap", for: .gap), errand("/x"), call("a"), errand("/y"), call("b"),
      call("recheck", for: .recheck),
    ] { _ = board(&desk, call, at: start) }
    var order: [String] = []
    var underway = "first"
    while true {
      let key = desk.flights.keys.first { name($0) == underway }
      if let key { _ = desk.land(key) }
      guard let next = depart(&desk, at: start).first else { break }
      underway = String(next.dropFirst("send ".count))
      order.append(underway)
    }
    #expect(order == ["a", "b", "/x", "/y", "gap", "recheck"])
  }

  /// Where neither the configuration nor an answer says how many calls there are.
  @Test(arguments: [true, false])
  func aRefusalSaysThatTheRateIsAssumed(isAssumed: Bool) {
    var policy = Policy()
    policy.allowance = RateAllowance(calls: 1, period: .seconds(60))
    policy.allowance.assumedFor = isAssumed ? "sources.s.rate" : nil
    var desk = CallDesk(budget: Budget(assumed: policy.allowance), policy: policy) { $0.lowerBound }
    #expect(board(&desk, call("a"), at: start) == ["send a"])
    switch desk.refusal(of: call("b"), nil, at: start) {
    case .rateAssumed(let rate, _, isOpening: false): #expect(isAssumed && rate.calls == 1)
    case .rateLimited: #expect(!isAssumed)
    case let refusal: Issue.record("\(String(describing: refusal))")
    }
  }

  /// Searches at GitHub have a rate limit of their own.
  @Test func aCallCountsInTheLimitOfItsFeedOnly() {
    var desk = desk(remaining: 2) { $0.reserveCalls = 0 }
    desk.take(Budget(limit: 10, remaining: 1, resetAt: start + .seconds(60)), of: "search")
    #expect(board(&desk, call("a", in: "search"), at: start) == ["send a"])
    #expect(desk.budgets["search"].remaining == 0 && desk.budgets.own.remaining == 2)
    let searched = call("b", in: "search")
    #expect(desk.refusal(of: searched, nil, at: start) == .rateLimited(until: start + .seconds(60)))
    // One that another has spent before it could depart.
    #expect(board(&desk, searched, at: start) == ["end b"])
    #expect(board(&desk, call("c"), at: start) == ["send c"])
    #expect(desk.budgets.own.remaining == 1 && desk.budgets.inFlight == 2)

    var told = answer(.failure(.unchanged))
    told.budget = BudgetReading(limit: 30, remaining: 29, resetSeconds: start.seconds + 60)
    desk.learn(searched.key, desk.change(by: told, to: searched.key, at: start))
    #expect(desk.budgets["search"].remaining == 29 && desk.budgets.own.remaining == 1)
    #expect(desk.budgets.inFlight == 1)
    desk.forgetAnswers()
    #expect(desk.budgets["search"].limit == nil && desk.budgets.own.limit == nil)
  }

  /// A feed that the upstream does not answer does not hold up the others.
  @Test func theLastPlaceIsForWhatDidNotFail() {
    var desk = desk { $0.maxInFlight = 2 }
    _ = desk.fail(call("bad").key, after: .timedOut, at: start)
    _ = board(&desk, call("a"), at: start)
    #expect(board(&desk, call("bad"), at: start).isEmpty)
    #expect(board(&desk, call("good"), at: start) == ["send good"])
    land(&desk, call("a"), answer(.failure(.unchanged)))
    #expect(depart(&desk, at: start).isEmpty)
    land(&desk, call("good"), answer(.failure(.unchanged)))
    #expect(depart(&desk, at: start) == ["send bad"])
  }

  @Test(arguments: [
    (1, Purpose.reader, true), (0, .reader, false), (5, .head, false), (6, .head, true),
    (20, .prefetch, false), (21, .prefetch, true), (5, .raw, false), (6, .raw, true),
  ])
  func leavesTheLastCallsToReaders(remaining: Int, purpose: Purpose, isMade: Bool) {
    let desk = desk(remaining: remaining)
    let refusal = desk.refusal(of: call("a", for: purpose), nil, at: start)
    #expect((refusal == nil) == isMade)
    if !isMade { #expect(refusal == desk.rateLimited(call("a").key, at: start)) }
  }

  @Test func aQueuedCallEndsWhenThoseBeforeItHaveSpentWhatWasLeft() {
    var desk = desk(remaining: 1) { $0.maxInFlight = 2 }
    _ = board(&desk, call("a"), at: start)
    let ticket = desk.wait(for: call("a").key)
    #expect(board(&desk, call("b"), at: start) == ["end b"])
    #expect(desk.flights[call("b").key] == nil)
    #expect(desk.flights[call("a").key]?.waiters == [ticket])
  }

  @Test func whoLeavesIsNotToldAndTheCallGoesOn() {
    var desk = desk()
    _ = board(&desk, call("a"), at: start)
    let (first, second) = (desk.wait(for: call("a").key), desk.wait(for: call("a").key))
    desk.leave(call("a").key, first)
    #expect(desk.land(call("a").key)?.waiters == [second])
    #expect(desk.land(call("a").key) == nil)
  }

  @Test func openingsHaveAShareOfTheirOwn() {
    var desk = desk { $0.openingPermille = 50 }
    for name in ["a", "b", "c"] {
      var call = call(name)
      call.isOpening = true
      #expect(desk.refusal(of: call, nil, at: start) == nil)
      _ = board(&desk, call, at: start)
    }
    var fourth = call("d")
    fourth.isOpening = true
    guard case .tooManyOpenings = desk.refusal(of: fourth, nil, at: start) else {
      Issue.record("a fourth of three was let in")
      return
    }
    // What is known already is asked for as before.
    #expect(desk.refusal(of: call("d"), nil, at: start) == nil)
  }

  @Test func aForcedCallNeedsAPermitAndNoShare() {
    let desk = desk { $0.openingPermille = 0 }
    var forced = call("a")
    forced.isForced = true
    #expect(desk.refusal(of: forced, { nil }, at: start) == nil)
    let refused = ReadError.tooManyOpenings(retryAt: start + .seconds(7), byClient: true)
    #expect(desk.refusal(of: forced, { .seconds(7) }, at: start) == refused)
  }

  @Test func aPermitIsAskedLastAndOnlyForWhatOpens() {
    let desk = desk(remaining: 1)
    let permit: OpeningPermit = { .seconds(7) }
    #expect(desk.refusal(of: call("a"), permit, at: start) == nil)
    var opening = call("a")
    opening.isOpening = true
    let refused = ReadError.tooManyOpenings(retryAt: start + .seconds(7), byClient: true)
    #expect(desk.refusal(of: opening, permit, at: start) == refused)
    #expect(self.desk(remaining: 0).refusal(of: opening, permit, at: start) != refused)
  }

  @Test(arguments: [
    (FetchError.unreachable(reason: "down"), false, false), (.timedOut, true, true),
    (.serverError(status: 500), true, true), (.notFound, true, false),
  ])
  func anOpeningThatFailed(error: FetchError, isSpent: Bool, mayBeTriedAgain: Bool) {
    var desk = desk { $0.openingPermille = 17 }
    var opening = call("a")
    opening.isOpening = true
    _ = board(&desk, opening, at: start)
    land(&desk, opening, answer(.failure(error)))
    let later = start + .seconds(60)
    var other = call("b")
    other.isOpening = true
    #expect((desk.refusal(of: other, nil, at: later) != nil) == isSpent)
    #expect(desk.hasOpened(opening.key, at: later) == mayBeTriedAgain)
    #expect(!desk.hasOpened(opening.key, at: start + .seconds(3_601)))
  }

  @Test func aNameThatIsNoneCountsAsAnOpening() {
    var desk = desk { $0.openingPermille = 17 }
    #expect(desk.refusal(of: item("x"), nil, at: start) == nil)
    _ = board(&desk, item("x"), at: start)
    land(&desk, item("x"), answer(.failure(.notFound), at: 0))
    #expect(desk.refusal(of: item("y"), nil, at: start) != nil)
    #expect(desk.refusal(of: item("z", isForUnknown: false), nil, at: start) == nil)
    #expect(desk.pause(of: item("x").key, at: start + .seconds(29)) == .notFound)
    #expect(desk.pause(of: item("x").key, at: start + .seconds(31)) == nil)
  }

  @Test func aFeedThatFailedIsLeftAloneWhicheverWindowIsAskedFor() {
    var desk = desk()
    let window = FlightKey.window(feed("a"), Window(page: 9, perPage: 20))
    let told = desk.fail(window, after: .timedOut, at: start)
    #expect(desk.refusal(of: call("a"), nil, at: start) == told)
    #expect(desk.refusal(of: call("b"), nil, at: start) == nil)
    desk.noteGood(call("a").key)
    #expect(desk.refusal(of: call("a"), nil, at: start) == nil)
  }

  @Test func asMuchAsIsRememberedHasALimit() {
    var desk = desk()
    for index in 0..<Backoff.pausesMax {
      _ = desk.fail(item("\(index)").key, after: .notFound, at: start)
    }
    #expect(desk.pause(of: item("0").key, at: start) == .notFound)
    // The others are left alone no more when one more comes.
    let later = start + .seconds(31)
    _ = desk.fail(item("x").key, after: .notFound, at: later)
    #expect(desk.pause(of: item("x").key, at: later) == .notFound)
    #expect(desk.pause(of: item("0").key, at: start) == nil)
  }

  @Test func whatFollowsStandsBeforeWhatWouldFollowByItself() {
    var desk = desk()
    let asks = (1...3).map { Ask(.rank($0), for: .gap) }
    desk.board(call("a"), then: asks[2...], at: start)
    desk.askNext(Array(asks[..<2]), after: call("a").key)
    #expect(desk.land(call("a").key)?.next.map(\.place) == (1...3).map(Place.rank))
  }

  @Test func whatIsDueFollowsOldestFirstAndOnce() {
    var desk = desk()
    let top = Ask(.top(100), for: .head)
    let looks = [30, 10, 20].map { recheck(atSecond: $0) }
    desk.board(call("a"), then: looks[..<1], at: start)
    desk.remember([looks[1], looks[0], Ask(.below(.top), for: .prefetch)], after: call("a").key)
    desk.remember([top, looks[2]], after: call("a").key)
    // The call itself is a look at the top.
    let next = desk.land(call("a").key)?.next ?? []
    #expect(Array(next) == [looks[1], looks[2], looks[0]])
  }

  /// Of one too many, the one that was seen last is not remembered.
  @Test(arguments: [CallDesk.looksMax, CallDesk.looksMax + 1])
  func asManyLooksAreRememberedAsTheLimitSays(count: Int) {
    var desk = desk()
    desk.board(call("a"), at: start)
    for second in (1...count).reversed() {
      desk.remember([recheck(atSecond: Int64(second))], after: call("a").key)
    }
    let next = desk.land(call("a").key)?.next.compactMap(\.seenAt?.seconds) ?? []
    #expect(next == Array(1...Int64(CallDesk.looksMax)))
  }

  /// A look at a place that was seen at a second.
  private func recheck(atSecond second: Int64) -> Ask {
    Ask(.below(.above(key: second)), for: .recheck, seenAt: Timestamp(seconds: second))
  }
}
