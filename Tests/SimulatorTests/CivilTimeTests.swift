import Bytes
import Testing

@testable import Simulator

@Suite struct CivilTimeTests {
  @Test(
    arguments: [
      (1_765_261_485, "2025-12-09T15:24:45+09:00", "Tue, 09 Dec 2025 06:24:45 GMT"),
      (0, "1970-01-01T09:00:00+09:00", "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_400, "2000-02-29T09:00:00+09:00", "Tue, 29 Feb 2000 00:00:00 GMT"),
      (4_102_412_399, "2099-12-31T23:59:59+09:00", "Thu, 31 Dec 2099 14:59:59 GMT"),
    ] as [(Int64, String, String)])
  func writesAndReadsSeconds(seconds: Int64, japanese: String, http: String) {
    #expect(CivilTime.japaneseText(seconds) == japanese)
    #expect(HTTPDate.text(seconds: seconds) == http)
    #expect(CivilTime.seconds(japanese) == seconds)
  }

  @Test(
    arguments: [
      ("2025-12-09T06:24:45Z", 1_765_261_485), ("2025-12-09T01:24:45-05:00", 1_765_261_485),
      ("2025-12-09", nil), ("2025-13-09T06:24:45Z", nil), ("2025-12-09T24:00:00Z", nil),
      ("yesterday", nil), ("", nil),
    ] as [(String, Int64?)])
  func readsOffsets(text: String, seconds: Int64?) {
    #expect(CivilTime.seconds(text) == seconds)
  }

  @Test func agreesWithItselfOnEveryDayOfFourCenturies() {
    for day in stride(from: Int64(0), to: 146_097, by: 13) {
      let second = day * 86_400 + 12_345
      #expect(CivilTime.seconds(CivilTime.japaneseText(second)) == second)
    }
  }
}
