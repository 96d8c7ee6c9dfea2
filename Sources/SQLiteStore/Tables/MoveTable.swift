import Feed

/// The rows of `move`: elements of a feed that moved down.
final class MoveTable {
  private let find: Statement
  private let last: Statement
  private let write: Statement
  private let remove: Statement

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    find = try connection.prepare(
      """
      SELECT number, id, from_order, from_tie, to_order, to_tie FROM move
      WHERE feed = ? ORDER BY number
      """)
    last = try connection.prepare("SELECT coalesce(max(number), 0) FROM move WHERE feed = ?")
    write = try connection.prepare("INSERT INTO move VALUES (?, ?, ?, ?, ?, ?, ?)")
    remove = try connection.prepare("DELETE FROM move WHERE feed = ? AND number < ?")
  }

  /// A feed's moves, the last one last.
  func moves(of feed: Int64) throws(StoreError) -> [Move] {
    defer { find.reset() }
    try find.bind(feed)
    var moves: [Move] = []
    while try find.step() {
      // Another number was written by somebody else, and no cursor could name it.
      let number = find.integer(0)
      guard Move.numbers.contains(number) else { continue }
      moves.append(
        Move(
          number: number, id: Identity(bytes: try find.bytes(1)),
          from: try find.cut(2).position, to: try find.cut(4).position))
    }
    return moves
  }

  /// Makes `moves` all that are kept of a feed. They are only ever added at the end, and forgotten
  /// from the beginning on.
  func replace(with moves: [Move], of feed: Int64) throws(StoreError) {
    let newest = try newest(of: feed)
    guard newest != moves.last?.number ?? 0 else { return }
    try remove.run(feed, moves.first?.number ?? Int64.max)
    for move in moves where move.number > newest {
      try write.run(
        feed, move.number, move.id.bytes, move.from.order, move.from.tie, move.to.order,
        move.to.tie)
    }
  }

  private func newest(of feed: Int64) throws(StoreError) -> Int64 {
    defer { last.reset() }
    try last.bind(feed)
    guard try last.step() else { return 0 }
    return last.integer(0)
  }
}
