import Engine
import Testing

@testable import Feed

/// Numbers of changes, and how often a feed that is listened to is looked at.
@Suite struct ChangeTests {
  @Test(arguments: ["k3f9x0ab.0", "k3f9x0ab.57", "a0.9223372036854775807"])
  func aNumberIsItsText(text: String) {
    #expect(SequenceNumber(text)?.text == text)
  }

  @Test(arguments: [
    "", ".", "k3f9x0ab", "k3f9x0ab.", ".57", "a.-1", "a.+1", "a.1.", "a. 1", "a.1x",
    "a.9223372036854775808", "a.b.1", "a\nb.1", "A.1", "\u{e9}.1",
    String(repeating: "a", count: 63) + ".1",
  ])
  func whatIsNoNumberIsNone(text: String) {
    #expect(SequenceNumber(text) == nil)
  }

  private static let hour = Timestamp(seconds: 3_600)

  /// Worked values: half of what is left above the reserve, evenly until the reset.
  @Test(arguments: [
    (limit: 60, remaining: 60, feeds: 1, seconds: 133),
    (60, 60, 10, 1_333), (1_000, 1_000, 1, 10), (1_000, 1_000, 5, 36), (1_000, 7, 1, 3_600),
    (60, 6, 1, 3_600), (60, 0, 1, 3_600),
  ])
  func restsAsTheBudgetBears(limit: Int, remaining: Int, feeds: Int, seconds: Int64) {
    let budget = Budget(limit: limit, remaining: remaining, resetAt: Self.hour)
    let pause = budget.listeningPause(
      feeds: feeds, policy: Policy(), at: Timestamp(seconds: 0))
    #expect(pause.components.seconds == seconds)
  }

  @Test func restsASecondWhereCallsCostNothing() {
    var policy = Policy()
    policy.refreshSeconds = 0
    let budget = Budget(limit: 1_000_000, remaining: 1_000_000, resetAt: Self.hour)
    #expect(
      budget.listeningPause(feeds: 1, policy: policy, at: Timestamp(seconds: 0)) == .seconds(1))
  }
}
