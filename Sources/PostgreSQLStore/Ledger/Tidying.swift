package import Feed

/// Keeping what is shared small.
extension PostgreSQLLedger {
  /// What may be shared, and for how long.
  package struct Limits: Hashable, Sendable {
    /// The most bytes of contents.
    package var bytesMax: Int64
    /// The most bytes of the raw route's answers, beside these.
    package var answerBytesMax: Int64
    /// The most feeds.
    package var feedsMax: Int
    /// How long it is remembered that an element has gone.
    package var remembers: Duration

    /// Limits from their parts.
    package init(bytesMax: Int64, answerBytesMax: Int64, feedsMax: Int, remembers: Duration) {
      (self.bytesMax, self.answerBytesMax) = (bytesMax, answerBytesMax)
      (self.feedsMax, self.remembers) = (feedsMax, remembers)
    }
  }

  /// The most rows that one step deletes.
  private static let rowsMax = 1_000
  /// The most feeds that are evicted in one step.
  private static let feedsMax = 100
  /// The most rows of the log that are kept for servers that are behind.
  private static let logMax = 100_000
  /// How long a duty is lent, in seconds.
  private static let dutySeconds = 30

  /// Takes a duty, where no other server has it. Returns whether it is this server's.
  package func takeDuty(_ name: String, for server: String) throws(StoreError) -> Bool {
    let result = try call { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          INSERT INTO duty (name, holder, until)
          VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
          ON CONFLICT (name) DO UPDATE SET holder = $2, until = excluded.until
          WHERE duty.holder = $2 OR NOT (\(Now.isLent(until: "duty.until")))
          RETURNING 1
          """, name, server, PostgreSQLLedger.dutySeconds))
    }
    return result.count > 0
  }

  /// Deletes what no server needs, some rows at a time, and evicts the feeds that were least
  /// recently read while there is too much. Returns how many feeds went.
  package func tidy(_ limits: Limits) throws(StoreError) -> Int {
    try sweep(limits)
    try trimAnswers(toBytes: limits.answerBytesMax)
    let load = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          SELECT (SELECT count(*) FROM feed),
            (SELECT coalesce(sum(size), 0) FROM item WHERE digest IS NOT NULL)
          """))
    }
    guard let row = load.first else { return 0 }
    let feeds = Int(try row.integer(0))
    var excess = feeds > limits.feedsMax ? feeds - (limits.feedsMax - limits.feedsMax / 16) : 0
    if try row.integer(1) > limits.bytesMax - limits.bytesMax / 8 {
      // A sixteenth of what is there, least recently read first; the next step looks again.
      excess = max(excess, min(feeds - 1, max(1, feeds / 16)))
    }
    guard excess > 0 else { return 0 }
    let victims = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          "SELECT name, source FROM feed ORDER BY read_at NULLS FIRST, name LIMIT $1",
          min(excess, PostgreSQLLedger.feedsMax)))
    }
    for victim in victims.rows { try drop(victim.text(0), of: victim.text(1), unless: nil) }
    return victims.count
  }

  private func sweep(_ limits: Limits) throws(StoreError) {
    let goneBefore = "\(Now.milliseconds) - \(limits.remembers.inMilliseconds)"
    let rows = PostgreSQLLedger.rowsMax
    let steps = [
      PostgreSQLLedger.sweepingPurges,
      """
      DELETE FROM log USING source WHERE log.source = source.name
        AND (log.number <= source.number - \(PostgreSQLLedger.logMax)
          OR log.at < now() - interval '24 hours' AND log.number < source.number)
      """,
      """
      DELETE FROM content USING (
        SELECT content.item, content.digest FROM content JOIN item ON item.key = content.item
        WHERE item.digest IS DISTINCT FROM content.digest
          AND content.at < now() - interval '1 hour' LIMIT \(rows)) AS old
      WHERE content.item = old.item AND content.digest = old.digest
      """,
      """
      WITH gone AS (
        DELETE FROM element USING (
          SELECT feed, ord, tie FROM element WHERE state = 2 AND sent_at < \(goneBefore)
          LIMIT \(rows)) AS old
        WHERE element.feed = old.feed AND element.ord = old.ord AND element.tie = old.tie
        RETURNING element.feed, element.sequence)
      UPDATE feed SET changes_floor = greatest(changes_floor, floor.sequence)
      FROM (SELECT feed, max(sequence) AS sequence FROM gone GROUP BY feed) AS floor
      WHERE feed.key = floor.feed
      """,
      """
      WITH loose AS (
        DELETE FROM item USING (
          SELECT key FROM item WHERE sent_at < \(goneBefore)
            AND NOT EXISTS (SELECT 1 FROM element WHERE element.item = item.key) LIMIT \(rows)
        ) AS old WHERE item.key = old.key RETURNING item.key)
      DELETE FROM content USING loose WHERE content.item = loose.key
      """,
      """
      DELETE FROM replica
      WHERE NOT seen_at BETWEEN now() - interval '1 day' AND now() + interval '1 day'
      """,
      """
      DELETE FROM opening WHERE NOT paid_until
        BETWEEN (extract(epoch FROM now()) * 1000000)::bigint
        AND (extract(epoch FROM now() + interval '1 minute') * 1000000)::bigint
      """,
      "DELETE FROM flight WHERE holder = '' AND until < now() - interval '1 day'",
    ]
    for step in steps {
      _ = try call { (link) throws(SQLFailure) in try link.run(SQL(step)) }
    }
  }

  /// Notes when feeds were last read, by name.
  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    guard !reads.isEmpty else { return }
    let names = reads.keys.sorted()
    _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          UPDATE feed SET read_at = greatest(feed.read_at, r.at)
          FROM unnest($1::text[], $2::bigint[]) AS r (name, at) WHERE feed.name = r.name
          """, SQLArray(names), SQLArray(names.map { reads[$0]?.milliseconds })))
    }
  }
}
