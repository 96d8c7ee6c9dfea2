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

  /// See ``StoreHousekeeping/feeds()``.
  package func feeds() throws(StoreError) -> [StoredFeed] {
    state.withLock { state in
      state.timelines.keys.map {
        StoredFeed(
          name: $0.name, source: $0.source, order: $0.pattern.order,
          readAt: state.reads[$0.name] ?? Timestamp(milliseconds: 0))
      }
    }
  }

  /// See ``StoreHousekeeping/foot(of:limit:)``.
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

  /// See ``StoreHousekeeping/contentBytes(of:)``.
  package func contentBytes(of name: String) throws(StoreError) -> Int64 {
    state.withLock { state in
      guard let feed = state.timelines.keys.first(where: { $0.name == name }) else { return 0 }
      let rows = state.rows[feed]?.between(.top, .bottom) ?? []
      return rows.reduce(0) { sum, row in
        guard row.known.state != .removed else { return sum }
        return sum + Int64(state.items[feed.realm]?[row.known.id]?.bytes?.count ?? 0)
      }
    }
  }

  /// See ``StoreHousekeeping/cut(_:below:leaving:)``.
  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {
    try change(name) { feed, state in
      let gone = state.rows[feed]?.between(cut, .bottom) ?? []
      state.load.placesEvicted += gone.count
      state.rows[feed]?.remove { !cut.isBelow($0.known.position) }
      let sequence = state.timelines[feed]?.sequence ?? 0
      state.timelines[feed] = timeline
      state.timelines[feed]?.sequence = sequence
      return gone.map(\.known.id)
    }
  }

  /// See ``StoreHousekeeping/drop(_:)``.
  package func drop(_ name: String) throws(StoreError) {
    try change(name) { feed, state in
      let gone = state.rows[feed]?.between(.top, .bottom) ?? []
      state.load.feedsEvicted += 1
      state.load.placesEvicted += gone.count
      state.floor = max(state.floor, 1 + (state.timelines[feed]?.sequence ?? 0))
      state.rows[feed] = nil
      state.timelines[feed] = nil
      return gone.map(\.known.id)
    }
  }

  private func change(
    _ name: String, _ body: (FeedID, inout State) -> [Identity]
  ) throws(StoreError) {
    let result = state.withLock { state -> Result<Void, StoreError> in
      if let failure = state.failure { return .failure(failure) }
      guard let feed = state.timelines.keys.first(where: { $0.name == name }) else {
        return .success(())
      }
      release(body(feed, &state), from: feed.realm, &state)
      return .success(())
    }
    try result.get()
    state.withLock(\.afterChange)?()
  }

  /// Takes those items away that no feed of the realm holds; what has gone everywhere stays known.
  private func release(_ ids: [Identity], from realm: String, _ state: inout State) {
    let feeds = state.rows.filter { $0.key.realm == realm }.values
    for id in ids where state.items[realm]?[id]?.bytes != nil {
      let isHeld = feeds.contains { $0.of(id).contains { $0.known.state != .removed } }
      if !isHeld { state.items[realm]?[id] = nil }
    }
  }

  /// See ``StoreHousekeeping/note(_:)``.
  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    state.withLock { $0.reads.merge(reads) { max($0, $1) } }
  }

  /// Sweeps all there is at once. See ``StoreHousekeeping/sweep(_:)``.
  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool {
    state.withLock { state in
      for feed in Array(state.rows.keys) {
        let all = state.rows[feed]?.between(.top, .bottom) ?? []
        let gone = all.filter { $0.known.state == .removed && $0.known.sentAt < sweep.goneBefore }
        let places = Set(gone.map(\.known.position))
        guard !places.isEmpty else { continue }
        state.rows[feed]?.remove { places.contains($0.known.position) }
        release(gone.map(\.known.id), from: feed.realm, &state)
      }
      for realm in Array(state.items.keys) {
        let loose = (state.items[realm] ?? [:]).filter { $0.value.sentAt < sweep.looseBefore }
        release(Array(loose.keys), from: realm, &state)
        state.items[realm] = state.items[realm]?
          .filter { $0.value.bytes != nil || $0.value.sentAt >= sweep.goneBefore }
      }
    }
    return true
  }

  /// See ``StoreHousekeeping/shrink()``.
  package func shrink() throws(StoreError) -> Bool { false }
}
