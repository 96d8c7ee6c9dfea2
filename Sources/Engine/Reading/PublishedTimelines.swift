import Feed
import Synchronization

/// The timelines of a source as last written, for readers on any thread.
///
/// Counters show whether what was read is still as stored: ``version`` moves after each write,
/// ``settledVersion`` is there while none is in progress, ``changes(of:)`` is of one feed.
final class PublishedTimelines: Sendable {
  private let timelines = Mutex<[FeedID: Entry]>([:])
  /// Counts what was written, for ``version``.
  private let changes = Atomic<UInt64>(0)
  /// Counts what was begun to be written, for ``settledVersion``.
  private let changesBegun = Atomic<UInt64>(0)

  private struct Entry {
    var published: Published
    let changes = FeedChanges()
  }

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
    timelines.withLock { $0[feed]?.published }
  }

  /// Counts what is published of a feed from now on; nil where nothing is. Costs a lock.
  func changes(of feed: FeedID) -> FeedChanges? {
    timelines.withLock { $0[feed]?.changes }
  }

  /// Lets readers see a timeline. Returns what they saw before.
  @discardableResult
  func publish(_ published: Published, of feed: FeedID) -> Published? {
    timelines.withLock { timelines in
      guard let before = timelines[feed] else {
        timelines[feed] = Entry(published: published)
        return nil
      }
      timelines[feed]?.published = published
      before.changes.note()
      return before.published
    }
  }

  /// Lets readers see nothing of a feed. Returns what they saw before.
  @discardableResult
  func withdraw(_ feed: FeedID) -> Published? {
    timelines.withLock { timelines in
      let before = timelines.removeValue(forKey: feed)
      before?.changes.note()
      return before?.published
    }
  }

  /// Lets readers see nothing but these feeds.
  func withdrawAll(but kept: Set<FeedID> = []) {
    timelines.withLock { timelines in
      for (feed, entry) in timelines where !kept.contains(feed) {
        timelines[feed] = nil
        entry.changes.note()
      }
    }
  }

  /// Changes what is stored, or what is published of it; then the version moves, whether or not
  /// that succeeded.
  func change<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    changesBegun.add(1, ordering: .sequentiallyConsistent)
    defer { changes.add(1, ordering: .sequentiallyConsistent) }
    return try body()
  }
}

/// Counts what was published of a feed, until nothing is any more.
final class FeedChanges: Sendable {
  private let count = Atomic<UInt64>(0)

  var value: UInt64 { count.load(ordering: .acquiring) }

  func note() { count.add(1, ordering: .releasing) }
}

/// The state of all contents at an instant, and of a feed where it is of one: see ``FeedVersion``.
final class StoredVersion: FeedVersion {
  private let changes: FeedChanges?
  private let store: any FeedStore
  private let change: UInt64?
  private let contentChange: UInt64

  /// The present state, taken before anything is read.
  init(_ changes: FeedChanges? = nil, in store: any FeedStore) {
    (self.changes, self.store) = (changes, store)
    (change, contentChange) = (changes?.value, store.contentChanges)
  }

  var isCurrent: Bool { changes?.value == change && store.contentChanges == contentChange }
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
