import History
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// What an operator asks of a feed.
@Suite struct VerbTests {
  private func rig(_ count: Int, policy: Policy = VerbTests.policy) throws -> Rig {
    let rig = try Rig(policy: policy)
    rig.fill(count)
    return rig
  }

  private static let policy: Policy = {
    var policy = Policy()
    policy.prefetchItems = 0
    return policy
  }()

  /// A rig whose feed of 300 is known whole, and grew by `count` since; the top was looked at.
  private func rigWithGap(of count: Int) throws -> Rig {
    let rig = try rig(300)
    let (reader, first) = (rig.reader, rig.request(limit: 100))
    let walk = rig.time.run { await Walk.run(reader, first) {} }
    #expect(walk?.ids.count == 300)
    rest(rig, .seconds(90_000))
    for second in 0..<count {
      rig.feed.insert(second: rig.time.now.seconds - 10_000 + Int64(second))
    }
    _ = try refresh(rig).get()
    return rig
  }

  private func lies(in gap: Slice.Gap, _ entry: ScriptedList.Entry) -> Bool {
    let position = Position(order: entry.second, tie: entry.id.bytes)
    return gap.lower.isBelow(position) && !gap.upper.isBelow(position)
  }

  private func rest(_ rig: Rig, _ duration: Duration) {
    rig.time.run { [time = rig.time] in await time.sleep(duration) }
  }

  private func run<Value: Sendable>(
    _ rig: Rig, _ body: @escaping @Sendable (FeedReader) async throws(ReadError) -> Value
  ) -> Result<Value, ReadError> {
    let reader = rig.reader
    let result: Result<Value, ReadError>? = rig.time.run {
      do throws(ReadError) {
        return .success(try await body(reader))
      } catch {
        return .failure(error)
      }
    }
    return result ?? .failure(.timedOut)
  }

  private func status(_ rig: Rig) throws -> FeedStatus {
    try run(rig) { (reader) throws(ReadError) in try await reader.status(of: itemsFeed) }.get()
  }

  private func refresh(_ rig: Rig, wait: Duration = .seconds(10)) -> Result<Int, ReadError> {
    run(rig) { (reader) throws(ReadError) in try await reader.refresh(itemsFeed, wait: wait) }
  }

  private func fill(
    _ rig: Rig, _ upper: Cut, wait: Duration = .seconds(30)
  ) -> Result<Filling?, ReadError> {
    run(rig) { (reader) throws(ReadError) in
      try await reader.fill(upper, of: itemsFeed, wait: wait)
    }
  }

  @Test func aFeedNobodyReadHasNothing() throws {
    let rig = try rig(50)
    let status = try status(rig)
    #expect(status.runs.isEmpty && status.gaps.isEmpty && status.freshness == nil)
    #expect(rig.feed.calls.isEmpty)
    #expect(rig.store.state.withLock(\.timelines).isEmpty)
  }

  @Test func countsWhatIsKnown() throws {
    let rig = try rig(50)
    _ = try rig.slice(rig.request()).get()
    _ = try rig.slice(rig.request(limit: 40)).get()
    let status = try status(rig)
    #expect(status.runs.map(\.count) == [50])
    #expect(status.runs.map(\.reachesEnd) == [true])
    #expect(status.freshness?.state == .fresh)
    #expect(status.total?.value == 50)
    // What was read for the first time is no change.
    #expect(status.sequence == 0)
  }

  @Test(arguments: [101, 150, 400, 1_000])
  func guessesAGapByHowMuchTheFeedGrew(count: Int) throws {
    let rig = try rigWithGap(of: count)
    let status = try status(rig)
    #expect(status.runs.count == 2)
    let estimate = try #require(status.gaps.first?.estimatedCount)
    let gap = try #require(status.gaps.first?.gap)
    #expect(estimate == rig.feed.entries.count { lies(in: gap, $0) })
    #expect(estimate == count - 99)
  }

  @Test func showsTheFlightUnderWay() throws {
    let rig = try rig(50)
    let (reader, time, request) = (rig.reader, rig.time, rig.request())
    let flight = time.run { () async -> Asked? in
      let slice = Task(executorPreference: time) { try? await reader.slice(request) }
      await time.sleep(.milliseconds(50))
      let status = try? await reader.status(of: itemsFeed)
      _ = await slice.value
      return status?.flight
    }
    #expect(flight??.purpose == .reader)
    #expect(flight??.window == Window(page: 1, perPage: 30))
    #expect(try status(rig).flight == nil)
  }

  @Test(arguments: [(0, 0), (9, 0), (10, 1), (500, 1)] as [(Int64, Int)])
  func refreshesNoOftenerThanAllowed(age: Int64, calls: Int) throws {
    let rig = try rig(50)
    _ = try refresh(rig).get()
    let sentAt = try #require(rig.feed.calls.last?.sentAt)
    rest(rig, sentAt + .seconds(age) - rig.time.now)
    #expect(try refresh(rig).get() == calls)
    #expect(rig.feed.calls.count == 1 + calls)
  }

  @Test func twoHundredRefreshesAtOnceCostOneCall() throws {
    let rig = try rig(50)
    _ = try refresh(rig).get()
    rest(rig, .seconds(100))
    let (reader, time) = (rig.reader, rig.time)
    let waited = time.run { () async -> Int in
      let tasks = (0..<200).map { index in
        Task(executorPreference: time) {
          await time.sleep(.milliseconds(index))
          return (try? await reader.refresh(itemsFeed, wait: .seconds(10))) ?? -1
        }
      }
      var waited = 0
      for task in tasks { waited += await task.value }
      return waited
    }
    #expect(waited == 200)
    #expect(rig.feed.calls.count == 2)
  }

  @Test func aRefreshThatFailsSaysSo() throws {
    let rig = try rig(50)
    _ = try refresh(rig).get()
    rest(rig, .seconds(100))
    rig.feed.state.withLock { $0.failures = [.rateLimited(retryAfterSeconds: 40)] }
    let until = rig.time.now + .seconds(40) + .milliseconds(200)
    #expect(refresh(rig) == .failure(.rateLimited(until: until)))
    #expect(refresh(rig, wait: .zero) == .failure(.timedOut))
  }

  @Test func fillsAGapFromAbove() throws {
    let rig = try rigWithGap(of: 1_000)
    let calls = rig.feed.calls.count
    let gap = try #require(try status(rig).gaps.first?.gap)
    let filling = try #require(try fill(rig, gap.upper).get())
    #expect(filling.rest == nil)
    #expect(filling.calls == rig.feed.calls.count - calls)
    #expect(filling.calls <= 11)
    let after = try status(rig)
    #expect(after.gaps.isEmpty)
    #expect(after.runs.map(\.count) == [1_300])
    #expect(try fill(rig, gap.upper).get() == nil)
  }

  @Test func fillsAsFarAsTimeAllowsAndGoesOnByTheNewName() throws {
    let rig = try rigWithGap(of: 1_000)
    let gap = try #require(try status(rig).gaps.first?.gap)
    let first = try #require(try fill(rig, gap.upper, wait: .milliseconds(700)).get())
    let rest = try #require(first.rest)
    #expect(first.calls == 3)
    #expect(rest.gap.upper < gap.upper && rest.gap.lower == gap.lower)
    #expect(rest.estimatedCount == rig.feed.entries.count { lies(in: rest.gap, $0) })
    #expect(try fill(rig, gap.upper).get() == nil)
    #expect(try fill(rig, rest.gap.upper).get()?.rest == nil)
    #expect(try status(rig).gaps.isEmpty)
  }

  @Test func fillsAsFarAsTheBudgetAllows() throws {
    let rig = try rigWithGap(of: 1_000)
    rig.feed.state.withLock {
      $0.budget = BudgetReading(limit: 60, remaining: 0, resetSeconds: 1_900_000_000)
    }
    let gap = try #require(try status(rig).gaps.first?.gap)
    let filling = try #require(try fill(rig, gap.upper).get())
    #expect(filling.calls == 1 && filling.budget.remaining == 0)
    let rest = try #require(filling.rest)
    guard case .failure(.rateLimited) = fill(rig, rest.gap.upper) else {
      Issue.record("nothing could be brought, and that was not said")
      return
    }
    #expect(fill(rig, rest.gap.upper, wait: .zero) == .failure(.timedOut))
  }

  @Test func saysThatAGapHasSunk() throws {
    let rig = try rigWithGap(of: 150)
    let gap = try #require(try status(rig).gaps.first?.gap)
    rest(rig, .seconds(20_000))
    for second in 0..<10_500 {
      rig.feed.insert(second: rig.time.now.seconds - 19_000 + Int64(second))
    }
    _ = try refresh(rig).get()
    // A total alone says so to nobody; a few answers from there on do.
    #expect(try status(rig).gaps.first { $0.gap == gap }?.isSunk == false)
    for _ in 0..<4 where try status(rig).gaps.first(where: { $0.gap == gap })?.isSunk == false {
      _ = try fill(rig, gap.upper).get()
    }
    let calls = rig.feed.calls.count
    let sunk = try #require(try status(rig).gaps.first { $0.gap == gap })
    #expect(sunk.isSunk)
    let filling = try #require(try fill(rig, gap.upper).get())
    #expect(filling.rest == sunk)
    #expect(rig.feed.calls.count == calls)
  }
}
