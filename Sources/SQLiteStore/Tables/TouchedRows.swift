import Feed

/// The rows of `element` and `item` that a rehearsal has changed, since that is what is shared.
///
/// ``ElementTable`` and ``ItemTable`` note each row that they write. Triggers would note it too,
/// and make each statement twice as slow: they need a journal of their own.
final class TouchedRows {
  /// Places, by the feed's key.
  private(set) var positions: [Int64: Set<Position>] = [:]
  /// Keys of items, and whether their content was written.
  private(set) var items: [Int64: Bool] = [:]
  private var isNoting = false

  /// Notes what `body` changes, from nothing on.
  func noting<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    (positions, items, isNoting) = ([:], [:], true)
    defer { (positions, items, isNoting) = ([:], [:], false) }
    return try body()
  }

  /// Notes that the row of a place was written.
  func note(_ position: Position, of feed: Int64) {
    if isNoting { positions[feed, default: []].insert(position) }
  }

  /// Notes that an item's row was written, and perhaps its content.
  func note(item: Int64, isFilled: Bool = false) {
    if isNoting { items[item] = isFilled || items[item] ?? false }
  }
}
