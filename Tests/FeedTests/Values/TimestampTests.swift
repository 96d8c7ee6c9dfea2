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

  @Test func cutsOffWhatIsBelowAMillisecond() {
    #expect(Duration.microseconds(2_999).inMilliseconds == 2)
    #expect(Duration.seconds(3_600).inMilliseconds == 3_600_000)
  }
}
