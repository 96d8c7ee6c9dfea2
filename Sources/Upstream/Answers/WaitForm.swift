import Bytes
internal import Feed

/// How answers write when to call again: `Retry-After` (RFC 9110 §10.2.3), and the reset of a rate.
enum WaitForm {
  /// Seconds of this many digits or more since 1970 are milliseconds, or finer: 10¹¹ seconds are
  /// the year 5138, 10¹¹ milliseconds are 1973.
  private static let secondsMax: Int64 = 100_000_000_000
  /// What is no longer a number of seconds left, but since 1970: 31 years.
  private static let waitMax: Int64 = 1_000_000_000

  /// When a wait is over, in seconds since 1970; nil where the text is none.
  ///
  /// By its form: an HTTP date, a time with or without its zone (then UTC), a number of seconds
  /// left, a number of seconds, milliseconds or finer since 1970, or a duration with its units
  /// (`6m0s`). A fraction of a second is waited for whole: `99.5` is 100 seconds, `5.0` is 5. Of a
  /// list the first counts: `120, 120`.
  static func instant(_ text: String, now: Int64) -> Int64? {
    guard let number = leading(text[...]) else { return date(text, now) }
    if number.rest.isEmpty || ",; ".contains(number.rest.first ?? ",") {
      let seconds = number.ceiling
      guard seconds > waitMax else { return now.clampedAdding(seconds) }
      return sinceEpoch(seconds)
    }
    return date(text, now) ?? duration(text[...]).map(now.clampedAdding)
  }

  /// The whole number that a count begins with: `100, 100;w=60` is 100, and `99.5` is 99.
  static func count(_ text: String) -> Int64? {
    guard let number = leading(text[...]), ",; ".contains(number.rest.first ?? ",") else {
      return nil
    }
    return number.whole
  }

  private static func sinceEpoch(_ number: Int64) -> Int64 {
    var instant = number
    while instant >= secondsMax { instant = instant / 1_000 + (instant % 1_000 == 0 ? 0 : 1) }
    return instant
  }

  private static func date(_ text: String, _ now: Int64) -> Int64? {
    if let date = HTTPDate.parse(text, now: now) { return date }
    // Ruby writes a space before the zone, and `UTC` for it.
    let time = text.replacing(" UTC", with: "Z").replacing(" +", with: "+")
    return RFC3339.parseMilliseconds(Array(time.utf8), isUTC: true).map { milliseconds in
      milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0)
    }
  }

  /// `1h2m3s`, `6m0s`, `20ms`, as Go and some gateways write durations.
  private static func duration(_ text: Substring) -> Int64? {
    var (rest, seconds) = (text, Int64(0))
    while let number = leading(rest) {
      let unit = number.rest.prefix { $0.isLetter }
      switch unit {
      case "h": seconds = seconds.clampedAdding(number.ceiling.clampedMultiplied(by: 3_600))
      case "m": seconds = seconds.clampedAdding(number.ceiling.clampedMultiplied(by: 60))
      case "s": seconds = seconds.clampedAdding(number.ceiling)
      case "ms": seconds = seconds.clampedAdding(number.ceiling / 1_000).clampedAdding(1)
      default: return nil
      }
      rest = number.rest.dropFirst(unit.count)
    }
    return rest.isEmpty ? seconds : nil
  }

  /// A number without a sign that stands before anything else.
  private struct Number {
    var whole: Int64
    var isCut: Bool
    var rest: Substring

    var ceiling: Int64 { whole.clampedAdding(isCut ? 1 : 0) }
  }

  /// The number that a text begins with; nil where there is none, or one beyond 64 bits.
  private static func leading(_ text: Substring) -> Number? {
    let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    let digits = text.utf8.prefix(while: isDigit)
    guard let whole = Int64(String(Substring(digits))) else { return nil }
    var rest = text[digits.endIndex...]
    guard rest.first == "." else { return Number(whole: whole, isCut: false, rest: rest) }
    let fraction = rest.utf8.dropFirst().prefix(while: isDigit)
    rest = text[fraction.endIndex...]
    let isCut = fraction.contains { $0 != UInt8(ascii: "0") }
    return Number(whole: whole, isCut: isCut, rest: rest)
  }
}
