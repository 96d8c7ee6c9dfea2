import Bytes
package import Feed
package import Synchronization

/// A store in memory, plain enough to be right at sight: rows sorted by position.
package final class MemoryStore:
  TimelineStore, LoneStore, StoreHousekeeping, StoreHealth, UnbufferedStore
{
  struct Row {
    var known: KnownElement
    var sequence: Int64

    /// Makes it a tombstone, unless a later answer has spoken of it.
    mutating func remove(at sentAt: Timestamp, _ sequence: inout Int64) {
      guard known.state != .removed, known.sentAt <= sentAt else { return }
      sequence += 1
      leave(at: sentAt)
      self.sequence = sequence
    }

    /// Makes it a tombstone without a number of its own: its element stands elsewhere, with
    /// `number` where it took one.
    mutating func leave(at sentAt: Timestamp, _ number: Int64? = nil) {
      sequence = number ?? sequence
      known.leave(at: sentAt)
    }
  }
  /// What is stored, and what a test may set.
  package struct State {
    /// What is proven, by feed.
    package var timelines: [FeedID: Timeline] = [:]
    var rows: [FeedID: Rows] = [:]
    /// Items' contents, by realm.
    package var items: [String: [Identity: StoredItem]] = [:]
    var budgets: [String: Budget] = [:]
    /// What writing ends with.
    package var failure: StoreError?
    /// Beyond what dropped feeds told.
    var floor: Int64 = 0
    /// When feeds were last noted to be read, by name.
    package var reads: [String: Timestamp] = [:]
    var load = StoreLoad()
    /// What is done when rows of a feed have gone.
    package var afterChange: (@Sendable () -> Void)?
    /// What happens when something was written.
    package var afterWrite: (@Sendable () -> Void)?

    /// Keeps an item's content, unless a later answer spoke of it.
    mutating func keep(_ item: PageItem, realm: String, sentAt: Timestamp) {
      if let stored = items[realm]?[item.id], stored.sentAt > sentAt { return }
      items[realm, default: [:]][item.id] = StoredItem(bytes: item.bytes, sentAt: sentAt)
    }
  }
  /// What is stored.
  package let state = Mutex(State())
  package let epoch: String
  package var contentChanges: UInt64 { writes.load(ordering: .acquiring) }
  private let writes = Atomic<UInt64>(0)

  package var isDamaged: Bool { false }

  /// An empty store.
  package init(epoch: String = "memory01") {
    self.epoch = epoch
  }

  package func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    state.withLock { $0.timelines[feed] }
  }

  package func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]
  {
    state.withLock { $0.rows[feed]?.between(upper, lower).map(\.known) ?? [] }
  }

  package func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    state.withLock { state in
      ids.flatMap { state.rows[feed]?.of($0).map(\.known) ?? [] }
    }
  }

  package func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64 {
    let result = state.withLock { state -> Result<Int64, StoreError> in
      if let failure = state.failure { return .failure(failure) }
      for merge in merges { lay(merge, into: &state) }
      let feed = merges[0].feed
      if let budget { state.budgets[feed.source] = budget }
      return .success(state.timelines[feed]?.sequence ?? 0)
    }
    let sequence = try result.get()
    writes.add(1, ordering: .releasing)
    state.withLock(\.afterWrite)?()
    return sequence
  }

  private func lay(_ merge: Merge, into state: inout State) {
    var timeline = merge.timeline
    // As a file keeps them: a restart reads the text.
    timeline.doubts = Doubts(text: timeline.doubts.text)
    timeline.sequence = state.timelines[merge.feed]?.sequence ?? state.floor
    var rows = state.rows.removeValue(forKey: merge.feed) ?? Rows()
    let sentAt = merge.sentAt
    for position in merge.removed {
      rows.change(position) { $0.remove(at: sentAt, &timeline.sequence) }
    }
    for position in merge.missing {
      rows.change(position) { row in
        guard row.known.state != .removed, row.known.sentAt <= sentAt,
          row.known.missingSince == nil
        else { return }
        (row.known.missingSince, row.known.sentAt) = (sentAt, sentAt)
      }
    }
    for seen in merge.seen {
      state.keep(seen.item, realm: merge.feed.realm, sentAt: sentAt)
      guard state.items[merge.feed.realm]?[seen.item.id]?.bytes != nil else { continue }
      write(seen, at: sentAt, into: &rows, &timeline.sequence)
    }
    state.rows[merge.feed] = rows
    state.timelines[merge.feed] = timeline
  }

  private func write(
    _ seen: Merge.Seen, at sentAt: Timestamp, into rows: inout Rows, _ sequence: inout Int64
  ) {
    let others = rows.of(seen.item.id)
    guard others.allSatisfy({ $0.known.sentAt <= sentAt }) else { return }
    if seen.takesNumber { sequence += 1 }
    let number = seen.takesNumber ? sequence : nil
    for other in others
    where other.known.position != seen.position && other.known.state != .removed {
      rows.change(other.known.position) { $0.leave(at: sentAt, number) }
    }
    let old = others.first { $0.known.position == seen.position }
    rows.put(
      Row(
        known: KnownElement(
          position: seen.position, id: seen.item.id, updatedAt: seen.item.updatedAt,
          state: seen.state, sentAt: sentAt),
        sequence: number ?? old?.sequence ?? 0))
  }

  package func budget(of source: String) throws(StoreError) -> Budget? {
    state.withLock { $0.budgets[source] }
  }

  package func keep(_ budget: Budget, of source: String) throws(StoreError) {
    state.withLock { $0.budgets[source] = budget }
  }

  package func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    state.withLock { $0.keep(item, realm: realm, sentAt: sentAt) }
    writes.add(1, ordering: .releasing)
    state.withLock(\.afterWrite)?()
  }

  package func delete(_ ids: [Identity], realm: String, sentAt: Timestamp) throws(StoreError)
    -> [String: Int64]
  {
    defer {
      writes.add(1, ordering: .releasing)
      state.withLock(\.afterWrite)?()
    }
    return state.withLock { state in
      var touched: [String: Int64] = [:]
      for id in ids {
        guard let known = state.items[realm]?[id], known.sentAt <= sentAt else { continue }
        state.items[realm]?[id] = StoredItem(bytes: nil, sentAt: sentAt)
        for feed in state.rows.keys where feed.realm == realm {
          for row in state.rows[feed]?.of(id) ?? [] where row.known.state != .removed {
            var sequence = state.timelines[feed]?.sequence ?? 0
            let at = max(row.known.sentAt, sentAt)
            state.rows[feed]?.change(row.known.position) { $0.remove(at: at, &sequence) }
            state.timelines[feed]?.sequence = sequence
            touched[feed.name] = sequence
          }
        }
      }
      return touched
    }
  }

  package func renew(from epoch: String) throws(StoreError) -> String? { nil }

  package func makeReader() throws(StoreError) -> any TimelineReader { Reader(store: self) }

  package func check() throws(StoreError) {}

  final class Reader: TimelineReader {
    let store: MemoryStore
    var epoch: String { store.epoch }

    init(store: MemoryStore) {
      self.store = store
    }

    private func live(_ feed: FeedID, _ rows: ArraySlice<Row>, _ state: State) -> [Element] {
      rows.compactMap { row in
        guard row.known.state != .removed, let bytes = state.items[feed.realm]?[row.known.id]?.bytes
        else { return nil }
        return Element(position: row.known.position, id: row.known.id, bytes: bytes)
      }
    }

    func elements(
      of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
    ) throws(StoreError) -> ArraySlice<Element> {
      store.state.withLock { state in
        var rows = state.rows[feed]?.between(upper, lower) ?? []
        var found: ArraySlice<Element> = []
        while found.count < limit, !rows.isEmpty {
          let some = rows.prefix(limit - found.count)
          found += live(feed, some, state)
          rows = rows.dropFirst(some.count)
        }
        return found
      }
    }

    func lastElements(
      of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
    ) throws(StoreError) -> ArraySlice<Element> {
      store.state.withLock { state in
        live(feed, state.rows[feed]?.between(upper, lower) ?? [], state).suffix(limit)
      }
    }

    func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
      -> Bool
    {
      try !elements(of: feed, below: upper, above: lower, limit: 1).isEmpty
    }

    func position(at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut)
      throws(StoreError) -> Position?
    {
      store.state.withLock { state in
        let live = live(feed, state.rows[feed]?.between(upper, lower) ?? [], state)
        return live.dropFirst(offset).first?.position
      }
    }

    func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
      store.state.withLock { state in
        let rows = state.rows[feed]?.of(id) ?? []
        return (rows.first { $0.known.state != .removed } ?? rows.first)?.known.position
      }
    }

    func changes(of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool)
      throws(StoreError) -> ChangeReading
    {
      store.state.withLock { state in
        let last = SequenceNumber(
          epoch: store.epoch, number: state.timelines[feed]?.sequence ?? 0)
        guard number.epoch == last.epoch, number.number <= last.number else {
          return .expired(last)
        }
        let rows = state.rows[feed]?.between(.top, .bottom) ?? []
        let changed = rows.filter { row in
          row.sequence > number.number
            && !(state.rows[feed]?.of(row.known.id) ?? []).contains {
              $0.sequence > row.sequence
                || row.known.state == .removed && $0.known.state != .removed
            }
        }.sorted { $0.sequence < $1.sequence }
        let told = changed.prefix(limit)
        let changes = told.map { row in
          let item = state.items[feed.realm]?[row.known.id]
          let event: Change.Event =
            if row.known.state != .removed, let bytes = item?.bytes {
              .upsert(row.known.position, bytes: bytes)
            } else {
              item.map { $0.bytes == nil } ?? false ? .delete : .remove(bytes: item?.bytes)
            }
          var change = Change(number: row.sequence, id: row.known.id, event: event)
          if case .upsert = event {
            change.hasMoved = (state.rows[feed]?.of(row.known.id) ?? []).contains {
              $0.known.state == .removed && $0.sequence > number.number
                && $0.known.position != row.known.position
            }
          }
          return change
        }
        var next = last
        let hasMore = changed.count > told.count
        if hasMore { next.number = told.last?.sequence ?? number.number }
        return .changes(Changes(changes: changes, next: next, hasMore: hasMore))
      }
    }

    func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
      store.state.withLock { $0.items[realm]?[id] }
    }
  }
}

/// The rows of one feed, top first, found by position and by identity.
struct Rows {
  private var sorted: [MemoryStore.Row] = []
  private var places: [Identity: [Position]] = [:]

  func between(_ upper: Cut, _ lower: Cut) -> ArraySlice<MemoryStore.Row> {
    let begin = index(below: upper.position)
    return sorted[begin..<max(begin, index(below: lower.position))]
  }

  func of(_ id: Identity) -> [MemoryStore.Row] {
    (places[id] ?? []).compactMap { position in index(of: position).map { sorted[$0] } }
  }

  mutating func put(_ row: MemoryStore.Row) {
    if let index = index(of: row.known.position) {
      sorted[index] = row
    } else {
      sorted.insert(row, at: index(below: row.known.position))
      places[row.known.id, default: []].append(row.known.position)
    }
  }

  mutating func remove(where goes: (MemoryStore.Row) -> Bool) {
    var kept = Rows()
    for row in sorted where !goes(row) { kept.put(row) }
    self = kept
  }

  mutating func change(_ position: Position, _ body: (inout MemoryStore.Row) -> Void) {
    if let index = index(of: position) { body(&sorted[index]) }
  }

  /// The first row whose position is smaller.
  private func index(below position: Position) -> Int {
    sorted.partitioningIndex { $0.known.position < position }
  }

  private func index(of position: Position) -> Int? {
    let index = index(below: position) - 1
    return index >= 0 && sorted[index].known.position == position ? index : nil
  }
}
