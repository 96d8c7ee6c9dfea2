import Feed

/// The rows of `feed` and `source`: a feed's sequence and freshness, a source's budget.
final class FeedTable {
  private let find: Statement
  private let make: Statement
  private let update: Statement
  private let count: Statement
  private let findBudget: Statement
  private let keepBudget: Statement
  private let countAll: Statement
  private var known: Int?

  /// A feed's row.
  struct Row {
    /// What stands for the feed in other tables.
    var key: Int64
    /// By what its rows are written.
    var form: FeedForm
    /// The last number taken in it.
    var sequence: Int64
    /// The place of the last element in it that was merely learnt; nil until it is asked for.
    var lastLearnt: SequenceNumber?
    /// When its top was last looked at.
    var lookedAt: Timestamp?
    /// Its size, as last received.
    var total: Total?
    /// What is claimed of it, as text.
    var doubts = ""
  }

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    find = try connection.prepare(
      """
      SELECT key, sequence, looked_at, total, total_as_of, ordering, realm, recipe, doubts
      FROM feed WHERE name = ?
      """)
    make = try connection.prepare(
      """
      INSERT INTO feed (name, source, realm, ordering, recipe, read_at, sequence, changes_floor)
      SELECT ?, ?, ?, ?, ?, ?, sequence_floor, sequence_floor FROM store
      """)
    update = try connection.prepare(
      """
      UPDATE feed SET sequence = ?, looked_at = ?, total = ?, total_as_of = ?, recipe = ?,
        doubts = ? WHERE key = ?
      """)
    count = try connection.prepare("UPDATE feed SET sequence = ? WHERE key = ?")
    findBudget = try connection.prepare(
      """
      SELECT budget_limit, budget_remaining, budget_reset_at, openings, spent_at, calls,
        refused_until
      FROM source WHERE name = ?
      """)
    keepBudget = try connection.prepare(
      """
      REPLACE INTO source
        (name, budget_limit, budget_remaining, budget_reset_at, openings, spent_at, calls,
          refused_until)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    countAll = try connection.prepare("SELECT count(*) FROM feed")
  }

  /// A feed's row by the feed's name; nil when it has none.
  func row(of name: String) throws(StoreError) -> Row? {
    defer { find.reset() }
    try find.bind(name)
    guard try find.step() else { return nil }
    let ordering = String(decoding: try find.bytes(5), as: UTF8.self)
    guard let order = FeedOrder(rawValue: ordering) else {
      throw .corrupt(message: "feed has the ordering \(ordering)")
    }
    let form = FeedForm(
      realm: String(decoding: try find.bytes(6), as: UTF8.self), order: order,
      recipe: find.isNull(7) ? nil : find.integer(7))
    var row = Row(key: find.integer(0), form: form, sequence: find.sequence(1))
    row.lookedAt = find.optionalInstant(2)
    if !find.isNull(3) {
      row.total = Total(value: find.count(3), asOf: find.instant(4))
    }
    row.doubts = String(decoding: try find.bytes(8), as: UTF8.self)
    return row
  }

  /// A feed's row, made when it has none; then it counts as read.
  func madeRow(of feed: FeedID, readAt: Timestamp) throws(StoreError) -> Row {
    if let row = try row(of: feed.name) { return row }
    forgetCount()
    try make.run(
      feed.name, feed.source, feed.realm, feed.pattern.order.rawValue, feed.pattern.recipe,
      readAt.milliseconds)
    guard let row = try row(of: feed.name) else {
      throw .corrupt(message: "a row made in feed is not found")
    }
    return row
  }

  /// How many feeds have a row; counted only where one was made or dropped since.
  func total() throws(StoreError) -> Int {
    if let known { return known }
    defer { countAll.reset() }
    let count = try countAll.step() ? Int(countAll.integer(0)) : 0
    known = count
    return count
  }

  /// Has the feeds counted again when their number is needed.
  func forgetCount() {
    known = nil
  }

  /// Writes a row back.
  func write(_ row: Row) throws(StoreError) {
    try update.run(
      row.sequence, row.lookedAt?.milliseconds, row.total.map { Int64($0.value) },
      row.total?.asOf.milliseconds, row.form.recipe, row.doubts, row.key)
  }

  /// Writes the last number taken in a feed.
  func write(sequence: Int64, of feed: Int64) throws(StoreError) {
    try count.run(sequence, feed)
  }

  /// The budget last kept for a source.
  func budget(of source: String) throws(StoreError) -> Budget? {
    defer { findBudget.reset() }
    try findBudget.bind(source)
    guard try findBudget.step() else { return nil }
    var budget = Budget(
      limit: findBudget.isNull(0) ? nil : findBudget.count(0),
      remaining: findBudget.count(1), resetAt: findBudget.optionalInstant(2),
      calls: try RecentCalls(text: String(decoding: findBudget.bytes(5), as: UTF8.self)),
      openings: try RecentCalls(text: String(decoding: findBudget.bytes(3), as: UTF8.self)),
      spentAt: findBudget.optionalInstant(4))
    budget.refusedUntil = findBudget.optionalInstant(6)
    return budget
  }

  /// Keeps a source's budget. Calls in flight are not: after a restart none is.
  func keep(_ budget: Budget, of source: String) throws(StoreError) {
    try keepBudget.run(
      source, budget.limit.map(Int64.init), Int64(budget.remaining),
      budget.resetAt?.milliseconds, budget.openings.text, budget.spentAt?.milliseconds,
      budget.calls.text, budget.refusedUntil?.milliseconds)
  }
}
