private import Bytes
package import Feed
private import JSONBytes

/// How an element writes the key by which its feed is ordered.
package enum KeyForm: String, CaseIterable, Sendable {
  /// A text with an offset: `2025-12-09T14:21:53.250+09:00` (RFC 3339).
  case rfc3339
  /// The same without an offset: UTC.
  case utc
  /// Seconds since 1970, as a whole number or its digits in a text.
  case seconds
  /// Milliseconds since 1970, likewise.
  case milliseconds
  /// Seconds since 1970 with a fraction, as a number or a text.
  case decimal
  /// Any whole number that grows, as an identity that is given in turn.
  case number

  /// What keys of this form count.
  package var unit: KeyUnit {
    switch self {
    case .rfc3339, .utc, .milliseconds, .decimal: .milliseconds
    case .seconds: .seconds
    case .number: .number
    }
  }

  /// The key that a JSON value is, in a unit; nil where it is none.
  package func key(of value: ArraySlice<UInt8>, in unit: KeyUnit) -> Int64? {
    let isText = value.first == UInt8(ascii: "\"")
    guard let bytes = isText ? try? JSON.text(value) : Array(value) else { return nil }
    let key: Int64? =
      switch self {
      case .rfc3339 where unit == .seconds: isText ? RFC3339.parseTimestamp(bytes) : nil
      case .rfc3339: isText ? RFC3339.parseMilliseconds(bytes) : nil
      case .utc: isText ? RFC3339.parseMilliseconds(bytes, isUTC: true) : nil
      case .seconds, .milliseconds, .number: try? JSON.wholeNumber(bytes[...])
      case .decimal: KeyForm.milliseconds(ofDecimal: bytes)
      }
    return key.flatMap { KeyUnit.keys.contains($0) ? $0 : nil }
  }

  /// A key as it is written in a request; without a fraction where elements have none, for an API
  /// that compares texts or takes no other.
  package func text(of key: Int64, isWhole: Bool = false) -> String {
    let fraction = isWhole ? "" : ".\(KeyForm.thousandths(key))"
    return switch self {
    case .seconds, .milliseconds, .number: "\(key)"
    case .decimal: "\(key / 1_000)\(fraction)"
    case .rfc3339: "\(KeyForm.instant(key))\(fraction)Z"
    case .utc: "\(KeyForm.instant(key))\(fraction)"
    }
  }

  /// The digits behind the dot of a JSON value.
  static func fraction(of value: ArraySlice<UInt8>) -> Int {
    guard let dot = value.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
    return value[(dot + 1)...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
  }

  private static func instant(_ milliseconds: Int64) -> Substring {
    RFC3339.text(seconds: KeyUnit.milliseconds.second(of: milliseconds) ?? 0).dropLast()
  }

  private static func thousandths(_ milliseconds: Int64) -> String {
    let part = ((milliseconds % 1_000) + 1_000) % 1_000
    return String("\(1_000 + part)".dropFirst())
  }

  /// `1503435956.000247` as milliseconds, cut off toward zero.
  private static func milliseconds(ofDecimal bytes: [UInt8]) -> Int64? {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = try? JSON.wholeNumber(parts[0]),
      whole.magnitude < KeyUnit.keys.upperBound.magnitude / 1_000
    else { return nil }
    guard parts.count == 2 else { return whole * 1_000 }
    let fraction = parts[1]
    guard !fraction.isEmpty, fraction.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    let digits = (Array(fraction.prefix(3)) + [48, 48, 48]).prefix(3)
    let thousandths = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
    return whole * 1_000 + (bytes.first == UInt8(ascii: "-") ? -thousandths : thousandths)
  }
}
