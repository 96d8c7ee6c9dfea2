import Feed
import Foundation
import Simulator
import Testing

@testable import Proxy
@testable import SQLiteStore

/// Integers at the ends of 64 bits in each column of a store: who reads them may be wrong for a
/// while, but goes on.
@Suite struct ExtremeStoreTests {
  /// Every column of integers but keys, as `table.column`.
  private func columns(of path: String) throws -> [(table: String, column: String)] {
    let connection = try Connection(path: path, access: .readOnly)
    let statement = try connection.prepare(
      """
      SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.type = 'INTEGER'
        AND c.name NOT IN ('key', 'feed', 'item', 'number') ORDER BY 1, 2
      """)
    var columns: [(String, String)] = []
    while try statement.step() {
      columns.append(
        (
          String(decoding: try statement.bytes(0), as: UTF8.self),
          String(decoding: try statement.bytes(1), as: UTF8.self)
        ))
    }
    return columns
  }

  private func ask(_ stand: Stand) throws {
    let seq = "\(stand.epoch).0"
    for target in [
      "/v1/qiita/items?limit=100", "/v1/qiita/items?limit=10&refresh=true",
      "/v1/qiita/items:status", "/v1/qiita/items:changes?since=\(seq)", "/v1/qiita/users?limit=100",
      "/v1/qiita/users?limit=10&refresh=true", "/v1/qiita/users:status",
      "/v1/qiita/users:changes?since=\(seq)", "/api/v2/items?page=2&per_page=20", "/metrics",
      "/v1/qiita/items?startAfter=at:2020-01-01T00:00:00Z",
    ] {
      // What it answers is its own matter, as long as it answers.
      let status = try stand.client.get(target).status
      #expect([200, 410, 429, 503].contains(status), "\(target)")
    }
  }

  @Test func noIntegerEndsTheProcess() async throws {
    let world = smallWorld(130)
    let first = try await Stand(world)
    _ = try first.client.walk("/v1/qiita/items?limit=50")
    _ = try first.client.walk("/v1/qiita/users?limit=50")
    await first.stop(keepsStore: true)
    let whole = try Data(contentsOf: URL(filePath: first.path))
    let columns = try columns(of: first.path)
    #expect(columns.count > 20)
    for (table, column) in columns {
      for value in [Int64.max, .min] {
        try whole.write(to: URL(filePath: first.path))
        // One row, the first: all rows at once would break keys.
        try Connection(path: first.path, access: .readWrite).execute(
          """
          UPDATE \(table) SET \(column) = \(value)
          WHERE \(column) IS (SELECT \(column) FROM \(table) LIMIT 1)
          """)
        let stand = try await Stand(world, path: first.path)
        do {
          try ask(stand)
        } catch {
          Issue.record("\(table).\(column) = \(value): \(error)")
        }
        await stand.stop(keepsStore: true)
      }
    }
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: first.path + suffix)
    }
  }
}
