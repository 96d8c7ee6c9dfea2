/// Timestamps as Qiita writes them: `2025-12-09T14:21:53+09:00` (RFC 3339 §5.6).
package enum RFC3339 {
  /// Seconds since 1970 of a timestamp, or nil when the bytes are none.
  ///
  /// Integers only. A fraction of a second is cut off, toward the past. `T` and `Z` may be in lower
  /// case; years are 0001 to 9999. A leap second (`23:59:60` UTC) is the second after `:59`, as
  /// POSIX counts; at any other minute `:60` is refused.
  ///
  /// `1970-01-01T09:00:01.9+09:00` is 1, `1969-12-31T23:59:59.5Z` is −1.
  package static func parseTimestamp(_ bytes: [UInt8]) -> Int64? {
    var text = DigitReader(bytes)
    guard let date = fullDate(&text), text.skip("Tt"), let clock = partialTime(&text),
      let offset = timeOffset(&text), text.isAtEnd
    else { return nil }
    return seconds(date, clock.time, offset: offset)
  }

  /// Milliseconds since 1970 of a timestamp, or nil when the bytes are none; what is finer is cut
  /// off, toward the past.
  ///
  /// Written less strictly than the RFC has it, as APIs do: a space may stand for the `T`, an
  /// offset without its colon (`+0900`), and with `isUTC` no offset at all, which then is UTC.
  package static func parseMilliseconds(_ bytes: [UInt8], isUTC: Bool = false) -> Int64? {
    var text = DigitReader(bytes)
    guard let date = fullDate(&text), text.skip("Tt "), let clock = partialTime(&text)
    else { return nil }
    var offset: Int64 = 0
    if !(isUTC && text.isAtEnd) {
      guard let told = timeOffset(&text, needsColon: false), text.isAtEnd else { return nil }
      offset = told
    }
    return seconds(date, clock.time, offset: offset).map { $0 * 1_000 + clock.milliseconds }
  }

  private static func seconds(_ date: CivilDate, _ time: TimeOfDay, offset: Int64) -> Int64? {
    let seconds = date.seconds(hour: time.hour, minute: time.minute, second: time.second)
    if time.second == 60, (seconds - offset) % 86_400 != 0 { return nil }
    return seconds - offset
  }

  /// The text of seconds since 1970 in UTC: `2026-11-21T00:00:00Z`. Years 0001 to 9999.
  package static func text(seconds: Int64) -> String {
    var text = ""
    withText(seconds: seconds) { text = String(decoding: $0, as: UTF8.self) }
    return text
  }

  /// The text of seconds since 1970 in a zone so many hours east of UTC, 0 to 14:
  /// `2025-12-09T15:24:45+09:00` for 1765261485 and 9.
  package static func text(seconds: Int64, hoursEast hours: Int64) -> String {
    let local = text(seconds: seconds + hours * 3600)
    return "\(local.dropLast())+\(hours < 10 ? "0" : "")\(hours):00"
  }

  /// Gives the bytes of the text of seconds since 1970 to `body`, see ``text(seconds:)``, with
  /// thousandths of a second, 0 to 999, where there are some.
  package static func withText(
    seconds: Int64, thousandths: Int64 = 0, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let (day, time) = CivilDate.split(seconds: seconds)
    withUnsafeTemporaryAllocation(byteCount: 24, alignment: 1) { text in
      var count = 0
      func write(_ value: Int64, then end: Unicode.Scalar? = nil) {
        let value = UInt8(truncatingIfNeeded: value)
        text[count] = UInt8(ascii: "0") + value / 10
        text[count + 1] = UInt8(ascii: "0") + value % 10
        count += 2
        guard let end else { return }
        text[count] = UInt8(ascii: end)
        count += 1
      }
      write(day.year / 100)
      write(day.year % 100, then: "-")
      write(day.month, then: "-")
      write(day.day, then: "T")
      write(time / 3600, then: ":")
      write(time / 60 % 60, then: ":")
      write(time % 60, then: thousandths == 0 ? "Z" : ".")
      if thousandths != 0 {
        write(thousandths / 10)
        text[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: thousandths % 10)
        text[count + 1] = UInt8(ascii: "Z")
        count += 2
      }
      body(UnsafeRawBufferPointer(rebasing: text[..<count]))
    }
  }

  private static func fullDate(_ text: inout DigitReader) -> CivilDate? {
    guard let year = text.number(digits: 4), text.skip("-"),
      let month = text.number(digits: 2), text.skip("-"),
      let day = text.number(digits: 2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  private static func partialTime(
    _ text: inout DigitReader
  ) -> (time: TimeOfDay, milliseconds: Int64)? {
    guard let time = text.timeOfDay() else { return nil }
    var milliseconds: Int64 = 0
    if text.skip(".") {
      guard let tenths = text.number(digits: 1) else { return nil }
      milliseconds = tenths * 100
      for weight: Int64 in [10, 1] {
        guard let digit = text.number(digits: 1) else { break }
        milliseconds += digit * weight
      }
      _ = text.skipDigits()
    }
    return (time, milliseconds)
  }

  /// Seconds east of Greenwich.
  private static func timeOffset(_ text: inout DigitReader, needsColon: Bool = true) -> Int64? {
    if text.skip("Zz") { return 0 }
    let isEast = text.skip("+")
    guard isEast || text.skip("-"), let hour = text.number(digits: 2), hour < 24,
      text.skip(":") || !needsColon, let minute = text.number(digits: 2), minute < 60
    else { return nil }
    let seconds = (hour * 60 + minute) * 60
    return isEast ? seconds : -seconds
  }
}
