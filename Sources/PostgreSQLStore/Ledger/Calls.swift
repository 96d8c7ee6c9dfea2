package import Feed
package import SharedStore

/// Calls: who makes them, and what is left of the budget.
extension PostgreSQLLedger {
  private static let budgetNames = [
    "budget_limit", "budget_remaining", "budget_reset_at", "openings", "spent_at", "learned_from",
    "refused_until", "calls",
  ]
  static let budgetColumns = budgetNames.joined(separator: ", ")

  /// Whether a flight still counts. `$3` is the server that asks, `$4` whether it may take others
  /// for dead.
  private static func isLiving(_ flight: String) -> String {
    """
    \(Now.isLent(until: "\(flight).until")) AND \(flight).holder <> ''
      AND (\(flight).holder = $3 OR NOT $4::boolean
        OR EXISTS (SELECT 1 FROM replica WHERE id = \(flight).holder
          AND \(Now.isSeen(withinSeconds: PostgreSQLLedger.silenceSeconds))))
    """
  }

  /// See ``SharedLedger``.
  package func ground(of call: SharedCall, for server: Server) throws(StoreError) -> Ground {
    let ground = SQL(
      """
      SELECT store.epoch, source.revision, source.number,
        (SELECT count(*) FROM flight WHERE source = $1 AND holder <> $3
          AND \(PostgreSQLLedger.isLiving("flight"))),
        (SELECT count(*) FROM flight WHERE source = $1 AND budget = $5
          AND \(PostgreSQLLedger.isLiving("flight"))),
        feed.version, feed.stamp,
        CASE WHEN mine.holder <> $3 AND \(PostgreSQLLedger.isLiving("mine"))
          THEN (extract(epoch FROM mine.until) * 1000)::bigint END,
        mine.memo ->> 'until', mine.memo ->> 'meaning', mine.memo ->> 'failures',
        source.clock_date, source.clock_made_at,
        EXISTS (SELECT 1 FROM flight WHERE source = $1 AND CASE
          WHEN memo ->> 'until' ~ '^[0-9]{1,18}$'
          THEN (memo ->> 'until')::bigint > \(Now.milliseconds) END),
        mine.ended, store.sequence_floor
      FROM store CROSS JOIN source
      LEFT JOIN feed ON feed.name = $6
      LEFT JOIN flight AS mine ON mine.source = $1 AND mine.key = $2
      WHERE source.name = $1
      """, call.source, call.key, server.id, judges, call.budget ?? "", call.feed?.name ?? "")
    let budget = PostgreSQLLedger.finding(budget: call.budgetName)
    for _ in 0..<2 {
      let results = try self.call(isRepeatable: true) { (link) throws(SQLFailure) in
        // One state of all: what is compared later is what was decided by.
        try link.transaction([ground, budget], mode: "REPEATABLE READ READ ONLY")
      }
      guard let row = results[0].first else {
        try make(call)
        continue
      }
      var kept = try results[1].first.flatMap { (row) throws(StoreError) in
        try PostgreSQLLedger.budget(in: row)
      }
      kept?.inFlight = try row.stored(4).count
      let state = try row.optional(5).map { (version) throws(StoreError) in
        SharedState(version: version, stamp: try row.integer(6))
      }
      var ground = Ground(
        epoch: row.text(0), revision: try row.integer(1), number: try row.integer(2),
        budget: kept, othersInFlight: try row.stored(3).count, state: state,
        heldUntil: try row.instant(7), pause: PostgreSQLLedger.pause(in: row, from: 8),
        latest: try PostgreSQLLedger.latest(in: row, from: 11))
      ground.isQuiet = ground.othersInFlight == 0 && !row.flag(13)
      ground.ended = try row.optional(14)
      ground.floor = try row.stored(15).sequence
      return ground
    }
    throw .unreachable(message: "the source has no row")
  }

  private func make(_ call: SharedCall) throws(StoreError) {
    _ = try self.call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(
        SQL(
          """
          INSERT INTO source (name) SELECT DISTINCT name FROM unnest($1::text[]) AS made (name)
          ON CONFLICT DO NOTHING
          """, SQLArray([call.source, call.budgetName])))
    }
  }

  /// See ``SharedLedger``.
  package func claim(
    _ call: SharedCall, knowing ground: Ground, leaving budget: Budget, lease: Duration,
    for server: Server
  ) throws(StoreError) -> Token? {
    do throws(StoreError) {
      let results = try self.call { (link) throws(SQLFailure) in
        try link.transaction(
          moving(
            call, knowing: ground.revision, in: ground.epoch, leaving: (budget, ground.latest)) + [
              SQL(
                """
                INSERT INTO flight (source, key, token, holder, until, budget)
                VALUES ($1, $2, 1, $3, \(Now.ahead("$4::bigint")), $5)
                ON CONFLICT (source, key) DO UPDATE SET token = flight.token + 1, holder = $3,
                  until = \(Now.ahead("$4::bigint")), budget = $5
                RETURNING token
                """, call.source, call.key, server.id, lease.inMilliseconds, call.budget ?? "")
            ])
      }
      return try results.last?.first?.integer(0)
    } catch .overtaken {
      return nil
    }
  }

  /// Statements that move the revision, and keep the budget of a call and the latest `Date`. The
  /// first fails where the revision is not the one that was decided by, or the epoch, where one is
  /// given; with `telling` it moves the number, too, for an entry of the log.
  func moving(
    _ call: SharedCall, knowing revision: Int64, in epoch: String? = nil,
    leaving left: (budget: Budget, latest: UpstreamDate?), telling: Bool = false
  ) -> [SQL] {
    let budget = left.budget
    let values: [any SQLParameter] = [
      budget.limit, budget.remaining, budget.resetAt?.milliseconds, budget.openings.text,
      budget.spentAt?.milliseconds, budget.learnedFrom, budget.refusedUntil?.milliseconds,
      budget.calls.text,
    ]
    func assignments(from first: Int) -> String {
      PostgreSQLLedger.budgetNames.enumerated().map { "\($1) = $\(first + $0)" }
        .joined(separator: ", ")
    }
    // A limit of its own is kept in another row.
    let isInSource = call.budgetName == call.source
    var moved = SQL(
      """
      UPDATE source SET revision = CASE WHEN revision = $2
          AND coalesce($6 = (SELECT epoch FROM store), true) THEN revision + 1 END,
        clock_date = $3, clock_made_at = $4, number = number + $5
        \(isInSource ? ", " + assignments(from: 7) : "")
      WHERE name = $1
      RETURNING revision, number
      """, call.source, revision, left.latest?.date, left.latest?.madeAt.milliseconds,
      telling ? 1 : 0, epoch)
    guard !isInSource else {
      moved.parameters += values.map(\.sqlValue)
      return [moved]
    }
    var kept = SQL("UPDATE source SET \(assignments(from: 2)) WHERE name = $1", call.budgetName)
    kept.parameters += values.map(\.sqlValue)
    return [moved, kept]
  }

  /// See ``SharedLedger``.
  package func settle(
    _ call: SharedCall, token: Token, leaving end: SharedEnd, for server: Server
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try self.call { (link) throws(SQLFailure) in
        try link.transaction(
          settling(CallEnding(call, token: token, leaving: end), for: server)
            + [notifying(of: call.source, by: server)])
      }
      return true
    } catch .overtaken {
      return false
    }
  }

  /// The statements that end a call. The first moves the revision, and fails where it is not the
  /// one that the end is made by.
  func settling(_ ending: CallEnding, for server: Server, telling: Bool = false) -> [SQL] {
    let (call, end) = (ending.call, ending.end)
    let isHeld = "token = $4 AND holder = $5"
    let moved = moving(
      call, knowing: end.revision, leaving: (end.budget, end.latest), telling: telling)
    return moved + [
      SQL(
        """
        UPDATE flight SET ended = $4, token = CASE WHEN \(isHeld) THEN token + 1 ELSE token END,
          holder = CASE WHEN \(isHeld) THEN '' ELSE holder END,
          memo = CASE WHEN \(isHeld) THEN $1::jsonb ELSE memo END
        WHERE source = $2 AND key = $3
        """, end.memo, call.source, call.key, ending.token, server.id)
    ]
  }

  /// See ``SharedLedger``.
  package func budget(of name: String) throws(StoreError) -> Budget? {
    let result = try call(isRepeatable: true) { (link) throws(SQLFailure) in
      try link.run(PostgreSQLLedger.finding(budget: name))
    }
    return try result.first.flatMap { (row) throws(StoreError) in
      try PostgreSQLLedger.budget(in: row)
    }
  }

  private static func finding(budget name: String) -> SQL {
    SQL("SELECT \(budgetColumns) FROM source WHERE name = $1", name)
  }

  static func budget(in row: SQLRow) throws(StoreError) -> Budget? {
    guard !row.isNull(1) else { return nil }
    var budget = Budget(
      limit: row.isNull(0) ? nil : try row.stored(0).count, remaining: try row.stored(1).count,
      resetAt: try row.instant(2), calls: RecentCalls(text: row.text(7)),
      openings: RecentCalls(text: row.text(3)), spentAt: try row.instant(4))
    budget.learnedFrom = try row.optional(5)
    budget.refusedUntil = try row.instant(6)
    return budget
  }

  private static func latest(
    in row: SQLRow, from column: Int32
  ) throws(StoreError) -> UpstreamDate? {
    guard let date = try row.optional(column), let madeAt = try row.instant(column + 1)
    else { return nil }
    return UpstreamDate(date: date, madeAt: madeAt)
  }

  private static func pause(in row: SQLRow, from column: Int32) -> CallPause? {
    // It saves calls and decides nothing: one that cannot be read is none.
    guard let until = try? row.instant(column), let failures = try? row.integer(column + 2),
      let meaning = CallPause.Meaning(rawValue: row.text(column + 1))
    else { return nil }
    return CallPause(
      until: until, meaning: meaning, failures: StoredInteger(failures).count)
  }
}

extension SharedEnd {
  /// What is kept of it with the call.
  var memo: String {
    guard let pause else { return "{}" }
    return #"{"until": \#(pause.until.milliseconds), "meaning": "\#(pause.meaning.rawValue)", "#
      + #""failures": \#(pause.failures)}"#
  }
}

extension SharedCall {
  /// The name of the row that its budget is kept in.
  fileprivate var budgetName: String { Budgets.keptName(of: budget, in: source) }
}
