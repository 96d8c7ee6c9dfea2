import History
import Synchronization
import Testing

@testable import Feed
@testable import History

/// A rig whose store fails on demand.
struct FaultyRig {
  let rig: Rig
  let faults: FaultyStore
  let steady: SteadyStore

  init(_ rig: Rig, policy: Policy, bytesMax: Int = SteadyStore.bytesMax) throws {
    faults = FaultyStore(over: rig.store)
    steady = try SteadyStore(over: faults, bytesMax: bytesMax)
    let reader = try FeedReader(
      source: "qiita", policy: policy, fetcher: rig.feed, store: steady, time: rig.time,
      executor: rig.time)
    self.rig = Rig(time: rig.time, feed: rig.feed, store: rig.store, reader: reader)
  }

  /// Has what is held written, as a caretaker does.
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

/// Reading and walking while the store cannot write.
@Suite struct SteadyStoreTests {
  private static func policy(_ random: inout SeededGenerator) -> Policy {
    var policy = Policy()
    policy.freshSeconds = 3
    policy.recheckSeconds = Int64.random(in: 5...60, using: &random)
    policy.openingPermille = 1_000_000
    return policy
  }

  /// What happens to the store between two slices.
  private enum Weather {
    case turns, recovers, restarts, evicts
  }

  /// A walk over which the store fails and works again at random.
  private func walk(
    _ first: SliceRequest, _ stand: FaultyRig, _ random: inout SeededGenerator,
    policy: Policy, weather: [Weather]
  ) throws -> Walk {
    var stand = stand
    var isFailing = false
    var walk = Walk()
    var request = first
    while walk.slices.count < 2_000 {
      switch random.chance(50) ? weather.randomElement(using: &random) : nil {
      case nil: break
      case .turns:
        isFailing.toggle()
        stand.faults.fail(with: isFailing ? .full : nil)
      case .recovers: stand.recover()
      case .restarts: stand = try stand.restarted(policy: policy)
      case .evicts: stand.rig.giveUp(first.feed, keepsTop: random.chance(50))
      }
      let loop = try stand.steady.makeReader()
      let stored = try stand.rig.reader.stored(request, from: loop)
      switch stored.map({ .success($0) }) ?? stand.rig.slice(request) {
      case .failure(let error):
        walk.failure = error
        return walk
      case .success(let slice):
        walk.slices.append(slice)
        guard slice.hasMore, let last = slice.items.last else { return walk }
        let cut = Cut.below(last.position)
        let isByValue = first.feed.pattern.order == .value
        request.start = isByValue ? .cut(cut) : .observed(cut, lineage: slice.lineage)
      }
      stand.rig.time.run { [time = stand.rig.time] in await time.sleep(.milliseconds(400)) }
    }
    return walk
  }

  @Test(arguments: [0..<40 as Range<UInt64>, 40..<80])
  func aWalkByValueKeepsThePromise(seeds: Range<UInt64>) throws {
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let policy = Self.policy(&random)
      let rig = try Rig(seed: seed, policy: policy)
      rig.fill(Int.random(in: 0...420, using: &random), ties: random.chance(50) ? 40 : 0)
      let most = [0, 1, 2].randomElement(using: &random) ?? 0
      rig.feed.state.withLock { state in
        state.beforeCall = { feed in
          for _ in 0..<most { feed.drift() }
        }
      }
      // Sometimes so little can be held that it is let go of in the middle.
      let stand = try FaultyRig(
        rig, policy: policy, bytesMax: random.chance(30) ? 60_000 : SteadyStore.bytesMax)
      var request = rig.request(limit: Int.random(in: 5...100, using: &random))
      request.wait = .seconds(30)
      let walk = try walk(
        request, stand, &random, policy: policy, weather: [.turns, .recovers, .restarts, .evicts])
      let violation = walk.violation(of: rig.feed.history, endedAt: rig.time.now)
      #expect(violation == nil, "seed \(seed)")
    }
  }

  private func observed(
    _ seed: UInt64, weather: [Weather]
  ) throws -> (walk: Walk, violation: String?) {
    var random = SeededGenerator(seed: seed)
    let policy = Self.policy(&random)
    let rig = try ObservedFeedTests.rig(
      Int.random(in: 0...420, using: &random), seed: seed, policy: policy)
    let most = [0, 1, 2].randomElement(using: &random) ?? 0
    rig.feed.state.withLock { state in
      state.beforeCall = { feed in
        for _ in 0..<most { feed.driftUndated() }
      }
    }
    let stand = try FaultyRig(rig, policy: policy)
    let request = ObservedFeedTests.request(limit: Int.random(in: 10...100, using: &random))
    let walk = try walk(request, stand, &random, policy: policy, weather: weather)
    return (walk, walk.violation(of: rig.feed.history, endedAt: rig.time.now))
  }

  @Test(arguments: [0..<40 as Range<UInt64>, 40..<80])
  func anObservedWalkGoesOnThroughFailureAndRecovery(seeds: Range<UInt64>) throws {
    for seed in seeds {
      let (_, violation) = try observed(seed, weather: [.turns, .recovers])
      #expect(violation == nil, "seed \(seed)")
    }
  }

  @Test func anObservedWalkOverACrashGoesOnOrHasExpired() throws {
    var expired = 0
    for seed in 0..<60 as Range<UInt64> {
      let (walk, violation) = try observed(seed, weather: [.turns, .recovers, .restarts])
      if walk.failure == .positionExpired(isStart: true) {
        expired += 1
        #expect(Set(walk.ids).count == walk.ids.count, "seed \(seed)")
      } else {
        #expect(violation == nil, "seed \(seed)")
      }
    }
    #expect((6...54).contains(expired), "\(expired)")
  }

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
    #expect(stand.rig.giveUp(itemsFeed) == .partly)
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

  @Test func saysWhyUntilAllIsWritten() throws {
    let reports = Mutex<[SteadyStore.Report]>([])
    let faults = FaultyStore(over: MemoryStore())
    let store = try SteadyStore(over: faults) { report in reports.withLock { $0.append(report) } }
    let failure = StoreError.failed(code: 10, message: "disk I/O error")
    try store.check()
    faults.fail(with: failure)
    for _ in 0..<3 { try store.keep(Budget(), of: "qiita") }
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
    let store = try SteadyStore(over: faults)
    faults.fail(with: error)
    #expect(throws: error) { try store.keep(Budget(), of: "qiita") }
    #expect(!store.isHolding)
  }

  @Test func holdsAsMuchAsItMayAndNoMore() throws {
    let faults = FaultyStore(over: MemoryStore())
    let store = try SteadyStore(over: faults, bytesMax: 10_000)
    faults.fail(with: .full)
    func item(_ id: String, bytes: Int) -> PageItem {
      PageItem(
        id: Identity(id), createdAt: nil, updatedAt: nil, bytes: [UInt8](repeating: 0, count: bytes)
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
    store.letGo(of: "one")
    try store.keep(item("b", bytes: 10_000 - 256), realm: "one#items", sentAt: sentAt)
    #expect(try store.makeReader().item(Identity("a"), realm: "one#items") == nil)
  }

  @Test func anItemThatHasGoneIsGoneThoughItCannotBeErased() throws {
    let rig = try Rig()
    rig.fill(30)
    let stand = try FaultyRig(rig, policy: Policy())
    _ = stand.rig.slice(stand.rig.request())
    stand.faults.fail(with: .full)
    let (reader, id) = (stand.rig.reader, rig.feed.entries[3].id)
    rig.feed.delete(id)
    rig.time.run { [time = rig.time] in
      await time.sleep(.seconds(90_000))
      _ = try? await reader.item(id, wait: .seconds(10))
    }
    let gone = rig.time.run { () -> ReadError? in
      do throws(ReadError) { _ = try await reader.item(id, wait: .zero) } catch { return error }
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
    let loop = SteadyReader(over: below, of: stand.steady)
    #expect(
      try loop.elements(of: itemsFeed, below: .top, above: .bottom, limit: 100) == held)
    #expect(!stand.steady.isHolding)
  }

  @Test func theCaretakerHasItWrittenOnceThatWorks() throws {
    let rig = try Rig()
    rig.fill(30)
    let stand = try FaultyRig(rig, policy: Policy())
    let caretaker = Caretaker(
      store: stand.steady, readers: [stand.rig.reader],
      limits: Eviction.Limits(bytesMax: nil, feedsMax: 100, remembers: .seconds(86_400)),
      time: rig.time, executor: rig.time)
    func tick(after seconds: Int64) {
      rig.time.run { [time = rig.time] in
        await time.sleep(.seconds(seconds))
        await caretaker.tick()
      }
    }
    stand.faults.fail(with: .full)
    _ = stand.rig.slice(stand.rig.request())
    tick(after: 0)
    #expect(try rig.store.timeline(of: itemsFeed) == nil)
    stand.faults.fail(with: nil)
    tick(after: 4)
    #expect(stand.steady.isHolding)
    tick(after: 1)
    #expect(!stand.steady.isHolding)
    #expect(try rig.store.timeline(of: itemsFeed)?.sequence == 30)
    #expect(try stand.rig.slice(stand.rig.request()).get().sequence == 30)
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
