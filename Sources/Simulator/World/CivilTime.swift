/// Seconds since 1970 as Qiita writes and reads them: RFC 3339 in Japan's time, HTTP dates.
package enum CivilTime {
  /// Japan's distance from UTC; it has no summer time.
  static let japanOffsetSeconds: Int64 = 9 * 3600
  static let daySeconds: Int64 = 86_400

  /// `2025-12-09T15:24:45+09:00` for 1765261485.
  package static func japaneseText(_ seconds: Int64) -> String {
    let (date, time) = parts(seconds + japanOffsetSeconds)
    return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))T\(time)+09:00"
  }

  /// `Tue, 09 Dec 2025 06:24:45 GMT` for 1765261485 (RFC 9110 §5.6.7).
  package static func httpDate(_ seconds: Int64) -> String {
    let (date, time) = parts(seconds)
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let day = days[Int(((dayNumber(seconds) % 7) + 7) % 7)]
    return
      "\(day), \(padded(date.day)) \(months[date.month - 1]) \(padded(date.year, 4)) \(time) GMT"
  }

  /// The seconds that an RFC 3339 text with whole seconds stands for; nil for anything else.
  package static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 25 || bytes.count == 20, bytes[10] == UInt8(ascii: "T"),
      let date = date(bytes[..<10]), let hour = number(bytes[11..<13]),
      let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
      hour < 24, minute < 60, second < 61, let offset = offset(bytes[19...])
    else { return nil }
    return days(date) * daySeconds + Int64(hour * 3600 + minute * 60 + second) - offset
  }

  /// The seconds of a year, month or day in Japan's time: `2025`, `2025-12`, `2025-12-9`.
  static func japanesePeriod(_ text: Substring) -> Range<Int64>? {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard let year = numbers[0], 1...9999 ~= year, numbers.count <= 3 else { return nil }
    guard let month = numbers.count > 1 ? numbers[1] : 1, 1...12 ~= month,
      let day = numbers.count > 2 ? numbers[2] : 1, 1...31 ~= day
    else { return nil }
    let end: CivilDate =
      switch numbers.count {
      case 1: CivilDate(year: year + 1, month: 1, day: 1)
      case 2: CivilDate(year: month < 12 ? year : year + 1, month: month % 12 + 1, day: 1)
      default: CivilDate(year: year, month: month, day: day + 1)
      }
    let start = days(CivilDate(year: year, month: month, day: day))
    return start * daySeconds - japanOffsetSeconds..<days(end) * daySeconds - japanOffsetSeconds
  }

  /// A date of the Gregorian calendar.
  struct CivilDate {
    var year: Int
    var month: Int
    var day: Int
  }

  /// Days since 1970-01-01. Years are counted from March, so that leap days end them.
  private static func days(_ date: CivilDate) -> Int64 {
    let year = Int64(date.month > 2 ? date.year : date.year - 1)
    let month = Int64((date.month + 9) % 12)
    let leapDays = year / 4 - year / 100 + year / 400
    return year * 365 + leapDays + (month * 153 + 2) / 5 + Int64(date.day) - 719_469
  }

  private static func dayNumber(_ seconds: Int64) -> Int64 {
    (seconds - (((seconds % daySeconds) + daySeconds) % daySeconds)) / daySeconds
  }

  private static func parts(_ seconds: Int64) -> (date: CivilDate, time: String) {
    let days = dayNumber(seconds)
    let second = Int(seconds - days * daySeconds)
    let era = days + 719_468
    let cycle = era / 146_097
    let dayOfCycle = era - cycle * 146_097
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let month = (5 * dayOfYear + 2) / 153
    let date = CivilDate(
      year: Int(yearOfCycle + cycle * 400) + (month < 10 ? 0 : 1),
      month: Int(month < 10 ? month + 3 : month - 9),
      day: Int(dayOfYear - (153 * month + 2) / 5 + 1))
    return (date, "\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))")
  }

  private static func date(_ bytes: ArraySlice<UInt8>) -> CivilDate? {
    guard let year = number(bytes[..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]), 1...12 ~= month, 1...31 ~= day,
      bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-")
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
    if bytes.elementsEqual([UInt8(ascii: "Z")]) { return 0 }
    guard bytes.count == 6, let sign = bytes.first,
      sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hour = number(bytes.dropFirst().prefix(2)), let minute = number(bytes.suffix(2))
    else { return nil }
    let seconds = Int64(hour * 3600 + minute * 60)
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      ? Int(String(decoding: digits, as: UTF8.self)) : nil
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
