import Feed

/// The rows of `element`: an element's place in a feed, tombstones included.
final class ElementTable {
  private let range: Statement
  private let byItem: Statement
  private let standing: Statement
  private let write: Statement
  private let vacate: Statement
  private let remove: Statement
  private let miss: Statement
  private let bury: Statement
  /// The place of what was merely learnt last in a feed.
  let lastLearnt: LastLearnt
  private let touched: TouchedRows

  /// The statements' SQL.
  enum SQL {
    private static let columns = "ord, tie, id, updated_at, state, missing_since, sent_at"
    private static let place = "feed = ? AND ord = ? AND tie = ?"
    private static let removed = KnownElement.State.removed.rawValue
    static let range = """
      SELECT \(columns) FROM element
      WHERE feed = ? AND (ord, tie) < (?, ?) AND (ord, tie) >= (?, ?)
      ORDER BY ord DESC, tie DESC
      """
    // Without the hint the planner, which knows no sizes, walks the whole feed.
    static let byItem = """
      SELECT \(columns) FROM element INDEXED BY element_by_item
      WHERE item = ? AND feed = ? AND id = ?
      """
    static let standing = """
      SELECT element.feed, feed.name, feed.sequence, element.ord, element.tie
      FROM element INDEXED BY element_by_item CROSS JOIN feed ON feed.key = element.feed
      WHERE element.item = ? AND element.id = ? AND element.state <> \(removed)
      """
    static let write = """
      INSERT INTO element (feed, ord, tie, state, item, id, updated_at, sent_at, sequence)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce(?9, 0))
      ON CONFLICT DO UPDATE SET state = ?4, item = ?5, id = ?6, updated_at = ?7, sent_at = ?8,
        sequence = coalesce(?9, sequence), missing_since = NULL
      """
    static let vacate = """
      UPDATE element SET state = \(removed), missing_since = NULL, sent_at = ?,
        sequence = coalesce(?, sequence) WHERE \(place)
      """
    static let remove = """
      UPDATE element SET state = \(removed), missing_since = NULL, sent_at = ?1, sequence = ?2
      WHERE feed = ?3 AND ord = ?4 AND tie = ?5 AND state <> \(removed) AND sent_at <= ?1
      RETURNING 1
      """
    static let miss = """
      UPDATE element SET missing_since = ?1, sent_at = ?1
      WHERE feed = ?2 AND ord = ?3 AND tie = ?4 AND state <> \(removed) AND sent_at <= ?1
        AND missing_since IS NULL
      """
    static let bury = """
      UPDATE element SET state = \(removed), missing_since = NULL, sent_at = max(sent_at, ?),
        sequence = ? WHERE \(place)
      """
  }

  /// Prepares the statements. What they write is noted in `touched`.
  init(on connection: borrowing Connection, noting touched: TouchedRows) throws(StoreError) {
    self.touched = touched
    range = try connection.prepare(SQL.range)
    byItem = try connection.prepare(SQL.byItem)
    standing = try connection.prepare(SQL.standing)
    write = try connection.prepare(SQL.write)
    vacate = try connection.prepare(SQL.vacate)
    remove = try connection.prepare(SQL.remove)
    miss = try connection.prepare(SQL.miss)
    bury = try connection.prepare(SQL.bury)
    lastLearnt = try LastLearnt(on: connection)
  }

  /// The elements known below `upper` and above `lower`, in feed order.
  func known(
    of feed: Int64, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    defer { range.reset() }
    try range.bind(
      feed, upper.position.order, upper.position.tie, lower.position.order, lower.position.tie)
    var elements: [KnownElement] = []
    while try range.step() { elements.append(try ElementTable.element(in: range)) }
    return elements
  }

  /// Where an item stands or stood in a feed. The identity is compared since a tombstone may name
  /// the key of an item that went.
  func places(
    of id: Identity, item: Int64, in feed: Int64
  ) throws(StoreError) -> [KnownElement] {
    defer { byItem.reset() }
    try byItem.bind(item, feed, id.bytes)
    var places: [KnownElement] = []
    while try byItem.step() { places.append(try ElementTable.element(in: byItem)) }
    return places
  }

  /// Puts an element at its place; `number` is nil when it keeps the last one it took.
  func place(
    _ seen: Merge.Seen, item: Int64, of feed: Int64, sentAt: Timestamp, number: Int64?
  ) throws(StoreError) {
    touched.note(seen.position, of: feed)
    try write.run(
      feed, seen.position.order, seen.position.tie, Int64(seen.state.rawValue), item,
      seen.item.id.bytes, seen.item.updatedAt, sentAt.milliseconds, number)
  }

  /// Makes a place that an element moved away from a tombstone, with the number of the move where
  /// that took one.
  func vacate(
    _ position: Position, of feed: Int64, sentAt: Timestamp, number: Int64?
  ) throws(StoreError) {
    touched.note(position, of: feed)
    try vacate.run(sentAt.milliseconds, number, feed, position.order, position.tie)
  }

  /// Makes a place a tombstone that takes `number`. Returns false, and changes nothing, when none
  /// stands there or a later answer spoke of it.
  func remove(
    _ position: Position, of feed: Int64, sentAt: Timestamp, number: Int64
  ) throws(StoreError) -> Bool {
    defer { remove.reset() }
    try remove.bind(sentAt.milliseconds, number, feed, position.order, position.tie)
    let isRemoved = try remove.step()
    while try remove.step() {}
    if isRemoved { touched.note(position, of: feed) }
    return isRemoved
  }

  /// Marks an element as missing since `sentAt`, unless it is already or a later answer spoke.
  func miss(_ position: Position, of feed: Int64, sentAt: Timestamp) throws(StoreError) {
    touched.note(position, of: feed)
    try miss.run(sentAt.milliseconds, feed, position.order, position.tie)
  }

  /// A place at which an identity stands, in one of the feeds of a realm.
  struct Standing {
    /// The feed's key.
    var feed: Int64
    /// The feed's name.
    var name: String
    /// The feed's last number.
    var sequence: Int64
    /// The place.
    var position: Position
  }

  /// Where an item stands in all feeds. Costs a look at each feed it stands in.
  func standings(of id: Identity, item: Int64) throws(StoreError) -> [Standing] {
    defer { standing.reset() }
    try standing.bind(item, id.bytes)
    var standings: [Standing] = []
    while try standing.step() {
      standings.append(
        Standing(
          feed: standing.integer(0), name: String(decoding: try standing.bytes(1), as: UTF8.self),
          sequence: standing.sequence(2), position: try standing.position(3)))
    }
    return standings
  }

  /// Makes the place of a deleted item a tombstone that takes `number`.
  func bury(_ standing: Standing, sentAt: Timestamp, number: Int64) throws(StoreError) {
    let position = standing.position
    touched.note(position, of: standing.feed)
    try bury.run(sentAt.milliseconds, number, standing.feed, position.order, position.tie)
  }

  /// The known element in a row that begins with its place, identity, `updated_at`, state, missing
  /// mark and when it was last spoken of.
  static func element(
    in row: borrowing Statement
  ) throws(StoreError) -> KnownElement {
    let state = row.integer(4)
    guard let state = KnownElement.State(rawValue: Int(state)) else {
      throw .corrupt(message: "element has state \(state)")
    }
    return KnownElement(
      position: try row.position(0), id: Identity(bytes: try row.bytes(2)),
      updatedAt: row.optionalInteger(3), state: state,
      missingSince: row.optionalInstant(5), sentAt: row.instant(6))
  }
}
