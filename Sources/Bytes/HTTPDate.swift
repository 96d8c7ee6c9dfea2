/// Dates in HTTP header fields (RFC 9110 §5.6.7): the present form and the two obsolete ones, which
/// a recipient must still read.
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// The present form of seconds since 1970: 784111777 is `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(seconds: Int64) -> String {
    let (date, time) = CivilDate.split(seconds: seconds)
    let clock = [time / 3600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
    // 1970-01-01 was a Thursday, the fourth day.
    let weekday = weekdays[Int(((date.daysSince1970 + 3) % 7 + 7) % 7)].prefix(3)
    let month = months[Int(date.month) - 1]
    let year = String(repeating: "0", count: 4 - "\(date.year)".count) + "\(date.year)"
    return "\(weekday), \(twoDigits(date.day)) \(month) \(year) \(clock) GMT"
  }

  private static func twoDigits(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// Seconds since 1970 of a date, or nil when the text is none.
  ///
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
  /// `Sun Nov  6 08:49:37 1994` are all 784111777. The day of the week is not held against the
  /// date. A year of two digits lies in the 50 years before or after `now` (seconds since 1970).
  package static func parse(_ text: String, now: Int64) -> Int64? {
    parse(Array(text.utf8), now: now)
  }

  /// The same of a field's bytes.
  package static func parse(_ text: [UInt8], now: Int64) -> Int64? {
    var reader = DigitReader(text)
    guard skipWeekday(&reader) else { return nil }
    if !reader.skip(",") { return asctime(&reader) }
    guard reader.skip(" "), let day = reader.number(digits: 2) else { return nil }
    if reader.skip("-") { return rfc850(&reader, day: day, now: now) }
    return fixdate(&reader, day: day)
  }

  /// The same in the present form alone, in its own letter case, as a cache reads `Expires`
  /// (RFC 9111 §5.3): `Sunday, 06-Nov-94 08:49:37 GMT` is nil.
  package static func fixdate(_ text: [UInt8]) -> Int64? {
    guard let seconds = parse(text, now: 0),
      weekdays.contains(where: { text.starts(with: $0.utf8.prefix(3)) }),
      HTTPDate.text(seconds: seconds).utf8.dropFirst(3).elementsEqual(text.dropFirst(3))
    else { return nil }
    return seconds
  }

  private static func skipWeekday(_ reader: inout DigitReader) -> Bool {
    weekdays.contains { reader.skipWord($0) }
      || weekdays.contains { reader.skipWord(String($0.prefix(3))) }
  }

  private static func month(_ reader: inout DigitReader) -> Int64? {
    months.firstIndex { reader.skipWord($0) }.map { Int64($0) + 1 }
  }

  /// ` Nov 1994 08:49:37 GMT`
  private static func fixdate(_ reader: inout DigitReader, day: Int64) -> Int64? {
    guard reader.skip(" "), let month = month(&reader), reader.skip(" "),
      let year = reader.number(digits: 4), reader.skip(" "),
      let time = reader.timeOfDay(), reader.skipWord(" GMT"), reader.isAtEnd
    else { return nil }
    return seconds(year: year, month: month, day: day, time: time)
  }

  /// `Nov-94 08:49:37 GMT`
  private static func rfc850(_ reader: inout DigitReader, day: Int64, now: Int64) -> Int64? {
    guard let month = month(&reader), reader.skip("-"),
      let shortYear = reader.number(digits: 2), reader.skip(" "),
      let time = reader.timeOfDay(), reader.skipWord(" GMT"), reader.isAtEnd
    else { return nil }
    // The latest year with these digits that is at most 50 years ahead; 31,556,952 s are a year.
    let yearMax = 1970 + now / 31_556_952 + 50
    let year = yearMax - (yearMax - shortYear) % 100
    return seconds(year: year, month: month, day: day, time: time)
  }

  /// ` Nov  6 08:49:37 1994`
  private static func asctime(_ reader: inout DigitReader) -> Int64? {
    guard reader.skip(" "), let month = month(&reader), reader.skip(" "),
      let day = reader.skip(" ") ? reader.number(digits: 1) : reader.number(digits: 2),
      reader.skip(" "), let time = reader.timeOfDay(), reader.skip(" "),
      let year = reader.number(digits: 4), reader.isAtEnd
    else { return nil }
    return seconds(year: year, month: month, day: day, time: time)
  }

  private static func seconds(
    year: Int64, month: Int64, day: Int64, time: TimeOfDay
  ) -> Int64? {
    CivilDate(year: year, month: month, day: day)?
      .seconds(hour: time.hour, minute: time.minute, second: time.second)
  }
}
