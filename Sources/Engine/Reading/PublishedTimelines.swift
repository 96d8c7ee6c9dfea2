import Feed
import Synchronization

/// The timelines of a source as last written, for readers on any thread.
///
/// Two counters tell whether what was read is still as stored: ``version`` moves after each write,
/// ``settledVersion`` is there while none is in progress.
final class PublishedTimelines: Sendable {
  private let timelines = Mutex<[FeedID: Published]>([:])
  /// Counts what was written, for ``version``.
  private let changes = Atomic<UInt64>(0)
  /// Counts what was begun to be written, for ``settledVersion``.
  private let changesBegun = Atomic<UInt64>(0)

  /// None so far.
  init() {}

  /// See ``SliceSource/version``.
  var version: UInt64 { changes.load(ordering: .acquiring) }

  /// See ``SliceSource/settledVersion``.
  var settledVersion: UInt64? {
    let version = changes.load(ordering: .sequentiallyConsistent)
    return changesBegun.load(ordering: .sequentiallyConsistent) == version ? version : nil
  }

  /// What readers see of a feed. Costs a lock.
  subscript(_ feed: FeedID) -> Published? {
    timelines.withLock { $0[feed] }
  }

  /// Lets readers see a timeline. Returns what they saw before.
  @discardableResult
  func publish(_ published: Published, of feed: FeedID) -> Published? {
    timelines.withLock { $0.updateValue(published, forKey: feed) }
  }

  /// Lets readers see nothing of a feed. Returns what they saw before.
  @discardableResult
  func withdraw(_ feed: FeedID) -> Published? {
    timelines.withLock { $0.removeValue(forKey: feed) }
  }

  /// Lets readers see nothing but these feeds.
  func withdrawAll(but kept: Set<FeedID> = []) {
    timelines.withLock { timelines in timelines = timelines.filter { kept.contains($0.key) } }
  }

  /// Changes what is stored, or what is published of it; then the version moves, whether or not
  /// that succeeded.
  func change<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    changesBegun.add(1, ordering: .sequentiallyConsistent)
    defer { changes.add(1, ordering: .sequentiallyConsistent) }
    return try body()
  }
}

/// What readers outside the actor see of a feed. An object, since each of them takes it twice.
final class Published: Sendable {
  let timeline: Timeline
  let mark: ReadMark
  /// The fingerprint of the recipe that it was read by.
  let recipe: Int64?

  init(timeline: Timeline, mark: ReadMark, recipe: Int64?) {
    self.timeline = timeline
    self.mark = mark
    self.recipe = recipe
  }
}
