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
  package mutating func take(of limit: Int, permille: Int, at now: Timestamp) -> Bool {
    instants.removeAll { now - $0 >= Openings.duration }
    guard instants.count < min(limit * permille / 1000, Openings.countMax) else { return false }
    instants.append(now)
    return true
  }

  /// When the oldest one no longer counts; nil when there is none.
  package var oldestEndsAt: Timestamp? {
    instants.first.map { $0 + Openings.duration }
  }
}

extension FeedReader {
  /// Whether a flight may be boarded as far as openings go; takes one where it is one.
  func mayOpen(_ key: FlightKey, _ ask: Ask, at now: Timestamp) -> Bool {
    guard case .feed(let feed) = key else { return true }
    let isOpening = ask.seek != nil || states[feed]?.timeline.lookedAt == nil
    guard isOpening else { return true }
    return openings.take(
      of: budget.limit ?? Budget.remainingUnknown, permille: policy.openingPermille, at: now)
  }

  /// When openings may be made again.
  var opensAgain: Timestamp {
    openings.oldestEndsAt ?? time.now + Openings.duration
  }
}
