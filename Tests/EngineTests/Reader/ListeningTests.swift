import History
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// What those who listen are told of that nobody reads.
@Suite struct ListeningTests {
  /// A feed that was read, and is listened to: looked at every 133 seconds, as 60 calls an hour
  /// bear it.
  private func listened(_ count: Int = 60) throws -> (rig: Rig, seq: SequenceNumber) {
    var policy = Policy()
    policy.firstWindow = 100
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(count)
    let now = rig.time.now.seconds
    rig.feed.state.withLock {
      $0.budget = BudgetReading(limit: 60, remaining: 60, resetSeconds: now + 3_600)
    }
    let slice = try rig.slice(rig.request()).get()
    rig.time.run { [reader = rig.reader] in _ = await reader.listen(to: itemsFeed) {} }
    return (rig, SequenceNumber(epoch: slice.epoch, number: slice.sequence))
  }

  private func changes(of rig: Rig, after seq: SequenceNumber) throws -> [Change] {
    rig.changes(after: seq, by: rig.reader) ?? []
  }

  /// More than a window shows, evenly or all at once: no reader comes, and each is told once.
  @Test(arguments: [
    (seconds: 10, perSecond: 1), (125, 2), (60, 9), (1, 99), (1, 150), (3, 120),
  ])
  func allThatCameBetweenTwoLooksIsTold(seconds: Int, perSecond: Int) throws {
    let (rig, seq) = try listened()
    let known = Set(rig.feed.entries.map(\.id))
    rig.time.run { [time = rig.time, feed = rig.feed] in
      for _ in 0..<seconds {
        await time.sleep(.seconds(1))
        for _ in 0..<perSecond { feed.insert(second: time.now.seconds) }
      }
      await time.sleep(.seconds(400))
    }
    let told = try changes(of: rig, after: seq)
    #expect(told.count == seconds * perSecond)
    #expect(Set(told.map(\.id)) == Set(rig.feed.entries.map(\.id)).subtracting(known))
    #expect(zip(told, told.dropFirst()).allSatisfy { $0.number < $1.number })
  }

  /// What is wider than so many calls fill is left to readers, whose the budget is.
  @Test func readsOnByACertainNumberOfCalls() throws {
    let (rig, _) = try listened()
    let before = rig.feed.calls.count
    rig.time.run { [time = rig.time, feed = rig.feed] in
      for _ in 0..<60 {
        await time.sleep(.seconds(1))
        for _ in 0..<40 { feed.insert(second: time.now.seconds) }
      }
      await time.sleep(.seconds(110))
    }
    let calls = rig.feed.calls.count - before
    // One look, and what it read on by.
    #expect(calls == 1 + FeedReader.listeningCallsMax)
    let gaps = rig.time.run { [reader = rig.reader] in
      try? await reader.status(of: itemsFeed).gaps.count
    }
    #expect(gaps == 1)
  }

  /// Calls for those who listen leave to readers what the reserve is for.
  @Test func readsOnNoFurtherThanTheBudgetBears() throws {
    let (rig, _) = try listened()
    rig.feed.state.withLock { state in
      state.budget = BudgetReading(
        limit: 60, remaining: 14, resetSeconds: rig.time.now.seconds + 3_600)
    }
    let before = rig.feed.calls.count
    rig.time.run { [time = rig.time, feed = rig.feed] in
      for _ in 0..<600 {
        await time.sleep(.seconds(1))
        for _ in 0..<2 { feed.insert(second: time.now.seconds) }
      }
    }
    // It is told the same again with each answer; a gap bears to twice the reserve, and a look to
    // the reserve.
    #expect(rig.feed.calls.count - before <= 60 / 5)
    let budget = rig.time.run { [reader = rig.reader] in
      try? await reader.status(of: itemsFeed).budget
    }
    #expect((budget??.remaining ?? 0) >= Policy().reserveCalls)
  }
}
