import Engine
import History
import Synchronization
import Testing

@testable import Feed

/// A reader that is given other rules while it reads.
@Suite struct AdoptingTests {
  private static let policy: Policy = {
    var policy = Policy()
    policy.prefetchItems = 0
    return policy
  }()

  private func adopt(
    _ rig: Rig, fetcher: (any PageFetcher)? = nil, isAnotherCaller: Bool = false,
    _ change: (inout Policy) -> Void = { _ in }
  ) {
    var policy = rig.reader.policy
    change(&policy)
    let (reader, new) = (rig.reader, policy)
    rig.time.run {
      await reader.adopt(new, fetcher: fetcher, isAnotherCaller: isAnotherCaller)
    }
  }

  @Test func otherRulesHoldForWhatIsStored() throws {
    let rig = try Rig(policy: Self.policy)
    rig.fill(30)
    #expect(try rig.slice(rig.request()).get().freshness.state == .fresh)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(30)) }
    adopt(rig) { $0.freshSeconds = 10 }
    #expect(try rig.slice(rig.request()).get().freshness.state == .stale)
  }

  @Test func anotherFetcherIsAskedFromThenOn() throws {
    let rig = try Rig(policy: Self.policy)
    rig.fill(30)
    _ = try rig.slice(rig.request()).get()
    let other = ScriptedFeed(time: rig.time, seed: 2)
    for index in 1...5 {
      other.insert(
        second: rig.time.now.seconds - Int64(1_000 + index), id: Identity("new\(index)"))
    }
    adopt(rig, fetcher: other) { $0.refreshSeconds = 0 }
    var request = rig.request()
    request.refreshes = true
    let ids = Set(try rig.slice(request).get().items.map(\.id))
    #expect(ids.isSuperset(of: (1...5).map { Identity("new\($0)") }))
  }

  @Test(arguments: [true, false])
  func theBudgetIsForgottenWithItsCaller(isAnotherCaller: Bool) throws {
    let rig = try Rig(policy: Self.policy)
    rig.fill(30)
    let reading = BudgetReading(
      limit: 1_000, remaining: 0, resetSeconds: rig.time.now.seconds + 3_000)
    rig.feed.state.withLock { $0.budget = reading }
    _ = try rig.slice(rig.request()).get()
    #expect(rig.reader.callsLeft.remaining == 0)
    adopt(rig, isAnotherCaller: isAnotherCaller)
    #expect(
      rig.reader.callsLeft.remaining == (isAnotherCaller ? Policy().allowance.calls : 0))
    #expect(try rig.store.budget(of: "qiita")?.remaining == rig.reader.callsLeft.remaining)
  }
}
