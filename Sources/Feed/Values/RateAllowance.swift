/// How many calls an upstream bears in a period.
package struct RateAllowance: Hashable, Sendable {
  /// The calls; at least 1.
  package var calls: Int
  /// The period.
  package var period: Duration

  /// So many calls a period.
  package init(calls: Int, period: Duration) {
    self.calls = calls
    self.period = period
  }
}
