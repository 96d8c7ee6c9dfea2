import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// A loop's reader with something that happens while it reads.
final class HookedReader: TimelineReader {
  private let base: any TimelineReader
  var epoch: String { base.epoch }
  var hook: (() -> Void)?
  /// What happens when it has read.
  var after: (() -> Void)?

  init(_ base: any TimelineReader) {
    self.base = base
  }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    hook?()
    defer { after?() }
    return try base.elements(of: feed, below: upper, above: lower, limit: limit)
  }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    hook?()
    return try base.lastElements(of: feed, below: upper, above: lower, limit: limit)
  }

  func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError) -> Bool {
    try base.hasElement(of: feed, below: upper, above: lower)
  }

  func position(at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut)
    throws(StoreError) -> Position?
  {
    try base.position(at: offset, of: feed, below: upper, above: lower)
  }

  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    try base.position(of: id, in: feed)
  }

  func changes(of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool)
    throws(StoreError) -> ChangeReading
  {
    try base.changes(of: feed, after: number, limit: limit, learned: learned)
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    try base.item(id, realm: realm)
  }
}

extension Rig {
  /// Takes a step of giving a feed up, whenever it was last read.
  @discardableResult
  func evictStep(_ feed: FeedID, keepsTop: Bool = false) -> EvictionResult? {
    let victim = Eviction.Victim(
      name: feed.name, source: feed.source, keepsTop: keepsTop,
      readAt: Timestamp(milliseconds: .max))
    let reader = reader
    return time.run { try? await reader.evictStep(victim) } ?? nil
  }
}

/// Walks along feeds that are given up meanwhile.
@Suite struct EvictedWalkTests {
  private static func policy(_ random: inout SeededGenerator) -> Policy {
    var policy = Policy.unbounded
    policy.freshSeconds = 3
    policy.recheckSeconds = Int64.random(in: 5...60, using: &random)
    // What was given up is opened again, as often as it takes.
    policy.openingPermille = 1_000_000
    return policy
  }

  /// Some steps of giving up the feed, so that a part of it goes, or all.
  private static func evictSome(
    of feed: FeedID, _ rig: Rig, _ random: inout SeededGenerator
  ) {
    let keepsTop = random.chance(30)
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      rig.evictStep(feed, keepsTop: keepsTop)
    }
  }

  /// A walk as a server goes: what is stored by a loop's own reader, the rest by the actor.
  private static func walk(
    _ first: SliceRequest, _ rig: Rig, _ random: inout SeededGenerator
  ) throws -> Walk {
    let loop = HookedReader(try rig.store.makeReader())
    return try Walk(from: first) { request in
      var others = random
      loop.hook = { if others.chance(30) { evictSome(of: first.feed, rig, &others) } }
      let stored = try rig.reader.stored(request, from: loop)
      random = others
      return stored.map { .success($0) } ?? rig.slice(request)
    } between: { _ in
      if random.chance(30) { evictSome(of: first.feed, rig, &random) }
      rig.time.run { [time = rig.time] in await time.sleep(.milliseconds(400)) }
    }
  }

  @Test(arguments: [0..<60 as Range<UInt64>, 60..<120])
  func aWalkByValueKeepsThePromise(seeds: Range<UInt64>) throws {
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let rig = try Rig(seed: seed, policy: Self.policy(&random))
      rig.fill(Int.random(in: 0...420, using: &random), ties: random.chance(50) ? 40 : 0)
      let most = [0, 1, 2].randomElement(using: &random) ?? 0
      rig.feed.state.withLock { state in
        state.beforeCall = { feed in
          for _ in 0..<most { feed.drift() }
        }
      }
      var request = rig.request(limit: Int.random(in: 5...100, using: &random))
      request.wait = .seconds(30)
      let walk = try Self.walk(request, rig, &random)
      let violation = walk.violation(of: rig.feed.history, endedAt: rig.time.now)
      #expect(violation == nil, "seed \(seed)")
    }
  }

  @Test func anObservedWalkKeepsThePromiseOrHasExpired() throws {
    var endings: [String: Int] = [:]
    for seed in 0..<120 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let rig = try ObservedFeedTests.rig(
        Int.random(in: 0...420, using: &random), seed: seed, policy: Self.policy(&random))
      let most = [0, 1, 2].randomElement(using: &random) ?? 0
      rig.feed.state.withLock { state in
        state.beforeCall = { feed in
          for _ in 0..<most { feed.driftUndated() }
        }
      }
      let request = ObservedFeedTests.request(limit: Int.random(in: 20...100, using: &random))
      let walk = try Self.walk(request, rig, &random)
      if walk.failure == .positionExpired(isStart: true) {
        #expect(Set(walk.ids).count == walk.ids.count, "seed \(seed)")
        endings["expired", default: 0] += 1
      } else {
        let violation = walk.violation(of: rig.feed.history, endedAt: rig.time.now)
        #expect(violation == nil, "seed \(seed)")
        endings["walked", default: 0] += 1
      }
    }
    #expect(endings["expired"] ?? 0 > 20 && endings["walked"] ?? 0 > 20, "\(endings)")
  }

  @Test func rowsThatGoUnderALoopsReaderAreNotMissed() throws {
    let rig = try Rig()
    rig.fill(100)
    _ = rig.slice(rig.request(limit: 100))
    let loop = HookedReader(try rig.store.makeReader())
    #expect(try rig.reader.stored(rig.request(limit: 50), from: loop)?.items.count == 50)
    loop.hook = { rig.evictStep(itemsFeed) }
    #expect(try rig.reader.stored(rig.request(limit: 50), from: loop) == nil)
  }

  @Test func noTimelineIsPublishedWhileItsRowsGo() throws {
    let rig = try Rig()
    rig.fill(200)
    _ = rig.slice(rig.request(limit: 100))
    let (reader, request) = (rig.reader, rig.request())
    let store = rig.store
    let seen = Mutex<[Bool]>([])
    rig.store.state.withLock { state in
      state.afterChange = {
        let loop = try? store.makeReader()
        let slice = loop.flatMap { try? reader.stored(request, from: $0) }
        seen.withLock { $0.append(slice != nil) }
      }
    }
    // What was fetched ahead has landed: a feed is not given up under a flight.
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
    for _ in 0..<2 { rig.evictStep(itemsFeed) }
    #expect(seen.withLock { $0 } == [false, false])
  }

  @Test func aCursorByValueOutlivesItsFeed() throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(300)
    var request = rig.request(limit: 50)
    _ = rig.slice(request)
    let sequence = try rig.slice(request).get().sequence
    request.start = .cut(.below(position: rig.feed.entries[99]))
    let before = try rig.slice(request).get().items.map(\.id)
    while rig.evictStep(itemsFeed) == .partly {}
    #expect(try rig.store.feeds().isEmpty)
    #expect(try rig.slice(request).get().items.map(\.id) == before)
    #expect(try rig.slice(request).get().sequence > sequence)
  }

  /// From the number of a first slice, which is 0, `:changes` does not stay empty: no look comes of
  /// asking.
  @Test func whoFollowsAnEvictedFeedBeginsAnew() throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(30)
    let slice = try rig.slice(rig.request()).get()
    let number = SequenceNumber(epoch: slice.epoch, number: slice.sequence)
    #expect(number.number == 0 && rig.changes(after: number, by: rig.reader) == [])
    while rig.evictStep(itemsFeed) == .partly {}
    rig.feed.insert(second: rig.time.now.seconds)
    let calls = rig.feed.calls.count
    #expect(rig.changes(after: number, by: rig.reader) == nil && rig.feed.calls.count == calls)
    let again = try rig.slice(rig.request()).get()
    let present = SequenceNumber(epoch: again.epoch, number: again.sequence)
    #expect(present.number > number.number)
    #expect(rig.changes(after: present, by: rig.reader) == [])
  }

  /// That a feed is empty is known, though nothing of it is stored.
  @Test func whoFollowsAnEmptyFeedIsToldThatNothingChanged() throws {
    let rig = try Rig()
    let number = try rig.slice(rig.request()).get().number
    #expect(try rig.store.feeds().isEmpty)
    #expect(rig.changes(after: number, by: rig.reader) == [])
  }

  @Test func anObservedCursorExpiresWithItsRowsAndNeverMeansOthers() throws {
    let rig = try ObservedFeedTests.rig(250)
    let feed = ObservedFeedTests.feed
    var request = ObservedFeedTests.request(limit: 100)
    let first = try rig.slice(request).get()
    request.start = .observed(.below(first.items[99].position), lineage: first.lineage)
    let second = try rig.slice(request).get()
    // A part goes from below: what stands above is found as before.
    #expect(rig.evictStep(feed) == .partly)
    request.start = .observed(.below(first.items[40].position), lineage: first.lineage)
    let kept = try rig.slice(request).get()
    #expect(kept.items.first?.id == first.items[41].id)
    let gone = SliceRequest.Bound.observed(
      .below(second.items[90].position), lineage: first.lineage)
    request.start = gone
    #expect(rig.slice(request) == .failure(.positionExpired(isStart: true)))
    // Also when the same positions are given to others, and when all went and is made anew.
    rig.feed.delete(rig.feed.entries[150].id)
    let (reader, top) = (rig.reader, ObservedFeedTests.request(limit: 100))
    let walk = try #require(rig.time.run { await Walk.run(reader, top) {} })
    #expect(walk.ids == rig.feed.entries.map(\.id))
    #expect(walk.slices.last?.lineage != first.lineage)
    #expect(rig.slice(request) == .failure(.positionExpired(isStart: true)))
    while rig.evictStep(feed) == .partly {}
    #expect(rig.slice(request) == .failure(.positionExpired(isStart: true)))
    _ = rig.slice(top)
    request.start = .observed(.below(first.items[3].position), lineage: first.lineage)
    #expect(rig.slice(request) == .failure(.positionExpired(isStart: true)))
  }

  @Test func aFeedSomebodyWaitsForStays() throws {
    let rig = try Rig()
    rig.fill(300)
    _ = rig.slice(rig.request())
    let (reader, time, store) = (rig.reader, rig.time, rig.store)
    let victim = Eviction.Victim(
      name: itemsFeed.name, source: "qiita", keepsTop: false,
      readAt: Timestamp(milliseconds: .max))
    var request = rig.request()
    request.refreshes = true
    let refresh = request
    let outcome = rig.time.run { () -> EvictionResult? in
      await time.sleep(.seconds(20))
      async let slice = try? reader.slice(refresh)
      await time.sleep(.milliseconds(50))
      let outcome = try? await reader.evictStep(victim)
      _ = await slice
      return outcome
    }
    #expect(outcome == .not)
    #expect(try store.feeds().count == 1)
  }

  @Test func aFeedReadSinceItWasChosenStays() throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(30)
    _ = rig.slice(rig.request())
    let chosenAt = rig.time.now
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(2)) }
    let loop = try rig.store.makeReader()
    #expect(try rig.reader.stored(rig.request(), from: loop) != nil)
    let reader = rig.reader
    for (readAt, expected) in [(chosenAt, EvictionResult.not), (rig.time.now, .wholly)] {
      let victim = Eviction.Victim(
        name: itemsFeed.name, source: "qiita", keepsTop: false, readAt: readAt)
      #expect(rig.time.run { try? await reader.evictStep(victim) } == expected)
    }
  }

  @Test func aStepThatFailsLeavesEverythingAsItWas() throws {
    let rig = try Rig()
    rig.fill(150)
    let before = try rig.slice(rig.request(limit: 100)).get()
    rig.store.state.withLock { $0.failure = .full }
    #expect(rig.evictStep(itemsFeed) == nil)
    let loop = try rig.store.makeReader()
    let stored = try rig.reader.stored(rig.request(limit: 100), from: loop)
    #expect(stored?.items == before.items)
  }
}

extension Cut {
  fileprivate static func below(position entry: ScriptedList.Entry) -> Cut {
    .below(Position(order: entry.second, tie: entry.id.bytes))
  }
}
