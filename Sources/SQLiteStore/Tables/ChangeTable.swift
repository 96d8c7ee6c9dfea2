import Feed

/// The rows of `element` in the order of the numbers they took last.
final class ChangeTable {
  private let feed: Statement
  private let after: Statement

  /// The statements' SQL.
  enum SQL {
    private static let removed = KnownElement.State.removed.rawValue
    private static let isOther =
      "other.item = element.item AND other.feed = ?1 AND other.id = element.id"
    /// Parameter: the feed's name.
    static let feed = "SELECT key, sequence, changes_floor FROM feed WHERE name = ?"
    /// What took a number after another. Parameters: the feed's key, the number, the limit.
    ///
    /// Of an element only its last change counts: the place that one moved away from is passed
    /// over. Of a tombstone it says whether its item is known to have gone everywhere; the identity
    /// is compared since its key may be another item's by now. The last column says whether the
    /// element has left another place since.
    static let after = """
      SELECT element.sequence, element.id, element.ord, element.tie, element.state <> \(removed),
        item.key IS NOT NULL AND content.item IS NULL, content.bytes, item.is_number,
        EXISTS (SELECT 1 FROM element AS other INDEXED BY element_by_item
          WHERE \(isOther) AND other.state = \(removed)
            AND other.sequence > ?2 AND (other.ord, other.tie) <> (element.ord, element.tie))
      FROM element INDEXED BY element_by_sequence
      LEFT JOIN item ON item.key = element.item AND item.id = element.id
      LEFT JOIN content ON content.item = item.key
      WHERE element.feed = ?1 AND element.sequence > ?2 AND NOT EXISTS (
        SELECT 1 FROM element AS other INDEXED BY element_by_item
        WHERE \(isOther) AND (other.sequence > element.sequence
          OR element.state = \(removed) AND other.state <> \(removed)))
      ORDER BY element.sequence LIMIT ?3
      """
  }

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    feed = try connection.prepare(SQL.feed)
    after = try connection.prepare(SQL.after)
  }

  /// See ``TimelineReader/changes(of:after:limit:)``; `epoch` is the file's.
  func reading(
    of id: FeedID, after number: SequenceNumber, limit: Int, epoch: String
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
    return .changes(
      try changes(of: feed.integer(0), after: number.number, limit: limit, last: last))
  }

  private func changes(
    of feed: Int64, after number: Int64, limit: Int, last: SequenceNumber
  ) throws(StoreError) -> Changes {
    defer { after.reset() }
    try after.bind(feed, number, Int64(limit) + 1)
    var changes = Changes(changes: [], next: last, hasMore: false)
    while try after.step() {
      guard changes.changes.count < limit else {
        changes.hasMore = true
        changes.next.number = changes.changes.last?.number ?? number
        break
      }
      let event: Change.Event =
        if after.integer(4) != 0, !after.isNull(6) {
          .upsert(try after.position(2), bytes: try after.bytes(6))
        } else {
          after.integer(5) != 0
            ? .delete : .remove(bytes: after.isNull(6) ? nil : try after.bytes(6))
        }
      let isNumber = !after.isNull(7) && after.integer(7) != 0
      let id = Identity(bytes: try after.bytes(1), isNumber: isNumber)
      var change = Change(number: after.sequence(0), id: id, event: event)
      if case .upsert = event { change.hasMoved = after.integer(8) != 0 }
      changes.changes.append(change)
    }
    return changes
  }
}
