import Feed

/// Rows as several servers share them: those that a commit has touched as they are then, and how
/// others' are taken in.
///
/// The rules of a merge stand in one place, and what is shared is what they have done: see
/// ``TouchedRows``.
final class SharingTable {
  private let element: Statement
  private let item: Statement
  private let state: Statement
  private let setState: Statement
  private let floor: Statement
  private let make: Statement
  private let setFeed: Statement
  private let put: Statement
  private let find: Statement
  private let content: Statement
  private let makeItem: Statement
  private let setItem: Statement
  private let fill: Statement
  private let empty: Statement
  private let number: Statement
  private let setNumber: Statement
  private let held: Statement

  private let touched: TouchedRows
  private let digests: ContentDigests
  private static let columns = "ord, tie, id, updated_at, state, missing_since, sent_at, sequence"

  /// Whether a content that was kept was replaced or erased since this was last set.
  var hasReplaced = false

  /// Prepares the statements. `touched` is what the rules of a merge have written.
  init(
    on connection: borrowing Connection, of touched: TouchedRows, _ digests: ContentDigests
  ) throws(StoreError) {
    (self.touched, self.digests) = (touched, digests)
    // A file without an owner is a copy from now on.
    try connection.execute(
      "INSERT INTO shared SELECT '', 0 WHERE NOT EXISTS (SELECT 1 FROM feed) ON CONFLICT DO NOTHING"
    )
    element = try connection.prepare(
      "SELECT \(SharingTable.columns) FROM element WHERE feed = ? AND ord = ? AND tie = ?")
    item = try connection.prepare(
      """
      SELECT item.realm, item.id, item.is_number, item.sent_at, content.bytes
      FROM item LEFT JOIN content ON content.item = item.key WHERE item.key = ?
      """)
    state = try connection.prepare("SELECT version, stamp FROM feed WHERE name = ?")
    setState = try connection.prepare("UPDATE feed SET version = ?, stamp = ? WHERE name = ?")
    floor = try connection.prepare("SELECT changes_floor FROM feed WHERE name = ?")
    make = try connection.prepare(
      """
      INSERT INTO feed (name, source, realm, ordering, read_at, sequence)
      VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING
      """)
    setFeed = try connection.prepare(
      """
      UPDATE feed SET sequence = ?, changes_floor = ?, looked_at = ?, total = ?, total_as_of = ?,
        version = ?, stamp = ?, ordering = ?, recipe = ?, doubts = ? WHERE key = ?
      """)
    put = try connection.prepare("REPLACE INTO element VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    find = try connection.prepare(
      """
      SELECT item.key, length(content.bytes), item.sent_at
      FROM item LEFT JOIN content ON content.item = item.key
      WHERE item.realm = ? AND item.id = ?
      """)
    content = try connection.prepare("SELECT bytes FROM content WHERE item = ?")
    makeItem = try connection.prepare(
      """
      INSERT INTO item (realm, id, sent_at, is_number) VALUES (?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """)
    setItem = try connection.prepare("UPDATE item SET sent_at = ?, is_number = ? WHERE key = ?")
    fill = try connection.prepare("REPLACE INTO content VALUES (?, ?)")
    empty = try connection.prepare("DELETE FROM content WHERE item = ?")
    number = try connection.prepare("SELECT number FROM shared WHERE source = ?")
    setNumber = try connection.prepare("REPLACE INTO shared VALUES (?, ?)")
    held = try connection.prepare("SELECT name, version, stamp FROM feed WHERE source = ?")
  }

  /// The elements of a feed that were touched.
  func elements(of feed: Int64) throws(StoreError) -> [SharedElement] {
    defer { element.reset() }
    var elements: [SharedElement] = []
    for position in (touched.positions[feed] ?? []).sorted() {
      element.reset()
      try element.bind(feed, position.order, position.tie)
      guard try element.step() else { continue }
      elements.append(
        SharedElement(
          known: try ElementTable.element(in: element), sequence: element.elementSequence(7)))
    }
    return elements
  }

  /// The items that were touched, and those contents among them that are other than before.
  func items() throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    defer { item.reset() }
    var items: [SharedItem] = []
    var contents: [Identity: [UInt8]] = [:]
    for (key, isFilled) in touched.items.sorted(by: { $0.key < $1.key }) {
      item.reset()
      try item.bind(key)
      guard try item.step() else { continue }
      let id = Identity(bytes: try item.bytes(1), isNumber: item.integer(2) != 0)
      let bytes = item.isNull(4) ? nil : try item.bytes(4)
      // What is known and not here was not touched by any answer.
      if let bytes, bytes.isEmpty { continue }
      items.append(
        SharedItem(
          realm: String(decoding: try item.bytes(0), as: UTF8.self), id: id,
          sentAt: item.instant(3), digest: bytes.map(SharedItem.digest)))
      if let bytes, isFilled { contents[id] = bytes }
    }
    return (items, contents)
  }

  /// Which state of a feed is here; nil where it is not.
  func state(of name: String) throws(StoreError) -> SharedState? {
    defer { state.reset() }
    try state.bind(name)
    return try state.step()
      ? SharedState(version: state.integer(0), stamp: state.integer(1)) : nil
  }

  /// Which states of a source's feeds are here.
  func states(of source: String) throws(StoreError) -> [String: SharedState] {
    defer { held.reset() }
    try held.bind(source)
    var states: [String: SharedState] = [:]
    while try held.step() {
      states[String(decoding: try held.bytes(0), as: UTF8.self)] = SharedState(
        version: held.integer(1), stamp: held.integer(2))
    }
    return states
  }

  /// The number after which a feed's changes are complete.
  func changesFloor(of name: String) throws(StoreError) -> Int64 {
    defer { floor.reset() }
    try floor.bind(name)
    return try floor.step() ? floor.sequence(0) : 0
  }

  /// Notes which state of a feed is here.
  func set(_ state: SharedState, of name: String) throws(StoreError) {
    try setState.run(state.version, state.stamp, name)
  }

  /// Up to which number a source's news are here.
  func number(of source: String) throws(StoreError) -> Int64 {
    defer { number.reset() }
    try number.bind(source)
    return try number.step() ? number.integer(0) : 0
  }

  /// Notes up to which number a source's news are here.
  func set(number: Int64, of source: String) throws(StoreError) {
    try setNumber.run(source, number)
  }

  /// Notes a number under which this server's own write was sent: if nothing came between,
  /// the copy has all news up to it.
  func move(to number: Int64, of source: String) throws(StoreError) {
    if try self.number(of: source) == number - 1 { try set(number: number, of: source) }
  }

  /// Stores an item as it is shared. Its content, where it is another, is to be brought.
  @discardableResult
  func store(
    _ item: SharedItem, bytes: [UInt8]? = nil, makes: Bool
  ) throws(StoreError) -> Int64? {
    if makes {
      try makeItem.run(
        item.realm, item.id.bytes, item.sentAt.milliseconds, Int64(item.id.isNumber ? 1 : 0))
    }
    guard let found = try found(item.id, realm: item.realm) else { return nil }
    let key = found.key
    // A later answer has come before these news.
    if found.sentAt > item.sentAt { return key }
    try setItem.run(item.sentAt.milliseconds, Int64(item.id.isNumber ? 1 : 0), key)
    guard let digest = item.digest else {
      hasReplaced = true
      digests.forget(key)
      try empty.run(key)
      return key
    }
    if found.isFilled {
      if try self.digest(of: key) == digest { return key }
      hasReplaced = true
    }
    digests.forget(key)
    try fill.run(key, bytes ?? [])
    return key
  }

  /// An item that is known here. Without a content it has gone; with an empty one it is to be
  /// brought.
  private struct Found {
    var key: Int64
    var isFilled: Bool
    var sentAt: Timestamp
  }

  private func found(_ id: Identity, realm: String) throws(StoreError) -> Found? {
    defer { find.reset() }
    try find.bind(realm, id.bytes)
    guard try find.step() else { return nil }
    return Found(key: find.integer(0), isFilled: find.integer(1) > 0, sentAt: find.instant(2))
  }

  /// The digest of a content that is here.
  private func digest(of key: Int64) throws(StoreError) -> Int64? {
    if let digest = digests[key] { return digest }
    defer { content.reset() }
    try content.bind(key)
    return try content.step() ? SharedItem.digest(of: try content.bytes(0)) : nil
  }

  /// Whether an item would take the place of another content that is here. Outside of a
  /// transaction that writes: the digest of that is kept.
  func replaces(_ item: SharedItem) throws(StoreError) -> Bool {
    guard let digest = item.digest, let known = try found(item.id, realm: item.realm),
      known.isFilled, known.sentAt <= item.sentAt, let here = try self.digest(of: known.key)
    else { return false }
    digests.keep(here, of: known.key)
    return here != digest
  }

  /// Whether a content of an item is here.
  func isHere(_ item: SharedItem) throws(StoreError) -> Bool {
    try found(item.id, realm: item.realm)?.isFilled == true
  }

  /// Stores a feed's row as it is shared; makes it where there is none.
  func store(_ feed: SharedFeed, by feeds: FeedTable) throws(StoreError) -> Int64 {
    try make.run(
      feed.name, feed.source, feed.realm, feed.order.rawValue,
      (feed.timeline.lookedAt ?? feed.timeline.proofs.first?.provenAt)?.milliseconds ?? 0)
    feeds.forgetCount()
    guard let row = try feeds.row(of: feed.name) else {
      throw .corrupt(message: "a row made in feed is not found")
    }
    let total = feed.timeline.total
    try setFeed.run(
      feed.timeline.sequence, feed.changesFloor, feed.timeline.lookedAt?.milliseconds,
      total.map { Int64($0.value) }, total?.asOf.milliseconds, feed.version, feed.stamp,
      feed.order.rawValue, feed.recipe, feed.timeline.doubts.text, row.key)
    return row.key
  }

  /// Puts an element as it is shared.
  func put(_ element: SharedElement, item: Int64, of feed: Int64) throws(StoreError) {
    let known = element.known
    try put.run(
      feed, known.position.order, known.position.tie, Int64(known.state.rawValue), item,
      known.id.bytes, known.updatedAt, known.sentAt.milliseconds,
      known.missingSince?.milliseconds, element.sequence)
  }
}
