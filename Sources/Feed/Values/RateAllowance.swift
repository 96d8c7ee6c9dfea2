/// How many calls an upstream bears in a period.
package struct RateAllowance: Hashable, Sendable {
  /// The calls; at least 1.
  package var calls: Int
  /// The period.
  package var period: Duration
  /// The configuration's key that would declare it, where it is only assumed: `sources.s.rate`.
  package var assumedFor: String?

  /// So many calls a period.
  package init(calls: Int, period: Duration) {
    self.calls = calls
    self.period = period
  }
}
