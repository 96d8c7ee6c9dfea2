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

  @Test(arguments: [
    SliceReader.SQL.downward, SliceReader.SQL.upward, SliceReader.SQL.any,
    SliceReader.SQL.places, SliceReader.SQL.content, ElementTable.SQL.range,
    ElementTable.SQL.byID, ElementTable.SQL.inRealm, ElementTable.SQL.remove,
    ElementTable.SQL.miss,
  ])
  func searchesByKeyAndSortsNothing(sql: String) throws {
    let plan = try plan(of: sql)
    #expect(!plan.isEmpty)
    #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test(arguments: [SliceReader.SQL.downward, SliceReader.SQL.upward, SliceReader.SQL.any])
  func boundsSliceByPrimaryKeyOnBothSides(sql: String) throws {
    let search = "SEARCH element USING PRIMARY KEY (feed=? AND (ord,tie)>(?,?) AND (ord,tie)<(?,?))"
    #expect(try plan(of: sql)[0] == search)
  }
}
