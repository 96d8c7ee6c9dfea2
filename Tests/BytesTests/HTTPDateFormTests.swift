import Testing

@testable import Bytes

/// Dates in fields (RFC 9110 §5.6.7).
@Suite struct HTTPDateFormTests {
  private static let now: Int64 = 1_764_000_000

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Mon, 06 Nov 1994 08:49:37 GMT",
  ])
  func readsTheThreeForms(_ text: String) {
    #expect(HTTPDate.parse(Array(text.utf8), now: Self.now) == 784_111_777)
    let isPresent = text.hasSuffix("1994 08:49:37 GMT")
    #expect(HTTPDate.fixdate(Array(text.utf8)) == (isPresent ? 784_111_777 : nil))
  }

  @Test(arguments: [
    "", "0", "-1", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
    "Sun, 06 Nov 1994 08.49.37 GMT",
    "06 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
    "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT",
  ])
  func refusesAnythingElse(_ text: String) {
    #expect(HTTPDate.parse(Array(text.utf8), now: Self.now) == nil)
  }

  /// A cache takes what is not exactly the present form for a date in the past.
  @Test(arguments: [
    "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 gmt", "Sunday, 06 Nov 1994 08:49:37 GMT",
  ])
  func anotherLetterCaseIsNotThePresentForm(_ text: String) {
    #expect(HTTPDate.fixdate(Array(text.utf8)) == nil)
  }

  @Test func aYearOfTwoDigitsIsNear() {
    let text = { (year: String) in Array("Sunday, 06-Nov-\(year) 08:49:37 GMT".utf8) }
    #expect(HTTPDate.parse(text("75"), now: Self.now).map { $0 > Self.now } == true)
    #expect(HTTPDate.parse(text("76"), now: Self.now).map { $0 < Self.now } == true)
  }

  /// Day after day, with leap years and centuries among them.
  @Test func countsEveryDay() throws {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    var days: Int64 = 0
    for year in 1970...2110 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, count) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        .enumerated()
      {
        for day in 1...count {
          let text = "Thu, \(day < 10 ? "0" : "")\(day) \(months[month]) \(year) 00:00:01 GMT"
          try #require(HTTPDate.fixdate(Array(text.utf8)) == days * 86_400 + 1, "\(text)")
          days += 1
        }
      }
    }
  }
}
