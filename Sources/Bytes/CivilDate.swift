/// A day of the Gregorian calendar, also before it was introduced (proleptic), as RFC 3339 counts.
package struct CivilDate: Hashable, Sendable {
  /// 1 to 9999.
  package let year: Int64
  /// 1 to 12.
  package let month: Int64
  /// 1 to 31, never beyond the month's last day.
  package let day: Int64

  /// A day, or nil when the calendar has none of these numbers: `2023-02-29` is nil.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilDate.dayCount(year: year, month: month)).contains(day)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day so many days after 1970-01-01; beyond the years 0001 to 9999 the nearest of them.
  ///
  /// Counts the 400-year cycles of 146,097 days from 0000-03-01, then years and months in one.
  /// 0 is 1970-01-01, 11,017 is 2000-03-01.
  package init(daysSince1970 days: Int64) {
    let since0000March = min(max(days, -719_162), 2_932_896) + 719_468
    let cycle = since0000March / 146_097
    let day = since0000March % 146_097
    let yearOfCycle = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthsSinceMarch = (5 * dayOfYear + 2) / 153
    month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9
    year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    self.day = dayOfYear - (153 * monthsSinceMarch + 2) / 5 + 1
  }

  /// Days since 1970-01-01; negative before.
  ///
  /// The year is counted from March, so that a leap day comes last:
  /// `365·y + y/4 − y/100 + y/400 + (153·m + 2)/5 + d`, less the 719,469 of 1970-01-01.
  /// 1970-01-01 is 0, 2000-03-01 is 11,017, 0001-01-01 is −719,162.
  package var daysSince1970: Int64 {
    let marchYear = month > 2 ? year : year - 1
    let monthsSinceMarch = month > 2 ? month - 3 : month + 9
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return 365 * marchYear + leapDays + (153 * monthsSinceMarch + 2) / 5 + day - 719_469
  }

  /// The day that seconds since 1970 lie in, UTC, and the seconds since it began: 0 to 86,399.
  package static func split(seconds: Int64) -> (day: CivilDate, secondOfDay: Int64) {
    // Towards the past, also before 1970.
    let days = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
    return (CivilDate(daysSince1970: days), (seconds % 86_400 + 86_400) % 86_400)
  }

  /// Seconds since 1970 at this time of this day, UTC.
  package func seconds(hour: Int64, minute: Int64, second: Int64) -> Int64 {
    ((daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
  }

  private static func dayCount(year: Int64, month: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}
