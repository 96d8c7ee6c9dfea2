/// Dates in header fields, as a cache judges them (RFC 9110 §5.6.7, RFC 9111 §4.2).
enum FieldDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ].map { Array($0.utf8) }
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ].map { Array($0.utf8) }
  private static let monthDays: [Int64] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  /// Seconds since 1970 of a date in the present form alone, `Sun, 06 Nov 1994 08:49:37 GMT`; nil
  /// for anything else.
  static func fixdate(_ text: [UInt8]) -> Int64? {
    var rest = text[...]
    guard weekdays.contains(where: { take($0.prefix(3), &rest) }), take(", ", &rest),
      let day = number(2, &rest), take(" ", &rest), let month = month(&rest), take(" ", &rest),
      let year = number(4, &rest), take(" ", &rest), let second = timeOfDay(&rest),
      take(" GMT", &rest), rest.isEmpty
    else { return nil }
    return seconds(year: year, month: month, day: day, second: second)
  }

  /// The same, or one of the two obsolete forms, which a recipient must still read. A year of two
  /// digits lies in the 50 years before or after `now` (seconds since 1970).
  static func any(_ text: [UInt8], now: Int64) -> Int64? {
    fixdate(text) ?? rfc850(text, now: now) ?? asctime(text)
  }

  /// `Sunday, 06-Nov-94 08:49:37 GMT`
  private static func rfc850(_ text: [UInt8], now: Int64) -> Int64? {
    var rest = text[...]
    guard weekdays.contains(where: { take($0, &rest) }), take(", ", &rest),
      let day = number(2, &rest), take("-", &rest), let month = month(&rest), take("-", &rest),
      let short = number(2, &rest), take(" ", &rest), let second = timeOfDay(&rest),
      take(" GMT", &rest), rest.isEmpty
    else { return nil }
    // The latest year with these digits that is at most 50 years ahead; 31,556,952 s are a year.
    let latest = 1970 + now / 31_556_952 + 50
    return seconds(year: latest - (latest - short) % 100, month: month, day: day, second: second)
  }

  /// `Sun Nov  6 08:49:37 1994`
  private static func asctime(_ text: [UInt8]) -> Int64? {
    var rest = text[...]
    guard weekdays.contains(where: { take($0.prefix(3), &rest) }), take(" ", &rest),
      let month = month(&rest), take(" ", &rest),
      let day = take(" ", &rest) ? number(1, &rest) : number(2, &rest), take(" ", &rest),
      let second = timeOfDay(&rest), take(" ", &rest), let year = number(4, &rest), rest.isEmpty
    else { return nil }
    return seconds(year: year, month: month, day: day, second: second)
  }

  private static func take(_ word: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
    take(Array(word.utf8)[...], &rest)
  }

  private static func take(_ word: ArraySlice<UInt8>, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.starts(with: word) else { return false }
    rest = rest.dropFirst(word.count)
    return true
  }

  private static func take(_ word: [UInt8], _ rest: inout ArraySlice<UInt8>) -> Bool {
    take(word[...], &rest)
  }

  private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy(FieldText.isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return text.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
  }

  private static func month(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    months.firstIndex { take($0, &rest) }.map { Int64($0) + 1 }
  }

  /// Seconds since midnight; a leap second counts as the one after it.
  private static func timeOfDay(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard let hour = number(2, &rest), take(":", &rest), let minute = number(2, &rest),
      take(":", &rest), let second = number(2, &rest), hour < 24, minute < 60, second <= 60
    else { return nil }
    return (hour * 60 + minute) * 60 + second
  }

  /// Counts the year from March, so that a leap day comes last.
  private static func seconds(
    year: Int64, month: Int64, day: Int64, second: Int64
  ) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    guard year >= 1, day >= 1, day <= monthDays[Int(month) - 1],
      month != 2 || day <= (isLeap ? 29 : 28)
    else { return nil }
    let marchYear = month > 2 ? year : year - 1
    let sinceMarch = month > 2 ? month - 3 : month + 9
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    let days = 365 * marchYear + leapDays + (153 * sinceMarch + 2) / 5 + day - 719_469
    return days * 86_400 + second
  }
}
