import Synchronization

extension FeedReader {
  /// How a step of giving up a feed ended.
  package enum EvictionResult: Hashable, Sendable {
    /// A part of it is gone; there is more.
    case partly
    /// It is gone.
    case wholly
    /// It stays as it is: somebody waits for it or has read it meanwhile, or no more may go.
    case not
  }

  /// When the feeds in memory were last read, by name.
  package var reads: [String: Timestamp] {
    var reads: [String: Timestamp] = [:]
    for (feed, state) in states where state.isStored { reads[feed.name] = state.mark.readAt }
    return reads
  }

  /// When feeds were last read that were read since this was last asked, by name.
  package func takeReads() -> [String: Timestamp] {
    var reads: [String: Timestamp] = [:]
    for (feed, state) in states where state.isStored {
      guard let readAt = state.mark.readAt, readAt != state.readAtTaken else { continue }
      states[feed]?.readAtTaken = readAt
      reads[feed.name] = readAt
    }
    return reads
  }

  /// Takes one step of giving up a feed, of at most ``Eviction/placesMax`` places where no second
  /// holds more.
  ///
  /// What its readers see and what is stored change in the order in which neither can be taken for
  /// the other: no timeline is published while rows go, so that a loop that has read some of them
  /// finds that its timeline no longer stands and asks here, where both are whole again.
  package func evictStep(_ victim: Eviction.Victim) throws(StoreError) -> EvictionResult {
    adoptStoreEpoch()
    let feed = states.keys.first { $0.name == victim.name }
    if let feed, isInUse(feed, by: victim) { return .not }
    let step = try store.step(of: victim, standing: feed.flatMap { states[$0]?.timeline })
    switch step {
    case .needsMore, .nothing: return .not
    case .drop, .cut: break
    }
    try change(withdrawing: feed) { () throws(StoreError) in
      try store.take(step, of: victim)
      if let feed { keep(step, of: feed) }
    }
    return step == .drop ? .wholly : .partly
  }

  /// Takes rows of a feed away while no timeline of it is published; where that fails nothing was
  /// changed, and its timeline is published again.
  func change(
    withdrawing feed: FeedID?, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try change { () throws(StoreError) in
      let before = feed.flatMap { feed in published.withLock { $0.removeValue(forKey: feed) } }
      do throws(StoreError) {
        try body()
      } catch {
        if let feed { published.withLock { $0[feed] = before } }
        throw error
      }
    }
  }

  /// Whether somebody waits for a feed, or has read one that is to go whole.
  private func isInUse(_ feed: FeedID, by victim: Eviction.Victim) -> Bool {
    guard flights[.feed(feed)] == nil, waiting[feed] == nil else { return true }
    return !victim.keepsTop && states[feed]?.mark.readAt.map { $0 > victim.readAt } ?? false
  }

  /// Goes on with what a step has left of a feed.
  private func keep(_ step: Eviction.Step, of feed: FeedID) {
    guard case .cut(_, let timeline) = step, var state = states[feed] else {
      states[feed] = nil
      return
    }
    state.timeline = timeline
    // What is asked for next is to come whole.
    state.revision = nil
    state.attempts = state.attempts.filter { timeline.isBound($0.key) }
    states[feed] = state
    publish(feed)
  }
}

extension TimelineStore {
  /// The next step of giving up a feed; `standing` is its timeline, where a reader has it.
  func step(
    of victim: Eviction.Victim, standing: Timeline?
  ) throws(StoreError) -> Eviction.Step {
    var limit = Eviction.foot(keepsTop: victim.keepsTop)
    while var foot = try foot(of: victim.name, limit: limit) {
      if let standing { foot.timeline = standing }
      let step = Eviction.step(for: foot, limit: limit, keepsTop: victim.keepsTop)
      guard step == .needsMore else { return step }
      limit *= 2
    }
    return .nothing
  }

  /// Writes a step down.
  func take(_ step: Eviction.Step, of victim: Eviction.Victim) throws(StoreError) {
    switch step {
    case .drop: try drop(victim.name)
    case .cut(let cut, let timeline): try self.cut(victim.name, below: cut, leaving: timeline)
    case .needsMore, .nothing: break
    }
  }
}
