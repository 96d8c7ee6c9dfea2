import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// How long what failed is left alone.
@Suite struct BackoffTests {
  private static let outages: [FetchError] = [
    .serverError(status: 500), .serverError(status: 503), .unreachable(reason: "reset"),
    .timedOut, .cut, .tooLarge(limitBytes: 1), .malformed(reason: "html"),
  ]

  private func pause(
    _ error: FetchError, _ failures: Int,
    _ draw: @escaping @Sendable (ClosedRange<Int64>) -> Int64
  ) -> Int64 {
    Backoff(random: draw).duration(after: error, failures: failures, max: Policy().pauseMax)
      .inMilliseconds
  }

  /// Milliseconds at most and at least after so many failures in a row.
  @Test(
    arguments: outages,
    [
      (1, 250, 188), (2, 500, 375), (3, 1_000, 750), (8, 32_000, 24_000), (9, 60_000, 45_000),
      (10, 60_000, 45_000), (1_000, 60_000, 45_000),
    ] as [(Int, Int64, Int64)])
  func outagesAreLeftAloneLongerEachTime(
    error: FetchError, row: (failures: Int, most: Int64, least: Int64)
  ) throws {
    #expect(pause(error, row.failures) { $0.lowerBound } == row.most)
    #expect(pause(error, row.failures) { $0.upperBound } == row.least)
  }

  @Test(arguments: [FetchError.notFound, .refused(status: 403), .rejected(status: 400)], [1, 9])
  func whatIsNotThereIsLeftAloneForHalfAMinute(error: FetchError, failures: Int) throws {
    #expect(pause(error, failures) { $0.lowerBound } == 30_000)
    #expect(pause(error, failures) { $0.upperBound } == 22_500)
  }

  @Test(
    arguments: [
      (nil, 1, 250), (0, 1, 250), (0, 9, 60_000), (1, 1, 1_000), (6, 3, 6_000), (6, 9, 60_000),
      (300, 1, 300_000), (301, 1, 300_000), (Int.max, 9, 300_000),
    ] as [(Int?, Int, Int64)])
  func anUpstreamThatSaysWhenIsAskedThen(seconds: Int?, failures: Int, pause: Int64) throws {
    let error = FetchError.serverError(status: 503, retryAfterSeconds: seconds)
    #expect(self.pause(error, failures) { $0.lowerBound } == pause)
  }

  @Test func whoIsToldOfAnAnswerThatIsNoneIsToldWhenItIsAskedForAgain() throws {
    for (error, least, most) in [
      (FetchError.rejected(status: 400), 22_500, 30_000), (.malformed(reason: "html"), 188, 250),
    ] as [(FetchError, Int64, Int64)] {
      let rig = try Rig()
      // One that was refused may have been so for its size: it is asked for in another.
      rig.feed.state.withLock { $0.failures = [error, error] }
      guard case .failure(.badResponse(let retryAt)) = rig.slice(rig.request()) else {
        Issue.record("\(error)")
        continue
      }
      let answeredAt = try #require(rig.feed.calls.first).sentAt
      #expect((retryAt - answeredAt).inMilliseconds >= least)
      #expect((retryAt - rig.time.now).inMilliseconds <= most)
    }
  }

  /// What is whole and just fetched is fresh, whatever failed before.
  @Test func whatTheSecondTryBroughtIsFresh() throws {
    let rig = try Rig()
    rig.fill(150)
    rig.feed.state.withLock { $0.failures = [.serverError(status: 500), .cut] }
    let slice = try rig.slice(rig.request(limit: 100)).get()
    #expect(slice.items.count == 100)
    #expect(slice.freshness.state == .fresh)
    #expect(rig.feed.calls.count >= 3)
  }

  /// An hour's outage under a reader who asks on: every pause is kept, and one answer ends them.
  @Test func anOutageCostsFewCalls() throws {
    let rig = try Rig()
    rig.fill(20)
    rig.feed.state.withLock {
      $0.failures = [FetchError](repeating: .unreachable(reason: "down"), count: 10_000)
    }
    let (reader, time, request) = (rig.reader, rig.time, rig.request())
    let end = time.now + .seconds(3_600)
    time.run {
      while time.now < end {
        _ = try? await reader.slice(request)
        await time.sleep(.milliseconds(500))
      }
    }
    let calls = rig.feed.calls
    #expect(calls.count < 100)
    for (index, pair) in zip(calls, calls.dropFirst()).enumerated() {
      let bound = min(250 << Int64(min(index, 8)), 60_000)
      #expect((pair.1.sentAt - pair.0.sentAt).inMilliseconds >= bound * 3 / 4)
    }
    rig.feed.state.withLock { $0.failures = [] }
    rig.time.run { await time.sleep(.seconds(60)) }
    #expect(try rig.slice(request).get().items.count == 20)
  }

  /// What is stored of a feed that has gone is served until it has expired, and again when the feed
  /// is back; any other failure hides behind it.
  @Test(arguments: [.notFound, .refused(status: 403), .serverError(status: 500)] as [FetchError])
  func aFeedThatHasGoneIsServedUntilItExpires(error: FetchError) throws {
    let rig = try Rig()
    rig.fill(20)
    let shown = try rig.slice(rig.request()).get().items
    rig.feed.state.withLock { $0.failures = Array(repeating: error, count: 1_000) }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(80_000)) }
    #expect(try rig.slice(rig.request()).get().items == shown)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(7_000)) }
    for _ in 1...3 {
      let result = rig.slice(rig.request())
      if error == .notFound {
        #expect(result == .failure(.notFound))
      } else {
        #expect(try result.get().items == shown)
      }
    }
    rig.feed.state.withLock { $0.failures = [] }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    let slice = try rig.slice(rig.request()).get()
    #expect(slice.items == shown && slice.freshness.state == .fresh)
  }

  /// 403 of another type refuses a feed, not the source.
  @Test func aRefusedFeedLeavesTheOthersAlone() throws {
    let rig = try Rig()
    rig.fill(20)
    rig.feed.state.withLock { $0.failures = [.refused(status: 403)] }
    #expect(rig.slice(rig.request()) == .failure(.refused))
    var other = rig.request()
    other.feed = FeedID(
      source: "qiita", pattern: itemsFeed.pattern, parts: [Array("items".utf8)],
      query: Array("other".utf8))
    #expect(try rig.slice(other).get().items.count == 20)
    #expect(rig.slice(rig.request()) == .failure(.refused))
    #expect(rig.feed.calls.count == 2)
  }

  /// An item that cannot be had is not asked for with every request.
  @Test(arguments: outages)
  func anItemThatFailsIsLeftAloneToo(error: FetchError) throws {
    let time = VirtualTime()
    let asked = Mutex(0)
    let fetcher = FailingItems(error: error, time: time) { asked.withLock { $0 += 1 } }
    let reader = try FeedReader(
      source: "qiita", policy: Policy(), fetcher: fetcher, store: MemoryStore(), time: time,
      executor: time)
    let end = time.now + .seconds(3_600)
    time.run {
      while time.now < end {
        _ = try? await reader.item(ItemName(Identity("a")), wait: .seconds(5))
        await time.sleep(.milliseconds(500))
      }
    }
    #expect((2..<100).contains(asked.withLock { $0 }))
  }

  private struct FailingItems: PageFetcher {
    let error: FetchError
    let time: VirtualTime
    let note: @Sendable () -> Void

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      Fetched(
        sentAt: time.now, receivedAt: time.now, date: nil, budget: nil, result: .failure(error))
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      note()
      let sentAt = time.now
      await time.sleep(.milliseconds(100))
      return Fetched(
        sentAt: sentAt, receivedAt: time.now, date: nil, budget: nil, result: .failure(error))
    }
  }
}
