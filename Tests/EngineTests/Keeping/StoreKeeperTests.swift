import BufferedStore
import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// What is done for a store that is full, or holds what nobody needs.
@Suite struct StoreKeeperTests {
  private static func feed(_ name: String, source: String = "qiita") -> FeedID {
    FeedID(
      source: source, pattern: FeedPattern("users/:id/items", order: .value),
      parts: ["users", name, "items"].map { Array($0.utf8) })
  }

  private static func request(_ name: String) -> SliceRequest {
    SliceRequest(feed: feed(name), limit: 20, wait: .seconds(10))
  }

  /// A rig whose upstream has a few items in every feed.
  private static func rig(_ count: Int = 30) throws -> Rig {
    var policy = Policy()
    policy.openingPermille = 1_000_000
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(count)
    return rig
  }

  private final class Reports: Sendable {
    let all = Mutex<[StoreKeeper.Report]>([])
  }

  private func storeKeeper(
    _ rig: Rig, bytesMax: Int64? = nil, feedsMax: Int = 1_000, readers: [FeedReader]? = nil,
    reports: Reports = Reports()
  ) -> StoreKeeper {
    StoreKeeper(
      store: rig.store, readers: readers ?? [rig.reader],
      limits: Eviction.Limits(
        bytesMax: bytesMax, feedsMax: feedsMax, remembers: .seconds(30 * 86_400)),
      time: rig.time, executor: rig.time,
      report: { report in
        reports.all.withLock { $0.append(report) }
      })
  }

  private func sleep(_ seconds: Int64, _ rig: Rig) {
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(seconds)) }
  }

  private func names(_ rig: Rig) throws -> [String] {
    try rig.store.feeds().map { String($0.name.split(separator: "/")[2]) }.sorted()
  }

  /// A clock that is ahead of the machine's.
  private final class LeadingTime: TimeSource {
    let base: VirtualTime
    let ahead = Mutex(Duration.zero)

    init(_ base: VirtualTime) { self.base = base }

    var now: Timestamp { base.now }
    var lead: Duration { ahead.withLock { $0 } }
    func sleep(until deadline: Timestamp) async { await base.sleep(until: deadline) }
  }

  @Test func aClockThatWasSetBackIsToldOnceEachTime() throws {
    let (rig, reports) = (try Self.rig(), Reports())
    let time = LeadingTime(rig.time)
    let keeper = StoreKeeper(
      store: rig.store, readers: [rig.reader],
      limits: Eviction.Limits(bytesMax: nil, feedsMax: 9, remembers: .seconds(86_400)), time: time,
      executor: rig.time, report: { report in reports.all.withLock { $0.append(report) } })
    for seconds in [0, 59, 60, 3_600, 0, 90] {
      time.ahead.withLock { $0 = .seconds(seconds) }
      rig.time.run { await keeper.tick() }
    }
    #expect(reports.all.withLock { $0 } == [.ahead(.seconds(60)), .ahead(.seconds(90))])
  }

  /// What a full store could not take is written when room was made, not only seconds later.
  @Test func whatIsHeldIsWrittenAsSoonAsRoomWasMade() throws {
    var policy = Policy()
    policy.openingPermille = 1_000_000
    policy.prefetchItems = 0
    let stand = try FaultyRig(try Self.rig(), policy: policy)
    for name in ["a", "b", "c"] {
      _ = stand.rig.slice(Self.request(name))
      sleep(2, stand.rig)
    }
    stand.faults.fail(with: .full)
    #expect(try stand.rig.slice(Self.request("d")).get().items.count == 20)
    #expect(stand.steady.isHolding)
    let storeKeeper = StoreKeeper(
      store: stand.steady, readers: [stand.rig.reader],
      limits: Eviction.Limits(bytesMax: nil, feedsMax: 2, remembers: .seconds(86_400)),
      time: stand.rig.time, executor: stand.rig.time)
    stand.rig.time.run { await storeKeeper.tick() }
    #expect(stand.steady.isHolding)
    stand.faults.fail(with: nil)
    sleep(1, stand.rig)
    stand.rig.time.run { await storeKeeper.tick() }
    #expect(!stand.steady.isHolding)
  }

  @Test func keepsTheFeedsReadLast() throws {
    let rig = try Self.rig()
    let storeKeeper = storeKeeper(rig, feedsMax: 4)
    for name in ["a", "b", "c", "d", "e"] {
      _ = rig.slice(Self.request(name))
      sleep(2, rig)
    }
    // Read out of the store, by a loop: no write, and yet it counts.
    let loop = try rig.store.makeReader()
    #expect(try rig.reader.stored(Self.request("a"), from: loop) != nil)
    rig.time.run { await storeKeeper.tick() }
    #expect(try names(rig) == ["a", "c", "d", "e"])
    rig.time.run { await storeKeeper.tick() }
    #expect(try names(rig).count == 4)
  }

  @Test func aFullStoreGivesUpFeedsBeforeTheTopOfTheLast() throws {
    let rig = try Self.rig(400)
    for name in ["a", "b"] {
      _ = rig.slice(Self.request(name))
      sleep(2, rig)
    }
    let (reader, first) = (rig.reader, Self.request("last"))
    rig.time.run { _ = await Walk.run(reader, first) {} }
    // The three share their items' contents: the first two go and nothing is won by it.
    let bytes = rig.store.load.bytes
    let storeKeeper = storeKeeper(rig, bytesMax: bytes)
    rig.time.run { await storeKeeper.tick() }
    #expect(try names(rig) == ["last"])
    #expect(rig.store.load.bytes <= bytes - bytes / 4)
    #expect(rig.store.load.bytes > bytes / 3)
    let loop = try rig.store.makeReader()
    let top = try rig.reader.stored(Self.request("last"), from: loop)
    #expect(top?.items.map(\.id) == rig.feed.entries.prefix(20).map(\.id))
  }

  @Test func saysOnceThatNothingMoreCanGo() throws {
    let rig = try Self.rig(50)
    _ = rig.slice(Self.request("only"))
    let reports = Reports()
    let storeKeeper = storeKeeper(rig, bytesMax: 8, reports: reports)
    for _ in 0..<5 { rig.time.run { await storeKeeper.tick() } }
    #expect(reports.all.withLock { $0 } == [.cannotEvict(rig.store.load)])
    #expect(try names(rig) == ["only"])
  }

  @Test func feedsOfASourceThatHasGoneGoLikeOthers() throws {
    let rig = try Self.rig(350)
    for name in ["a", "b"] { _ = rig.slice(Self.request(name)) }
    sleep(5, rig)
    let other = try FeedReader(
      source: "other", policy: Policy(), fetcher: rig.feed, store: rig.store, time: rig.time,
      executor: rig.time)
    let storeKeeper = storeKeeper(rig, feedsMax: 1, readers: [other])
    rig.time.run { await storeKeeper.tick() }
    #expect(try names(rig).count == 1)
  }

  @Test func writesDownWhenFeedsWereRead() throws {
    let rig = try Self.rig()
    let storeKeeper = storeKeeper(rig)
    _ = rig.slice(Self.request("a"))
    sleep(100, rig)
    _ = rig.slice(Self.request("a"))
    let readAt = rig.time.now
    rig.time.run { await storeKeeper.tick() }
    #expect(rig.store.state.withLock { $0.reads.isEmpty })
    sleep(600, rig)
    rig.time.run { await storeKeeper.tick() }
    let name = Self.feed("a").name
    #expect(rig.store.state.withLock { $0.reads[name]?.seconds } == readAt.seconds)
  }

  @Test func writesDownWhatWasReadWhenItEnds() throws {
    let rig = try Self.rig()
    let storeKeeper = storeKeeper(rig)
    _ = rig.slice(Self.request("a"))
    rig.time.run { [time = rig.time] in
      let task = Task(executorPreference: time) { await storeKeeper.run() }
      await time.sleep(.seconds(5))
      task.cancel()
      await task.value
    }
    #expect(rig.store.state.withLock { $0.reads.count } == 1)
  }

  @Test func itemsInNoFeedGoFirstOnceAnHourOld() throws {
    let rig = try Self.rig(40)
    let reader = rig.reader
    let id = rig.feed.entries[35].id
    _ = rig.time.run { try? await reader.item(ItemName(id), wait: .seconds(10)) }
    sleep(3_599, rig)
    _ = rig.slice(Self.request("a"))
    #expect(rig.store.load.bytes > 0)
    let held = { rig.store.state.withLock { $0.items["qiita#items"]?[id] != nil } }
    // So full that it is over the mark, and within the goal without the loose item.
    let loose = Int64(id.bytes.count)
    let limit = (rig.store.load.bytes - loose) * 4 / 3 + 1
    let storeKeeper = storeKeeper(rig, bytesMax: min(limit, rig.store.load.bytes))
    rig.time.run { await storeKeeper.tick() }
    #expect(held())
    sleep(2, rig)
    rig.time.run { await storeKeeper.tick() }
    #expect(!held())
  }
}
