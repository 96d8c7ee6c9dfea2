import Bytes

/// Seconds since 1970 as Qiita writes and reads them, in Japan's time.
package enum CivilTime {
  /// Japan's distance from UTC; it has no summer time.
  static let japanOffsetHours: Int64 = 9
  static let daySeconds: Int64 = 86_400

  /// `2025-12-09T15:24:45+09:00` for 1765261485.
  package static func japaneseText(_ seconds: Int64) -> String {
    RFC3339.text(seconds: seconds, hoursEast: japanOffsetHours)
  }

  /// The seconds that an RFC 3339 text stands for; nil for anything else.
  package static func seconds(_ text: String) -> Int64? {
    RFC3339.parseTimestamp(Array(text.utf8))
  }

  /// The milliseconds that an RFC 3339 text stands for; nil for anything else.
  static func milliseconds(_ text: String) -> Int64? {
    RFC3339.parseMilliseconds(Array(text.utf8))
  }

  /// The seconds of a year, month or day in Japan's time: `2025`, `2025-12`, `2025-12-9`.
  static func japanesePeriod(_ text: Substring) -> Range<Int64>? {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard let year = numbers[0], 1...9998 ~= year, numbers.count <= 3 else { return nil }
    guard let month = numbers.count > 1 ? numbers[1] : 1, 1...12 ~= month,
      let day = numbers.count > 2 ? numbers[2] : 1, 1...31 ~= day,
      let first = CivilDate(year: year, month: month, day: 1)
    else { return nil }
    // Days beyond a month's last are the next month's first, as Qiita takes them.
    let start = first.daysSince1970 + day - 1
    let end =
      switch numbers.count {
      case 1: CivilDate(year: year + 1, month: 1, day: 1)?.daysSince1970
      case 2:
        CivilDate(year: month < 12 ? year : year + 1, month: month % 12 + 1, day: 1)?.daysSince1970
      default: start + 1
      }
    guard let end else { return nil }
    let offset = japanOffsetHours * 3600
    return start * daySeconds - offset..<end * daySeconds - offset
  }
}
