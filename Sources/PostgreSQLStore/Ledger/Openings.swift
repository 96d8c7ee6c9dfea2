package import Feed

/// Openings: how many feeds the clients of one site may open, at all servers together.
extension PostgreSQLLedger {
  /// How far ahead a site may have paid, in microseconds: a minute.
  private static let minute: Int64 = 60_000_000

  /// Counts an opening of a site, at so many a minute, 1 or more: in a burst or evenly. Returns nil
  /// where it may be made, else how long the site has to wait; one that is refused is not counted.
  ///
  /// A row says up to when a site has paid. With 60 a minute an opening moves that on by a second,
  /// from now or from where it is, and is refused where it would be more than a minute ahead. What
  /// is further ahead was noted by a clock that was set wrong, and counts as nothing.
  package func open(for site: String, perMinute: Int) throws(StoreError) -> Duration? {
    let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    let next = """
      CASE WHEN opening.paid_until BETWEEN \(now) AND \(now) + \(PostgreSQLLedger.minute)
        THEN opening.paid_until ELSE \(now) END + $2
      """
    let ahead = "\(next) - \(now) - \(PostgreSQLLedger.minute)"
    let interval = PostgreSQLLedger.minute / Int64(max(1, perMinute))
    let results = try call { (link) throws(SQLFailure) in
      try link.transaction([
        // Of a database that crashes the last openings may be forgotten.
        SQL("SELECT set_config('synchronous_commit', 'off', true)"),
        SQL(
          """
          INSERT INTO opening (site, paid_until) VALUES ($1, \(now) + $2::bigint)
          ON CONFLICT (site) DO UPDATE SET paid_until = \(next) WHERE \(ahead) <= 0
          RETURNING 1
          """, site, interval),
        SQL(
          "SELECT greatest(1, \(ahead)) FROM opening WHERE site = $1 AND $2::bigint > 0", site,
          interval),
      ])
    }
    guard results[1].count == 0 else { return nil }
    return .microseconds(try results[2].first?.integer(0) ?? interval)
  }
}
