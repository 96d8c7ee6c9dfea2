import Feed

/// What other servers wrote.
extension FeedBook {
  /// Takes news in. Returns the feeds in memory that changed.
  ///
  /// No timeline of theirs is published while their rows change: see ``evictStep(_:)``.
  func take(_ news: StoreNews) throws(StoreError) -> Set<FeedID> {
    guard news.changesRows else {
      try store.take(news)
      return []
    }
    let names = Set(news.feeds.map(\.name))
    let touched = states.keys.filter { names.contains($0.name) }
    for case .rows(let rows) in news.feeds where rows.feed.order == .observed {
      for feed in touched
      where feed.name == rows.feed.name && rows.feed.form.fit(feed) == .reordered {
        slices.reordered.insert(feed)
      }
    }
    try change { () throws(StoreError) in
      let published = touched.map { ($0, slices.published.withdraw($0)) }
      do throws(StoreError) {
        try store.take(news)
      } catch {
        for (feed, before) in published {
          if let before { slices.published.publish(before, of: feed) }
        }
        throw error
      }
      adoptStoreEpoch()
      for (feed, _) in published {
        do throws(StoreError) {
          try renew(feed)
        } catch {
          // It is read, and the failure met, where it is asked for.
          forget(feed)
          listeners.tell(feed)
        }
      }
    }
    return Set(touched)
  }

  /// Goes on with a feed as it is stored now, where it is in memory.
  func readAgain(_ feed: FeedID) throws(StoreError) {
    adoptStoreEpoch()
    guard states[feed] != nil else { return }
    try change { () throws(StoreError) in try renew(feed) }
  }

  /// Goes on with a feed as it is stored now. What was seen here of what is proven no more, or was
  /// found since, is forgotten, as by a restart.
  private func renew(_ feed: FeedID) throws(StoreError) {
    guard var state = states[feed] else { return }
    guard slices.isServed(feed), var timeline = try fitting(feed) else {
      forget(feed)
      listeners.tell(feed)
      return
    }
    timeline.epoch = epoch
    let before = state.timeline
    state.untold = Untold(
      state.untold, from: before, to: timeline, isTop: before.lookedAt != timeline.lookedAt)
    state.timeline = timeline
    state.doubts.keep(own: before.doubts)
    state.adoptPageSize()
    state.opened = Territory.opened(
      state.opened + Territory.opened(stored: timeline), in: timeline)
    state.attempts = state.attempts.filter { timeline.isBound($0.key) }
    state.continuations = state.continuations.filter { timeline.isBound($0.key) }
    state.search = nil
    if !state.doubts.claims(state.late.arrivals) { state.late.arrivals = nil }
    state.late.arrivals?.leaveOut(timeline.proofs)
    state.late.gaps.removeAll { timeline.holdsProof(below: $0.upper) }
    state.revision = nil
    state.record.isStored = true
    keep(state, of: feed)
    publish(feed)
  }
}
