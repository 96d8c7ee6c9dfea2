import Feed

/// What was to be written while a store could not write: in memory, in the order in which it came,
/// with what it makes of the rows below.
///
/// It takes no sequence numbers: a client is sent the last number that is written, and the
/// changes take theirs when they are. So a number never comes to mean something else, whatever
/// becomes of what is held.
struct WriteBuffer {
  /// A write that waits.
  enum Operation {
    case merges([Merge])
    case item(PageItem, realm: String, sentAt: Timestamp)
    case delete(Identity, realm: String, sentAt: Timestamp)
  }

  /// A feed of which something is held.
  struct HeldFeed {
    var timeline = Timeline()
    /// The places that differ from those stored below.
    var rows = BufferedRows()
  }

  /// Distinguishes one time of holding from all others.
  let number: Int
  /// Why the store could not write, as it last said.
  var reason: StoreError
  /// What waits, the first to come first.
  private(set) var operations: [Operation] = []
  /// The feeds that merges wait for.
  private(set) var feeds: [FeedID: HeldFeed] = [:]
  /// The items that differ from those stored, by realm.
  private(set) var items: [String: [Identity: StoredItem]] = [:]
  /// When the deletions of items that wait were sent, by realm: places stored of them are
  /// tombstones.
  private(set) var deletions: [String: [Identity: [Timestamp]]] = [:]
  /// The budgets to keep.
  var budgets: [String: Budget] = [:]
  /// What is held of each source, in bytes.
  private(set) var bytes: [String: Int] = [:]

  /// Holds nothing yet.
  init(number: Int, reason: StoreError) {
    self.number = number
    self.reason = reason
  }

  /// What is known below of what a merge touches.
  struct Baseline {
    /// The last number written of the feed.
    var sequence: Int64 = 0
    /// The places in its range, and those of its elements, with what is held laid over them.
    var places: [KnownElement] = []
    /// Those of its items that a later answer brought, or said to have gone.
    var settled: [Identity: StoredItem] = [:]
  }

  /// Holds the merges of one answer, which have been laid.
  mutating func hold(_ merges: [Merge]) {
    add(.merges(merges))
  }

  /// Lays a merge over what is known below.
  mutating func lay(_ merge: Merge, on ground: Baseline) {
    var merge = merge
    for seen in merge.seen where ground.settled[seen.item.id] == nil {
      keep(seen.item, realm: merge.feed.realm, sentAt: merge.sentAt)
    }
    let kept = items[merge.feed.realm] ?? [:]
    merge.seen.removeAll { seen in
      (kept[seen.item.id] ?? ground.settled[seen.item.id])?.bytes == nil
    }
    var feed = feeds[merge.feed] ?? HeldFeed()
    let before = Set(ground.places)
    for place in merge.laid(over: ground.places, adding: { _ in true })
    where !before.contains(place) {
      feed.rows.put(place)
    }
    feed.timeline = merge.timeline
    feed.timeline.sequence = ground.sequence
    feeds[merge.feed] = feed
  }

  /// Holds an item asked for by itself.
  mutating func hold(_ item: PageItem, realm: String, sentAt: Timestamp) {
    keep(item, realm: realm, sentAt: sentAt)
    add(.item(item, realm: realm, sentAt: sentAt))
  }

  /// Holds that an item has gone everywhere.
  mutating func holdDeletion(of id: Identity, realm: String, sentAt: Timestamp) {
    items[realm, default: [:]][id] = StoredItem(bytes: nil, sentAt: sentAt)
    deletions[realm, default: [:]][id, default: []].append(sentAt)
    for feed in feeds.keys where feed.realm == realm {
      for var row in feeds[feed]?.rows.of(id) ?? [] where row.state != .removed {
        row.leave(at: sentAt)
        feeds[feed]?.rows.put(row)
      }
    }
    add(.delete(id, realm: realm, sentAt: sentAt))
  }

  /// Keeps an item's content, unless a later answer spoke of it.
  private mutating func keep(_ item: PageItem, realm: String, sentAt: Timestamp) {
    if let known = items[realm]?[item.id], known.sentAt > sentAt { return }
    items[realm, default: [:]][item.id] = StoredItem(bytes: item.bytes, sentAt: sentAt)
  }

  private mutating func add(_ operation: Operation) {
    operations.append(operation)
    bytes[operation.source, default: 0] += operation.size
  }

  /// Lets go of the first operation: it is written.
  mutating func removeFirst() {
    let operation = operations.removeFirst()
    bytes[operation.source, default: 0] -= operation.size
    switch operation {
    case .merges(let merges):
      for merge in merges {
        for seen in merge.seen { forget(seen.item.id, realm: merge.feed.realm, upTo: merge.sentAt) }
      }
      if !waits(for: merges[0].feed) { feeds[merges[0].feed] = nil }
    case .item(let item, let realm, let sentAt): forget(item.id, realm: realm, upTo: sentAt)
    case .delete(let id, let realm, let sentAt):
      forget(id, realm: realm, upTo: sentAt)
      let waiting = deletions[realm]?[id] ?? []
      deletions[realm]?[id] = waiting.count > 1 ? Array(waiting.dropFirst()) : nil
    }
  }

  /// What is held of a feed, for readers.
  func held(of feed: FeedID) -> BufferedView {
    BufferedView(
      rows: feeds[feed]?.rows ?? BufferedRows(), items: items[feed.realm] ?? [:],
      deletions: deletions[feed.realm] ?? [:])
  }

  private mutating func forget(_ id: Identity, realm: String, upTo sentAt: Timestamp) {
    guard let known = items[realm]?[id], known.sentAt <= sentAt else { return }
    items[realm]?[id] = nil
  }

  /// Whether a merge of a feed waits.
  private func waits(for feed: FeedID) -> Bool {
    operations.contains { $0.feed == feed }
  }

  /// Lets go of all that is held of a source, unwritten, but that items have gone.
  mutating func discardBuffered(of source: String) {
    feeds = feeds.filter { $0.key.source != source }
    operations.removeAll { operation in
      if case .delete = operation { return false }
      return operation.source == source
    }
    for realm in items.keys where Operation.source(of: realm) == source {
      items[realm] = items[realm]?.filter { $0.value.bytes == nil }
    }
    bytes[source] = operations.reduce(0) { $1.source == source ? $0 + $1.size : $0 }
  }

  /// Lets go of what is held of a feed below a cut; all of it where that is ``Cut/top``.
  mutating func cut(_ feed: FeedID, below cut: Cut, leaving timeline: Timeline) {
    feeds[feed]?.rows.cut(below: cut)
    feeds[feed]?.timeline = timeline
    for index in operations.indices {
      guard case .merges(var merges) = operations[index], merges[0].feed == feed else { continue }
      for index in merges.indices {
        merges[index].timeline = merges[index].timeline.cut(below: cut, losing: [])
        merges[index].seen.removeAll { !cut.isBelow($0.position) }
        merges[index].missing.removeAll { !cut.isBelow($0) }
        merges[index].removed.removeAll { !cut.isBelow($0) }
      }
      bytes[feed.source, default: 0] -= operations[index].size
      operations[index] = .merges(merges)
      bytes[feed.source, default: 0] += operations[index].size
    }
  }

  /// Lets go of all that is held of a feed.
  mutating func drop(_ feed: FeedID) {
    feeds[feed] = nil
    operations.removeAll { operation in
      guard operation.feed == feed else { return false }
      bytes[feed.source, default: 0] -= operation.size
      return true
    }
  }
}

extension WriteBuffer.Operation {
  /// What a row takes besides its content, in bytes.
  private static let rowSize = 256

  /// The feed that it changes; nil where it changes an item.
  var feed: FeedID? {
    if case .merges(let merges) = self { merges[0].feed } else { nil }
  }

  /// The source's name.
  var source: String {
    switch self {
    case .merges(let merges): merges[0].feed.source
    case .item(_, let realm, _), .delete(_, let realm, _): Self.source(of: realm)
    }
  }

  /// The name of the source a realm is of: `qiita` of `qiita#items`.
  static func source(of realm: String) -> String {
    String(realm.prefix { $0 != "#" && $0 != "/" })
  }

  /// What it takes of memory, in bytes.
  var size: Int {
    switch self {
    case .merges(let merges):
      return merges.reduce(0) { size, merge in
        let rows = merge.seen.count + merge.missing.count + merge.removed.count
        return merge.seen.reduce(size) { $0 + $1.item.bytes.count }
          + (rows + merge.timeline.proofs.count) * Self.rowSize
      }
    case .item(let item, _, _): return item.bytes.count + Self.rowSize
    case .delete: return Self.rowSize
    }
  }
}
