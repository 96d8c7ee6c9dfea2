import Bytes
import Testing

@testable import Feed

@Suite struct TimestampTests {
  @Test(
    arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)] as [(Int64, Int64)]
  )
  func roundsDownToWholeSeconds(milliseconds: Int64, seconds: Int64) {
    #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
  }

  @Test func addsAndSubtractsDurations() {
    let instant = Timestamp(seconds: 10)
    #expect(instant + .milliseconds(1500) == Timestamp(milliseconds: 11_500))
    #expect(instant - .seconds(11) == Timestamp(seconds: -1))
    #expect(instant - Timestamp(milliseconds: 9_750) == .milliseconds(250))
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.001Z"),
      (1_763_683_200_250, "2025-11-21T00:00:00.250Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-1_000, "1969-12-31T23:59:59Z"), (951_868_800_070, "2000-03-01T00:00:00.070Z"),
    ] as [(Int64, String)])
  func textsHaveMillisecondsWhereThereAreSome(milliseconds: Int64, text: String) {
    #expect(RFC3339.exactText(Timestamp(milliseconds: milliseconds)) == text)
  }

  @Test func cutsOffWhatIsBelowAMillisecond() {
    #expect(Duration.microseconds(2_999).inMilliseconds == 2)
    #expect(Duration.seconds(3_600).inMilliseconds == 3_600_000)
  }
}
