/// What an upstream call is for, most needed first.
package enum Purpose: Int, Comparable, CaseIterable, Sendable {
  /// A reader waits for it.
  case reader
  /// The top of a feed somebody reads is stale.
  case head
  /// A known gap is filled behind the scenes.
  case gap
  /// A range proven long ago is looked at again.
  case recheck
  /// What a reader will soon ask for.
  case prefetch

  package static func < (a: Purpose, b: Purpose) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// How many calls a source bears until its reset: the scarce thing.
///
/// It begins unknown, when one call may find out; then it is what the last answer's rate headers
/// said, less the calls sent since. Qiita bears 60 an hour without a token and 1,000 with one.
package struct Budget: Hashable, Sendable {
  /// Calls an hour, as last read; nil until an answer said so.
  package var limit: Int?
  /// Calls left until the reset, those under way taken off.
  package var remaining: Int
  /// When `remaining` is `limit` again, by this machine's clock.
  package var resetAt: Timestamp?
  /// Calls sent and not yet answered.
  package var inFlight: Int = 0
  /// The upstream's clock in the answer last learned from; an earlier answer knows less.
  private var learnedFrom: Int64?

  /// A budget of which nothing is known.
  package init() {
    remaining = Budget.remainingUnknown
  }

  /// A budget as it was kept; full where no reset is known.
  package init(limit: Int?, remaining: Int, resetAt: Timestamp?) {
    self.limit = limit
    self.remaining = resetAt == nil ? limit ?? Budget.remainingUnknown : remaining
    self.resetAt = resetAt
  }

  /// What an upstream is taken to bear until an answer tells: Qiita's least, 60 calls an hour.
  /// One whose answers never tell keeps it, since every answer without rate headers renews it.
  package static let remainingUnknown = 60
  /// How long a refusal without a reset time is believed.
  package static let refusalDuration = Duration.seconds(60)
  /// How long a limit lasts from the first call on, until an answer tells.
  static let periodDuration = Duration.seconds(3_600)
  /// The furthest reset that is believed, in seconds: no slip of an upstream locks it for longer.
  static let resetSecondsMax: Int64 = 86_400

  /// Whether a call for `purpose` may be sent at `now`.
  ///
  /// A waiting reader may spend the last call; all others leave `reserve` calls, each less needed
  /// purpose one reserve more: with 5, head refreshes stop at 5 and prefetching at 20.
  package func bears(_ purpose: Purpose, reserve: Int, at now: Timestamp) -> Bool {
    refreshed(at: now).remaining > purpose.rawValue * reserve
  }

  /// When a call for a waiting reader may be sent again; nil when it may be now.
  package func waitsUntil(at now: Timestamp) -> Timestamp? {
    refreshed(at: now).remaining > 0 ? nil : resetAt ?? now + Budget.refusalDuration
  }

  /// The budget at `now`: full again once the reset has passed.
  package func refreshed(at now: Timestamp) -> Budget {
    guard let resetAt, now >= resetAt else { return self }
    var budget = self
    budget.resetAt = nil
    budget.remaining = max(0, (limit ?? Budget.remainingUnknown) - inFlight)
    return budget
  }

  /// Takes off one call that is about to be sent.
  package mutating func spend(at now: Timestamp) {
    self = refreshed(at: now)
    if limit != nil, resetAt == nil { resetAt = now + Budget.periodDuration }
    remaining = max(0, remaining - 1)
    inFlight += 1
  }

  /// Learns from an answer. The reset is measured against the answer's own `Date`, since the two
  /// clocks may differ; a refusal leaves nothing until then. An answer that one made later has
  /// overtaken tells nothing; of two of one second the lower count is the later one.
  package mutating func learn(from answer: Fetched<some Sendable>) {
    inFlight = max(0, inFlight - 1)
    let clock = answer.date ?? answer.receivedAt.seconds
    if answer.date != nil {
      if let learnedFrom, clock < learnedFrom { return }
      if clock == learnedFrom, let reading = answer.budget,
        reading.remaining > remaining + inFlight,
        case .success = answer.result
      {
        return
      }
      learnedFrom = clock
    }
    if let reading = answer.budget {
      let (ahead, isTooFar) = reading.resetSeconds.subtractingReportingOverflow(clock)
      limit = reading.limit
      remaining = max(0, reading.remaining - inFlight)
      resetAt = answer.receivedAt + Budget.wait(isTooFar ? Budget.resetSecondsMax : ahead)
    } else if limit == nil, resetAt == nil {
      remaining = max(0, Budget.remainingUnknown - inFlight)
    }
    if case .failure(.rateLimited(let retryAfterSeconds)) = answer.result {
      remaining = 0
      if let retryAfterSeconds {
        resetAt = answer.receivedAt + Budget.wait(Int64(retryAfterSeconds))
      } else if resetAt.map({ $0 <= answer.receivedAt }) ?? true {
        resetAt = answer.receivedAt + Budget.refusalDuration
      }
    }
  }

  /// 1 second to ``resetSecondsMax``.
  private static func wait(_ seconds: Int64) -> Duration {
    .seconds(min(max(1, seconds), resetSecondsMax))
  }
}
