import Feed
import Support
import Testing

@testable import Sharing

/// The clock of a shared store, as a server sees it.
@Suite struct SharedTimeTests {
  private static let year = 31_622_400

  private static func times(_ count: Int, _ seconds: Int) -> [Int] {
    Array(repeating: seconds, count: count)
  }

  /// Measurements, in seconds that the shared clock is ahead, and what is believed then.
  static let measurements: [(seconds: [Int], ahead: Int)] = [
    ([], 0), ([5], 5), ([-5_000], -5_000), ([1, 9, 2], 2), ([9, 1], 9),
    // The oldest of eleven counts no more.
    ([50] + times(5, 1) + times(5, 9), 9),
    // As far as a minute is no leap; further is one.
    ([0, 60, 60], 60), ([0, 61, 61], 0), ([0, -60, -60], -60), ([0, -61, -61], 0),
    // A leap is believed the tenth time in a row.
    ([0] + times(9, 30 * year), 0), ([0] + times(10, 30 * year), 30 * year),
    ([0] + times(9, 30 * year) + [0, 30 * year], 0),
    // And so is the way back.
    ([30 * year] + times(9, 0), 30 * year), ([30 * year] + times(10, 0), 0),
  ]

  @Test(arguments: measurements)
  func believesTheMedianAndALeapAfterTen(seconds: [Int], ahead: Int) {
    var offset = SharedOffset()
    for second in seconds { offset.note(.seconds(second)) }
    #expect(offset.ahead == .seconds(ahead))
  }

  /// A fall of a minute is waited out; from a longer one the clock goes back.
  @Test(arguments: [(60, 1_100), (61, 1_039)])
  func goesBackWhereItWasMoreThanAMinuteAhead(fall: Int, shown: Int64) {
    let own = HandClock(at: Timestamp(seconds: 1_000))
    let time = SharedTime(own)
    func measure(_ ahead: Int, times: Int) {
      for _ in 0..<times { time.note(own.now + .seconds(ahead), between: own.now, and: own.now) }
    }
    measure(100, times: 1)
    #expect(time.now == Timestamp(seconds: 1_100))
    measure(100 - fall, times: 10)
    #expect(time.now == Timestamp(seconds: shown))
  }

  /// Half of the way there and back counts.
  @Test func measuresFromTheMiddleOfACall() {
    let time = SharedTime(HandClock(at: Timestamp(seconds: 1_000)))
    time.note(
      Timestamp(seconds: 1_007), between: Timestamp(seconds: 1_000), and: Timestamp(seconds: 1_004))
    #expect(time.now == Timestamp(seconds: 1_005))
  }
}
