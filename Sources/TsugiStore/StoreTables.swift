import Foundation
import TsugiClient

/// Reads the tables.
struct StoreReader {
  /// The most rows, and the bytes of their items, that are read when a list is opened.
  static let rowsMax = 100
  static let bytesMax = 256 << 10

  let connection: Connection

  /// The key of a scope; nil where there is none.
  func scope(_ scope: StoreScope) throws(SQLiteFailure) -> Int64? {
    var key: Int64?
    try connection.run(
      "SELECT id FROM scope WHERE server = ? AND account = ?", .text(scope.server),
      .text(scope.account)
    ) { key = $0.integer(0) }
    return key
  }

  /// A list's rows.
  func list(_ key: StoreKey) throws(SQLiteFailure) -> KeptList? {
    guard let scope = try scope(key.scope) else { return nil }
    var list: KeptList?
    var id: Int64 = 0
    try connection.run(
      """
      SELECT id, since, top_place, resume, head FROM list
      WHERE scope = ? AND name = ? AND type = ?
      """, .integer(scope), .text(key.name), .text(key.scope.type)
    ) { row in
      id = row.integer(0)
      list = KeptList(
        segments: [], since: row.text(1), topPlace: row.text(2), resume: row.text(3),
        head: row.blob(4))
    }
    guard list != nil else { return nil }
    var segments: [(id: Int64, segment: KeptList.Segment)] = []
    try connection.run(
      "SELECT id, start, \"end\", seq, gap_above FROM segment WHERE list = ? ORDER BY position",
      .integer(id)
    ) { row in
      segments.append(
        (
          row.integer(0),
          KeptList.Segment(
            ids: [], start: row.text(1) ?? "", end: row.text(2) ?? "", seq: row.text(3),
            hasGapAbove: row.integer(4) != 0)
        ))
    }
    for index in segments.indices {
      try connection.run(
        """
        SELECT identity FROM "row" JOIN item ON item.id = "row".item
        WHERE segment = ? ORDER BY ordinal
        """, .integer(segments[index].id)
      ) { segments[index].segment.ids.append($0.text(0) ?? "") }
    }
    list?.segments = segments.map(\.segment)
    return list
  }

  /// An item.
  func body(_ key: StoreKey) throws(SQLiteFailure) -> Data? {
    guard let scope = try scope(key.scope) else { return nil }
    return try body(key, scope)
  }

  private func body(_ key: StoreKey, _ scope: Int64) throws(SQLiteFailure) -> Data? {
    var body: Data?
    try connection.run(
      "SELECT body FROM item WHERE scope = ? AND type = ? AND identity = ?", .integer(scope),
      .text(key.scope.type), .text(key.name)
    ) { body = $0.blob(0) }
    return body
  }

  /// The items that are there of these.
  func bodies(
    _ identities: [String], of scope: StoreScope
  ) throws(SQLiteFailure) -> [String: Data] {
    guard let id = try self.scope(scope) else { return [:] }
    var bodies: [String: Data] = [:]
    for identity in identities {
      bodies[identity] = try body(StoreKey(scope: scope, name: identity), id)
    }
    return bodies
  }

  /// The bytes of the pages in use.
  func usedBytes() throws(SQLiteFailure) -> Int {
    let pages =
      try connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count")
    return Int(try pages * connection.number("PRAGMA page_size"))
  }
}

/// Writes the tables, each time inside one transaction.
struct StoreWriter {
  /// A segment as it was written.
  private struct Written {
    var id: Int64
    var position: Int64
    var segment: KeptList.Segment
  }

  let connection: Connection
  /// The lists as this process left them, with their revisions.
  private var written: [StoreKey: (revision: Int64, segments: [Written])] = [:]

  init(_ connection: Connection) {
    self.connection = connection
  }

  private var reader: StoreReader { StoreReader(connection: connection) }

  /// The key of a scope, which is made where there is none.
  private func scope(_ scope: StoreScope) throws(SQLiteFailure) -> Int64 {
    if let id = try reader.scope(scope) { return id }
    try connection.run(
      "INSERT INTO scope (server, account) VALUES (?, ?)", .text(scope.server),
      .text(scope.account))
    return connection.insertedKey
  }

  /// Writes an item, or removes it; gives its bytes.
  mutating func write(_ key: StoreKey, _ body: Data?) throws(SQLiteFailure) -> Int {
    let scope = try scope(key.scope)
    guard let body else {
      try connection.run(
        """
        DELETE FROM "row" WHERE item IN (SELECT id FROM item WHERE scope = ? AND type = ?
        AND identity = ?)
        """, .integer(scope), .text(key.scope.type), .text(key.name))
      try connection.run(
        "DELETE FROM item WHERE scope = ? AND type = ? AND identity = ?", .integer(scope),
        .text(key.scope.type), .text(key.name))
      return 0
    }
    try connection.run(
      """
      INSERT INTO item (scope, type, identity, body, read_at)
      VALUES (?, ?, ?, ?, julianday('now')) ON CONFLICT (scope, type, identity)
      DO UPDATE SET body = excluded.body, read_at = excluded.read_at
      """, .integer(scope), .text(key.scope.type), .text(key.name), .blob(body))
    return body.count
  }

  /// Writes a list: what is other than this process left it, or all of it where another wrote it.
  mutating func write(_ key: StoreKey, _ list: KeptList?) throws(SQLiteFailure) {
    let scope = try scope(key.scope)
    var (id, revision): (Int64?, Int64) = (nil, 0)
    try connection.run(
      "SELECT id, revision FROM list WHERE scope = ? AND name = ? AND type = ?", .integer(scope),
      .text(key.name), .text(key.scope.type)
    ) { (id, revision) = ($0.integer(0), $0.integer(1)) }
    let new = try list.map { list throws(SQLiteFailure) in
      try cut(list.segments, scope: scope, type: key.scope.type)
    }
    guard let list, let new, !new.isEmpty || list.segments.isEmpty else {
      if let id { try remove(list: id) }
      written[key] = nil
      return
    }
    let head = KeptList.head(
      list.head, cutAbove: new.first?.segment.start != list.segments.first?.start,
      cutBelow: new.last?.segment.end != list.segments.last?.end)
    try connection.run(
      """
      INSERT INTO list (scope, name, type, revision, since, top_place, resume, head, used_at)
      VALUES (?, ?, ?, 1, ?, ?, ?, ?, julianday('now')) ON CONFLICT (scope, name, type) DO UPDATE
      SET revision = revision + 1, since = excluded.since, top_place = excluded.top_place,
      resume = excluded.resume, head = excluded.head, used_at = excluded.used_at
      """, .integer(scope), .text(key.name), .text(key.scope.type), Connection.Value(list.since),
      Connection.Value(list.topPlace), Connection.Value(list.resume), .blob(head))
    let listID = id ?? connection.insertedKey
    var old = written[key]?.segments ?? []
    if id == nil || written[key]?.revision != revision {
      old = []
      try removeSegments(of: listID)
    }
    written[key] = (revision + 1, try replace(old, with: new, of: listID))
  }

  /// The segments of which all items are there; a gap stands for the others.
  private func cut(
    _ segments: [KeptList.Segment], scope: Int64, type: String
  ) throws(SQLiteFailure) -> [(segment: KeptList.Segment, items: [Int64])] {
    var whole: [(segment: KeptList.Segment, items: [Int64])] = []
    var isCut = false
    for segment in segments {
      var items: [Int64] = []
      for identity in segment.ids {
        try connection.run(
          "SELECT id FROM item WHERE scope = ? AND type = ? AND identity = ?", .integer(scope),
          .text(type), .text(identity)
        ) { items.append($0.integer(0)) }
      }
      guard items.count == segment.ids.count else {
        isCut = true
        continue
      }
      var segment = segment
      segment.hasGapAbove = segment.hasGapAbove || isCut && !whole.isEmpty
      isCut = false
      whole.append((segment, items))
    }
    return whole
  }

  /// Writes the segments between those that stayed above and below.
  private func replace(
    _ old: [Written], with new: [(segment: KeptList.Segment, items: [Int64])], of list: Int64
  ) throws(SQLiteFailure) -> [Written] {
    let above = zip(old, new).prefix { $0.segment == $1.segment }.count
    let below = zip(old.dropFirst(above).reversed(), new.dropFirst(above).reversed())
      .prefix { $0.segment == $1.segment }.count
    for gone in old[above..<old.count - below] { try remove(segment: gone.id) }
    var all = Array(old.prefix(above))
    let fresh = new[above..<new.count - below]
    var next =
      all.last.map { $0.position + 1 }
      ?? (old.suffix(below).first?.position ?? 0) - Int64(fresh.count)
    for (segment, items) in fresh {
      try connection.run(
        """
        INSERT INTO segment (list, position, start, "end", seq, gap_above)
        VALUES (?, ?, ?, ?, ?, ?)
        """, .integer(list), .integer(next), .text(segment.start), .text(segment.end),
        Connection.Value(segment.seq), .integer(segment.hasGapAbove ? 1 : 0))
      let id = connection.insertedKey
      for (ordinal, item) in items.enumerated() {
        try connection.run(
          "INSERT INTO \"row\" (segment, ordinal, item) VALUES (?, ?, ?)", .integer(id),
          .integer(Int64(ordinal)), .integer(item))
      }
      all.append(Written(id: id, position: next, segment: segment))
      next += 1
    }
    for var segment in old.suffix(below) {
      if segment.position < next {
        segment.position = next
        try connection.run(
          "UPDATE segment SET position = ? WHERE id = ?", .integer(next), .integer(segment.id))
      }
      next = segment.position + 1
      all.append(segment)
    }
    return all
  }

  /// Keeps where the reader is, and that the list was used.
  func write(resume: String?, of key: StoreKey) throws(SQLiteFailure) {
    guard let scope = try reader.scope(key.scope) else { return }
    try connection.run(
      """
      UPDATE list SET resume = coalesce(?, resume), used_at = julianday('now')
      WHERE scope = ? AND name = ? AND type = ?
      """, Connection.Value(resume), .integer(scope), .text(key.name), .text(key.scope.type))
  }

  private func removeSegments(of list: Int64) throws(SQLiteFailure) {
    try connection.run(
      "DELETE FROM \"row\" WHERE segment IN (SELECT id FROM segment WHERE list = ?)",
      .integer(list))
    try connection.run("DELETE FROM segment WHERE list = ?", .integer(list))
  }

  private func remove(segment: Int64) throws(SQLiteFailure) {
    try connection.run("DELETE FROM \"row\" WHERE segment = ?", .integer(segment))
    try connection.run("DELETE FROM segment WHERE id = ?", .integer(segment))
  }

  private func remove(list: Int64) throws(SQLiteFailure) {
    try removeSegments(of: list)
    try connection.run("DELETE FROM list WHERE id = ?", .integer(list))
  }

  /// Removes all of an account.
  mutating func removeAll(of account: String) throws(SQLiteFailure) {
    let scopes = "(SELECT id FROM scope WHERE account = ?)"
    try connection.run(
      """
      DELETE FROM "row" WHERE segment IN (SELECT segment.id FROM segment JOIN list
      ON list.id = segment.list WHERE list.scope IN \(scopes))
      """, .text(account))
    try connection.run(
      "DELETE FROM segment WHERE list IN (SELECT id FROM list WHERE scope IN \(scopes))",
      .text(account))
    try connection.run("DELETE FROM list WHERE scope IN \(scopes)", .text(account))
    try connection.run("DELETE FROM item WHERE scope IN \(scopes)", .text(account))
    try connection.run("DELETE FROM scope WHERE account = ?", .text(account))
    written = written.filter { $0.key.scope.account != account }
  }
}

extension StoreWriter {
  /// Removes what is used least until no more than so many bytes are in use: items of no list,
  /// then lists, from their ends farthest from the reader. Rows on a screen stay.
  mutating func evict(
    to bytes: Int, keeping screens: [StoreKey: Set<String>]
  ) throws(SQLiteFailure) -> (lists: Int, items: Int) {
    var evicted = (lists: 0, items: 0)
    while try reader.usedBytes() > bytes {
      try connection.run(
        """
        DELETE FROM item WHERE id IN (SELECT id FROM item WHERE NOT EXISTS
        (SELECT 1 FROM "row" WHERE item = item.id) ORDER BY read_at LIMIT 20)
        """)
      evicted.items += connection.changes
      guard connection.changes == 0 else { continue }
      switch try cutLeastUsed(keeping: screens) {
      case .none: return evicted
      case .segment: break
      case .list: evicted.lists += 1
      }
    }
    return evicted
  }

  private enum Cut { case none, segment, list }

  /// Takes a segment out of the list that is used least.
  private mutating func cutLeastUsed(
    keeping screens: [StoreKey: Set<String>]
  ) throws(SQLiteFailure) -> Cut {
    var lists: [(id: Int64, key: StoreKey)] = []
    try connection.run(
      """
      SELECT list.id, server, account, type, name FROM list JOIN scope ON scope.id = list.scope
      ORDER BY used_at
      """
    ) { row in
      let scope = StoreScope(
        server: row.text(1) ?? "", account: row.text(2) ?? "", type: row.text(3) ?? "")
      lists.append((row.integer(0), StoreKey(scope: scope, name: row.text(4) ?? "")))
    }
    for (id, key) in lists {
      guard let list = try reader.list(key) else { continue }
      written[key] = nil
      if list.segments.isEmpty {
        try remove(list: id)
        return .list
      }
      let reader = list.segments.firstIndex { list.resume.map($0.ids.contains) ?? false } ?? 0
      let last = list.segments.count - 1
      let isAbove = reader > last - reader
      let screen = screens[key] ?? []
      let farthest = list.segments[isAbove ? 0 : last]
      guard !farthest.ids.contains(where: screen.contains) else { continue }
      try cut(id, list, above: isAbove)
      return last == 0 ? .list : .segment
    }
    return .none
  }

  /// Takes the first or the last segment out of a list, with it the list where that was all.
  private func cut(_ id: Int64, _ list: KeptList, above isAbove: Bool) throws(SQLiteFailure) {
    guard list.segments.count > 1 else { return try remove(list: id) }
    let end = try connection.number(
      """
      SELECT id FROM segment WHERE list = ? ORDER BY position \(isAbove ? "ASC" : "DESC") LIMIT 1
      """, .integer(id))
    try remove(segment: end)
    if isAbove {
      try connection.run(
        """
        UPDATE segment SET gap_above = 0 WHERE id = (SELECT id FROM segment WHERE list = ?
        ORDER BY position LIMIT 1)
        """, .integer(id))
    }
    try connection.run(
      "UPDATE list SET head = ?, revision = revision + 1 WHERE id = ?",
      .blob(KeptList.head(list.head, cutAbove: isAbove, cutBelow: !isAbove)), .integer(id))
  }
}
