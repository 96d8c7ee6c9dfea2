package import Feed
import SharedStore

/// What is shared as a whole, for being copied and looked at.
extension PostgreSQLLedger {
  /// How what is shared stands, for an operator.
  package struct Standing: Sendable {
    /// Steps taken.
    package var format = 0
    /// The epoch.
    package var epoch = ""
    /// Beyond all numbers of feeds that have gone.
    package var floor: Int64 = 0
    /// Servers that beat within the last ten seconds, with the feeds that are listened to at each.
    package var servers: [(id: String, program: String, listened: Int64)] = []
    /// Each source, the number it has come to, and what is left of its budget.
    package var sources: [(name: String, number: Int64, remaining: Int64?)] = []
    /// Calls in progress: source, what is asked for, who asks, milliseconds until it is over.
    package var flights: [(source: String, key: String, holder: String, left: Int64)] = []
    /// Feeds.
    package var feeds: Int64 = 0
    /// Places, tombstones included.
    package var places: Int64 = 0
  }

  /// How what is shared stands; nil where nothing was ever shared.
  package func standing() throws(StoreError) -> Standing? {
    let begun = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try Steps.standing(on: link)
    }
    guard let begun else { return nil }
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction([
        SQL(
          """
          SELECT sequence_floor, (SELECT count(*) FROM feed), (SELECT count(*) FROM element)
          FROM store
          """),
        SQL(
          """
          SELECT id, program, listened FROM replica
          WHERE \(Now.isSeen(withinSeconds: 10)) ORDER BY id
          """),
        SQL("SELECT name, number, budget_remaining FROM source ORDER BY name"),
        SQL(
          """
          SELECT source, key, holder,
            (extract(epoch FROM until - clock_timestamp()) * 1000)::bigint
          FROM flight WHERE holder <> '' AND until > clock_timestamp() ORDER BY source, key
          """),
      ])
    }
    var standing = Standing(format: begun.format, epoch: begun.epoch)
    standing.floor = try results[0].first?.integer(0) ?? 0
    standing.feeds = try results[0].first?.integer(1) ?? 0
    standing.places = try results[0].first?.integer(2) ?? 0
    for row in results[1].rows {
      standing.servers.append((row.text(0), row.text(1), try row.integer(2)))
    }
    for row in results[2].rows {
      standing.sources.append((row.text(0), try row.integer(1), try row.optional(2)))
    }
    for row in results[3].rows {
      standing.flights.append((row.text(0), row.text(1), row.text(2), try row.integer(3)))
    }
    return standing
  }

  /// The names of all feeds.
  package func feedNames() throws(StoreError) -> [String] {
    try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(SQL("SELECT name FROM feed ORDER BY name"))
    }.rows.map { $0.text(0) }
  }

  /// Contents asked for in one statement.
  private static let contentsMax = 200

  /// All rows of a feed, its items with their contents; nil where there is none.
  package func image(of name: String) throws(StoreError) -> SharedRows? {
    guard var rows = try feed(name) else { return nil }
    var rest = rows.items.filter { $0.digest != nil }[...]
    while !rest.isEmpty {
      let part = rest.prefix(PostgreSQLLedger.contentsMax)
      let (_, contents) = try items(part.map(\.id), realm: rows.feed.realm)
      rows.contents.merge(contents) { $1 }
      rest = rest.dropFirst(part.count)
    }
    return rows
  }

  /// The budgets that are kept, by name.
  package func budgets() throws(StoreError) -> [String: Budget] {
    var budgets: [String: Budget] = [:]
    for (name, _, _) in try standing()?.sources ?? [] { budgets[name] = try budget(of: name) }
    return budgets
  }

  /// Keeps a budget under a name.
  package func keep(_ budget: Budget, named name: String) throws(StoreError) {
    _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          INSERT INTO source (name, budget_limit, budget_remaining, budget_reset_at, openings,
            spent_at, calls) VALUES ($1, $2, $3, $4, $5, $6, $7)
          ON CONFLICT (name) DO UPDATE SET budget_limit = $2, budget_remaining = $3,
            budget_reset_at = $4, openings = $5, spent_at = $6, calls = $7,
            revision = source.revision + 1
          """, name, budget.limit, budget.remaining, budget.resetAt?.milliseconds,
          budget.openings.text, budget.spentAt?.milliseconds, budget.calls.text))
    }
  }

  /// Takes everything away that is shared, and begins with this epoch.
  package func clear(epoch: String, floor: Int64) throws(StoreError) {
    _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction([
        SQL(
          """
          TRUNCATE source, replica, flight, feed, element, item, content, log, duty, opening, answer
          """),
        SQL("UPDATE store SET epoch = $1, sequence_floor = $2", epoch, floor),
      ])
    }
  }

  /// Writes all rows of a feed that is not there yet.
  package func put(_ rows: SharedRows) throws(StoreError) {
    try write(rows, over: nil, of: nil, leaving: nil, for: Server(id: ""))
  }
}
