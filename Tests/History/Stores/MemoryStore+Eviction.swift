package import Feed
import Synchronization

/// How feeds leave the store in memory.
extension MemoryStore {
  /// Its bytes are those of the items' contents.
  package var load: StoreLoad {
    state.withLock { state in
      var load = state.load
      load.feeds = state.timelines.count
      load.bytes = state.items.values.reduce(0) { sum, items in
        items.values.reduce(sum) { $0 + Int64($1.bytes?.count ?? 0) }
      }
      return load
    }
  }

  /// See ``TimelineStore/feeds()``.
  package func feeds() throws(StoreError) -> [StoredFeed] {
    state.withLock { state in
      state.timelines.keys.map {
        StoredFeed(
          name: $0.name, source: $0.source, order: $0.pattern.order,
          readAt: state.reads[$0.name] ?? Timestamp(milliseconds: 0))
      }
    }
  }

  /// See ``TimelineStore/foot(of:limit:)``.
  package func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail? {
    state.withLock { state in
      guard let (feed, timeline) = state.timelines.first(where: { $0.key.name == name }) else {
        return nil
      }
      let rows = state.rows[feed]?.between(.top, .bottom) ?? []
      return FeedTail(
        order: feed.pattern.order, timeline: timeline,
        places: rows.suffix(limit).reversed().map(\.known))
    }
  }

  /// See ``TimelineStore/cut(_:below:leaving:)``.
  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {
    try change(name) { feed, state in
      let kept = state.rows[feed]?.between(.top, cut) ?? []
      state.load.placesEvicted += (state.rows[feed]?.between(cut, .bottom) ?? []).count
      var rows = Rows()
      for row in kept { rows.put(row) }
      state.rows[feed] = rows
      state.timelines[feed] = timeline
    }
  }

  /// See ``TimelineStore/drop(_:)``.
  package func drop(_ name: String) throws(StoreError) {
    try change(name) { feed, state in
      state.load.feedsEvicted += 1
      state.load.placesEvicted += (state.rows[feed]?.between(.top, .bottom) ?? []).count
      state.floor = max(state.floor, 1 + (state.timelines[feed]?.sequence ?? 0))
      state.rows[feed] = nil
      state.timelines[feed] = nil
    }
  }

  private func change(
    _ name: String, _ body: (FeedID, inout State) -> Void
  ) throws(StoreError) {
    let result = state.withLock { state -> Result<Void, StoreError> in
      if let failure = state.failure { return .failure(failure) }
      guard let feed = state.timelines.keys.first(where: { $0.name == name }) else {
        return .success(())
      }
      body(feed, &state)
      release(from: feed.realm, &state) { _ in true }
      return .success(())
    }
    try result.get()
    state.withLock(\.afterChange)?()
  }

  /// Takes items away that no feed of the realm holds.
  private func release(
    from realm: String, _ state: inout State, where mayGo: (StoredItem) -> Bool
  ) {
    let feeds = state.rows.filter { $0.key.realm == realm }.values
    let held = feeds.reduce(into: Set<Identity>()) { held, rows in
      for row in rows.between(.top, .bottom) where row.known.state != .removed {
        held.insert(row.known.id)
      }
    }
    state.items[realm] = state.items[realm]?.filter { id, item in
      held.contains(id) || item.bytes == nil || !mayGo(item)
    }
  }

  /// See ``TimelineStore/note(_:)``.
  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    state.withLock { $0.reads.merge(reads) { max($0, $1) } }
  }

  /// Takes loose items away, all at once; its rows do not know when they became tombstones.
  /// See ``TimelineStore/sweep(_:)``.
  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool {
    state.withLock { state in
      for realm in state.items.keys {
        release(from: realm, &state) { $0.sentAt < sweep.looseBefore }
      }
    }
    return true
  }

  /// See ``TimelineStore/shrink()``.
  package func shrink() throws(StoreError) -> Bool { false }
}
