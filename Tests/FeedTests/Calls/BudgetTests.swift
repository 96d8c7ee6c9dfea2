import Testing

@testable import Feed

@Suite struct BudgetTests {
  private let start = Timestamp(seconds: 1_000_000)

  private func budget(_ remaining: Int, resetIn seconds: Int64? = 600, limit: Int? = 60) -> Budget {
    Budget(limit: limit, remaining: remaining, resetAt: seconds.map { start + .seconds($0) })
  }

  private func answer(
    after seconds: Int64 = 0, sentAfter: Int64? = nil, date: Int64? = nil,
    _ reading: BudgetReading? = nil,
    failure: FetchError? = nil
  ) -> Fetched<Int> {
    let receivedAt = start + .seconds(seconds)
    return Fetched(
      sentAt: sentAfter.map { start + .seconds($0) } ?? receivedAt, receivedAt: receivedAt,
      date: date, budget: reading,
      result: failure.map { .failure($0) } ?? .success(0))
  }

  /// The most needed purpose that is refused, by calls left, with a reserve of 5.
  @Test(
    arguments: [
      (0, .reader), (1, .head), (5, .head), (6, .gap), (10, .gap), (11, .recheck), (15, .recheck),
      (16, .prefetch), (20, .prefetch), (21, nil),
    ] as [(Int, Purpose?)])
  func eachLessNeededPurposeLeavesAReserveMore(remaining: Int, refused: Purpose?) {
    let budget = budget(remaining)
    let first = Purpose.allCases.first { !budget.bears($0, reserve: 5, at: start) }
    #expect(first == refused)
  }

  @Test func takesCallsUnderWayOff() {
    var budget = budget(2)
    budget.spend(at: start)
    budget.spend(at: start)
    #expect(!budget.bears(.reader, reserve: 5, at: start))
    budget.learn(from: answer(BudgetReading(limit: 60, remaining: 41, resetSeconds: 1_000_600)))
    #expect(budget.remaining == 40 && budget.inFlight == 1)
  }

  @Test func isFullAgainAfterTheReset() {
    let budget = budget(0)
    #expect(budget.waitsUntil(at: start) == start + .seconds(600))
    #expect(budget.refreshed(at: start + .seconds(599)).remaining == 0)
    #expect(budget.refreshed(at: start + .seconds(600)).remaining == 60)
    #expect(budget.waitsUntil(at: start + .seconds(600)) == nil)
  }

  @Test func measuresTheResetByTheUpstreamsOwnClock() {
    var budget = Budget(assumed: Policy().allowance)
    // The upstream's clock is a day behind ours.
    budget.learn(
      from: answer(
        date: 913_600, BudgetReading(limit: 60, remaining: 0, resetSeconds: 913_900)))
    #expect(budget.resetAt == start + .seconds(300))
  }

  @Test func knowsNothingAtFirstAndTakesTheLeast() {
    var budget = Budget(assumed: Policy().allowance)
    #expect(budget.limit == nil && budget.remaining == 60)
    for _ in 0..<60 { budget.spend(at: start) }
    #expect(!budget.bears(.reader, reserve: 5, at: start))
  }

  /// Whatever the latency, and however greedy who asks: a call every millisecond for a minute.
  @Test(
    arguments: [
      (20, 10, 0), (20, 10, 700), (1, 1, 5), (3, 7, 3_000), (60, 60, 40), (25, 1, 90),
    ] as [(Int, Int64, Int64)])
  func noPeriodHasMoreCallsThanDeclared(calls: Int, seconds: Int64, latency: Int64) {
    let rate = RateAllowance(calls: calls, period: .seconds(seconds))
    var budget = Budget(assumed: rate)
    var underway: [Timestamp] = []
    var sent: [Int64] = []
    for millisecond in 0..<Int64(max(60, 6 * seconds)) * 1_000 {
      let now = start + .milliseconds(millisecond)
      while let first = underway.first, first + .milliseconds(latency) <= now {
        underway.removeFirst()
        budget.learn(
          from: Fetched(
            sentAt: first, receivedAt: now, date: nil, budget: nil, result: .success(0)),
          departedAt: first)
      }
      guard underway.count < 4, budget.bears(.reader, reserve: 5, at: now) else { continue }
      budget.spend(at: now)
      underway.append(now)
      sent.append(now.milliseconds)
    }
    let most = sent.indices.map { index in
      sent[index...].prefix { $0 < sent[index] + seconds * 1_000 }.count
    }.max()
    #expect(most == calls)
    // A fiftieth of the period and the latency are lost each time.
    let lost = Double(seconds) * 51 / 50 + Double(latency + 1) / 1_000
    let periods = Int(Double(max(60, 6 * seconds)) / lost)
    #expect(
      sent.count >= min(calls * periods, Int(4_000 * max(60, 6 * seconds)) / Int(latency + 1)))
  }

  @Test func onlyTimeGivesBackWhatWasDeclared() {
    var budget = Budget(assumed: RateAllowance(calls: 20, period: .seconds(10)))
    for _ in 0..<20 {
      budget.spend(at: start)
      budget.learn(from: answer())
    }
    #expect(budget.remaining == 0 && budget.limit == nil)
    #expect(budget.waitsUntil(at: start) == start + .milliseconds(10_200))
    #expect(budget.resetAt == budget.waitsUntil(at: start))
    #expect(budget.refreshed(at: start + .milliseconds(10_200)).remaining == 20)
  }

  @Test func aDeclaredRateIsKeptOverARestart() {
    var budget = Budget(assumed: RateAllowance(calls: 3, period: .seconds(10)))
    for _ in 0..<2 { budget.spend(at: start) }
    let text = budget.calls.text
    let kept = Budget(limit: nil, remaining: 3, resetAt: nil, calls: RecentCalls(text: text))
      .kept(assuming: budget.assumed)
    #expect(kept.refreshed(at: start).remaining == 1)
  }

  /// The call and each redirect that it followed; nothing for one that was not sent.
  @Test(
    arguments: [
      (0, nil, 1), (2, nil, 3), (0, .noAnswer, 1), (0, .timedOut, 1),
      (0, .serverError(status: 500), 1),
      (0, .unreachable(reason: "down"), 0),
    ] as [(Int, FetchError?, Int)])
  func countsWhatTheUpstreamGot(redirects: Int, failure: FetchError?, calls: Int) {
    var budget = Budget(assumed: RateAllowance(calls: 20, period: .seconds(10)))
    budget.spend(at: start)
    var answer = answer(failure: failure)
    answer.redirects = redirects
    budget.learn(from: answer)
    #expect(budget.remaining == 20 - calls)
  }

  /// A pause that an answer asks for says nothing of how many calls there are.
  @Test func aPauseLeavesTheDeclaredRateInForce() {
    var budget = Budget(assumed: RateAllowance(calls: 20, period: .seconds(10)))
    var pause = BudgetReading(limit: 0, remaining: 0, resetSeconds: start.seconds + 5)
    pause.isPause = true
    budget.spend(at: start)
    budget.learn(from: answer(pause))
    #expect(budget.waitsUntil(at: start) == start + .seconds(5))
    #expect(budget.limit == nil)
    #expect(budget.refreshed(at: start + .seconds(5)).remaining == 19)
  }

  /// Half of a period's calls, whatever the period.
  @Test(arguments: [1, 10, 3_600, 86_400] as [Int64])
  func openingsHaveAShareOfEachPeriod(seconds: Int64) {
    let rate = RateAllowance(calls: 20, period: .seconds(seconds))
    var budget = Budget(assumed: rate)
    for _ in 0..<10 {
      #expect(budget.bearsOpening(permille: 500, at: start))
      budget.openings.take(at: start, over: rate.period)
    }
    #expect(!budget.bearsOpening(permille: 500, at: start))
    let again = budget.opensAgain(permille: 500, at: start)
    #expect(again >= start + .seconds(seconds))
    #expect(budget.bearsOpening(permille: 500, at: again))
  }

  @Test(arguments: [(nil, 60), (7, 7), (0, 1), (-4, 1)] as [(Int?, Int64)])
  func aRefusalWithoutRateHeadersIsBelievedForAWhile(retryAfter: Int?, seconds: Int64) {
    var budget = Budget(assumed: Policy().allowance)
    budget.spend(at: start)
    budget.learn(from: answer(failure: .rateLimited(retryAfterSeconds: retryAfter)))
    #expect(budget.waitsUntil(at: start) == start + .seconds(seconds))
    #expect(budget.bears(.reader, reserve: 5, at: start + .seconds(seconds)))
  }

  @Test func aRefusalLeavesNothingWhateverItsHeadersSay() {
    var budget = budget(9)
    budget.spend(at: start)
    budget.learn(
      from: answer(
        date: 1_000_000, BudgetReading(limit: 60, remaining: 8, resetSeconds: 1_000_100),
        failure: .rateLimited(retryAfterSeconds: nil)))
    #expect(budget.waitsUntil(at: start) == start + .seconds(100))
  }

  /// An hour's outage: each call fails without rate headers, also after the reset.
  @Test func anOutageDoesNotSpendItForEver() {
    var budget = budget(3)
    var now = start
    for _ in 0..<200 {
      if budget.bears(.reader, reserve: 5, at: now) {
        budget.spend(at: now)
        let failed = answer(
          after: (now - start).inMilliseconds / 1000, failure: .unreachable(reason: "down"))
        budget.learn(from: failed)
      }
      now = now + .seconds(60)
    }
    #expect(budget.bears(.reader, reserve: 5, at: now + .seconds(3_600)))
  }

  @Test func oneKeptEmptyWithoutAResetIsFull() {
    let kept = budget(0, resetIn: nil).kept(assuming: Policy().allowance)
    #expect(kept.bears(.reader, reserve: 5, at: start))
  }

  @Test(arguments: [Int64.min, -1, 0, 999_999_999_999, .max])
  func noResetLocksItForMoreThanAnHour(reset: Int64) {
    for date in [Int64.min, 0, 1_000_000, .max] {
      var budget = Budget(assumed: Policy().allowance)
      budget.learn(
        from: answer(date: date, BudgetReading(limit: 60, remaining: 0, resetSeconds: reset)))
      #expect(budget.bears(.reader, reserve: 5, at: start + .seconds(3_600)))
    }
  }

  @Test(arguments: [999_999_999_999, Int.max])
  func noRetryAfterLocksItForMoreThanAnHour(seconds: Int) {
    var budget = Budget(assumed: Policy().allowance)
    budget.learn(from: answer(failure: .rateLimited(retryAfterSeconds: seconds)))
    #expect(budget.bears(.reader, reserve: 5, at: start + .seconds(3_600)))
  }

  /// Whatever the limit was before, and whether it was kept over a restart.
  @Test(arguments: [nil, 60, 0] as [Int?])
  func aLimitOfZeroIsAskedAboutAgain(limit: Int?) {
    var budget = budget(5, limit: limit)
    let nothing = BudgetReading(limit: 0, remaining: 0, resetSeconds: 999_000)
    budget.learn(from: answer(date: 1_000_000, nothing))
    #expect(!budget.bears(.reader, reserve: 5, at: start))
    let later = start + .seconds(1)
    #expect(budget.bears(.reader, reserve: 5, at: later))
    let kept = Budget(limit: budget.limit, remaining: 0, resetAt: budget.resetAt)
    #expect(kept.bears(.reader, reserve: 5, at: later))
  }

  /// A `Date` further than a day from our clock neither measures a reset nor orders answers.
  @Test(arguments: [253_402_300_799, 1_086_401, 913_599, 0, .min, .max] as [Int64])
  func aClockThatIsOffIsNotBelieved(date: Int64) {
    var budget = Budget(assumed: Policy().allowance)
    budget.learn(
      from: answer(date: date, BudgetReading(limit: 60, remaining: 30, resetSeconds: 1_000_600)))
    #expect(budget.resetAt == start + .seconds(600))
    budget.learn(
      from: answer(
        after: 1, date: 1_000_001, BudgetReading(limit: 60, remaining: 0, resetSeconds: 1_000_600)))
    #expect(!budget.bears(.reader, reserve: 5, at: start + .seconds(2)))
  }

  /// Two calls under way; the second one's refusal overtakes the answer to the first.
  @Test func anEarlierAnswerDoesNotTakeARefusalBack() {
    var budget = budget(2)
    budget.spend(at: start)
    budget.spend(at: start)
    let none = BudgetReading(limit: 60, remaining: 0, resetSeconds: 1_000_600)
    let one = BudgetReading(limit: 60, remaining: 1, resetSeconds: 1_000_600)
    budget.learn(
      from: answer(
        after: 3, sentAfter: 2, date: 1_000_000, none,
        failure: .rateLimited(retryAfterSeconds: nil)))
    budget.learn(from: answer(after: 4, sentAfter: 1, date: 1_000_000, one))
    #expect(!budget.bears(.reader, reserve: 5, at: start))
    #expect(budget.inFlight == 0)
  }

  /// An answer made after a refusal, with calls left by its own count, does not lift it.
  @Test(arguments: [nil, 120])
  func aRefusalStandsUntilTheInstantItTells(retryAfter: Int?) {
    var budget = budget(10)
    budget.spend(at: start)
    budget.spend(at: start)
    budget.learn(
      from: answer(
        after: 1, date: 1_000_001,
        BudgetReading(limit: 60, remaining: 9, resetSeconds: 1_000_121),
        failure: .rateLimited(retryAfterSeconds: retryAfter)))
    budget.learn(
      from: answer(
        after: 2, date: 1_000_002,
        BudgetReading(limit: 60, remaining: 8, resetSeconds: 1_000_600)))
    #expect(budget.waitsUntil(at: start + .seconds(3)) == start + .seconds(121))
    #expect(budget.bears(.reader, reserve: 5, at: start + .seconds(121)))
  }

  @Test func believesAChangedLimit() {
    var budget = budget(3)
    budget.spend(at: start)
    budget.learn(
      from: answer(
        date: 1_000_000, BudgetReading(limit: 1_000, remaining: 900, resetSeconds: 1_000_600)))
    #expect(budget.limit == 1_000 && budget.remaining == 900)
  }
}
