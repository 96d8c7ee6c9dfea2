import Testing

@testable import SQLiteStore

/// What every statement of the hot path may cost: searches by key, and nothing sorted.
@Suite struct QueryPlanTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try sandbox.open().close()
  }

  private func plan(of sql: String) throws -> [String] {
    let connection = try Connection(path: sandbox.path, access: .readOnly)
    let statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
    var lines: [String] = []
    while try statement.step() {
      lines.append(String(decoding: try statement.bytes(3), as: UTF8.self))
    }
    return lines
  }

  static let slice = "element PRIMARY KEY (feed=? AND (ord,tie)>(?,?) AND (ord,tie)<(?,?))"
  static let byItem = "element INDEX element_by_item (item=? AND feed=?)"
  static let held = "element INDEX element_by_item (item=?)"
  static let itemByID = "item INDEX sqlite_autoindex_item_1 (realm=? AND id=?)"
  static let place = "element PRIMARY KEY (feed=? AND ord=? AND tie=?)"
  static let feed = "feed INDEX sqlite_autoindex_feed_1 (name=?)"
  static let item = "item INTEGER PRIMARY KEY (rowid=?)"
  static let content = "content INTEGER PRIMARY KEY (rowid=?)"

  static let plans: [(String, [String])] = [
    (SliceSQL.downward, [slice, feed, content]),
    (SliceSQL.upward, [slice, feed, content]),
    (SliceSQL.any, [slice, feed]),
    (SliceSQL.nth, [slice, feed]),
    (SliceSQL.places, [byItem, feed, itemByID]),
    (SliceSQL.content, [itemByID, content]),
    (ElementTable.SQL.range, [slice]),
    (ElementTable.SQL.byItem, [byItem]),
    (ElementTable.SQL.standing, [held, "feed INTEGER PRIMARY KEY (rowid=?)"]),
    (ElementTable.SQL.vacate, [place]),
    (ElementTable.SQL.remove, [place]),
    (ElementTable.SQL.miss, [place]),
    (ElementTable.SQL.bury, [place]),
    (EvictionTable.SQL.lowest, ["element PRIMARY KEY (feed=?)"]),
    (EvictionTable.SQL.below, ["element PRIMARY KEY (feed=? AND (ord,tie)<(?,?))"]),
    (EvictionTable.SQL.after, ["element PRIMARY KEY ((feed,ord,tie)>(?,?,?))"]),
    (EvictionTable.SQL.takeOne, [place]),
    (EvictionTable.SQL.release, [item, held, content]),
    (EvictionTable.SQL.items, ["item INTEGER PRIMARY KEY (rowid>?)", held, content]),
  ]

  /// Exact, since a search by the feed alone is a walk through the whole feed.
  @Test(arguments: plans)
  func searchesByWholeKeyAndSortsNothing(sql: String, searches: [String]) throws {
    let plan = try plan(of: sql).filter { !$0.contains("SCALAR SUBQUERY") }
    let found = plan.map {
      $0.replacing("SEARCH ", with: "").replacing("USING ", with: "")
        .replacing("COVERING ", with: "").replacing(" LEFT-JOIN", with: "")
    }
    #expect(Set(found) == Set(searches), "\(plan)")
  }
}
