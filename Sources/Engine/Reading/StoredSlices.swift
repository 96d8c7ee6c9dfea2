import Feed
import Synchronization

/// Answers slices from what is stored, on any thread and without the actor: the path that nearly
/// every request takes. What it shows of the actor's state is published here by the actor.
final class StoredSlices: Sendable {
  /// The source's name.
  let source: String
  /// The store that it is read from.
  private let store: any FeedStore
  /// The timelines, and whether what was read of them still holds.
  let published = PublishedTimelines()
  /// See ``ReorderedFeeds``.
  let reordered: ReorderedFeeds
  private let policyInForce: Mutex<Policy>
  private let budgetNow: Mutex<Budget>
  private let listenedFeeds = Atomic(0)

  /// The path of a source.
  init(source: String, policy: Policy, budget: Budget, store: any FeedStore) {
    self.source = source
    self.store = store
    policyInForce = Mutex(policy)
    budgetNow = Mutex(budget)
    // Damage is met, and mended, where what is stored is asked for.
    reordered = ReorderedFeeds(stored: (try? store.feeds()) ?? [], of: source)
  }

  /// Whether other servers write what is stored, too.
  var isShared: Bool { store.isShared }

  /// See ``SliceSource/version(of:)``.
  func version(of feed: FeedID) -> (any FeedVersion)? {
    published.changes(of: feed).map { StoredVersion($0, in: store) }
  }

  /// See ``SliceSource/contentVersion``.
  var contentVersion: any FeedVersion { StoredVersion(in: store) }

  /// See ``SliceSource/stored(_:from:)-(ItemName,_)``. A store that fails is reported where the
  /// actor reads the item.
  func item(_ name: ItemName, from reader: any TimelineReader, at now: Timestamp) -> ItemReading? {
    let policy = policy
    guard let item = try? reader.item(name.id, realm: name.realm(of: source)),
      let reading = ItemReading(item, by: policy, at: now), reading.freshness.state != .expired,
      now - reading.freshness.provenAt < .seconds(policy.recheckSeconds)
    else { return nil }
    return reading
  }

  /// See ``SliceSource/unchanged(_:since:)``.
  func unchanged(_ feed: FeedID, since number: SequenceNumber, at now: Timestamp) -> Changes? {
    guard let seen = published[feed], seen.recipe == feed.pattern.recipe,
      let lookedAt = seen.timeline.lookedAt, now - lookedAt < .seconds(policy.freshSeconds),
      number == SequenceNumber(epoch: seen.timeline.epoch, number: seen.timeline.sequence)
    else { return nil }
    seen.mark.note(now)
    return Changes(changes: [], next: number, hasMore: false)
  }

  /// The rules of freshness and thrift. Costs a lock.
  var policy: Policy { policyInForce.withLock { $0 } }

  /// The upstream calls left, as last noted. Costs a lock.
  var budget: Budget { budgetNow.withLock { $0 } }

  /// How many feeds somebody listens to, as last noted.
  var listenedCount: Int { listenedFeeds.load(ordering: .relaxed) }

  /// Notes how many feeds somebody listens to.
  func note(listenedCount: Int) { listenedFeeds.store(listenedCount, ordering: .relaxed) }

  /// From now on answers by these rules.
  func adopt(_ policy: Policy) {
    policyInForce.withLock { $0 = policy }
  }

  /// Notes the calls left.
  func note(_ budget: Budget) {
    budgetNow.withLock { $0 = budget }
  }

  /// See ``SliceSource/served(_:)``.
  func served(_ feed: FeedID) -> FeedID {
    isServed(feed) ? feed : feed.observed
  }

  /// See ``SliceSource/isServed(_:)``.
  func isServed(_ feed: FeedID) -> Bool {
    feed.pattern.order != .value || !reordered.contains(feed)
  }

  /// The slice a request asks for and what is to be looked at behind the reply, if what is stored
  /// answers it; nil when the upstream would have to be asked first.
  func answer(
    _ request: SliceRequest, from reader: any TimelineReader, at now: Timestamp
  ) throws(ReadError) -> (slice: Slice, looks: ArraySlice<Ask>)? {
    let version = published.version
    guard let seen = published[request.feed], seen.recipe == request.feed.pattern.recipe else {
      return nil
    }
    seen.mark.note(now)
    let timeline = seen.timeline
    if isShared, let told = request.told, told > timeline.sequence { return nil }
    let plan = Plan(timeline: timeline, of: request.feed.pattern, policy: policy, now: now)
    let read = try reader.inOneState { () throws(ReadError) in
      try FeedReading(feed: request.feed, reader: reader).next(for: request, by: plan, at: now)
    }
    guard let (demand, step, elements) = read, case .serve(let outcome) = step,
      // Rows may have gone since, or the whole file; then the actor reads both together.
      reader.epoch == timeline.epoch,
      let present = published[request.feed],
      present === seen || present.timeline == timeline
    else { return nil }
    let slice = Slice(outcome, elements, plan, demand, version: version, isShort: false)
    return (told(slice), request.wait > .zero ? outcome.looks[...] : [])
  }

  /// A slice whose cursors tell its number, where others may know less.
  func told(_ slice: Slice) -> Slice {
    guard isShared else { return slice }
    var slice = slice
    slice.told = slice.sequence
    return slice
  }
}
