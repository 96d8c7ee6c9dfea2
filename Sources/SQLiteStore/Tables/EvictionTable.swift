import Feed

/// The statements of eviction: rows of `element` from below, with items that no other feed has.
final class EvictionTable {
  private let lowest: Statement
  private let below: Statement
  private let after: Statement
  private let takeOne: Statement
  private let release: Statement
  private let content: Statement
  private let item: Statement
  private let items: Statement
  private let floor: Statement
  private let floorOfFeed: Statement
  private let feed: Statement
  private let feeds: Statement
  private let read: Statement
  private let size: Statement
  private let digests: ContentDigests

  /// The statements' SQL.
  enum SQL {
    private static let removed = KnownElement.State.removed.rawValue
    private static let isHeld = """
      SELECT 1 FROM element INDEXED BY element_by_item
      WHERE element.item = item.key AND element.id = item.id AND element.state <> \(removed)
      """
    static let lowest = """
      SELECT ord, tie, id, updated_at, state, missing_since FROM element WHERE feed = ?
      ORDER BY ord, tie LIMIT ?
      """
    static let below = """
      DELETE FROM element WHERE feed = ? AND (ord, tie) < (?, ?) RETURNING id, item, sequence
      """
    static let after = """
      SELECT feed, ord, tie, id, item, sequence, state = \(removed) AND sent_at < ?5 FROM element
      WHERE (feed, ord, tie) > (?1, ?2, ?3) ORDER BY feed, ord, tie LIMIT ?4
      """
    static let takeOne = "DELETE FROM element WHERE feed = ? AND ord = ? AND tie = ?"
    /// An item that was deleted has no content, and so keeps its row. The identity is compared
    /// since a tombstone may name the key of an item that went, and a new one may have that key.
    static let release = """
      DELETE FROM item WHERE key = ?1 AND id = ?2 AND NOT EXISTS (\(isHeld))
        AND EXISTS (SELECT 1 FROM content WHERE content.item = item.key)
      RETURNING 1
      """
    static let item = "DELETE FROM item WHERE key = ?"
    static let content = "DELETE FROM content WHERE item = ?"
    /// Brings the next items, and whether each may go: marked as deleted for long enough, or held
    /// by no feed.
    static let items = """
      SELECT key,
        CASE WHEN EXISTS (SELECT 1 FROM content WHERE content.item = item.key)
          THEN sent_at < ?4 AND NOT EXISTS (\(isHeld)) ELSE sent_at < ?3 END
      FROM item WHERE key > ?1 ORDER BY key LIMIT ?2
      """
  }

  /// Prepares the statements.
  init(
    on connection: borrowing Connection, _ digests: ContentDigests
  ) throws(StoreError) {
    self.digests = digests
    lowest = try connection.prepare(SQL.lowest)
    below = try connection.prepare(SQL.below)
    after = try connection.prepare(SQL.after)
    takeOne = try connection.prepare(SQL.takeOne)
    release = try connection.prepare(SQL.release)
    content = try connection.prepare(SQL.content)
    item = try connection.prepare(SQL.item)
    items = try connection.prepare(SQL.items)
    floor = try connection.prepare(
      "UPDATE store SET sequence_floor = max(sequence_floor, ? + 1)")
    floorOfFeed = try connection.prepare(
      "UPDATE feed SET changes_floor = max(changes_floor, ?) WHERE key = ?")
    feed = try connection.prepare("DELETE FROM feed WHERE key = ?")
    feeds = try connection.prepare(
      "SELECT name, source, coalesce(read_at, 0), ordering, recipe FROM feed")
    size = try connection.prepare(
      """
      SELECT coalesce(sum(length(bytes)), 0) FROM element JOIN content USING (item)
      WHERE feed = ? AND state <> \(KnownElement.State.removed.rawValue)
      """)
    read = try connection.prepare(
      "UPDATE feed SET read_at = max(coalesce(read_at, 0), ?) WHERE name = ?")
  }

  /// A feed's lowest places, the lowest first.
  func lowest(of feed: Int64, limit: Int) throws(StoreError) -> [KnownElement] {
    defer { lowest.reset() }
    try lowest.bind(feed, Int64(limit))
    var places: [KnownElement] = []
    while try lowest.step() { places.append(try ElementTable.element(in: lowest)) }
    return places
  }

  /// The bytes of the contents of a feed's items.
  func contentBytes(of feed: Int64) throws(StoreError) -> Int64 {
    defer { size.reset() }
    try size.bind(feed)
    return try size.step() ? size.integer(0) : 0
  }

  /// Deletes what stands below a cut, and the items that nothing else holds. Returns how many
  /// places went and the highest number that one of them had.
  func delete(
    below cut: Cut, of feed: Int64
  ) throws(StoreError) -> (count: Int, sequence: Int64) {
    var held: [(item: Int64, id: [UInt8])] = []
    var last: Int64 = 0
    do {
      defer { below.reset() }
      try below.bind(feed, cut.position.order, cut.position.tie)
      while try below.step() {
        held.append((below.integer(1), try below.bytes(0)))
        last = max(last, below.integer(2))
      }
    }
    for (item, id) in held { try release(item, id: id) }
    return (held.count, last)
  }

  /// Deletes an item unless a feed holds it or it is marked as deleted.
  private func release(_ key: Int64, id: [UInt8]) throws(StoreError) {
    defer { release.reset() }
    try release.bind(key, id)
    guard try release.step() else { return }
    while try release.step() {}
    digests.forget(key)
    try content.run(key)
  }

  /// Notes that changes are whole only after a number.
  func raiseFloor(to sequence: Int64, of feed: Int64) throws(StoreError) {
    try floorOfFeed.run(sequence, feed)
  }

  /// Deletes a feed's row. Its other rows must have gone before.
  func deleteRow(of feed: Int64, sequence: Int64) throws(StoreError) {
    try floor.run(sequence)
    try self.feed.run(feed)
  }

  /// All feeds.
  func all() throws(StoreError) -> [StoredFeed] {
    defer { feeds.reset() }
    var found: [StoredFeed] = []
    while try feeds.step() {
      var feed = StoredFeed(
        name: String(decoding: try feeds.bytes(0), as: UTF8.self),
        source: String(decoding: try feeds.bytes(1), as: UTF8.self),
        order: FeedOrder(rawValue: String(decoding: try feeds.bytes(3), as: UTF8.self)) ?? .value,
        readAt: feeds.instant(2))
      feed.recipe = feeds.isNull(4) ? nil : feeds.integer(4)
      found.append(feed)
    }
    return found
  }

  /// Records when a feed was read.
  func record(_ name: String, readAt: Timestamp) throws(StoreError) {
    try read.run(readAt.milliseconds, name)
  }

  /// A row of `element` that a sweep came by.
  struct Swept {
    var feed: Int64
    var position: Position
    var id: [UInt8]
    var item: Int64
    var sequence: Int64
    /// Whether it is a tombstone that may be forgotten.
    var mayGo: Bool
  }

  /// The next rows of all feeds after a place.
  func places(
    after place: (feed: Int64, position: Position), limit: Int, goneBefore: Timestamp
  ) throws(StoreError) -> [Swept] {
    defer { after.reset() }
    try after.bind(
      place.feed, place.position.order, place.position.tie, Int64(limit), goneBefore.milliseconds)
    var rows: [Swept] = []
    while try after.step() {
      rows.append(
        Swept(
          feed: after.integer(0), position: try after.position(1), id: try after.bytes(3),
          item: after.integer(4), sequence: after.integer(5), mayGo: after.integer(6) != 0))
    }
    return rows
  }

  /// Deletes a tombstone, and its item if nothing else holds it.
  func delete(_ row: Swept) throws(StoreError) {
    try takeOne.run(row.feed, row.position.order, row.position.tie)
    try release(row.item, id: row.id)
    try raiseFloor(to: row.sequence, of: row.feed)
  }

  /// The next items after a key, and whether each may go.
  func items(
    after key: Int64, by sweep: Sweep
  ) throws(StoreError) -> [(key: Int64, mayGo: Bool)] {
    defer { items.reset() }
    try items.bind(
      key, Int64(sweep.rowsMax), sweep.goneBefore.milliseconds, sweep.looseBefore.milliseconds)
    var rows: [(key: Int64, mayGo: Bool)] = []
    while try items.step() { rows.append((items.integer(0), items.integer(1) != 0)) }
    return rows
  }

  /// Deletes an item.
  func delete(item key: Int64) throws(StoreError) {
    try item.run(key)
    digests.forget(key)
    try content.run(key)
  }
}
