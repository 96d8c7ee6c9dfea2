package import Feed
package import SharedStore

/// What is written, each in one transaction that is one way there and back.
extension PostgreSQLLedger {
  /// The most bytes of contents that are sent in one way; the rest follows.
  private static let contentBytesMax = 8 << 20

  /// See ``SharedLedger``.
  @discardableResult
  package func write(
    _ rows: SharedRows, over base: SharedState?, of call: (call: SharedCall, token: Token)?,
    leaving end: SharedEnd?, for server: Server
  ) throws(StoreError) -> SharedMove? {
    let source = rows.feed.source
    let contents = try sendLargeFirst(rows.contents, of: rows.items, source)
    var statements: [SQL] = []
    if let call, let end {
      statements = moving(
        call.call, knowing: end.revision, leaving: (end.budget, end.latest), telling: true)
    } else {
      statements = [next(of: source)]
    }
    if let call { statements.append(fencing(call.call, call.token, of: server, leaving: end)) }
    statements.append(base.map { putting(rows.feed, over: $0) } ?? making(rows.feed))
    statements += putting(rows.items, sizes: rows.contents, sending: contents, of: source)
    statements.append(putting(rows.elements, of: rows.feed))
    // Where the feed has another state there is no such row, and no feed for the log's.
    statements.append(
      SQL(
        """
        INSERT INTO log (source, number, feed, name, version, stamp) VALUES ($1,
          (SELECT number FROM source WHERE name = $1),
          (SELECT key FROM feed WHERE name = $2 AND version = $3 AND stamp = $4), $2, $3, $4)
        """, source, rows.feed.name, rows.feed.version, rows.feed.stamp))
    statements.append(notifying(of: source, by: server))
    // A second try of what was written already finds another state.
    return try move(by: statements, comparing: end != nil)
  }

  /// Runs statements, the first of which moves the source. Returns nil where that compares the
  /// revision, which is another by now.
  private func move(
    by statements: [SQL], comparing isCompared: Bool
  ) throws(StoreError) -> SharedMove? {
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) -> [SQLResult]? in
      do throws(SQLFailure) {
        return try link.transaction(statements)
      } catch {
        if isCompared, case .fenced(table: "source") = error { return nil }
        throw error
      }
    }
    return try results.map { (results) throws(StoreError) in
      guard let row = results[0].first else {
        throw .unreachable(message: "the source has no row")
      }
      return SharedMove(revision: try row.integer(0), number: try row.integer(1))
    }
  }

  /// A statement that fails where a call is no longer this server's, and ends it where it leaves
  /// something.
  private func fencing(
    _ call: SharedCall, _ token: Token, of server: Server, leaving end: SharedEnd?
  ) -> SQL {
    SQL(
      """
      UPDATE flight SET token = CASE WHEN token = $1 AND holder = $2 THEN token + $5 END,
        holder = CASE WHEN $5 = 0 THEN holder ELSE '' END, memo = coalesce($6::jsonb, memo),
        ended = CASE WHEN $5 = 0 THEN ended ELSE $1 END
      WHERE source = $3 AND key = $4
      """, token, server.id, call.source, call.key, end == nil ? 0 : 1, end?.memo)
  }

  /// A statement that wakes those who listen; not the server that wrote, where that knows what it
  /// has written.
  func notifying(of source: String, by server: Server? = nil) -> SQL {
    SQL("SELECT pg_notify('tsugi', $1)", server.map { "\(source) \($0.id)" } ?? source)
  }

  /// Notifies those who listen on a channel.
  func notify(on channel: String) throws(StoreError) {
    _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(SQL("SELECT pg_notify($1, '')", channel))
    }
  }

  /// A statement that takes the next number of a source, and keeps all others from it until the
  /// end.
  func next(of source: String) -> SQL {
    SQL(
      """
      INSERT INTO source (name, revision, number) VALUES ($1, 1, 1)
      ON CONFLICT (name) DO UPDATE SET revision = source.revision + 1, number = source.number + 1
      RETURNING revision, number
      """, source)
  }

  private func making(_ feed: SharedFeed) -> SQL {
    SQL(
      """
      INSERT INTO feed (name, source, realm, ordering, version, stamp, sequence, changes_floor,
        timeline, recipe, read_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, \(Now.milliseconds))
      """, feed.name, feed.source, feed.realm, feed.order.rawValue, feed.version, feed.stamp,
      feed.timeline.sequence, feed.changesFloor, TimelineCoding.text(of: feed.timeline),
      feed.recipe)
  }

  private func putting(_ feed: SharedFeed, over base: SharedState) -> SQL {
    SQL(
      """
      UPDATE feed SET version = $2, stamp = $3, sequence = $4, changes_floor = $5,
        timeline = $6::jsonb, ordering = $7, recipe = $10
      WHERE name = $1 AND version = $8 AND stamp = $9
      """, feed.name, feed.version, feed.stamp, feed.timeline.sequence, feed.changesFloor,
      TimelineCoding.text(of: feed.timeline), feed.order.rawValue, base.version, base.stamp,
      feed.recipe)
  }

  /// A place whose item a later answer has taken for gone makes the statement fail: its
  /// sender has not heard of that.
  private func putting(_ elements: [SharedElement], of feed: SharedFeed) -> SQL {
    let known = elements.map(\.known)
    return SQL(
      """
      INSERT INTO element (feed, ord, tie, state, item, id, updated_at, sent_at, missing_since,
        sequence, version)
      SELECT feed.key,
        CASE WHEN item.digest IS NULL AND item.number > 0 AND item.sent_at > e.sent_at
          AND e.state <> 2 THEN NULL ELSE e.ord END,
        e.tie, e.state, item.key, e.id, e.updated_at, e.sent_at, e.missing_since, e.sequence, $10
      FROM unnest($1::bigint[], $2::bytea[], $3::smallint[], $4::bytea[], $5::bigint[],
          $6::bigint[], $7::bigint[], $8::bigint[])
        AS e (ord, tie, state, id, updated_at, sent_at, missing_since, sequence)
      JOIN feed ON feed.name = $9
      JOIN \(Rows.of("item", where: "item.realm = feed.realm AND item.id = e.id"))
      ON CONFLICT (feed, ord, tie) DO UPDATE SET state = excluded.state, item = excluded.item,
        id = excluded.id, updated_at = excluded.updated_at, sent_at = excluded.sent_at,
        missing_since = excluded.missing_since, sequence = excluded.sequence,
        version = excluded.version
      """, SQLArray(known.map(\.position.order)), SQLArray(known.map(\.position.tie)),
      SQLArray(known.map(\.state.rawValue)), SQLArray(known.map(\.id.bytes)),
      SQLArray(known.map(\.updatedAt)), SQLArray(known.map(\.sentAt.milliseconds)),
      SQLArray(known.map { $0.missingSince?.milliseconds }), SQLArray(elements.map(\.sequence)),
      feed.name, feed.version)
  }

  /// Statements that write items, and contents, before anything points at them. Only a later answer
  /// counts.
  private func putting(
    _ items: [SharedItem], sizes contents: [Identity: [UInt8]],
    sending sent: [Identity: [UInt8]], of source: String
  ) -> [SQL] {
    guard !items.isEmpty else { return [] }
    let statement = SQL(
      """
      INSERT INTO item (source, realm, id, sent_at, digest, is_number, size, number)
      SELECT source.name, i.realm, i.id, i.sent_at, i.digest, i.is_number, coalesce(i.size, 0),
        source.number
      FROM unnest($1::text[], $2::bytea[], $3::boolean[], $4::bigint[], $5::bigint[], $7::int[])
        AS i (realm, id, is_number, sent_at, digest, size)
      JOIN source ON source.name = $6
      ORDER BY i.realm, i.id
      ON CONFLICT (realm, id) DO UPDATE SET sent_at = excluded.sent_at, digest = excluded.digest,
        is_number = excluded.is_number,
        size = CASE WHEN excluded.size > 0 THEN excluded.size ELSE item.size END,
        number = CASE WHEN item.number = 0 OR item.digest IS DISTINCT FROM excluded.digest
          THEN excluded.number ELSE item.number END
      WHERE item.number = 0 OR item.sent_at <= excluded.sent_at
      """, SQLArray(items.map(\.realm)), SQLArray(items.map(\.id.bytes)),
      SQLArray(items.map(\.id.isNumber)), SQLArray(items.map(\.sentAt.milliseconds)),
      SQLArray(items.map(\.digest)), source, SQLArray(items.map { contents[$0.id]?.count }))
    return [statement] + inserting(sent, of: items)
  }

  /// The statement that writes contents, which never change; none where there are none.
  private func inserting(_ contents: [Identity: [UInt8]], of items: [SharedItem]) -> [SQL] {
    let filled = items.filter { contents[$0.id] != nil }
    guard !filled.isEmpty else { return [] }
    return [
      SQL(
        """
        INSERT INTO content (item, digest, bytes)
        SELECT item.key, c.digest, c.bytes
        FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::bytea[])
          AS c (realm, id, digest, bytes)
        JOIN \(Rows.of("item", where: "item.realm = c.realm AND item.id = c.id"))
        ON CONFLICT DO NOTHING
        """, SQLArray(filled.map(\.realm)), SQLArray(filled.map(\.id.bytes)),
        SQLArray(filled.map(\.digest)), SQLArray(filled.map { contents[$0.id] ?? [] }))
    ]
  }

  /// Sends what is too much for one transaction in others before it, so that nothing that other
  /// calls wait for is locked meanwhile. Returns the contents that remain to be sent with it.
  ///
  /// All make the rows of items in one order, so that no two wait for each other.
  private func sendLargeFirst(
    _ contents: [Identity: [UInt8]], of items: [SharedItem], _ source: String
  ) throws(StoreError) -> [Identity: [UInt8]] {
    guard contents.values.reduce(0, { $0 + $1.count }) > PostgreSQLLedger.contentBytesMax else {
      return contents
    }
    var statements = [
      SQL(
        """
        INSERT INTO item (source, realm, id, sent_at)
        SELECT $1, i.realm, i.id, 0 FROM unnest($2::text[], $3::bytea[]) AS i (realm, id)
        ORDER BY i.realm, i.id
        ON CONFLICT DO NOTHING
        """, source, SQLArray(items.map(\.realm)), SQLArray(items.map(\.id.bytes)))
    ]
    var rest = items.filter { contents[$0.id] != nil }[...]
    while !rest.isEmpty {
      var bytes = 0
      let part = rest.prefix { item in
        defer { bytes += contents[item.id]?.count ?? 0 }
        return bytes < PostgreSQLLedger.contentBytesMax
      }
      rest = rest.dropFirst(part.count)
      let sent = statements + inserting(contents, of: Array(part))
      _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in try link.transaction(sent) }
      statements = []
    }
    return [:]
  }

  /// See ``SharedLedger``.
  @discardableResult
  package func write(
    _ items: [SharedItem], contents: [Identity: [UInt8]], of source: String, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove? {
    let sent = try sendLargeFirst(contents, of: items, source)
    return try move(
      by: begin(of: source, ending, for: server)
        + putting(items, sizes: contents, sending: sent, of: source)
        + [telling(of: source, kind: 3), notifying(of: source, by: server)],
      comparing: ending != nil)
  }

  /// The statements that take the next number of a source, and end a call where one is given.
  private func begin(of source: String, _ ending: CallEnding?, for server: Server) -> [SQL] {
    ending.map { settling($0, for: server, telling: true) } ?? [next(of: source)]
  }

  /// A statement that logs a change that is no feed's.
  func telling(of source: String, kind: Int, name: String = "") -> SQL {
    SQL(
      """
      INSERT INTO log (source, number, feed, name, version, stamp, kind, at)
      SELECT name, number, 0, $3, 0, 0, $2, clock_timestamp() FROM source WHERE name = $1
      """, source, kind, name)
  }

  /// See ``SharedLedger``.
  @discardableResult
  package func delete(
    _ ids: [Identity], realm: String, of source: String, sentAt: Timestamp, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove? {
    let ids = SQLArray(ids.map(\.bytes))
    let gone = "item.realm = $1 AND item.id = ANY ($2::bytea[]) AND item.sent_at <= $3"
    return try move(
      by: begin(of: source, ending, for: server) + [
        telling(of: source, kind: 3),
        // A version that is one ahead of its feed's marks what is touched.
        SQL(
          """
          UPDATE element SET state = 2, missing_since = NULL,
            sent_at = greatest(element.sent_at, $3),
            sequence = place.sequence + place.n, version = place.version + 1
          FROM (
            SELECT e.feed, e.ord, e.tie, feed.sequence, feed.version,
              row_number() OVER (PARTITION BY e.feed ORDER BY e.ord, e.tie) AS n
            FROM item JOIN element AS e ON e.id = item.id AND e.state <> 2
            JOIN feed ON feed.key = e.feed AND feed.realm = item.realm
            WHERE \(gone)) AS place
          WHERE element.feed = place.feed AND element.ord = place.ord AND element.tie = place.tie
          """, realm, ids, sentAt.milliseconds),
        SQL(
          """
          WITH changed AS (
            UPDATE feed SET version = feed.version + 1, sequence = feed.sequence + touched.n,
              stamp = ('x' || md5(random()::text || feed.name))::bit(64)::bigint
            FROM (
              SELECT e.feed, count(*) AS n FROM element AS e JOIN feed AS f ON f.key = e.feed
              WHERE f.realm = $1 AND e.id = ANY ($2::bytea[]) AND e.version = f.version + 1
              GROUP BY e.feed) AS touched
            WHERE feed.key = touched.feed
            RETURNING feed.key, feed.name, feed.version, feed.stamp)
          INSERT INTO log (source, number, feed, name, version, stamp)
          SELECT $3, source.number + row_number() OVER (), changed.key, changed.name,
            changed.version, changed.stamp
          FROM changed JOIN source ON source.name = $3
          """, realm, ids, source),
        SQL(
          """
          WITH erased AS (
            UPDATE item SET digest = NULL, sent_at = $3,
              number = (SELECT number FROM source WHERE name = $4)
            WHERE \(gone) RETURNING key)
          DELETE FROM content USING erased WHERE content.item = erased.key
          """, realm, ids, sentAt.milliseconds, source),
        SQL(
          """
          UPDATE source SET number = (SELECT max(number) FROM log WHERE source = $1)
          WHERE name = $1
          """, source),
        notifying(of: source, by: server),
      ], comparing: ending != nil)
  }

  /// See ``SharedLedger``.
  package func drop(
    _ feed: String, of source: String, unless recipe: Int64?
  ) throws(StoreError) {
    _ = try call { (link) throws(SQLFailure) in
      try link.transaction([
        next(of: source),
        SQL(
          """
          UPDATE feed SET version = CASE WHEN recipe = $2 THEN NULL ELSE version END
          WHERE name = $1
          """, feed, recipe),
        SQL(
          """
          UPDATE store SET sequence_floor = greatest(sequence_floor,
            (SELECT least(sequence, $2) + 1 FROM feed WHERE name = $1))
          """, feed, StoredInteger.sequenceMax),
        // With the items that stand in no other feed.
        SQL(
          """
          WITH lone AS (
            DELETE FROM item USING element AS e JOIN feed AS f ON f.key = e.feed
            WHERE f.name = $1 AND item.key = e.item AND NOT EXISTS (
              SELECT 1 FROM element AS other WHERE other.item = e.item AND other.feed <> f.key)
            RETURNING item.key)
          DELETE FROM content USING lone WHERE content.item = lone.key
          """, feed),
        SQL(
          "DELETE FROM element USING feed WHERE feed.name = $1 AND element.feed = feed.key", feed),
        SQL(
          """
          WITH dropped AS (DELETE FROM feed WHERE name = $2 RETURNING key, version, stamp)
          INSERT INTO log (source, number, feed, name, version, stamp, kind)
          SELECT source.name, source.number, coalesce(dropped.key, 0), $2,
            coalesce(dropped.version, 0), coalesce(dropped.stamp, 0), 2
          FROM source LEFT JOIN dropped ON true WHERE source.name = $1
          """, source, feed),
        notifying(of: source),
      ])
    }
  }
}
