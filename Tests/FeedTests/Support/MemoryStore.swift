import Feed
import Synchronization

/// A store in memory, plain enough to be right at sight: rows sorted by position.
final class MemoryStore: TimelineStore {
  struct Row {
    var known: KnownElement
    var sequence: Int64
  }
  struct State {
    var timelines: [FeedID: Timeline] = [:]
    var rows: [FeedID: [Row]] = [:]
    var items: [String: [Identity: StoredItem]] = [:]
    var budgets: [String: Budget] = [:]
    var failure: StoreError?
  }
  let state = Mutex(State())
  let epoch = "memory01"

  func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    state.withLock { $0.timelines[feed] }
  }

  func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]
  {
    state.withLock { state in
      (state.rows[feed] ?? []).map(\.known).filter {
        lower.isBelow($0.position) && !upper.isBelow($0.position)
      }
    }
  }

  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    let ids = Set(ids)
    return state.withLock { state in
      (state.rows[feed] ?? []).map(\.known).filter { ids.contains($0.id) }
    }
  }

  func commit(_ merge: Merge, budget: Budget?) throws(StoreError) -> Int64 {
    let result = state.withLock { state -> Result<Int64, StoreError> in
      if let failure = state.failure { return .failure(failure) }
      var timeline = merge.timeline
      timeline.sequence = state.timelines[merge.feed]?.sequence ?? 0
      var rows = state.rows[merge.feed] ?? []
      for seen in merge.seen {
        write(seen, of: merge, into: &rows, &timeline.sequence)
        let stored = state.items[merge.feed.realm]?[seen.item.id]
        if stored.map({ $0.sentAt <= merge.sentAt }) ?? true {
          state.items[merge.feed.realm, default: [:]][seen.item.id] = StoredItem(
            bytes: seen.item.bytes, sentAt: merge.sentAt)
        }
      }
      for index in rows.indices {
        if merge.missing.contains(rows[index].known.position) {
          rows[index].known.missingSince = merge.sentAt
        }
        if merge.removed.contains(rows[index].known.position) {
          timeline.sequence += 1
          rows[index].known.state = .removed
          rows[index].sequence = timeline.sequence
        }
      }
      rows.sort { $0.known.position > $1.known.position }
      state.rows[merge.feed] = rows
      state.timelines[merge.feed] = timeline
      if let budget { state.budgets[merge.feed.source] = budget }
      return .success(timeline.sequence)
    }
    return try result.get()
  }

  private func write(
    _ seen: Merge.Seen, of merge: Merge, into rows: inout [Row], _ sequence: inout Int64
  ) {
    for index in rows.indices
    where rows[index].known.id == seen.item.id && rows[index].known.position != seen.position {
      rows[index].known.state = .removed
    }
    let old = rows.first { $0.known.position == seen.position }
    rows.removeAll { $0.known.position == seen.position }
    if seen.takesNumber { sequence += 1 }
    rows.append(
      Row(
        known: KnownElement(
          position: seen.position, id: seen.item.id, updatedAt: seen.item.updatedAt,
          state: seen.state),
        sequence: seen.takesNumber ? sequence : old?.sequence ?? 0))
  }

  func budget(of source: String) throws(StoreError) -> Budget? {
    state.withLock { $0.budgets[source] }
  }

  func keep(_ budget: Budget, of source: String) throws(StoreError) {
    state.withLock { $0.budgets[source] = budget }
  }

  func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    state.withLock {
      $0.items[realm, default: [:]][item.id] = StoredItem(bytes: item.bytes, sentAt: sentAt)
    }
  }

  func delete(_ id: Identity, realm: String, sentAt: Timestamp) throws(StoreError)
    -> [(feed: String, sequence: Int64)]
  {
    state.withLock { state in
      state.items[realm, default: [:]][id] = StoredItem(bytes: nil, sentAt: sentAt)
      var touched: [(feed: String, sequence: Int64)] = []
      for (feed, rows) in state.rows where feed.realm == realm {
        for index in rows.indices where rows[index].known.id == id {
          state.timelines[feed]?.sequence += 1
          state.rows[feed]?[index].known.state = .removed
          touched.append((feed.name, state.timelines[feed]?.sequence ?? 0))
        }
      }
      return touched
    }
  }

  func makeReader() throws(StoreError) -> any TimelineReader { Reader(store: self) }

  func check() throws(StoreError) {}

  final class Reader: TimelineReader {
    let store: MemoryStore

    init(store: MemoryStore) {
      self.store = store
    }

    private func live(_ feed: FeedID, _ upper: Cut, _ lower: Cut) -> [Element] {
      store.state.withLock { state in
        (state.rows[feed] ?? []).compactMap { row in
          let position = row.known.position
          guard row.known.state != .removed, lower.isBelow(position), !upper.isBelow(position),
            let bytes = state.items[feed.realm]?[row.known.id]?.bytes
          else { return nil }
          return Element(position: position, id: row.known.id, bytes: bytes)
        }
      }
    }

    func elements(of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int)
      throws(StoreError) -> [Element]
    {
      Array(live(feed, upper, lower).prefix(limit))
    }

    func lastElements(of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int)
      throws(StoreError) -> [Element]
    {
      Array(live(feed, upper, lower).suffix(limit))
    }

    func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
      -> Bool
    {
      !live(feed, upper, lower).isEmpty
    }

    func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
      store.state.withLock { state in
        let rows = (state.rows[feed] ?? []).filter { $0.known.id == id }
        return (rows.first { $0.known.state != .removed } ?? rows.first)?.known.position
      }
    }

    func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
      store.state.withLock { $0.items[realm]?[id] }
    }
  }
}
