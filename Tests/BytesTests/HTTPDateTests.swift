import Testing

@testable import Bytes

struct HTTPDateTests {
  /// 2025-11-21.
  private let now: Int64 = 1_763_690_000

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
    ("Wed Nov 16 08:49:37 1994", 784_975_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Mon, 29 Sep 2014 03:17:27 GMT", 1_411_960_647),
    ("Wednesday, 01-Jan-75 00:00:00 GMT", 3_313_526_400),
    ("Wednesday, 01-Jan-76 00:00:00 GMT", 189_302_400),
  ])
  func readsAllThreeForms(text: String, seconds: Int64) {
    #expect(HTTPDate.parse(text, now: now) == seconds)
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 JST",
    "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun, 06 Nob 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT!", "Sun, 06 Nov 1994 25:49:37 GMT",
  ])
  func refusesWhatIsNoDate(text: String) {
    #expect(HTTPDate.parse(text, now: now) == nil)
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
    (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
  ])
  func writesAndReadsTheFixedForm(_ seconds: Int64, _ expected: String) {
    #expect(HTTPDate.parse(expected, now: 0) == seconds)
    #expect(HTTPDate.text(seconds: seconds) == expected)
  }
}
