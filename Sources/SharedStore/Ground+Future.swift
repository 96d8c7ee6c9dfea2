import Feed

/// What a clock that was set wrong has left in the shared store.
extension Ground {
  /// How far in the future an instant may lie, as in a file: one day.
  static let futureMax = Duration.seconds(86_400)

  /// The ground without what lies in the future: what was done then is taken for done long ago, and
  /// nothing waits for it.
  func withoutFuture(at now: Timestamp) -> Ground {
    let last = now + Ground.futureMax
    var ground = self
    ground.budget = budget?.withoutFuture(after: last)
    if let pause, pause.until > last { ground.pause = nil }
    if let latest, latest.madeAt > last { ground.latest = nil }
    return ground
  }
}

extension Budget {
  /// The budget; of one that was spent after `last`, only what was left.
  func withoutFuture(after last: Timestamp) -> Budget {
    guard let spentAt, spentAt > last else { return self }
    var budget = Budget(limit: limit, remaining: remaining, resetAt: nil, assumed: assumed)
    budget.inFlight = inFlight
    return budget
  }
}
