package import Feed

extension Policy {
  /// The rules of a source that bears any number of calls, for tests whose upstream has no rate
  /// fields and that look at something else.
  package static var unbounded: Policy {
    var policy = Policy()
    policy.allowance = RateAllowance(calls: 1_000_000, period: .seconds(3_600))
    return policy
  }
}
