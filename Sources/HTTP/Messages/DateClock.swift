import Glibc

/// The Date field's line, made anew once a second (RFC 9110 §5.6.7, §6.6.1).
struct DateClock {
  /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CRLF.
  private(set) var line: [UInt8] = []
  private var second: Int = -1

  /// Looks at the system's clock; costs one call that does not enter the kernel.
  mutating func update() {
    update(secondsSince1970: time(nil))
  }

  mutating func update(secondsSince1970 now: Int) {
    guard now != second else { return }
    second = now
    line = Array("Date: \(Self.text(secondsSince1970: now))\r\n".utf8)
  }

  /// IMF-fixdate: 784111777 is `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(secondsSince1970 seconds: Int) -> String {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let days = seconds / 86400
    let (year, month, day) = civil(daysSince1970: days)
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(twoDigits)
    return "\(weekdays[days % 7]), \(twoDigits(day)) \(months[month - 1]) \(year) "
      + clock.joined(separator: ":") + " GMT"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The Gregorian date of a day, counted in eras of 400 years that begin on 1 March, so that
  /// the leap day comes last: day 0 is 1970-01-01, day 11016 is 2000-02-29.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
