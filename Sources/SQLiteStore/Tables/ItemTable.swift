import Feed

/// The rows of `item` and `content`: an item's bytes, once for all feeds.
final class ItemTable {
  private let find: Statement
  private let make: Statement
  private let date: Statement
  private let see: Statement
  private let fill: Statement
  private let empty: Statement
  private let touched: TouchedRows
  private let digests: ContentDigests
  /// Whether a content that was kept was replaced or erased since this was last set.
  var hasReplaced = false

  /// Prepares the statements. What they write is noted in `touched`.
  init(
    on connection: borrowing Connection, noting touched: TouchedRows, _ digests: ContentDigests
  ) throws(StoreError) {
    (self.touched, self.digests) = (touched, digests)
    find = try connection.prepare(
      """
      SELECT item.key, item.sent_at, content.bytes
      FROM item LEFT JOIN content ON content.item = item.key
      WHERE item.realm = ? AND item.id = ?
      """)
    make = try connection.prepare(
      "INSERT INTO item (realm, id, sent_at, is_number) VALUES (?, ?, ?, ?)")
    date = try connection.prepare("UPDATE item SET sent_at = ? WHERE key = ?")
    see = try connection.prepare("UPDATE item SET sent_at = ?, is_number = ? WHERE key = ?")
    fill = try connection.prepare("REPLACE INTO content VALUES (?, ?)")
    empty = try connection.prepare("DELETE FROM content WHERE item = ?")
  }

  /// What is to be done about an item that an answer brought.
  private enum Finding {
    /// It is not known.
    case unknown
    /// A later answer brought other content.
    case newer(key: Int64)
    /// A later answer said that it is gone.
    case gone
    /// The answer is the latest; `isSame` when the content is kept already.
    case older(key: Int64, isSame: Bool)
  }

  /// Keeps what an answer sent at `sentAt` brought, unless a later one brought the item already.
  /// Returns the item's key, and whether it is new; nil when a later answer said that it is gone.
  func keep(
    _ item: PageItem, realm: String, sentAt: Timestamp
  ) throws(StoreError) -> (key: Int64, isNew: Bool)? {
    switch try finding(on: item, realm: realm, sentAt: sentAt) {
    case .unknown:
      let key = try madeKey(of: item.id, realm: realm, sentAt: sentAt)
      touched.note(item: key, isFilled: true)
      digests.forget(key)
      try fill.run(key, item.bytes)
      return (key, true)
    case .older(let key, let isSame):
      touched.note(item: key, isFilled: !isSame)
      try see.run(sentAt.milliseconds, Int64(item.id.isNumber ? 1 : 0), key)
      if !isSame {
        hasReplaced = true
        digests.forget(key)
        try fill.run(key, item.bytes)
      }
      return (key, false)
    case .newer(let key): return (key, false)
    case .gone: return nil
    }
  }

  /// An item's key; nil where it is not known.
  func key(of id: Identity, realm: String) throws(StoreError) -> Int64? {
    try found(id, realm: realm)?.key
  }

  /// Erases an item's content. Returns its key; nil, and changes nothing, when the item is not
  /// known or an answer sent later than `sentAt` brought it.
  func erase(_ id: Identity, realm: String, sentAt: Timestamp) throws(StoreError) -> Int64? {
    guard let (key, known) = try found(id, realm: realm), known <= sentAt else { return nil }
    hasReplaced = true
    touched.note(item: key)
    try date.run(sentAt.milliseconds, key)
    digests.forget(key)
    try empty.run(key)
    return key
  }

  private func finding(
    on item: PageItem, realm: String, sentAt: Timestamp
  ) throws(StoreError) -> Finding {
    defer { find.reset() }
    try find.bind(realm, item.id.bytes)
    guard try find.step() else { return .unknown }
    let key = find.integer(0)
    guard find.integer(1) > sentAt.milliseconds else {
      return .older(key: key, isSame: try find.column(2, equals: item.bytes))
    }
    return find.isNull(2) ? .gone : .newer(key: key)
  }

  private func found(
    _ id: Identity, realm: String
  ) throws(StoreError) -> (key: Int64, sentAt: Timestamp)? {
    defer { find.reset() }
    try find.bind(realm, id.bytes)
    guard try find.step() else { return nil }
    return (find.integer(0), find.instant(1))
  }

  private func madeKey(
    of id: Identity, realm: String, sentAt: Timestamp
  ) throws(StoreError) -> Int64 {
    try make.run(realm, id.bytes, sentAt.milliseconds, Int64(id.isNumber ? 1 : 0))
    return make.insertedKey
  }
}
