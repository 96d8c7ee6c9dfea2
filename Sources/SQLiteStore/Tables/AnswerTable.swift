import Feed
import Freshness

/// The rows of `answer`: what else an upstream has answered, by source, target and variant.
///
/// A use is noted in minutes, so that what is used often is written once a minute.
final class AnswerTable {
  private let find: Statement
  private let write: Statement
  private let size: Statement
  private let surplus: Statement
  private let use: Statement
  private let oldest: Statement
  private let remove: Statement
  private let targets: Statement
  private let sources: Statement
  /// How many bytes the answers of a source take, as far as counted.
  private var sizes: [String: Int64] = [:]

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    find = try connection.prepare(
      """
      SELECT status, fields, request, body, asked_at, responded_at FROM answer
      WHERE source = ? AND target = ? ORDER BY asked_at DESC, key DESC
      """)
    write = try connection.prepare(
      """
      INSERT INTO answer
        (source, target, variant, status, fields, request, body, asked_at, responded_at, used, size)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    // Bounded, since SQLite's sum fails where it overflows.
    size = try connection.prepare(
      """
      SELECT coalesce(sum(max(0, min(size, \(StoredInteger.bytesMax)))), 0)
      FROM answer WHERE source = ?
      """)
    surplus = try connection.prepare(
      """
      SELECT key, size FROM answer WHERE source = ? AND target = ?
      ORDER BY asked_at DESC, key DESC LIMIT -1 OFFSET ?
      """)
    use = try connection.prepare(
      "UPDATE answer SET used = max(used, ?) WHERE source = ? AND target = ?")
    oldest = try connection.prepare(
      "SELECT key, size FROM answer WHERE source = ? ORDER BY used, asked_at LIMIT 64")
    remove = try connection.prepare("DELETE FROM answer WHERE key = ?")
    sources = try connection.prepare("SELECT DISTINCT source FROM answer")
    targets = try connection.prepare(
      """
      SELECT key, size, target, variant, asked_at FROM answer
      WHERE source = ? AND target >= ? ORDER BY target
      """)
  }

  /// The variants of a target, the newest first. A row whose status is none that an upstream's
  /// final answer has is passed over, as one that is not kept.
  func answers(of source: String, at target: String) throws(StoreError) -> [RawAnswer] {
    defer { find.reset() }
    try find.bind(source, Array(target.utf8))
    var answers: [RawAnswer] = []
    while try find.step() {
      let answer = RawAnswer(
        status: find.count(0), fields: try find.bytes(1), request: try find.bytes(2),
        body: try find.bytes(3), askedAt: find.instant(4), respondedAt: find.instant(5))
      if let answer { answers.append(answer) }
    }
    return answers
  }

  /// Writes an answer in the place of the one of its variant, unless that was asked for later, and
  /// of the one that it renews.
  func keep(
    _ answer: RawAnswer, renewing former: RawAnswer?, of source: String, at target: String,
    variantsMax: Int
  ) throws(StoreError) {
    let variant = Variants.key(of: answer.head)
    let replaced = [variant] + (former.map { [Variants.key(of: $0.head)] } ?? [])
    let rows = try rows(of: source, .target(target)).filter { replaced.contains($0.variant) }
    let askedAt = answer.head.askedAt
    guard !rows.contains(where: { $0.variant == variant && $0.askedAt > askedAt }) else { return }
    for row in rows { try delete(row.key, row.size, of: source) }
    let target = Array(target.utf8)
    let bytes = Int64(answer.storedByteCount(target: target, variant: variant))
    let total = try total(of: source)
    try write.run(
      source, target, variant, Int64(answer.head.status), answer.head.fields.stored,
      answer.head.asked.stored, answer.body, answer.head.askedAt,
      answer.head.respondedAt, answer.head.respondedAt / 60_000, bytes)
    sizes[source] = total + bytes
    for row in try list(
      surplus,
      { () throws(StoreError) in
        try surplus.bind(source, target, Int64(variantsMax))
      })
    {
      try delete(row.key, row.size, of: source)
    }
  }

  /// Notes a use of a target.
  func noteUse(of target: String, of source: String, at now: Timestamp) throws(StoreError) {
    try use.run(now.milliseconds / 60_000, source, Array(target.utf8))
  }

  /// Deletes what was used longest ago, 64 at most. Returns whether there is more to delete.
  func trim(_ source: String, toBytes bytesMax: Int64) throws(StoreError) -> Bool {
    var total = try total(of: source)
    guard total > bytesMax else { return false }
    for row in try list(oldest, { () throws(StoreError) in try oldest.bind(source) })
    where total > bytesMax {
      try delete(row.key, row.size, of: source)
      total -= row.size
    }
    return total > bytesMax
  }

  /// Deletes what is selected, and was asked for by an instant where one is given. Returns how many
  /// rows went.
  func purge(
    _ selection: AnswerSelection, of source: String, askedBy last: Timestamp? = nil
  ) throws(StoreError) -> Int {
    let rows = try rows(of: source, selection).filter { row in
      last.map { row.askedAt <= $0.milliseconds } ?? true
    }
    for row in rows { try delete(row.key, row.size, of: source) }
    return rows.count
  }

  /// Deletes what other sources than these keep.
  func purge(allBut kept: Set<String>) throws(StoreError) {
    var gone: Set<String> = []
    do {
      defer { sources.reset() }
      while try sources.step() {
        gone.insert(String(decoding: try sources.bytes(0), as: UTF8.self))
      }
    }
    for source in gone.subtracting(kept) { _ = try purge(.all, of: source) }
  }

  private func delete(_ key: Int64, _ size: Int64, of source: String) throws(StoreError) {
    try remove.run(key)
    if let total = sizes[source] { sizes[source] = total - size }
  }

  private func total(of source: String) throws(StoreError) -> Int64 {
    if let known = sizes[source] { return known }
    defer { size.reset() }
    try size.bind(source)
    let total = try size.step() ? size.integer(0) : 0
    sizes[source] = total
    return total
  }

  /// Forgets what was counted: a transaction may not have been written.
  func forgetSizes() {
    sizes = [:]
  }

  private func list(
    _ statement: borrowing Statement, _ bind: () throws(StoreError) -> Void
  ) throws(StoreError) -> [(key: Int64, size: Int64)] {
    defer { statement.reset() }
    try bind()
    var rows: [(key: Int64, size: Int64)] = []
    while try statement.step() { rows.append((statement.integer(0), statement.size(1))) }
    return rows
  }

  /// A row by what is decided on it.
  private struct Row {
    let key, size: Int64
    let variant: [UInt8]
    let askedAt: Int64
  }

  private func rows(
    of source: String, _ selection: AnswerSelection
  ) throws(StoreError) -> [Row] {
    let prefix: [UInt8] =
      switch selection {
      case .target(let text), .prefix(let text): Array(text.utf8)
      case .all: []
      }
    defer { targets.reset() }
    try targets.bind(source, prefix)
    var rows: [Row] = []
    while try targets.step() {
      let target = try targets.bytes(2)
      // In the order of targets, all that begin so stand together.
      guard target.starts(with: prefix) else { break }
      if case .target = selection, target.count > prefix.count { break }
      rows.append(
        Row(
          key: targets.integer(0), size: targets.size(1), variant: try targets.bytes(3),
          askedAt: targets.instant(4).milliseconds))
    }
    return rows
  }
}
