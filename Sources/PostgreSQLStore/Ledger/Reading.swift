package import Feed
package import SharedStore

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

  /// The most feeds of a copy that are all compared with what is shared; of more it is asked first
  /// which have changed.
  private static let comparedMax = 100
  /// The most elements of a feed whose contents come along, the first of it, and the most bytes of
  /// contents.
  private static let contentsMax = 200
  private static let contentBytesMax = 4 << 20

  /// See ``SharedLedger``.
  package func news(beyond copy: SourceCopy) throws(StoreError) -> StoreNews? {
    let held = copy.states.count
    guard held > PostgreSQLLedger.comparedMax else {
      return try news(beyond: copy, of: copy.states.keys.sorted())
    }
    let source = copy.source
    let heads = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction(
        [
          SQL("SELECT number FROM source WHERE name = $1", source),
          SQL(
            "SELECT DISTINCT name FROM log WHERE source = $1 AND number > $2 AND kind <> 3", source,
            copy.number),
          SQL("SELECT min(number) FROM log WHERE source = $1", source),
        ], mode: PostgreSQLLedger.snapshot)
    }
    var changed = heads[1].rows.map { $0.text(0) }.filter { copy.states[$0] != nil }
    let present = try heads[0].first?.integer(0) ?? 0
    let begin = try heads[2].first?.optional(0) ?? present.clampedAdding(1)
    // The log has what lies between no longer, or what lies before is in doubt: then all of the
    // copy is compared.
    if copy.revision < 0 || begin > copy.number.clampedAdding(1) {
      changed = Array(copy.states.keys)
    }
    return try news(beyond: copy, of: changed.sorted())
  }

  /// What became of a source and of some feeds since, from one state.
  private func news(
    beyond copy: SourceCopy, of names: [String]
  ) throws(StoreError) -> StoreNews? {
    let (source, number) = (copy.source, copy.number)
    let held = Held(
      names: SQLArray(names), versions: SQLArray(names.map { copy.states[$0]?.version ?? 0 }),
      stamps: SQLArray(names.map { copy.states[$0]?.stamp ?? 0 }))
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction(
        PostgreSQLLedger.selecting(held, after: number) + [
          SQL(
            "SELECT epoch, number, revision FROM store LEFT JOIN source ON source.name = $1", source
          ),
          SQL(
            """
            SELECT \(PostgreSQLLedger.itemColumns) FROM item WHERE source = $1 AND number > $2
            """, source, number),
          SQL(
            """
            SELECT name FROM log WHERE source = $1 AND number > $2 AND kind = 2
            UNION SELECT name FROM unnest($3::text[]) AS held (name)
            WHERE NOT EXISTS (SELECT 1 FROM feed WHERE feed.name = held.name)
            """, source, number, held.names),
          SQL(
            """
            SELECT EXISTS (SELECT 1
              FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS held (name, version, stamp)
              JOIN \(Rows.of("log", where: "log.name = held.name AND log.version = held.version"))
              WHERE log.source = $4 AND log.kind = 0
              GROUP BY held.name HAVING NOT bool_or(log.stamp = held.stamp))
            """, held.names, held.versions, held.stamps, source),
          SQL(
            """
            SELECT \(PostgreSQLLedger.budgetColumns), name FROM source
            WHERE name = ANY ($1::text[])
            """, SQLArray(copy.budgets)),
          PostgreSQLLedger.selectingPurges(of: source, after: number),
        ], mode: PostgreSQLLedger.snapshot)
    }
    let head = results[3].first
    var news = StoreNews(
      source: source, number: try head?.integer(1) ?? 0, epoch: head?.text(0) ?? "")
    news.revision = try head?.integer(2) ?? 0
    guard news.number != number || news.revision != copy.revision else { return nil }
    news.isDiverged = results[6].first?.flag(0) ?? false
    let gone = Set(results[5].rows.map { $0.text(0) })
    let (rows, unreadable) = PostgreSQLLedger.rows(in: results[..<3], of: source)
    news.unreadable = unreadable
    for name in names where unreadable[name] == nil {
      // One that was dropped and made again is brought as a whole when it is asked for.
      if gone.contains(name) {
        news.feeds.append(.drop(name))
      } else if let rows = rows[name] {
        news.feeds.append(.rows(rows))
      }
    }
    news.items = try results[4].rows.map { (row) throws(StoreError) in
      try PostgreSQLLedger.item(in: row)
    }
    for row in results[7].rows {
      news.budgets[row.text(8)] = try PostgreSQLLedger.budget(in: row)
    }
    news.purges = try PostgreSQLLedger.purges(in: results[8])
    return news
  }

  /// See ``SharedLedger``. The contents of its first elements come along.
  package func feed(_ name: String) throws(StoreError) -> SharedRows? {
    let all = Held(names: SQLArray([name]), versions: SQLArray([Int64.min]), stamps: SQLArray([0]))
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction(
        PostgreSQLLedger.selecting(all, after: 0), mode: PostgreSQLLedger.snapshot)
    }
    let (rows, unreadable) = PostgreSQLLedger.rows(in: results[...])
    if let reason = unreadable[name] { throw .unreadable(message: reason) }
    return rows[name]
  }

  /// Feeds in the state in which a copy has them.
  private struct Held {
    var names: SQLArray
    var versions: SQLArray
    var stamps: SQLArray
  }

  /// The statements that bring feeds that have another state, their places that are newer than a
  /// version each, and the items of these, with contents whose number is above the given one.
  private static func selecting(_ held: Held, after number: Int64) -> [SQL] {
    let changed = """
      FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS held (name, version, stamp)
      JOIN \(Rows.of("feed", where: "feed.name = held.name"))
        AND (feed.version <> held.version OR feed.stamp <> held.stamp)
      """
    let places = "element.feed = feed.key AND element.version > held.version"
    let newer = "\(changed) JOIN \(Rows.of("element", where: places))"
    let isNew = """
      content.item = item.key AND content.digest = item.digest AND item.number > $4
      AND stood.rank <= \(contentsMax)
      """
    let items = """
      SELECT \(itemColumns), stood.name,
        CASE WHEN sum(item.size) OVER (ORDER BY stood.rank, item.key) <= \(contentBytesMax)
          THEN content.bytes END
      FROM (
        SELECT element.item, feed.name,
          row_number() OVER (PARTITION BY feed.name ORDER BY max(element.ord) DESC) AS rank
        \(newer) GROUP BY element.item, feed.name) AS stood
      JOIN \(Rows.of("item", where: "item.key = stood.item"))
      LEFT JOIN \(Rows.of("content", where: isNew))
      """
    return [
      SQL("SELECT \(feedColumns) \(changed)", held.names, held.versions, held.stamps),
      SQL(
        """
        SELECT \(elementColumns), feed.name \(newer)
        JOIN \(Rows.of("item", where: "item.key = element.item"))
        """, held.names, held.versions, held.stamps),
      SQL(items, held.names, held.versions, held.stamps, number),
    ]
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
      read(name) { () throws(StoreError) in
        let item = try item(in: row)
        rows[name]?.items.append(item)
        if !row.isNull(6) { rows[name]?.contents[item.id] = row.bytes(6) }
      }
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
      if !row.isNull(5) { contents[item.id] = row.bytes(5) }
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
        position: Position(order: try row.stored(0).order, tie: row.bytes(1)),
        id: Identity(bytes: row.bytes(3), isNumber: row.flag(8)),
        updatedAt: try row.optional(4), state: state, missingSince: try row.instant(6),
        sentAt: try row.stored(5).instant), sequence: try row.stored(7).elementSequence)
  }

  private static func item(in row: SQLRow) throws(StoreError) -> SharedItem {
    SharedItem(
      realm: row.text(0), id: Identity(bytes: row.bytes(1), isNumber: row.flag(2)),
      sentAt: try row.instant(3) ?? Timestamp(milliseconds: 0), digest: try row.optional(4))
  }
}
