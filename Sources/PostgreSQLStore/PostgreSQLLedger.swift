import Bytes
package import Feed
package import SharedStore
import Synchronization

/// The shared store, in PostgreSQL: see ``Steps`` for the tables.
///
/// Nothing is locked over a way there and back, nothing hangs on a session, and READ COMMITTED is
/// enough: poolers and engines that speak PostgreSQL's protocol will do. All times are its clock's.
package final class PostgreSQLLedger: SharedLedger {
  let pool: Pool
  /// The connection of the beats: they wait for no other call.
  private let beats: Pool
  private let program: String
  /// Since when this server has beaten without a pause, by the database's clock.
  private let beaten = Mutex<(at: Timestamp, since: Timestamp)?>(nil)
  /// Whether the tables are what this program needs, and whether it may bring them there.
  private let preparation = Mutex((isDone: true, mayMigrate: true))

  /// How long a server counts as live without a heartbeat, in seconds. One that has not beaten for
  /// as long itself takes no other for dead: after a sleep, or a restart of the database, all look
  /// so.
  static let silenceSeconds: Int64 = 5
  /// How often a transaction is begun again that another was in the way of.
  private static let conflictsMax = 50
  /// How often a transaction is tried that waits for a lock in vain.
  private static let lockTriesMax = 2
  /// How long reads of a kind are not tried, except by one caller, after one met a locked table.
  private static let restDuration = Duration.seconds(1)
  /// Until when reads of a kind are not tried.
  private let rests = Mutex<[String: ContinuousClock.Instant]>([:])

  /// What is shared at a URL, or a list of `keyword=value` (libpq, 34.1.1), over so many
  /// connections at most, and one more for the beats. Nothing is asked yet.
  package init(url: String, connections: Int = 4, program: String = "tsugi") {
    pool = Pool(url, connections: connections)
    beats = Pool(url, connections: 1)
    self.program = program
  }

  /// Whether the last calls came through.
  package var isUp: Bool { pool.isUp && beats.isUp }

  /// What is wrong with a URL, that no waiting mends.
  package enum Fault: Hashable, Sendable {
    /// It is none.
    case url
    /// The server refuses the user or the password.
    case login
    /// The server has no such database.
    case database
  }

  /// What is wrong with a URL by its form; nil where libpq can read it.
  package static func fault(in url: String) -> Fault? { Link.reads(url) ? nil : .url }

  /// Why the server refused the last try to reach it; nil where it did not, or may take the next.
  package var fault: Fault? {
    switch pool.denial {
    case "3D000": .database
    case let state? where state.hasPrefix("28"): .login
    default: nil
    }
  }

  /// Brings the tables to what this program needs; where `mayMigrate` is not set, only looks. What
  /// could not be reached is prepared with the first beat that reaches it.
  /// Throws ``StoreError/newerVersion(version:supported:)`` where a newer program has left them so
  /// that this one may not use them.
  package func prepare(mayMigrate: Bool = true) throws(StoreError) {
    preparation.withLock { $0 = (false, mayMigrate) }
    try look(mayMigrate)
    preparation.withLock { $0.isDone = true }
  }

  private func look(_ mayMigrate: Bool) throws(StoreError) {
    let standing = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      let standing = try Steps.standing(on: link)
      guard mayMigrate, standing?.format ?? 0 < Steps.format else { return standing }
      try Steps.take(on: link, epoch: SequenceNumber.madeEpoch())
      return try Steps.standing(on: link)
    }
    guard let standing, standing.format >= Steps.format else {
      throw .unreachable(
        message: "the shared store has format \(standing?.format ?? 0), and this program needs "
          + "\(Steps.format): run `tsugi store migrate`, or set store.migrate")
    }
    guard standing.oldest <= Steps.format else {
      throw .newerVersion(version: standing.format, supported: Steps.format)
    }
  }

  /// Throws where the tables are no longer what this program needs: a newer program has migrated
  /// them, or an older dump was restored. Every beat looks, so that a server goes on by itself.
  private func check(format: Int64, oldest: Int64) throws(StoreError) {
    if format < Steps.format {
      preparation.withLock { $0.isDone = false }
      throw .unreachable(message: "it has format \(format), and this program needs \(Steps.format)")
    }
    guard oldest > Steps.format else { return }
    throw .unreachable(
      message: "it has format \(format), which programs of format \(oldest) and later can use, and "
        + "this one has \(Steps.format)")
  }

  /// Calls the database, again where another transaction was in the way.
  ///
  /// Only a locked table keeps a read waiting, and it keeps all sources waiting. So after a read
  /// that waited in vain, others of its `kind` fail without a try for ``restDuration``.
  func call<Value>(
    isRepeatable: Bool = false, over pool: Pool? = nil, kind: String = #function,
    _ body: (Link) throws(SQLFailure) -> Value
  ) throws(StoreError) -> Value {
    if isRepeatable, isResting(kind) { throw .unreachable(message: "a table is locked") }
    var lockTries = 0
    for _ in 0..<PostgreSQLLedger.conflictsMax {
      do throws(SQLFailure) {
        let value = try (pool ?? self.pool).with(isRepeatable: isRepeatable, body)
        if isRepeatable { rests.withLock { $0[kind] = nil } }
        return value
      } catch {
        switch error {
        case .refused("40001", _), .refused("40P01", _): continue
        case .refused("55P03", let message):
          lockTries += 1
          if lockTries < PostgreSQLLedger.lockTriesMax { continue }
          if isRepeatable { rest(kind) }
          throw .unreachable(message: "PostgreSQL says 55P03: \(message)")
        case .fenced: throw .overtaken
        case .refused(let state, let message):
          throw .unreachable(message: "PostgreSQL says \(state): \(message)")
        case .lost(let message), .denied(_, let message): throw .unreachable(message: message)
        }
      }
    }
    throw .unreachable(message: "other transactions are in the way")
  }

  /// Whether reads of a kind are not to be tried now. After the pause the first caller tries.
  private func isResting(_ kind: String) -> Bool {
    rests.withLock { rests in
      guard let until = rests[kind] else { return false }
      guard until <= .now else { return true }
      rests[kind] = .now + PostgreSQLLedger.restDuration
      return false
    }
  }

  private func rest(_ kind: String) {
    rests.withLock { $0[kind] = .now + PostgreSQLLedger.restDuration }
  }

  package func beat(_ server: Server) throws(StoreError) -> Heartbeat {
    let (isDone, mayMigrate) = preparation.withLock { $0 }
    if !isDone { try prepare(mayMigrate: mayMigrate) }
    let last = Rows.of(
      "log", where: "log.source = source.name AND log.number = source.number AND log.kind = 0")
    let results = try call(isRepeatable: true, over: beats) { (link) throws(SQLFailure) in
      try link.transaction([
        SQL(
          """
          INSERT INTO replica (id, seen_at, program, listened)
          VALUES ($1, clock_timestamp(), $2, $3)
          ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp(), listened = $3
          RETURNING \(Now.milliseconds)
          """, server.id, program, server.listenedFeeds),
        SQL("SELECT epoch, format, format_oldest FROM store"),
        SQL(
          """
          SELECT source.name, source.number, source.revision, log.name, log.version, log.stamp
          FROM source LEFT JOIN \(last) WHERE source.revision > 0
          """),
        SQL(
          """
          SELECT count(*), coalesce(sum(listened), 0) FROM replica
          WHERE \(Now.isSeen(withinSeconds: PostgreSQLLedger.silenceSeconds))
          """),
      ])
    }
    if let store = results[1].first {
      try check(format: try store.integer(1), oldest: try store.integer(2))
    }
    let now = try results[0].first?.instant(0) ?? Timestamp(milliseconds: 0)
    beaten.withLock { beaten in
      let silence = Duration.seconds(PostgreSQLLedger.silenceSeconds)
      // After a clock that was set back, too, all begins again.
      let goesOn = beaten.map { (.zero..<silence).contains(now - $0.at) } ?? false
      beaten = (now, goesOn ? beaten?.since ?? now : now)
    }
    var numbers: [String: Int64] = [:]
    var revisions: [String: Int64] = [:]
    var changes: [String: Heartbeat.Change] = [:]
    for row in results[2].rows {
      numbers[row.text(0)] = try row.integer(1)
      revisions[row.text(0)] = try row.integer(2)
      if let version = try row.optional(4) {
        changes[row.text(0)] = Heartbeat.Change(
          row.text(3), SharedState(version: version, stamp: try row.integer(5)))
      }
    }
    var heartbeat = Heartbeat(
      epoch: results[1].first?.text(0) ?? "", numbers: numbers, revisions: revisions,
      servers: try results[3].first?.stored(0).count ?? 0,
      listenedFeeds: try results[3].first?.stored(1).count ?? 0, now: now)
    heartbeat.changes = changes
    return heartbeat
  }

  package func leave(_ server: Server) throws(StoreError) {
    _ = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.transaction([SQL("DELETE FROM replica WHERE id = $1", server.id)])
    }
  }

  /// Whether this server may take another for dead.
  var judges: Bool {
    beaten.withLock { beaten in
      beaten.map { $0.at - $0.since >= .seconds(PostgreSQLLedger.silenceSeconds) } ?? false
    }
  }

  /// See ``SharedLedger``. Feeds that get another lineage get another state with it, so that no
  /// answer is written over what was read before.
  package func begin(after epoch: String) throws(StoreError) {
    let lineage = TimelineCoding.text(of: [Lineage(name: .random(in: 1 ... .max))])
    _ = try call { (link) throws(SQLFailure) in
      try link.transaction([
        SQL(
          "UPDATE source SET revision = revision + 1 WHERE $1 = (SELECT epoch FROM store)", epoch),
        SQL(
          """
          WITH begun AS (
            UPDATE store SET epoch = $2, sequence_floor =
              greatest(sequence_floor, (SELECT coalesce(max(sequence), 0) FROM feed))
            WHERE epoch = $1 RETURNING epoch)
          UPDATE feed SET timeline = jsonb_set(timeline, '{lineages}', $3::jsonb), stamp = $4,
            version = CASE WHEN version < \(Int64.max) THEN version + 1 ELSE 1 END
          FROM begun WHERE timeline->'lineages'->0 IS NOT NULL
          """, epoch, SequenceNumber.madeEpoch(), lineage, Int64.random(in: .min ... .max)),
      ])
    }
  }
}

/// What stands for the present in SQL.
enum Now {
  /// Milliseconds since 1970, of this moment: `now()` would be when the transaction began.
  static let milliseconds = milliseconds(of: "clock_timestamp()")

  /// Milliseconds since 1970, of an instant.
  static func milliseconds(of instant: String) -> String {
    "(extract(epoch FROM \(instant)) * 1000)::bigint"
  }

  /// Whether a server has beaten within so many seconds. What a clock that was set wrong has noted
  /// in the future is no beat.
  static func isSeen(withinSeconds seconds: Int64) -> String {
    """
    seen_at > clock_timestamp() - interval '\(seconds) s'
      AND seen_at < clock_timestamp() + interval '60 s'
    """
  }

  /// Whether what was lent until an instant is lent still. No loan is as long as an hour: one that
  /// ends later was made by a clock that was set wrong.
  static func isLent(until instant: String) -> String {
    "\(instant) > clock_timestamp() AND \(instant) < clock_timestamp() + interval '1 hour'"
  }

  /// An instant that many milliseconds of a parameter ahead.
  static func ahead(_ parameter: String) -> String {
    "clock_timestamp() + \(parameter) * interval '1 millisecond'"
  }
}

/// What joins each row with those of a large table, by an index of that.
enum Rows {
  /// The rows of a table for which a condition on the row before holds, under the table's name: to
  /// be written behind `JOIN`.
  ///
  /// `OFFSET 0` keeps it a step of its own. Else PostgreSQL reads the whole table, by a plan that
  /// it made when there were few rows, and keeps until the table is analyzed.
  static func of(_ table: String, where condition: String) -> String {
    "LATERAL (SELECT * FROM \(table) WHERE \(condition) OFFSET 0) AS \(table) ON true"
  }
}
