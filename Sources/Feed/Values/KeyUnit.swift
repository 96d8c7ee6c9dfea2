/// What the keys count by which a source orders its feeds: any whole number that falls as a list is
/// read, and grows as time passes.
package enum KeyUnit: String, CaseIterable, Sendable {
  /// Seconds since 1970.
  case seconds
  /// Milliseconds since 1970.
  case milliseconds
  /// Numbers that tell no time, as identities that are given in turn.
  case number

  /// How long an instant may still be written to after it has passed, unless a source says more.
  /// Seconds.
  package static let settleSeconds: Int64 = 2

  /// The least and the greatest key that is taken: so that what lies beside one is a key as well.
  package static let keys = -(1 << 62 as Int64)...(1 << 62 as Int64)

  /// The keys of one second since 1970; nil where keys tell no time.
  package func keys(in second: Int64) -> ClosedRange<Int64>? {
    let second = min(max(second, KeyUnit.secondMin), KeyUnit.secondMax)
    return switch self {
    case .seconds: second...second
    case .milliseconds: second * 1_000...second * 1_000 + 999
    case .number: nil
    }
  }

  /// The second of a key; nil where keys tell no time.
  package func second(of key: Int64) -> Int64? {
    switch self {
    case .seconds: key
    case .milliseconds: key >= 0 ? key / 1_000 : (key + 1) / 1_000 - 1
    case .number: nil
    }
  }

  private static let secondMax = keys.upperBound / 1_000 - 1
  private static let secondMin = keys.lowerBound / 1_000 + 1
}
