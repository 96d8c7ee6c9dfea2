import Engine
import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// What readers cost the upstream, against the least that one of them could cost.
@Suite struct CallCountTests {
  /// Moves the feed by up to `most` events.
  private static func drift(_ feed: ScriptedFeed, most: Int) {
    let events = feed.state.withLock { Int.random(in: 0...most, using: &$0.random) }
    for _ in 0..<events { feed.drift() }
  }

  private static func rig(_ items: Int, seed: UInt64) throws -> Rig {
    let rig = try Rig(seed: seed)
    rig.fill(items, ties: 5)
    return rig
  }

  /// Lets so many readers walk the whole feed at once; how many calls that took.
  private func calls(_ readers: Int, items: Int, drift most: Int, seed: UInt64) throws -> Int {
    let rig = try Self.rig(items, seed: seed)
    if most > 0 {
      rig.feed.state.withLock { $0.beforeCall = { Self.drift($0, most: most) } }
    }
    let (reader, time) = (rig.reader, rig.time)
    let failures = time.run { () async -> Int in
      let walks = (0..<readers).map { index in
        Task(executorPreference: time) {
          var first = SliceRequest(
            feed: itemsFeed, limit: index == 0 ? 20 : [50, 100][index % 2], wait: .seconds(3))
          first.refreshes = index % 7 == 0
          // Hundreds that also pause would only make the test slow.
          if readers < 500 { await time.sleep(.milliseconds(index * 3)) }
          let walk = await Walk.run(reader, first) {
            if readers < 500 { await time.sleep(.milliseconds(100)) }
          }
          return walk.failure == nil && walk.slices.last?.endReason == .end
        }
      }
      var failures = 0
      for walk in walks where await !walk.value { failures += 1 }
      return failures
    }
    #expect(failures == 0)
    return rig.feed.calls.count
  }

  private func perfect(items: Int, drift most: Int, seed: UInt64) throws -> Int {
    let rig = try Self.rig(items, seed: seed)
    return PerfectReader.calls(rig.feed) { if most > 0 { Self.drift($0, most: most) } }
  }

  /// Measured, in the order of the table: 230 calls where 220 are the least, 233 of 220, 232 of
  /// 217; 45 of 42, 45 of 41; 14 of 13, 14 of 13. Of what is more, one call a walk is the first
  /// window, smaller so that a cold feed's first slice comes sooner; the rest are windows that
  /// began below the run because something above it was deleted meanwhile.
  @Test(
    arguments: [
      (1, 600..<3_500, 0), (1, 600..<3_500, 1), (1, 600..<3_500, 3), (50, 900..<1_500, 0),
      (50, 900..<1_500, 3), (500, 1_100..<1_101, 0),
      (500, 1_100..<1_101, 3),
    ].sample(3) as [(Int, Range<Int>, Int)])
  func readersCostLittleMoreThanOnePerfectReader(
    readers: Int, sizes: Range<Int>, drift: Int
  ) throws {
    var (taken, least) = (0, 0)
    for items in stride(from: sizes.lowerBound, to: sizes.upperBound, by: 290) {
      taken += try calls(readers, items: items, drift: drift, seed: UInt64(items))
      least += try perfect(items: items, drift: drift, seed: UInt64(items))
    }
    #expect(taken * 10 <= least * 11)
  }
}

/// What readers who come often, or for nothing, cost the upstream.
@Suite struct CallBoundTests {
  private static let policy: Policy = {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    return policy
  }()

  private func rest(_ rig: Rig, _ duration: Duration) {
    rig.time.run { [time = rig.time] in await time.sleep(duration) }
  }

  @Test(arguments: [1, 10, 60] as [Int64])
  func anAppThatSendsNoCacheWithEveryRequestCostsOneCallPerRefreshSeconds(
    seconds: Int64
  ) throws {
    var policy = Self.policy
    policy.refreshSeconds = seconds
    let rig = try Rig(policy: policy)
    rig.fill(25)
    let (reader, time) = (rig.reader, rig.time)
    var request = rig.request()
    request.refreshes = true
    let asked = request
    let end = time.now + .seconds(3_600)
    time.run {
      while time.now < end {
        _ = try? await reader.slice(asked)
        await time.sleep(.milliseconds(250))
      }
    }
    #expect(rig.feed.calls.count <= 3_600 / Int(seconds) + 1)
    #expect(rig.feed.calls.count >= 3_000 / Int(seconds))
  }

  /// Every request is answered, and no call is sent once the upstream has none left.
  @Test func anAppThatSendsNoCacheIsServedWhatIsStoredOnceTheBudgetIsSpent() throws {
    let rig = try Rig(policy: Self.policy)
    rig.fill(25)
    let start = rig.time.now
    rig.feed.state.withLock { state in
      state.beforeCall = { feed in
        feed.state.withLock { state in
          state.budget = BudgetReading(
            limit: 60, remaining: 60 - state.calls.count - 1,
            resetSeconds: start.seconds + 3_600)
        }
      }
    }
    var request = rig.request()
    request.refreshes = true
    for _ in 0..<350 {
      #expect(try rig.slice(request).get().items.count == 20)
      rest(rig, .seconds(10))
    }
    #expect(rig.feed.calls.count == 60)
    #expect(try rig.slice(request).get().freshness.state == .stale)
  }

  @Test func twoHundredRefreshedSlicesAtOnceCostOneCall() throws {
    let rig = try Rig(policy: Self.policy)
    rig.fill(25)
    _ = try rig.slice(rig.request()).get()
    rest(rig, .seconds(100))
    let (reader, time) = (rig.reader, rig.time)
    var request = rig.request()
    request.refreshes = true
    let asked = request
    let fresh = time.run { () async -> Int in
      let slices = (0..<200).map { _ in
        Task(executorPreference: time) { try? await reader.slice(asked).freshness.state }
      }
      var fresh = 0
      for slice in slices where await slice.value == .fresh { fresh += 1 }
      return fresh
    }
    #expect(fresh == 200)
    #expect(rig.feed.calls.count == 2)
  }

  /// Names that strangers make up: unknown to the upstream, or known and without any items.
  @Test(arguments: [true, false])
  func tenThousandMadeUpTagsCostTheOpeningsShareAndLeaveNothing(isUnknown: Bool) throws {
    let rig = try Rig(policy: Self.policy)
    rig.feed.state.withLock { state in
      state.budget = BudgetReading(limit: 1_000, remaining: 900, resetSeconds: 1_900_000_000)
      if isUnknown { state.failures = [FetchError](repeating: .notFound, count: 10_000) }
    }
    let tags = FeedPattern("tags/:id/items", order: .observed)
    let (reader, time) = (rig.reader, rig.time)
    time.run {
      for index in 0..<10_000 {
        let tag = Array("stranger\(index)".utf8)
        let feed = FeedID(
          source: "qiita", pattern: tags,
          parts: [Array("tags".utf8), tag, Array("items".utf8)])
        _ = try? await reader.slice(SliceRequest(feed: feed, limit: 20, wait: .seconds(10)))
      }
    }
    #expect(rig.feed.calls.count == 500)
    #expect(rig.store.state.withLock(\.timelines).isEmpty)
    let known = time.run { await reader.status.feeds }
    #expect(known == 500)
  }

  /// Two readers find the same range stale; the second one's look is due after the first landed.
  @Test func aRangeFoundStaleByTwoReadersIsLookedAtAgainOnce() throws {
    let rig = try Rig(policy: Self.policy)
    rig.fill(290)
    let (reader, first) = (rig.reader, rig.request(limit: 100))
    rig.time.run { await Walk.run(reader, first) {} }
    rest(rig, .seconds(4_000))
    let ask = try #require(
      rig.time.run { try? await reader.plan(for: itemsFeed) }??.recheckOfAll.first)
    let calls = rig.feed.calls.count
    rig.time.run { [time = rig.time] in
      await reader.look(at: [ask], of: itemsFeed)
      await time.sleep(.seconds(5))
      await reader.look(at: [ask], of: itemsFeed)
      await time.sleep(.seconds(5))
    }
    #expect(rig.feed.calls.count == calls + 1)
    // The ranges below it are as old as before, and looked at when they are read.
    let rest = rig.time.run { try? await reader.plan(for: itemsFeed) }??.recheckOfAll ?? []
    #expect(!rest.isEmpty)
    let next = try #require(rest.first)
    rig.time.run { [time = rig.time] in
      await reader.look(at: [next], of: itemsFeed)
      await time.sleep(.seconds(5))
    }
    #expect(rig.feed.calls.count == calls + 2)
  }
}

extension Plan {
  /// A look at each range that was proven too long ago, from the top down.
  fileprivate var recheckOfAll: [Ask] {
    timeline.proofs.filter { now - $0.provenAt >= .seconds(policy.recheckSeconds) }
      .compactMap { look(below: $0.upper, for: .recheck) }
  }
}
