/// Down from which key a window of the top shows everything: what has a greater one may still be
/// written, or is on its way.
package struct SettledTop: Hashable, Sendable {
  /// The greatest key that nothing more comes to; nil where keys tell no time.
  private var settled: Int64?
  /// The greatest key that something being written now may have.
  private var latest = Int64.max

  /// By the upstream's clock, in seconds since 1970; an instant is settled so many seconds after
  /// it has passed.
  package init(
    at clock: Int64, in unit: KeyUnit, settling settleSeconds: Int64 = KeyUnit.settleSeconds
  ) {
    settled = unit.keys(in: clock.clampedSubtracting(settleSeconds))?.upperBound
    let ahead = clock.clampedSubtracting(-Evidence.aheadSecondsMax)
    if let ahead = unit.keys(in: ahead) { latest = ahead.upperBound }
  }

  /// Where no clock is known: all that an answer shows was written before it.
  package mutating func settle(shown: Int64) {
    settled = settled.map { max($0, shown) }
  }

  /// The greatest key of which all is shown by a window whose first element has the key `first`.
  /// Where that is dated further ahead than the clock can be behind, nothing shows what is being
  /// written now; and where keys tell no time, a new one is greater than all that are.
  func key(first: Int64?) -> Int64 {
    guard let settled else { return first ?? .min }
    return first.map { $0 > latest ? $0 : settled } ?? settled
  }
}
