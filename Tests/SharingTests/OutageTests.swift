import Testing

@testable import Sharing

/// What the log says of a shared store that cannot be reached.
@Suite struct OutageTests {
  /// `x` is a call that fails, `.` a beat that comes through, one a second each; `B` is where the
  /// log says that an outage begins, and a number where it says that one ends, with its failures.
  @Test(arguments: [
    ("....", "----"), ("x..", "B-1"), ("xxxx..", "B----4"), ("x.x.x..", "B-----3"),
    (".x..x..", "-B-1B-1"), ("x.", "B-"),
  ])
  func tellsOnceThatItBeginsAndEnds(events: String, told: String) {
    var outage = Outage()
    var now = ContinuousClock.now
    var lines = ""
    for event in events {
      now += .seconds(1)
      if event == "x" {
        lines += outage.fail(at: now) ? "B" : "-"
      } else {
        lines += outage.reach(at: now).map { "\($0.failures)" } ?? "-"
      }
    }
    #expect(lines == told)
  }

  @Test func tellsHowLongItTook() {
    var outage = Outage()
    let begun = ContinuousClock.now
    _ = outage.fail(at: begun)
    _ = outage.reach(at: begun + .seconds(8))
    #expect(outage.reach(at: begun + .seconds(9))?.duration == .seconds(9))
  }
}
