import Testing

@testable import Bytes

struct RFC3339Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T09:00:00+09:00", 0),
    ("1969-12-31T20:30:00-03:30", 0), ("1970-01-01T00:00:00-00:00", 0),
    ("2025-12-09T14:21:53+09:00", 1_765_257_713), ("2000-02-29t12:00:00z", 951_825_600),
    ("1970-01-01T00:00:01.999999999Z", 1), ("1969-12-31T23:59:59.5Z", -1),
    ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ("2038-01-19T03:14:08Z", 2_147_483_648), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("2017-01-01T08:59:60+09:00", 1_483_228_800), ("1970-01-02T23:59:00+23:59", 86_400),
  ])
  func readsTimestamp(text: String, seconds: Int64) {
    #expect(RFC3339.parseTimestamp(Array(text.utf8)) == seconds)
  }

  @Test(arguments: [
    "", "2025", "2025-12-09", "2025-12-09T14:21:53", "2025-12-09 14:21:53Z",
    "2025-12-09T14:21:53+0900", "2025-12-09T14:21:53+09", "2025-12-09T14:21:53+24:00",
    "2025-12-09T14:21:53+09:60", "2025-12-09T14:21:53ZZ", " 2025-12-09T14:21:53Z",
    "2025-12-09T14:21:53Z ", "2025-12-09T24:00:00Z", "2025-12-09T14:60:00Z",
    "2025-12-09T14:21:61Z", "2025-12-09T14:21:60Z", "2025-12-09T23:59:60+09:00",
    "2025-12-09T14:21:53.Z", "2025-12-09T14:21:53,5Z", "2025-13-01T00:00:00Z",
    "2025-00-01T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2025-04-31T00:00:00Z", "2025-01-00T00:00:00Z", "0000-01-01T00:00:00Z",
    "-001-01-01T00:00:00Z", "20251-01-01T00:00:00Z", "2025-1-01T00:00:00Z",
    "2025-12-09T14:21:5３Z", "２025-12-09T14:21:53Z", "2025-12-09T+4:21:53Z",
    "2025-12-09T14:21:53.\(String(repeating: "0", count: 100))Z",
  ])
  func refusesWhatIsNoTimestamp(text: String) {
    #expect(RFC3339.parseTimestamp(Array(text.utf8)) == nil)
  }

  /// Walks every day from 0001-01-01 on by the calendar's rules and counts.
  @Test func countsEveryDayOfTheCalendar() {
    var (year, month, day) = (1, 1, 1)
    var count: Int64 = -719_162
    while year <= 9999 {
      let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
      guard date?.daysSince1970 == count else {
        Issue.record("\(year)-\(month)-\(day) is day \(count)")
        return
      }
      (year, month, day) = dayAfter(year, month, day)
      count += 1
    }
    #expect(count == 2_932_897)
  }

  @Test func readsWhatIsWrittenFromRandomInstants() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let instant = Int64.random(in: -60_000_000_000...250_000_000_000, using: &generator)
      let offsetMinutes = Int64.random(in: -1439...1439, using: &generator)
      let text = written(instant, offsetMinutes: offsetMinutes)
      #expect(RFC3339.parseTimestamp(Array(text.utf8)) == instant, "\(text)")
    }
  }

  private func dayAfter(_ year: Int, _ month: Int, _ day: Int) -> (Int, Int, Int) {
    let isLeap = year.isMultiple(of: 400) || year.isMultiple(of: 4) && !year.isMultiple(of: 100)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if day < lengths[month - 1] { return (year, month, day + 1) }
    return month < 12 ? (year, month + 1, 1) : (year + 1, 1, 1)
  }

  /// By Howard Hinnant's `civil_from_days`, which shares nothing with the parser.
  private func written(_ instant: Int64, offsetMinutes: Int64) -> String {
    let local = instant + offsetMinutes * 60
    let days = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    let second = local - days * 86_400
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = "\(padded(year, 4))-\(padded(month))-\(padded(day))"
    let time = "\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
    let offset = abs(offsetMinutes)
    let sign = offsetMinutes < 0 ? "-" : "+"
    return "\(date)T\(time)\(sign)\(padded(offset / 60)):\(padded(offset % 60))"
  }

  private func padded(_ number: Int64, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

@Suite struct RFC3339TextTests {
  @Test(arguments: [-62_135_596_800, -1, 0, 951_868_800, 1_800_000_000, 253_402_300_799])
  func textReadsBackAsTheSameInstant(seconds: Int64) {
    let text = RFC3339.text(seconds: seconds)
    #expect(text.utf8.count == 20)
    #expect(RFC3339.parseTimestamp(Array(text.utf8)) == seconds)
  }

  @Test func everyDayReadsBack() {
    for day in stride(from: Int64(-719_162), through: 2_932_896, by: 13) {
      #expect(CivilDate(daysSince1970: day).daysSince1970 == day)
    }
  }
}
