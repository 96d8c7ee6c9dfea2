/// How many calls a source bears: the scarce thing.
///
/// While no answer has rate headers it is the declared rate, a sliding window: no period has more
/// calls than declared, wherever it begins, and only time gives calls back. After that it is what
/// the last answer's rate headers said, less the calls sent since. Qiita bears 60 an hour without a
/// token and 1,000 with one.
package struct Budget: Hashable, Sendable {
  /// The rate that is declared for the source: it holds until an answer has rate headers.
  package var assumed: RateAllowance
  /// Calls a period, as last read; nil while no answer had rate headers.
  package var limit: Int?
  /// Calls left until the reset, those in progress taken off, as of the last change:
  /// ``refreshed(at:)`` brings it up to date.
  package var remaining: Int
  /// When `remaining` is `limit` again, by this machine's clock.
  package var resetAt: Timestamp?
  /// Calls sent and not yet answered.
  package var inFlight: Int = 0
  /// All calls of the last period.
  package var calls = RecentCalls()
  /// Those of them that were made for what was not stored: the first calls for feeds, seeks, and
  /// calls for items that are not there. Unknown names must not spend the budget that known feeds
  /// live on. Trying again what failed is no first call, and one that did not reach the upstream is
  /// no call.
  package var openings = RecentCalls()
  /// When the last call was sent.
  package private(set) var spentAt: Timestamp?
  /// Until when the upstream refuses every call, as it last said.
  package var refusedUntil: Timestamp?
  /// The upstream's clock in the answer last learned from; an earlier answer knows less.
  package var learnedFrom: Int64?

  /// A budget of which nothing is known.
  package init(assumed: RateAllowance) {
    self.assumed = assumed
    remaining = assumed.calls
  }

  /// A budget as it was kept.
  package init(
    limit: Int?, remaining: Int, resetAt: Timestamp?, calls: RecentCalls = RecentCalls(),
    openings: RecentCalls = RecentCalls(), spentAt: Timestamp? = nil,
    assumed: RateAllowance = Budget.oneCall
  ) {
    self.assumed = assumed
    (self.calls, self.openings) = (calls, openings)
    self.spentAt = spentAt
    self.limit = limit
    self.remaining = remaining
    self.resetAt = resetAt
  }

  /// What is kept of it: no request waits any more for what an earlier process sent, and it is full
  /// where no reset is known.
  package func kept(assuming assumed: RateAllowance) -> Budget {
    var kept = Budget(
      limit: limit, remaining: resetAt == nil ? limit ?? assumed.calls : remaining,
      resetAt: resetAt, calls: calls, openings: openings, spentAt: spentAt, assumed: assumed)
    kept.refusedUntil = refusedUntil
    return kept
  }

  /// Forgets what answers said, as they said it to another caller; what was sent stays counted.
  package mutating func forgetAnswers() {
    limit = nil
    calls = RecentCalls()
    if let spentAt { calls.take(inFlight, at: spentAt, over: assumed.period) }
    remaining = max(0, assumed.calls - inFlight)
    resetAt = nil
    refusedUntil = nil
    learnedFrom = nil
  }

  /// A call, to find out.
  package static let oneCall = RateAllowance(calls: 1, period: .seconds(3_600))
  /// How long a refusal without a reset time is believed.
  package static let refusalDuration = Duration.seconds(60)
  /// The furthest reset that is believed, in seconds: no slip of an upstream locks it for longer.
  /// Then one call is sent, whose answer gives the budget again.
  static let resetSecondsMax: Int64 = 3_600
  /// The most seconds that an answer's `Date` may differ from this machine's clock. One that
  /// differs more is no clock to measure by: what came with it is measured against this machine's.
  static let dateSkewSecondsMax: Int64 = 86_400

  /// Whether a call for `purpose` may be sent at `now`.
  ///
  /// A waiting reader may spend the last call; all others leave `reserve` calls, each less needed
  /// purpose one reserve more: with 5, head refreshes stop at 5 and prefetching at 20.
  package func bears(_ purpose: Purpose, reserve: Int, at now: Timestamp) -> Bool {
    refreshed(at: now).remaining > purpose.reserves * reserve
  }

  /// When a call for a waiting reader may be sent again; nil when it may be now.
  package func waitsUntil(at now: Timestamp) -> Timestamp? {
    guard refreshed(at: now).remaining <= 0 else { return nil }
    if let refusedUntil, refusedUntil > now { return refusedUntil }
    guard limit == nil else { return resetAt ?? now + Budget.refusalDuration }
    return calls.isBelow(assumed.calls, from: now, over: assumed.period)
  }

  /// The rate that holds at `now`, where it is only assumed: nothing declares or names one.
  package func assumption(at now: Timestamp) -> RateAllowance? {
    let isRefused = refusedUntil.map { $0 > now } ?? false
    return assumed.assumedFor != nil && limit == nil && !isRefused ? assumed : nil
  }

  /// The budget at `now`: full again once the reset has passed. Where no answer had rate headers,
  /// the declared rate less the calls of the last period.
  package func refreshed(at now: Timestamp) -> Budget {
    var budget = self
    if let limit {
      guard let resetAt, now >= resetAt else { return self }
      budget.resetAt = nil
      // At least one call, or a limit that was read wrongly would never be asked about again.
      budget.remaining = max(inFlight > 0 ? 0 : 1, limit - inFlight)
    } else if let refusedUntil, refusedUntil > now {
      (budget.remaining, budget.resetAt) = (0, refusedUntil)
    } else {
      budget.remaining = max(0, assumed.calls - calls.count(at: now, over: assumed.period))
      budget.resetAt = calls.emptyAt(from: now, over: assumed.period)
    }
    return budget
  }

  /// Whether an opening may be made at `now`, beside those that are queued: with 500 thousandths of
  /// 60 calls an hour, 30 an hour.
  package func bearsOpening(permille: Int, beside queued: Int = 0, at now: Timestamp) -> Bool {
    openings.count(at: now, over: assumed.period) + queued < openingsMax(permille: permille)
  }

  /// When an opening may be made that may not be now.
  package func opensAgain(permille: Int, at now: Timestamp) -> Timestamp {
    let limit = openingsMax(permille: permille)
    let instant = openings.isBelow(limit, from: now, over: assumed.period)
    return limit > 0 && instant > now ? instant : now + assumed.period
  }

  private func openingsMax(permille: Int) -> Int {
    min(limit ?? assumed.calls, RecentCalls.countMax) * permille / 1_000
  }

  /// Takes off one call that is about to be sent.
  package mutating func spend(at now: Timestamp) {
    self = refreshed(at: now)
    if resetAt == nil { resetAt = now + assumed.period }
    calls.take(at: now, over: assumed.period)
    spentAt = now
    remaining = max(0, remaining - 1)
    inFlight += 1
  }

  /// Learns from an answer. The reset is measured against the answer's own `Date`, since the two
  /// clocks may differ. An answer that was overtaken by a later one says nothing; of two of one
  /// second the lower count is the later one. But a refusal always counts: it leaves nothing until
  /// the instant it names, whatever other answers say.
  ///
  /// The call was sent at `departedAt`, as ``spend(at:)`` was given it. The upstream got it then or
  /// up to when it answered, so that it counts from the answer on; one that did not reach it does
  /// not count, and a redirect is one more.
  package mutating func learn(
    from answer: Fetched<some Sendable>, departedAt: Timestamp? = nil
  ) {
    inFlight = max(0, inFlight - 1)
    // Where the upstream says what is left, that counts.
    remaining = max(0, remaining - answer.redirects)
    calls.giveBack(takenAt: departedAt ?? answer.sentAt, over: assumed.period)
    if !answer.isUnreached {
      calls.take(1 + answer.redirects, at: answer.receivedAt, over: assumed.period)
    }
    read(answer)
    if case .failure(.rateLimited(let retryAfterSeconds)) = answer.result {
      refuse(answer, retryAfterSeconds: retryAfterSeconds)
    }
    if let refusedUntil, refusedUntil > answer.receivedAt {
      (remaining, resetAt) = (0, refusedUntil)
    } else if limit == nil {
      self = refreshed(at: answer.receivedAt)
    }
  }

  /// Learns from an answer's rate fields.
  private mutating func read(_ answer: Fetched<some Sendable>) {
    if let clock = Budget.clock(of: answer) {
      if let learnedFrom, clock < learnedFrom { return }
      if clock == learnedFrom, let reading = answer.budget,
        reading.remaining > remaining + inFlight,
        case .success = answer.result
      {
        return
      }
      learnedFrom = clock
    }
    guard let reading = answer.budget else { return }
    guard !reading.isPause else {
      let until = Budget.reset(reading, in: answer)
      refusedUntil = max(refusedUntil ?? until, until)
      return
    }
    // A limit of zero is none that an upstream has: it says what is left, not how much there is.
    limit = reading.limit > 0 ? reading.limit : max(limit ?? assumed.calls, reading.remaining)
    remaining = max(0, reading.remaining - inFlight)
    resetAt = Budget.reset(reading, in: answer)
  }

  /// Notes until when a refusal says not to call again: by `Retry-After`, else by the reset among
  /// its own rate fields, else by the one last known, else for a while.
  private mutating func refuse(_ answer: Fetched<some Sendable>, retryAfterSeconds: Int?) {
    let told: Timestamp
    if let retryAfterSeconds {
      told = answer.receivedAt + Budget.wait(Int64(retryAfterSeconds))
    } else if let reading = answer.budget {
      told = Budget.reset(reading, in: answer)
    } else if limit != nil, let resetAt, resetAt > answer.receivedAt {
      told = resetAt
    } else {
      told = answer.receivedAt + Budget.refusalDuration
    }
    refusedUntil = max(refusedUntil ?? told, told)
  }

  /// When the budget of an answer is full again, by this machine's clock.
  private static func reset(
    _ reading: BudgetReading, in answer: Fetched<some Sendable>
  ) -> Timestamp {
    let clock = clock(of: answer) ?? answer.receivedAt.seconds
    let (ahead, isTooFar) = reading.resetSeconds.subtractingReportingOverflow(clock)
    return answer.receivedAt + Budget.wait(isTooFar ? Budget.resetSecondsMax : ahead)
  }

  /// An answer's `Date`, where it is near enough to this machine's clock to be believed.
  private static func clock(of answer: Fetched<some Sendable>) -> Int64? {
    answer.date.flatMap { date in
      let (skew, isTooFar) = date.subtractingReportingOverflow(answer.receivedAt.seconds)
      return !isTooFar && skew.magnitude <= dateSkewSecondsMax.magnitude ? date : nil
    }
  }

  /// The instant by which the reset of an answer is measured, in seconds since 1970: its `Date`,
  /// or when it was received where that is no clock to measure by.
  package static func clock(date: Int64?, receivedAt: Timestamp) -> Int64 {
    let answer = Fetched(
      sentAt: receivedAt, receivedAt: receivedAt, date: date, budget: nil, result: .success(()))
    return clock(of: answer) ?? receivedAt.seconds
  }

  /// 1 second to ``resetSecondsMax``.
  private static func wait(_ seconds: Int64) -> Duration {
    .seconds(min(max(1, seconds), resetSecondsMax))
  }
}
