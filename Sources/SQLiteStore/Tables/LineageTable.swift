import Feed

/// The rows of `lineage`: the names under which a feed's positions were issued.
final class LineageTable {
  private let find: Statement
  private let write: Statement
  private let remove: Statement

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    find = try connection.prepare(
      "SELECT name, floor_order, floor_tie FROM lineage WHERE feed = ? ORDER BY number")
    write = try connection.prepare("INSERT INTO lineage VALUES (?, ?, ?, ?, ?)")
    remove = try connection.prepare("DELETE FROM lineage WHERE feed = ?")
  }

  /// A feed's lineages, the present one last.
  func lineages(of feed: Int64) throws(StoreError) -> [Lineage] {
    defer { find.reset() }
    try find.bind(feed)
    var lineages: [Lineage] = []
    while try find.step() {
      lineages.append(
        Lineage(
          name: UInt64(bitPattern: find.integer(0)), floor: try find.cut(1)))
    }
    return lineages
  }

  /// Makes `lineages` all that are kept of a feed; nothing is written where they are already.
  func replace(with lineages: [Lineage], of feed: Int64) throws(StoreError) {
    guard try self.lineages(of: feed) != lineages else { return }
    try remove.run(feed)
    for (number, lineage) in lineages.enumerated() {
      let floor = lineage.floor.position
      try write.run(
        feed, Int64(number), Int64(bitPattern: lineage.name), floor.order, floor.tie)
    }
  }
}
