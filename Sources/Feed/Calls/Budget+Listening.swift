extension Budget {
  /// The shortest pause between two looks at a top that is listened to.
  static let listeningPauseMin = Duration.seconds(1)

  /// How long the tops of `feeds` feeds that are listened to rest between two looks: half of the
  /// calls left above the reserve are theirs, spread evenly until the reset, or over a period of
  /// the declared rate.
  ///
  /// With 60 an hour and 5 in reserve one feed rests 133 s and ten rest 1,333 s; with 1,000 one
  /// would rest 7 s, and does so for `refreshSeconds`. With none left they rest until the reset.
  package func listeningPause(feeds: Int, policy: Policy, at now: Timestamp) -> Duration {
    let budget = refreshed(at: now)
    let least = max(Duration.seconds(policy.refreshSeconds), Budget.listeningPauseMin)
    let untilReset = budget.resetAt.map { max($0 - now, .zero) }
    let period = budget.limit.flatMap { _ in untilReset } ?? budget.assumed.period
    let share = (budget.remaining - Purpose.head.reserves * policy.reserveCalls) / 2
    guard share > 0 else { return max(period, least) }
    let all = period.inMilliseconds.clampedMultiplied(by: Int64(max(1, feeds)))
    return max(.milliseconds(all / Int64(share)), least)
  }
}
