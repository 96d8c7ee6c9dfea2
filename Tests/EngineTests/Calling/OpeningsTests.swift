import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// Feeds that are not stored yet while the upstream is in trouble.
@Suite struct OutageOpeningsTests {
  private func request(_ query: Int, _ rig: Rig) -> SliceRequest {
    var request = rig.request(limit: 5)
    request.feed = FeedID(
      source: "qiita", pattern: itemsFeed.pattern, parts: [Array("items".utf8)],
      query: Array("word\(query)".utf8))
    return request
  }

  /// Asks for feeds one after the other, a second apart, while every call fails; gives the calls.
  private func ask(
    for queries: [Int], _ error: FetchError, _ rig: Rig
  ) -> Int {
    rig.feed.state.withLock { $0.failures = Array(repeating: error, count: 1_000) }
    for query in queries {
      _ = rig.slice(request(query, rig))
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(1)) }
    }
    rig.feed.state.withLock { $0.failures = [] }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    return rig.feed.calls.count
  }

  private func rig() throws -> Rig {
    let rig = try Rig()
    rig.fill(5)
    return rig
  }

  /// What did not reach the upstream is no call.
  @Test func noneIsLockedOutByAnUpstreamThatIsAway() throws {
    let rig = try rig()
    #expect(ask(for: Array(0..<50), .unreachable(reason: "down"), rig) >= 50)
    for query in 0..<30 { #expect(try rig.slice(request(query, rig)).get().items.count == 5) }
  }

  /// Trying again is no first call.
  @Test(arguments: [.serverError(status: 500), .timedOut, .cut] as [FetchError])
  func oneIsNotLockedOutByAnOutage(error: FetchError) throws {
    let rig = try rig()
    #expect(ask(for: Array(repeating: 1, count: 1_800), error, rig) > 30)
    #expect(try rig.slice(request(1, rig)).get().items.count == 5)
  }

  /// Names of items that are not there spend the share and no more; those that are there, and
  /// calls that an outage ends, spend none of it.
  @Test func namesOfNoItemSpendTheShareOnly() throws {
    func ask(for names: [String], in rig: Rig) -> [ReadError?] {
      let reader = rig.reader
      return names.map { name in
        rig.time.run {
          do throws(ReadError) {
            _ = try await reader.item(ItemName(Identity(name)), wait: .seconds(10))
            return nil as ReadError?
          } catch {
            return error
          }
        } ?? nil
      }
    }
    let rig = try Rig()
    for number in 0..<25 { rig.feed.insert(second: 1_000, id: Identity("there\(number)")) }
    #expect(ask(for: (0..<25).map { "there\($0)" }, in: rig).allSatisfy { $0 == nil })
    rig.feed.state.withLock { $0.itemFailure = .unreachable(reason: "down") }
    #expect(ask(for: (0..<40).map { "away\($0)" }, in: rig).allSatisfy { $0 != nil })
    rig.feed.state.withLock { $0.itemFailure = nil }
    let before = rig.feed.itemCalls.count
    let absent = ask(for: (0..<40).map { "absent\($0)" }, in: rig)
    #expect(absent.count { $0 == .notFound } == 30)
    #expect(rig.feed.itemCalls.count - before == 30)
    guard case .tooManyOpenings = absent.last else { return #expect(Bool(false), "asked on") }
    // Asked for at once, no more than are under way together come on top.
    let many = try Rig()
    many.time.run { [reader = many.reader] in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<60 {
          group.addTask {
            _ = try? await reader.item(ItemName(Identity("none\(number)")), wait: .seconds(10))
          }
        }
      }
    }
    #expect((30...30 + Policy().maxInFlight).contains(many.feed.itemCalls.count))
    // What is stored is told all the same, and so is what a feed shows.
    #expect(ask(for: ["there3"], in: rig) == [nil])
  }

  /// But each of many is one, and so is each name that is none, however often it is asked for.
  @Test func manyAreStillCounted() throws {
    let failing = try rig()
    #expect(ask(for: Array(0..<80), .serverError(status: 500), failing) <= 30 * 3)
    let absent = try rig()
    #expect(ask(for: (0..<600).map { $0 % 3 }, .notFound, absent) == 30)
    guard case .failure(.tooManyOpenings) = absent.slice(request(99, absent)) else {
      Issue.record("one more was opened")
      return
    }
  }
}

/// A process that is started again and again.
@Suite struct RestartTests {
  private func request(_ query: String) -> SliceRequest {
    SliceRequest(
      feed: FeedID(
        source: "qiita", pattern: itemsFeed.pattern, parts: [Array("items".utf8)],
        query: Array(query.utf8)),
      limit: 5, wait: .seconds(10))
  }

  private func start(_ store: MemoryStore, _ feed: ScriptedFeed, _ time: VirtualTime) throws
    -> FeedReader
  {
    var policy = Policy()
    policy.openingPermille = 100
    policy.prefetchItems = 0
    return try FeedReader(
      source: "qiita", policy: policy, fetcher: feed, store: store, time: time, executor: time)
  }

  /// Each process opens a feed; together they open no more than one process may.
  @Test func opensNoMoreFeedsThanOneProcess() throws {
    let (time, store) = (VirtualTime(), MemoryStore())
    let feed = ScriptedFeed(time: time)
    feed.insert(second: time.now.seconds - 1_000)
    for process in 0..<20 {
      let reader = try start(store, feed, time)
      _ = time.run { _ = try? await reader.slice(request("word\(process)")) }
    }
    #expect(feed.calls.count == 6)
  }

  /// A process that ends before any answer comes has spent its call all the same.
  @Test func aCallIsNotedBeforeItIsAnswered() throws {
    let (time, store) = (VirtualTime(), MemoryStore())
    let feed = ScriptedFeed(time: time)
    feed.insert(second: time.now.seconds - 1_000)
    var policy = Policy()
    policy.openingPermille = 1_000
    for process in 0..<100 {
      let reader = try FeedReader(
        source: "qiita", policy: policy, fetcher: MutePages(time: time, feed: feed), store: store,
        time: time, executor: time)
      _ = time.run { _ = try? await reader.slice(request("word\(process)")) }
    }
    #expect(feed.calls.count == Policy().allowance.calls)
  }

  /// Pages that are asked for, and never come.
  private struct MutePages: PageFetcher {
    let time: VirtualTime
    let feed: ScriptedFeed

    func page(_ window: Window, of id: FeedID) async -> Fetched<Page> {
      _ = await feed.page(window, of: id)
      await time.sleep(.seconds(100_000))
      return await feed.page(window, of: id)
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> { await feed.item(name) }
  }

  /// The clock of the next process stands where the last one's stood, or later.
  @Test func tellsItsClockWhatTheLastProcessSaw() throws {
    let (time, store) = (VirtualTime(), MemoryStore())
    let feed = ScriptedFeed(time: time)
    feed.insert(second: time.now.seconds - 1_000)
    let first = try start(store, feed, time)
    _ = time.run { _ = try? await first.slice(request("a")) }
    // A clock that was set back before the process began.
    let reached = HandClock(at: Timestamp(seconds: 1_000))
    _ = try FeedReader(
      source: "qiita", policy: Policy(), fetcher: feed, store: store, time: reached,
      executor: time)
    #expect(reached.now >= Timestamp(seconds: 1_800_000_000))
  }
}
