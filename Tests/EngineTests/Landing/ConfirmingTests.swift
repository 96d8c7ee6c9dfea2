import Feed
import History
import Support
import Synchronization
import Testing

/// An item that left a feed may be gone: it is asked for by itself.
@Suite struct ConfirmingTests {
  private static func budget(_ rig: Rig, remaining: Int) -> BudgetReading {
    BudgetReading(
      limit: 60, remaining: remaining, resetSeconds: rig.time.now.seconds + 100_000)
  }

  private func readLater(_ rig: Rig, remaining: Int) {
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(700)) }
    rig.feed.state.withLock { $0.budget = Self.budget(rig, remaining: remaining) }
    _ = rig.slice(
      SliceRequest(feed: rig.feed.dialect.lists.found, limit: 20, wait: .seconds(10)))
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
  }

  @Test func oneThatNoCallWasLeftForDoesNotHoldBackTheNext() throws {
    var policy = Policy()
    (policy.reserveCalls, policy.freshSeconds, policy.staleSeconds) = (5, 30, 60)
    let rig = try Rig(policy: policy, in: .from)
    rig.fill(30)
    readLater(rig, remaining: 50)
    rig.feed.delete(rig.feed.entries[3].id)
    readLater(rig, remaining: 4)
    readLater(rig, remaining: 4)
    #expect(rig.feed.itemCalls.isEmpty, "the rest of the calls is for readers")
    let second = rig.feed.entries[5].id
    rig.feed.delete(second)
    readLater(rig, remaining: 50)
    readLater(rig, remaining: 50)
    #expect(rig.feed.itemCalls == [ItemName(second)])
  }
}
