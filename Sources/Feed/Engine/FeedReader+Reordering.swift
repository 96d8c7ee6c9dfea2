import Synchronization

/// Feeds that come in another order than their pattern says, as a search sorted by likes does:
/// they are served in the order the upstream shows.
extension FeedReader {
  /// The names of feeds that are served as the upstream orders them: those whose answers showed so,
  /// and of all that were stored so at the start, whatever their pattern says.
  struct Reordered: ~Copyable, Sendable {
    private let isEmpty = Atomic<Bool>(true)
    private let names: Mutex<Set<String>>

    init(stored feeds: [StoredFeed], of source: String) {
      let observed = feeds.lazy.filter { $0.source == source && $0.order == .observed }
      let names = Set(observed.map(\.name))
      self.names = Mutex(names)
      isEmpty.store(names.isEmpty, ordering: .releasing)
    }

    func contains(_ name: String) -> Bool {
      guard !isEmpty.load(ordering: .acquiring) else { return false }
      return names.withLock { $0.contains(name) }
    }

    func insert(_ name: String) {
      names.withLock { _ = $0.insert(name) }
      isEmpty.store(false, ordering: .releasing)
    }
  }

  /// The feed as it is served: one by value whose answers have shown another order is observed.
  /// Costs one load while no observed feed was stored at the start, else a lock, on any thread.
  package nonisolated func served(_ feed: FeedID) -> FeedID {
    isServed(feed) ? feed : feed.observed
  }

  /// Whether a feed is served in the order that its pattern says.
  package nonisolated func isServed(_ feed: FeedID) -> Bool {
    feed.pattern.order != .value || !reordered.contains(feed.name)
  }

  /// Notes in which order an answer came. Returns whether nothing of it may be taken, for now or,
  /// where the feed is served in another order from now on.
  func refusesOrder(_ evidence: Evidence, of feed: FeedID) throws(StoreError) -> Bool {
    guard feed.pattern.order == .value else { return false }
    var state = try state(of: feed)
    state.disorder.note(evidence)
    keep(state, of: feed)
    guard state.disorder.isCertain else {
      // Of what was in order before, one answer that is not takes nothing away.
      return state.disorder.isSuspected && state.timeline.lookedAt == nil
    }
    try change(withdrawing: feed) { () throws(StoreError) in
      if state.isStored { try store.drop(feed.name) }
      reordered.insert(feed.name)
      states[feed] = nil
    }
    tellListeners(of: feed)
    report(.reordered(feed: feed))
    return true
  }
}
