import Feed
import Testing

@testable import SharedStore

/// What is known of a call, where a clock was set wrong.
@Suite struct GroundTests {
  /// An instant a day ahead is believed, a later one is not.
  @Test(arguments: [(86_400, true), (86_401, false)])
  func forgetsWhatLiesMoreThanADayAhead(ahead: Int64, isKept: Bool) {
    let (now, then) = (Timestamp(seconds: 1_000), Timestamp(seconds: 1_000 + ahead))
    var budget = Budget(
      limit: 9, remaining: 3, resetAt: Timestamp(seconds: 1_500), spentAt: then)
    budget.refusedUntil = then
    let ground = Ground(
      epoch: "e", revision: 1, number: 1, budget: budget, othersInFlight: 0, state: nil,
      heldUntil: nil, pause: CallPause(until: then, meaning: .refused, failures: 1),
      latest: UpstreamDate(date: 1, madeAt: then)
    ).withoutFuture(at: now)
    #expect((ground.budget?.resetAt != nil) == isKept)
    #expect((ground.budget?.refusedUntil != nil) == isKept)
    #expect((ground.pause != nil) == isKept && (ground.latest != nil) == isKept)
    #expect(ground.budget?.remaining == 3)
  }
}
