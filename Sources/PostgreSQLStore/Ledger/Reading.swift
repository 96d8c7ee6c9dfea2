package import Feed
import SharedStore

/// What copies are made of, each read from one state of the database.
extension PostgreSQLLedger {
  private static let feedColumns = """
    feed.name, feed.source, feed.realm, feed.ordering, feed.version, feed.stamp, feed.sequence,
    feed.changes_floor, feed.timeline, feed.recipe
    """
  private static let elementColumns = """
    element.ord, element.tie, element.state, element.id, element.updated_at, element.sent_at,
    element.missing_since, element.sequence, item.is_number
    """
  private static let itemColumns = "item.realm, item.id, item.is_number, item.sent_at, item.digest"
  private static let snapshot = "REPEATABLE READ READ ONLY"

  /// See ``SharedLedger``.
  package func news(
    of source: String, after number: Int64, having states: [String: SharedState]
  ) throws(StoreError) -> StoreNews? {
    let heads = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction(
        [
          SQL("SELECT number FROM source WHERE name = $1", source),
          SQL(
            "SELECT DISTINCT name FROM log WHERE source = $1 AND number > $2 AND kind <> 3", source,
            number),
          SQL("SELECT min(number) FROM log WHERE source = $1", source),
        ], mode: PostgreSQLLedger.snapshot)
    }
    let present = try heads[0].first?.integer(0) ?? 0
    guard present != number else { return nil }
    var changed = heads[1].rows.map { $0.text(0) }.filter { states[$0] != nil }
    let begin = try heads[2].first?.optional(0) ?? present.clampedAdding(1)
    // What was told in between is told no more: then all that is here is compared.
    if begin > number.clampedAdding(1) { changed = Array(states.keys) }
    return try news(of: source, after: number, changed.sorted(), having: states)
  }

  /// What became of some feeds since, from one state.
  private func news(
    of source: String, after number: Int64, _ names: [String],
    having states: [String: SharedState]
  ) throws(StoreError) -> StoreNews? {
    let versions = names.map { states[$0]?.version ?? 0 }
    let stamps = names.map { states[$0]?.stamp ?? 0 }
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction(
        PostgreSQLLedger.selecting(names, after: versions) + [
          SQL("SELECT epoch FROM store"),
          SQL("SELECT number FROM source WHERE name = $1", source),
          SQL(
            """
            SELECT \(PostgreSQLLedger.itemColumns) FROM item WHERE source = $1 AND number > $2
            """, source, number),
          SQL(
            "SELECT name FROM log WHERE source = $1 AND number > $2 AND kind = 2", source, number),
          SQL(
            """
            SELECT EXISTS (SELECT 1
              FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS held (name, version, stamp)
              JOIN log ON log.source = $4 AND log.name = held.name AND log.version = held.version
              WHERE log.kind = 0
              GROUP BY held.name HAVING NOT bool_or(log.stamp = held.stamp))
            """, SQLArray(names), SQLArray(versions), SQLArray(stamps), source),
        ], mode: PostgreSQLLedger.snapshot)
    }
    let present = try results[4].first?.integer(0) ?? 0
    var news = StoreNews(source: source, number: present, epoch: results[3].first?.text(0) ?? "")
    news.isDiverged = results[7].first?.flag(0) ?? false
    let dropped = Set(results[6].rows.map { $0.text(0) })
    let (rows, unreadable) = PostgreSQLLedger.rows(in: results[..<3], of: source)
    news.unreadable = unreadable
    for name in names where unreadable[name] == nil {
      // One that was dropped and made anew is brought as a whole when it is asked for.
      guard let rows = rows[name], !dropped.contains(name) else {
        news.feeds.append(.drop(name))
        continue
      }
      if rows.feed.state != states[name] { news.feeds.append(.rows(rows)) }
    }
    news.items = try results[5].rows.map { (row) throws(StoreError) in
      try PostgreSQLLedger.item(in: row)
    }
    return news
  }

  /// See ``SharedLedger``.
  package func feed(_ name: String) throws(StoreError) -> SharedRows? {
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction(
        PostgreSQLLedger.selecting([name], after: [.min]), mode: PostgreSQLLedger.snapshot)
    }
    let (rows, unreadable) = PostgreSQLLedger.rows(in: results[...])
    if let reason = unreadable[name] { throw .unreadable(message: reason) }
    return rows[name]
  }

  /// The statements that bring feeds by name, their places that are newer than a version each, and
  /// the items of these.
  private static func selecting(_ names: [String], after versions: [Int64]) -> [SQL] {
    let held =
      "FROM unnest($1::text[], $2::bigint[]) AS held (name, version) JOIN feed USING (name)"
    let newer = """
      \(held) JOIN element ON element.feed = feed.key AND element.version > held.version
      JOIN item ON item.key = element.item
      """
    return [
      "SELECT \(feedColumns) \(held)", "SELECT \(elementColumns), feed.name \(newer)",
      "SELECT DISTINCT \(itemColumns), feed.name \(newer)",
    ].map { SQL($0, SQLArray(names), SQLArray(versions)) }
  }

  /// What such statements have brought, by feed, and why rows of other feeds cannot be read.
  private static func rows(
    in results: ArraySlice<SQLResult>, of source: String? = nil
  ) -> (rows: [String: SharedRows], unreadable: [String: String]) {
    var rows: [String: SharedRows] = [:]
    var unreadable: [String: String] = [:]
    func read(_ name: String, _ body: () throws(StoreError) -> Void) {
      do throws(StoreError) {
        try body()
      } catch {
        rows[name] = nil
        unreadable[name] = "\(name): \(error.reason)"
      }
    }
    for row in results[0].rows {
      read(row.text(0)) { () throws(StoreError) in
        let feed = try feed(in: row)
        guard source.map({ $0 == feed.source }) ?? true else {
          throw .unreadable(message: "a feed has the source \(feed.source.prefix(40))")
        }
        rows[feed.name] = SharedRows(feed: feed)
      }
    }
    for row in results[1].rows {
      let name = row.text(9)
      read(name) { () throws(StoreError) in rows[name]?.elements.append(try element(in: row)) }
    }
    for row in results[2].rows {
      let name = row.text(5)
      read(name) { () throws(StoreError) in rows[name]?.items.append(try item(in: row)) }
    }
    for (name, found) in rows {
      read(name) { () throws(StoreError) in
        let ids = Set(found.items.filter { $0.realm == found.feed.realm }.map(\.id))
        guard found.elements.allSatisfy({ ids.contains($0.known.id) }) else {
          throw .unreadable(message: "an element has an item of another name")
        }
      }
    }
    return (rows, unreadable)
  }

  /// See ``SharedLedger``.
  package func items(
    _ ids: [Identity], realm: String
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    let result = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          SELECT \(PostgreSQLLedger.itemColumns), content.bytes FROM item
          LEFT JOIN content ON content.item = item.key AND content.digest = item.digest
          WHERE item.realm = $1 AND item.id = ANY ($2::bytea[]) AND item.number > 0
          """, realm, SQLArray(ids.map(\.bytes))))
    }
    var items: [SharedItem] = []
    var contents: [Identity: [UInt8]] = [:]
    for row in result.rows {
      let item = try PostgreSQLLedger.item(in: row)
      items.append(item)
      if !row.isNull(5) { contents[item.id] = try row.bytes(5) }
    }
    return (items, contents)
  }

  private static func feed(in row: SQLRow) throws(StoreError) -> SharedFeed {
    guard let order = FeedOrder(rawValue: row.text(3)) else {
      throw .unreadable(message: "a feed has the ordering \(row.text(3).prefix(40))")
    }
    var timeline = try TimelineCoding.timeline(row.text(8))
    timeline.sequence = try row.stored(6).sequence
    var feed = SharedFeed(
      name: row.text(0), source: row.text(1), realm: row.text(2), order: order,
      version: try row.integer(4), stamp: try row.integer(5),
      changesFloor: try row.stored(7).sequence,
      timeline: timeline)
    feed.recipe = try row.optional(9)
    return feed
  }

  private static func element(in row: SQLRow) throws(StoreError) -> SharedElement {
    let state = try row.integer(2)
    guard let state = KnownElement.State(rawValue: Int(state)) else {
      throw .unreadable(message: "an element has the state \(state)")
    }
    return SharedElement(
      known: KnownElement(
        position: Position(order: try row.stored(0).order, tie: try row.bytes(1)),
        id: Identity(bytes: try row.bytes(3), isNumber: row.flag(8)),
        updatedAt: try row.optional(4), state: state, missingSince: try row.instant(6)),
      sentAt: try row.stored(5).instant, sequence: try row.stored(7).sequence)
  }

  private static func item(in row: SQLRow) throws(StoreError) -> SharedItem {
    SharedItem(
      realm: row.text(0), id: Identity(bytes: try row.bytes(1), isNumber: row.flag(2)),
      sentAt: try row.instant(3) ?? Timestamp(milliseconds: 0), digest: try row.optional(4))
  }
}
