import Feed

/// The file as a whole, for being copied.
extension TimelineWriter {
  /// All rows of a feed, its items with their contents; nil where there is none.
  func image(of name: String) throws(StoreError) -> SharedRows? {
    try connection.reading { () throws(StoreError) in
      guard let row = try feeds.row(of: name) else { return nil }
      var rows = SharedRows(feed: try feed(of: row, named: name))
      let elements = try connection.prepare(
        """
        SELECT ord, tie, id, updated_at, state, missing_since, sent_at, sequence FROM element
        WHERE feed = ? ORDER BY ord, tie
        """)
      try elements.bind(row.key)
      while try elements.step() {
        rows.elements.append(
          SharedElement(
            known: try ElementTable.element(in: elements), sequence: elements.elementSequence(7)))
      }
      let items = try connection.prepare(
        """
        SELECT DISTINCT item.id, item.is_number, item.sent_at, content.bytes FROM element
        JOIN item ON item.realm = ?2 AND item.id = element.id
        LEFT JOIN content ON content.item = item.key WHERE element.feed = ?1
        """)
      try items.bind(row.key, rows.feed.realm)
      while try items.step() {
        let id = Identity(bytes: try items.bytes(0), isNumber: items.integer(1) != 0)
        let bytes = items.isNull(3) ? nil : try items.bytes(3)
        rows.items.append(
          SharedItem(
            realm: rows.feed.realm, id: id, sentAt: items.instant(2),
            digest: bytes.map(SharedItem.digest)))
        if let bytes { rows.contents[id] = bytes }
      }
      return rows
    }
  }

  private func feed(
    of row: FeedTable.Row, named name: String
  ) throws(StoreError) -> SharedFeed {
    let statement = try connection.prepare(
      "SELECT source, realm, version, stamp, changes_floor FROM feed WHERE key = ?")
    try statement.bind(row.key)
    guard try statement.step() else { throw .corrupt(message: "a feed's row is not found") }
    var feed = SharedFeed(
      name: name, source: String(decoding: try statement.bytes(0), as: UTF8.self),
      realm: String(decoding: try statement.bytes(1), as: UTF8.self), order: row.form.order,
      version: statement.integer(2), stamp: statement.integer(3),
      changesFloor: statement.sequence(4), timeline: try timeline(of: row))
    feed.recipe = row.form.recipe
    return feed
  }

  /// The names under which budgets are kept.
  func budgetNames() throws(StoreError) -> [String] {
    let statement = try connection.prepare("SELECT name FROM source ORDER BY name")
    var names: [String] = []
    while try statement.step() {
      names.append(String(decoding: try statement.bytes(0), as: UTF8.self))
    }
    return names
  }

  /// The number from which a feed that is not here counts.
  func sequenceFloor() throws(StoreError) -> Int64 {
    try connection.integer("SELECT sequence_floor FROM store")
  }

  /// Has feeds that are not here count on from a number.
  func countOn(from floor: Int64) throws(StoreError) {
    try connection.execute("UPDATE store SET sequence_floor = \(floor)")
  }

  /// From now on the file is a store of its own, that counts on from beyond `floor`.
  func becomeOwn(floor: Int64) throws(StoreError) {
    try connection.execute("DELETE FROM shared")
    try countOn(from: floor)
  }
}
