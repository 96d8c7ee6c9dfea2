/// The first calls for feeds not yet stored, and seeks, of the last hour: strangers' random names
/// must not spend the budget that known feeds live on.
package struct Openings: Hashable, Sendable {
  /// How long an opening counts.
  package static let duration = Duration.seconds(3_600)
  /// The most openings remembered, and so the most an hour has.
  package static let countMax = 10_000

  private var instants: [Timestamp] = []

  /// None so far.
  package init() {}

  /// Whether one more may be made at `now`: with 500 thousandths of 60 calls, 30 an hour.
  package mutating func bear(of limit: Int, permille: Int, at now: Timestamp) -> Bool {
    instants.removeAll { now - $0 >= Openings.duration }
    return instants.count < min(limit * permille / 1000, Openings.countMax)
  }

  /// Notes one that is made at `now`.
  package mutating func take(at now: Timestamp) {
    instants.append(now)
  }

  /// When the oldest one no longer counts; nil when there is none.
  package var oldestEndsAt: Timestamp? {
    instants.first.map { $0 + Openings.duration }
  }
}

/// Asked before an opening is made on somebody's behalf, by whoever knows who that is: nil when it
/// may be made, and is counted then; else how long that somebody has to wait.
package typealias OpeningPermit = @Sendable () -> Duration?

extension FeedReader {
  /// Takes an opening where boarding a flight is one; returns why it may not be made, else nil.
  ///
  /// Each call of a seek is part of the openings' share of calls, but the whole seek is one opening
  /// of whoever asked.
  func refusalToOpen(
    _ key: FlightKey, _ ask: Ask, _ permit: OpeningPermit?, at now: Timestamp
  ) -> ReadError? {
    guard case .feed(let feed) = key else { return nil }
    let isOpening = ask.seek != nil || states[feed]?.timeline.lookedAt == nil
    guard isOpening else { return nil }
    let limit = budget.limit ?? Budget.remainingUnknown
    guard openings.bear(of: limit, permille: policy.openingPermille, at: now) else {
      return .tooManyOpenings(retryAt: openings.oldestEndsAt ?? now + Openings.duration)
    }
    let isFirstOfSeek = ask.seek?.asked ?? 0 == 0
    if isFirstOfSeek, let wait = permit?() { return .tooManyOpenings(retryAt: now + wait) }
    openings.take(at: now)
    return nil
  }
}
