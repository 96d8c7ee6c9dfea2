package import Feed
package import Freshness

/// Answers of the raw route, which servers share so that what one has fetched no other fetches.
///
/// A purge is a change of its source, so that the news bring it to every server. An answer that was
/// requested before a purge counts as purged, even if it comes in at the same moment or later: who
/// reads it compares it with the log, and ``PostgreSQLLedger/tidy(_:)`` deletes it.
extension PostgreSQLLedger {
  /// The longest selection that is logged as it is, in Unicode scalars: an index holds 2,704 bytes.
  /// Of a longer one the begin is: more is purged then.
  private static let selectionMax = 600

  /// Whether a row of `log` selects a target, a text in SQL: see ``AnswerSelection/text``.
  private static func selects(_ target: String) -> String {
    """
    (left(log.name, 1) = '=' AND substr(log.name, 2) = \(target)
      OR left(log.name, 1) = '^' AND left(\(target), length(log.name) - 1) = substr(log.name, 2))
    """
  }

  /// Whether an answer was purged after it was requested: texts in SQL.
  private static func isPurged(_ target: String, of source: String, askedAt: String) -> String {
    """
    EXISTS (SELECT 1 FROM log WHERE log.source = \(source) AND log.kind = 4
      AND log.at >= to_timestamp(\(askedAt) / 1000.0) AND \(selects(target)))
    """
  }

  /// The statement that deletes what was purged after its request.
  static let sweepingPurges = """
    DELETE FROM answer USING log WHERE log.kind = 4 AND log.source = answer.source
      AND log.at >= to_timestamp(answer.asked_at / 1000.0) AND \(selects("answer.target"))
    """

  /// The shared variants of a target, newest first, so many at most. `name` is what the answers of
  /// a source are stored as.
  package func answers(
    of source: String, as name: String, at target: String, most: Int
  ) throws(StoreError) -> [RawAnswer] {
    let minute = "\(Now.milliseconds) / 60000"
    let path = Array(target.utf8)
    let place = "name = $1 AND target_digest = sha256($2)"
    let isPurged = PostgreSQLLedger.isPurged(
      "answer.target", of: "answer.source", askedAt: "answer.asked_at")
    let results = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction([
        SQL(
          """
          SELECT status, fields, request, body, asked_at, responded_at FROM answer
          WHERE \(place) AND target = $3 AND NOT \(isPurged)
          ORDER BY asked_at DESC, responded_at DESC LIMIT $4
          """, name, path, target, most),
        // A use is noted once a minute at most.
        SQL(
          "UPDATE answer SET used = \(minute) WHERE \(place) AND used < \(minute)", name, path),
      ])
    }
    var answers: [RawAnswer] = []
    for row in results[0].rows {
      guard let askedAt = try row.instant(4), let respondedAt = try row.instant(5),
        let answer = RawAnswer(
          status: Int(clamping: try row.integer(0)), fields: row.bytes(1), request: row.bytes(2),
          body: row.bytes(3), askedAt: askedAt, respondedAt: respondedAt)
      else { continue }
      answers.append(answer)
    }
    return answers
  }

  /// Shares an answer: see ``AnswerSharing/share(_:renewing:at:variantsMax:)``.
  package func share(
    _ answer: RawAnswer, renewing former: RawAnswer?, of source: String, as name: String,
    at target: String, variantsMax: Int
  ) throws(StoreError) {
    let (head, path) = (answer.head, Array(target.utf8))
    let variant = Variants.key(of: head)
    let size = answer.storedByteCount(target: path, variant: variant)
    let isPurged = PostgreSQLLedger.isPurged("$5::text", of: "$1::text", askedAt: "$9::bigint")
    var statements = [
      SQL(
        """
        INSERT INTO answer (source, name, target_digest, variant_digest, target, status, fields,
          request, asked_at, responded_at, used, size, body)
        SELECT $1::text, $2::text, sha256($3), sha256($4), $5::text, $6::int, $7::bytea, $8::bytea,
          $9::bigint, $10::bigint, \(Now.milliseconds) / 60000, $11::bigint, $12::bytea
        WHERE NOT \(isPurged)
        ON CONFLICT (name, target_digest, variant_digest) DO UPDATE SET
          target = excluded.target, status = excluded.status, fields = excluded.fields,
          request = excluded.request, asked_at = excluded.asked_at,
          responded_at = excluded.responded_at, used = excluded.used, size = excluded.size,
          body = excluded.body
        WHERE answer.asked_at <= excluded.asked_at
        """, source, name, path, variant, target, head.status, head.fields.stored,
        head.asked.stored, head.askedAt, head.respondedAt, size, answer.body)
    ]
    if let former, case let other = Variants.key(of: former.head), other != variant {
      statements.append(
        SQL(
          """
          DELETE FROM answer WHERE name = $1 AND target_digest = sha256($2)
            AND variant_digest = sha256($3) AND asked_at <= $4
          """, name, path, other, former.head.askedAt))
    }
    statements.append(
      SQL(
        """
        DELETE FROM answer WHERE name = $1 AND target_digest = sha256($2) AND variant_digest IN (
          SELECT variant_digest FROM answer WHERE name = $1 AND target_digest = sha256($2)
          ORDER BY asked_at DESC, responded_at DESC OFFSET $3)
        """, name, path, variantsMax))
    let sent = statements
    _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in try link.transaction(sent) }
  }

  /// Purges the selected answers of a source, however its servers are configured, and logs it for
  /// all of them. Returns how many there were.
  package func purge(
    _ selection: AnswerSelection, of source: String
  ) throws(StoreError) -> Int {
    var text = selection.text
    if text.unicodeScalars.count > PostgreSQLLedger.selectionMax {
      text = "^" + String(text.unicodeScalars.dropFirst().prefix(PostgreSQLLedger.selectionMax))
    }
    let selected = text
    let results = try call { (link) throws(SQLFailure) in
      try link.transaction([
        next(of: source),
        telling(of: source, kind: 4, name: selected),
        SQL(
          """
          WITH gone AS (
            DELETE FROM answer USING log JOIN source ON source.name = log.source
            WHERE log.source = $1 AND log.number = source.number AND answer.source = $1
              AND \(PostgreSQLLedger.selects("answer.target"))
            RETURNING 1)
          SELECT count(*) FROM gone
          """, source),
        notifying(of: source),
      ])
    }
    return try results[2].first?.stored(0).count ?? 0
  }

  /// The statement that brings the purges of a source after a number, oldest first. If the log no
  /// longer reaches back so far, any answer may have been purged: then all are, first.
  static func selectingPurges(of source: String, after number: Int64) -> SQL {
    SQL(
      """
      SELECT name, \(Now.milliseconds(of: "at")) FROM (
        SELECT 0::bigint AS number, '^' AS name, clock_timestamp() AS at
        FROM log WHERE source = $1 HAVING min(number) > $3
        UNION ALL SELECT number, name, at FROM log WHERE source = $1 AND number > $2 AND kind = 4
      ) AS purge ORDER BY number
      """, source, number, number.clampedAdding(1))
  }

  /// The purges that such a statement has brought.
  static func purges(in result: SQLResult) throws(StoreError) -> [StoreNews.Purge] {
    var purges: [StoreNews.Purge] = []
    for row in result.rows {
      if let at = try row.instant(1) { purges.append(StoreNews.Purge(row.text(0), at: at)) }
    }
    return purges
  }

  /// Evicts the least recently used answers until all take at most `bytesMax`.
  func trimAnswers(toBytes bytesMax: Int64) throws(StoreError) {
    let total = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(SQL("SELECT coalesce(sum(size), 0)::bigint FROM answer"))
    }
    guard try total.first?.integer(0) ?? 0 > bytesMax else { return }
    _ = try call { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          DELETE FROM answer USING (
            SELECT name, target_digest, variant_digest,
              sum(size) OVER (ORDER BY used DESC, asked_at DESC, target_digest, variant_digest)
                AS total
            FROM answer) AS ranked
          WHERE answer.name = ranked.name AND answer.target_digest = ranked.target_digest
            AND answer.variant_digest = ranked.variant_digest AND ranked.total > $1
          """, bytesMax - bytesMax / 8))
    }
  }
}
