import Feed
import Foundation
import History
import SQLiteStore
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// Rows that no server wrote, in each column of each table: a program of another version, or an
/// operator's slip.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct UnreadableRowTests {
  private let server: RunningPostgreSQL
  private let url: String
  private let folder: TemporaryDirectory
  private let time = VirtualTime()

  init() throws {
    server = try #require(RunningPostgreSQL.shared)
    url = try server.newDatabase()
    folder = try TemporaryDirectory("tsugi-unreadable")
  }

  private func feed(_ name: String, of source: String = "s") -> FeedID {
    FeedID(
      source: source, pattern: FeedPattern(name, order: .value, content: "items"),
      parts: [Array(name.utf8)])
  }

  private func store(_ name: String) throws -> SharedStore {
    let ledger = PostgreSQLLedger(url: url, connections: 1)
    try ledger.prepare()
    let copy = try TimelineDatabase(
      path: "\(folder.path)/\(name)", durability: .processOnly, isCopy: true)
    return try SharedStore(copy: copy, ledger: ledger, server: name, time: time) { _ in
      .seconds(30)
    }
  }

  private func merge(_ feed: FeedID, _ ids: [String], at second: Int64) -> Merge {
    let at = Timestamp(seconds: second)
    var timeline = Timeline()
    timeline.lookedAt = at
    timeline.proofs = [
      Proof(
        upper: .above(key: 200), lower: .bottom, provenAt: at, count: ids.count,
        rankBelow: ids.count, belief: JoinProof.none)
    ]
    var merge = Merge(feed: feed, sentAt: at, timeline: timeline)
    merge.seen = ids.enumerated().map { index, id in
      Merge.Seen(
        position: Position(order: Int64(100 - index), tie: Array(id.utf8)),
        item: PageItem(
          id: Identity(id), key: Int64(100 - index), updatedAt: nil,
          bytes: Array("{\"id\":\"\(id)\",\"at\":\(second)}".utf8)), state: .live,
        takesNumber: true)
    }
    return merge
  }

  private func shown(_ feed: FeedID, _ store: SharedStore) throws -> [String] {
    let reader = try store.makeReader()
    do throws(StoreError) {
      return try reader.elements(of: feed, below: .top, above: .bottom, limit: 9).map(\.id.text)
    } catch {
      guard case .absent(let ids, let realm) = error else { throw error }
      _ = try store.bring(ids, realm: realm)
      return try reader.elements(of: feed, below: .top, above: .bottom, limit: 9).map(\.id.text)
    }
  }

  /// What a server does of its own: none of it may find the local file damaged.
  private func use(_ store: SharedStore, _ feeds: [FeedID]) {
    let calls: [() throws -> Void] =
      [
        { try store.beat() },
        { while let news = try store.news(of: "s") { try store.take(news) } },
        { _ = try store.budget(of: "s") },
      ]
      + feeds.flatMap { feed -> [() throws -> Void] in
        [
          { _ = try store.timeline(of: feed) }, { _ = try shown(feed, store) },
          {
            let call = SharedCall(source: "s", key: feed.name, feed: feed, budget: nil)
            _ = try store.claim(call) { _ in nil }
          },
        ]
      }
    for call in calls {
      do {
        try call()
      } catch {
        let isDamage = (error as? StoreError)?.isDamage ?? true
        #expect(!isDamage, "\(error)")
      }
    }
  }

  /// Garbage of each type that is not a number; of numbers, a state that there is not.
  private static let garbage = [
    "text": ["''", "'{}'", "E'odd \\n é'"], "jsonb": ["'{}'", "'[1]'", "'\"x\"'", "'null'"],
    "bytea": ["''", "'\\x00ff'"], "boolean": ["true"], "smallint": ["7", "-1"],
  ]

  /// Each column with each garbage of its type, null where that may be.
  private func cases() throws -> [(column: String, change: String)] {
    let columns = try server.query(
      """
      SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2
      """, in: url)
    return columns.split(separator: "\n").flatMap { line -> [(column: String, change: String)] in
      let parts = line.split(separator: "|").map(String.init)
      var values = UnreadableRowTests.garbage[parts[2]] ?? []
      if parts[3] == "YES" { values.append("NULL") }
      // One row of those that are about one feed, and not about the other.
      let rows =
        switch parts[0] {
        case "feed", "log": "name = 's/f'"
        case "element": "feed = (SELECT key FROM feed WHERE name = 's/f')"
        case "item": "id = 'a'"
        case "content": "item = (SELECT key FROM item WHERE id = 'a')"
        default: "true"
        }
      return values.map {
        (
          "\(parts[0]).\(parts[1])",
          """
          UPDATE \(parts[0]) SET \(parts[1]) = \($0)
          WHERE ctid IN (SELECT ctid FROM \(parts[0]) WHERE \(rows) LIMIT 1)
          """
        )
      }
    }
  }

  @Test func garbageInAnyColumnIsNoDamageOfTheFile() throws {
    let (f, g) = (feed("f"), feed("g"))
    let a = try store("a")
    _ = try a.commit(merge(f, ["a", "b"], at: 1), budget: nil)
    _ = try a.commit(merge(g, ["c", "d"], at: 1), budget: nil)
    let call = SharedCall(source: "s", key: "k", feed: nil, budget: nil)
    let budget = Budget(limit: 9, remaining: 9, resetAt: nil)
    _ = try a.claim(call) { _ in budget }
    let warm = try store("warm")
    use(warm, [f, g])
    #expect(try shown(f, warm) == ["a", "b"] && shown(g, warm) == ["c", "d"])
    let backup = try server.query(
      "SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = 'public'", in: url)
    let tables = backup.split(separator: " ")
    for table in tables {
      try server.query("CREATE TABLE IF NOT EXISTS kept_\(table) AS TABLE \(table)", in: url)
    }
    let restore = tables.filter { !$0.hasPrefix("kept_") }.map {
      "DELETE FROM \($0); INSERT INTO \($0) OVERRIDING SYSTEM VALUE SELECT * FROM kept_\($0);"
    }.joined()
    for (number, (column, change)) in try cases().enumerated() where !column.hasPrefix("kept_") {
      // What the columns' checks refuse cannot be there.
      guard (try? server.query(change, in: url)) != nil else { continue }
      use(warm, [f, g])
      #expect(try shown(g, warm) == ["c", "d"], "\(change)")
      if let cold = try? store("cold\(number)") {
        use(cold, [f, g])
        cold.close()
      }
      try server.query(restore, in: url)
      use(warm, [f, g])
      use(warm, [f, g])
      #expect(try shown(f, warm) == ["a", "b"] && shown(g, warm) == ["c", "d"], "\(change)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.contains { $0.contains("corrupt") })
  }

  /// The news of the other feeds go on, and the row is brought when it can be read again.
  @Test func aFeedThatCannotBeReadHoldsUpNoOther() throws {
    let (f, g) = (feed("f"), feed("g"))
    let (a, b) = (try store("a"), try store("b"))
    _ = try a.commit(merge(f, ["a", "b"], at: 1), budget: nil)
    _ = try a.commit(merge(g, ["c", "d"], at: 1), budget: nil)
    use(b, [f, g])
    let epoch = b.epoch
    _ = try a.commit(merge(f, ["a", "b", "e"], at: 2), budget: nil)
    _ = try a.commit(merge(g, ["c", "d", "h"], at: 2), budget: nil)
    try server.query("UPDATE feed SET timeline = '{}' WHERE name = '\(f.name)'", in: url)
    use(b, [f, g])
    #expect(try shown(g, b) == ["c", "d", "h"] && shown(f, b) == ["a", "b"])
    try server.query(
      """
      UPDATE feed SET timeline = (SELECT timeline FROM feed WHERE name = '\(g.name)')
      WHERE name = '\(f.name)'
      """, in: url)
    use(b, [f, g])
    use(b, [f, g])
    #expect(try shown(f, b) == ["a", "b", "e"] && b.epoch == epoch)
  }
}
