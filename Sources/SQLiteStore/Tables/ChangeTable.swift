import Feed

/// The rows of `element` in the order of the numbers they took last.
final class ChangeTable {
  private let feed: Statement
  private let after: Statement
  private let learned: Statement
  private let lastLearnt: LastLearnt

  /// The statements' SQL.
  enum SQL {
    private static let removed = KnownElement.State.removed.rawValue
    private static let isOther =
      "other.item = element.item AND other.feed = ?1 AND other.id = element.id"
    /// Parameter: the feed's name.
    static let feed = "SELECT key, sequence, changes_floor FROM feed WHERE name = ?"
    /// What took a number after another. Parameters: the feed's key, the number, the limit.
    static let after = rows("element.sequence > ?2", inOrderOf: "element.sequence")
    /// The same with what was merely learnt, whose numbers are below 0: see
    /// ``SequenceNumber/ofLearnt``. The last parameter is that of the number.
    static let learned = """
      SELECT * FROM (SELECT * FROM (\(after))
        UNION ALL
        SELECT * FROM (\(rows("element.sequence < ?4", inOrderOf: "element.sequence DESC"))))
      ORDER BY CASE WHEN sequence > 0 THEN sequence << 20 ELSE -sequence END LIMIT ?3
      """

    /// Of an element only its last change counts: the place that one moved away from is passed
    /// over. Of a tombstone it says whether its item is known to have gone everywhere; the identity
    /// is compared since its key may be another item's by now. The last column says whether the
    /// element has left another place since.
    private static func rows(_ condition: String, inOrderOf order: String) -> String {
      """
      SELECT element.sequence AS sequence, element.id, element.ord, element.tie,
        element.state <> \(removed),
        item.key IS NOT NULL AND content.item IS NULL, content.bytes, item.is_number,
        EXISTS (SELECT 1 FROM element AS other INDEXED BY element_by_item
          WHERE \(isOther) AND other.state = \(removed)
            AND other.sequence > ?2 AND (other.ord, other.tie) <> (element.ord, element.tie))
      FROM element INDEXED BY element_by_sequence
      LEFT JOIN item ON item.key = element.item AND item.id = element.id
      LEFT JOIN content ON content.item = item.key
      WHERE element.feed = ?1 AND \(condition) AND NOT EXISTS (
        SELECT 1 FROM element AS other INDEXED BY element_by_item
        WHERE \(isOther) AND (other.sequence > element.sequence
          OR element.state = \(removed) AND other.state <> \(removed)))
      ORDER BY \(order) LIMIT ?3
      """
    }
  }

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    feed = try connection.prepare(SQL.feed)
    after = try connection.prepare(SQL.after)
    learned = try connection.prepare(SQL.learned)
    lastLearnt = try LastLearnt(on: connection)
  }

  /// See ``TimelineReader/changes(of:after:limit:learned:)``; `epoch` is the file's.
  func reading(
    of id: FeedID, after number: SequenceNumber, limit: Int, learned: Bool, epoch: String
  ) throws(StoreError) -> ChangeReading {
    // Reset last: until then both statements read one state of the file.
    defer { feed.reset() }
    try feed.bind(id.name)
    let isStored = try feed.step()
    let last = SequenceNumber(epoch: epoch, number: isStored ? feed.sequence(1) : 0)
    let floor = isStored ? feed.sequence(2) : 0
    guard number.epoch == last.epoch, (floor...max(floor, last.number)).contains(number.number)
    else {
      return .expired(last)
    }
    guard isStored else { return .changes(Changes(changes: [], next: last, hasMore: false)) }
    let key = feed.integer(0)
    guard learned else {
      try after.bind(key, number.number, Int64(limit) + 1)
      return .changes(try changes(in: after, after: number, limit: limit, last: last))
    }
    try self.learned.bind(key, number.number, Int64(limit) + 1, number.ofLearnt)
    let known = try lastLearnt(of: key, epoch: epoch)
    return .changes(
      try changes(
        in: self.learned, after: number, limit: limit,
        last: known.number == last.number ? known : last))
  }

  private func changes(
    in rows: borrowing Statement, after number: SequenceNumber, limit: Int, last: SequenceNumber
  ) throws(StoreError) -> Changes {
    defer { rows.reset() }
    var changes = Changes(changes: [], next: last, hasMore: false)
    while try rows.step() {
      let place = SequenceNumber(epoch: number.epoch, taken: rows.elementSequence(0))
      guard changes.changes.count < limit else {
        changes.hasMore = true
        break
      }
      let event: Change.Event =
        if rows.integer(4) != 0, !rows.isNull(6) {
          .upsert(try rows.position(2), bytes: try rows.bytes(6))
        } else {
          rows.integer(5) != 0
            ? .delete : .remove(bytes: rows.isNull(6) ? nil : try rows.bytes(6))
        }
      let isNumber = !rows.isNull(7) && rows.integer(7) != 0
      let id = Identity(bytes: try rows.bytes(1), isNumber: isNumber)
      var change = Change(number: place.number, id: id, event: event)
      change.learnt = place.learnt
      if case .upsert = event { change.hasMoved = rows.integer(8) != 0 }
      changes.changes.append(change)
    }
    if changes.hasMore, let shown = changes.changes.last {
      (changes.next.number, changes.next.learnt) = (shown.number, shown.learnt)
    }
    return changes
  }
}

/// The element of a feed that was merely learnt last.
struct LastLearnt: ~Copyable {
  private let lowest: Statement

  static let sql = """
    SELECT sequence FROM element INDEXED BY element_by_sequence WHERE feed = ? AND sequence < 0
    ORDER BY sequence LIMIT 1
    """

  /// Prepares the statement.
  init(on connection: borrowing Connection) throws(StoreError) {
    lowest = try connection.prepare(LastLearnt.sql)
  }

  /// Its place; that of none is 0.
  func callAsFunction(of feed: Int64, epoch: String = "") throws(StoreError) -> SequenceNumber {
    defer { lowest.reset() }
    try lowest.bind(feed)
    return SequenceNumber(epoch: epoch, taken: try lowest.step() ? lowest.elementSequence(0) : 0)
  }
}
