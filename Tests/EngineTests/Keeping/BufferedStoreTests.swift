import History
import Support
import Synchronization
import Testing

@testable import BufferedStore
@testable import Engine
@testable import Feed
@testable import History

/// A rig whose store fails on demand.
struct FaultyRig {
  let rig: Rig
  let faults: FaultyStore
  let steady: BufferedStore

  init(_ rig: Rig, policy: Policy, bytesMax: Int = BufferedStore.bytesMax) throws {
    let lastNumber = Mutex(1)
    faults = FaultyStore(over: rig.store) {
      MemoryStore(
        epoch: lastNumber.withLock { number in
          number += 1
          return "memory\(number)"
        })
    }
    steady = try BufferedStore(over: faults, bytesMax: bytesMax)
    let reader = try FeedReader(
      source: "qiita", policy: policy, fetcher: rig.feed, store: steady, time: rig.time,
      executor: rig.time)
    self.rig = Rig(time: rig.time, feed: rig.feed, store: rig.store, reader: reader)
  }

  /// Has what is held written, as a storeKeeper does.
  func recover() {
    let (reader, numbers) = (rig.reader, steady.recover())
    rig.time.run { await reader.noteRecovery(numbers) }
  }

  /// As after a crash: a new reader that knows what is stored and nothing else.
  func restarted(policy: Policy) throws -> FaultyRig {
    let again = try FaultyRig(rig, policy: policy)
    return again
  }
}

/// Reading while the store cannot write.
@Suite struct BufferedStoreTests {
  private static var withoutPrefetch: Policy {
    var policy = Policy()
    policy.prefetchItems = 0
    return policy
  }

  @Test func aPositionLostInACrashNeverMeansAnother() throws {
    let policy = Self.withoutPrefetch
    let rig = try ObservedFeedTests.rig(250, policy: policy)
    let stand = try FaultyRig(rig, policy: policy)
    var request = ObservedFeedTests.request(limit: 60)
    let first = try stand.rig.slice(request).get()
    stand.faults.fail(with: .full)
    request.start = .observed(.below(first.items[59].position), lineage: first.lineage)
    let second = try stand.rig.slice(request).get()
    // Others take the places that were told and never written.
    let again = try stand.restarted(policy: policy)
    for entry in rig.feed.entries[70..<90] { rig.feed.delete(entry.id) }
    let (reader, top) = (again.rig.reader, ObservedFeedTests.request(limit: 100))
    rig.time.run { _ = await Walk.run(reader, top) {} }
    request.start = .observed(.below(second.items[50].position), lineage: second.lineage)
    #expect(again.rig.slice(request) == .failure(.positionExpired(isStart: true)))
    // What was told before the failure is good for as long as it is stored.
    request.start = .observed(.below(first.items[30].position), lineage: first.lineage)
    #expect(try again.rig.slice(request).get().items.first?.id == first.items[31].id)
  }

  @Test func whatWasGivenUpWhileItWasHeldIsNotWrittenAsProven() throws {
    let policy = Self.withoutPrefetch
    let rig = try Rig(policy: policy)
    rig.fill(400)
    let stand = try FaultyRig(rig, policy: policy)
    var request = stand.rig.request(limit: 100)
    _ = stand.rig.slice(request)
    stand.faults.fail(with: .full)
    for index in [80, 170, 260] {
      let entry = rig.feed.entries[index]
      request.start = .cut(.below(Position(order: entry.second, tie: entry.id.bytes)))
      _ = stand.rig.slice(request)
    }
    stand.faults.fail(with: nil)
    #expect(stand.rig.evictStep(itemsFeed) == .partly)
    stand.recover()
    let again = try stand.restarted(policy: policy)
    let (reader, top) = (again.rig.reader, rig.request(limit: 50))
    let walk = try #require(rig.time.run { await Walk.run(reader, top) {} })
    #expect(walk.ids == rig.feed.entries.map(\.id))
  }

  @Test func noNumberIsToldBeforeItIsWritten() throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    policy.prefetchItems = 0
    let stand = try FaultyRig(try Rig(policy: policy), policy: policy)
    stand.rig.fill(20)
    let written = try stand.rig.slice(stand.rig.request()).get().sequence
    stand.faults.fail(with: .full)
    var refresh = stand.rig.request()
    refresh.refreshes = true
    for count in 1...3 {
      stand.rig.feed.insert(second: stand.rig.time.now.seconds - 100)
      stand.rig.time.run { [time = stand.rig.time] in await time.sleep(.seconds(20)) }
      let slice = try stand.rig.slice(refresh).get()
      #expect(slice.sequence == written)
      let more = try stand.rig.slice(stand.rig.request(limit: 100)).get()
      #expect(more.items.count == 20 + count)
    }
    stand.faults.fail(with: nil)
    stand.recover()
    #expect(try stand.rig.slice(stand.rig.request()).get().sequence == written + 3)
    #expect(try stand.rig.store.timeline(of: itemsFeed)?.sequence == written + 3)
  }

  /// An answer that was overtaken brings an older content, of a feed that a later one did not show.
  @Test(arguments: [0, 1, 2])
  func whatIsHeldHidesNoNewerContent(lagSeconds: Int64) throws {
    let faults = FaultyStore(over: MemoryStore())
    let store = try BufferedStore(over: faults)
    let (id, other) = (Identity("a"), itemsFeed.searched(for: Array("x".utf8)))
    func merge(_ feed: FeedID, _ text: String, at second: Int64) -> Merge {
      let item = PageItem(id: id, key: 1, updatedAt: nil, bytes: Array(text.utf8))
      var merge = Merge(feed: feed, sentAt: Timestamp(seconds: second), timeline: Timeline())
      merge.seen = [
        Merge.Seen(
          position: Position(order: 1, tie: id.bytes), item: item, state: .live,
          takesNumber: true)
      ]
      return merge
    }
    func shown(_ feed: FeedID) throws -> [String] {
      try store.makeReader().elements(of: feed, below: .top, above: .bottom, limit: 9)
        .map { String(decoding: $0.bytes, as: UTF8.self) }
    }
    _ = try store.commit([merge(itemsFeed, "as it is", at: 10)], budget: nil)
    faults.fail(with: .full)
    let before = merge(other, "as it came", at: 10 - lagSeconds)
    _ = try store.commit([before], budget: nil)
    try store.keep(before.seen[0].item, realm: other.realm, sentAt: before.sentAt)
    let expected = [lagSeconds == 0 ? "as it came" : "as it is"]
    #expect(try shown(itemsFeed) == expected && shown(other) == expected)
    faults.fail(with: nil)
    _ = store.recover()
    #expect(try shown(itemsFeed) == expected && shown(other) == expected)
  }

  @Test func saysWhyUntilAllIsWritten() throws {
    let reports = Mutex<[BufferedStore.Report]>([])
    let faults = FaultyStore(over: MemoryStore())
    let store = try BufferedStore(over: faults) { report in reports.withLock { $0.append(report) } }
    let failure = StoreError.failed(code: 10, message: "disk I/O error")
    try store.check()
    faults.fail(with: failure)
    for _ in 0..<3 { try store.keep(Budget(assumed: Policy().allowance), of: "qiita") }
    #expect(throws: failure) { try store.check() }
    faults.fail(with: .full)
    _ = store.recover()
    #expect(throws: StoreError.full) { try store.check() }
    faults.fail(with: nil)
    #expect(throws: StoreError.full) { try store.check() }
    _ = store.recover()
    try store.check()
    #expect(reports.withLock { $0 } == [.holding(failure), .recovered])
  }

  @Test(arguments: [
    StoreError.corrupt(message: ""), .locked(path: ""), .newerVersion(version: 9, supported: 1),
  ])
  func holdsNothingWhereWritingWillNotWorkAgain(error: StoreError) throws {
    let faults = FaultyStore(over: MemoryStore())
    let store = try BufferedStore(over: faults)
    faults.fail(with: error)
    #expect(throws: error) { try store.keep(Budget(assumed: Policy().allowance), of: "qiita") }
    #expect(!store.isHolding)
  }

  @Test func holdsAsMuchAsItMayAndNoMore() throws {
    let faults = FaultyStore(over: MemoryStore())
    let store = try BufferedStore(over: faults, bytesMax: 10_000)
    faults.fail(with: .full)
    func item(_ id: String, bytes: Int) -> PageItem {
      PageItem(
        id: Identity(id), key: nil, updatedAt: nil, bytes: [UInt8](repeating: 0, count: bytes)
      )
    }
    let sentAt = Timestamp(seconds: 1)
    try store.keep(item("a", bytes: 10_000 - 256), realm: "one#items", sentAt: sentAt)
    #expect(throws: StoreError.full) {
      try store.keep(item("b", bytes: 0), realm: "one#items", sentAt: sentAt)
    }
    #expect(throws: StoreError.full) {
      try store.keep(item("b", bytes: 10_000 - 255), realm: "two#items", sentAt: sentAt)
    }
    try store.keep(item("b", bytes: 10_000 - 256), realm: "two#items", sentAt: sentAt)
    store.discardBuffered(of: "one")
    try store.keep(item("b", bytes: 10_000 - 256), realm: "one#items", sentAt: sentAt)
    #expect(try store.makeReader().item(Identity("a"), realm: "one#items") == nil)
  }

  @Test func anItemThatHasGoneIsGoneThoughItCannotBeErased() throws {
    let rig = try Rig()
    rig.fill(30)
    let stand = try FaultyRig(rig, policy: Policy())
    _ = stand.rig.slice(stand.rig.request(limit: 100))
    stand.faults.fail(with: .full)
    let (reader, id) = (stand.rig.reader, rig.feed.entries[3].id)
    rig.feed.delete(id)
    rig.time.run { [time = rig.time] in
      await time.sleep(.seconds(90_000))
      _ = try? await reader.item(ItemName(id), wait: .seconds(10))
    }
    let gone = rig.time.run { () -> ReadError? in
      do throws(ReadError) { _ = try await reader.item(ItemName(id), wait: .zero) } catch {
        return error
      }
      return nil
    }
    #expect(gone == .some(.deleted))
    let loop = try stand.steady.makeReader()
    let items = try loop.elements(of: itemsFeed, below: .top, above: .bottom, limit: 100)
    #expect(items.count == 29 && !items.contains { $0.id == id })
    stand.faults.fail(with: nil)
    stand.recover()
    #expect(try rig.store.makeReader().item(id, realm: "qiita#items")?.bytes == nil)
  }

  @Test func whatIsWrittenWhileALoopReadsIsNotMissed() throws {
    let rig = try Rig()
    rig.fill(30)
    let stand = try FaultyRig(rig, policy: Policy())
    stand.faults.fail(with: .full)
    _ = stand.rig.slice(stand.rig.request())
    stand.faults.fail(with: nil)
    let held = try stand.steady.makeReader().elements(
      of: itemsFeed, below: .top, above: .bottom, limit: 100)
    #expect(held.count > 20)
    let below = HookedReader(try rig.store.makeReader())
    below.after = { _ = stand.steady.recover() }
    let loop = BufferedReader(over: below, of: stand.steady)
    #expect(
      try loop.elements(of: itemsFeed, below: .top, above: .bottom, limit: 100) == held)
    #expect(!stand.steady.isHolding)
  }

  @Test func theCaretakerHasItWrittenOnceThatWorks() throws {
    let rig = try Rig()
    rig.fill(30)
    let stand = try FaultyRig(rig, policy: Policy())
    let storeKeeper = StoreKeeper(
      store: stand.steady, readers: [stand.rig.reader],
      limits: Eviction.Limits(bytesMax: nil, feedsMax: 100, remembers: .seconds(86_400)),
      time: rig.time, executor: rig.time)
    func tick(after seconds: Int64) {
      rig.time.run { [time = rig.time] in
        await time.sleep(.seconds(seconds))
        await storeKeeper.tick()
      }
    }
    stand.faults.fail(with: .full)
    _ = stand.rig.slice(stand.rig.request(limit: 100))
    tick(after: 0)
    #expect(try rig.store.timeline(of: itemsFeed) == nil)
    stand.faults.fail(with: nil)
    tick(after: 4)
    #expect(stand.steady.isHolding)
    tick(after: 1)
    #expect(!stand.steady.isHolding)
    #expect(try rig.store.timeline(of: itemsFeed)?.proofs.first?.count == 30)
    #expect(try stand.rig.slice(stand.rig.request(limit: 100)).get().items.count == 30)
  }

  @Test func anAnswerOnTheWayIsKeptInTheNewFile() throws {
    let rig = try Rig(policy: Self.withoutPrefetch)
    rig.fill(25)
    let stand = try FaultyRig(rig, policy: Self.withoutPrefetch)
    let epoch = stand.steady.epoch
    stand.faults.fail(with: .corrupt(message: ""))
    let slice = try stand.rig.slice(stand.rig.request()).get()
    #expect(slice.items.count == 20 && slice.calls == 1)
    #expect(slice.epoch != epoch && slice.epoch == stand.steady.epoch)
    #expect(rig.feed.calls.count == 1)
  }

  @Test func aLoopTellsOneFileFromAnother() throws {
    let rig = try Rig(policy: Self.withoutPrefetch)
    rig.fill(25)
    let stand = try FaultyRig(rig, policy: Self.withoutPrefetch)
    _ = stand.rig.slice(stand.rig.request())
    let loop = try stand.steady.makeReader()
    #expect(try stand.rig.reader.stored(stand.rig.request(), from: loop)?.items.count == 20)
    // Another source's reader had it replaced, and this one does not know yet.
    #expect(try stand.steady.renew(from: stand.steady.epoch) != nil)
    #expect(try stand.rig.reader.stored(stand.rig.request(), from: loop) == nil)
    #expect(try stand.rig.slice(stand.rig.request()).get().items.count == 20)
  }

  @Test func whatIsHeldGoesWithTheFileItWasFor() throws {
    let rig = try Rig(policy: Self.withoutPrefetch)
    rig.fill(25)
    let stand = try FaultyRig(rig, policy: Self.withoutPrefetch)
    stand.faults.fail(with: .full)
    _ = stand.rig.slice(stand.rig.request())
    #expect(stand.steady.isHolding)
    _ = try stand.steady.renew(from: stand.steady.epoch)
    #expect(!stand.steady.isHolding)
    #expect(try stand.steady.timeline(of: itemsFeed) == nil)
  }
}

extension Rig {
  /// A rig from its parts.
  init(time: VirtualTime, feed: ScriptedFeed, store: MemoryStore, reader: FeedReader) {
    self.time = time
    self.feed = feed
    self.store = store
    self.reader = reader
  }
}
