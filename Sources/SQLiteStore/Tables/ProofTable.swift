import Feed

/// The rows of `proof`: which ranges of a feed are proven, and when.
final class ProofTable {
  private let find: Statement
  private let write: Statement
  private let remove: Statement

  /// Prepares the statements.
  init(on connection: borrowing Connection) throws(StoreError) {
    find = try connection.prepare(
      """
      SELECT upper_order, upper_tie, lower_order, lower_tie, proven_at, count, rank_below,
        belief
      FROM proof WHERE feed = ? ORDER BY upper_order DESC, upper_tie DESC
      """)
    write = try connection.prepare("REPLACE INTO proof VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    remove = try connection.prepare(
      "DELETE FROM proof WHERE feed = ? AND upper_order = ? AND upper_tie = ?")
  }

  /// A feed's proofs, top first. A row that cannot be one, since it is upside down or reaches into
  /// the one above, proves nothing. An empty one is where a look at the top showed nothing settled:
  /// without it the run below would be taken for the head.
  func proofs(of feed: Int64) throws(StoreError) -> [Proof] {
    defer { find.reset() }
    try find.bind(feed)
    var proofs: [Proof] = []
    while try find.step() {
      let proof = Proof(
        upper: try find.cut(0), lower: try find.cut(2), provenAt: find.instant(4),
        count: find.count(5), rankBelow: find.count(6),
        // A word that is none is the weakest.
        belief: try find.optionalText(7).map { JoinProof(rawValue: $0) ?? .none })
      guard proof.upper >= proof.lower, proofs.last.map({ $0.lower >= proof.upper }) ?? true
      else { continue }
      proofs.append(proof)
    }
    return proofs
  }

  /// Makes `proofs` all that are kept of a feed; rows that stay as they are are not written.
  func replace(with proofs: [Proof], of feed: Int64) throws(StoreError) {
    var outdated: [Cut: Proof] = [:]
    for proof in try self.proofs(of: feed) { outdated[proof.upper] = proof }
    for proof in proofs where outdated.removeValue(forKey: proof.upper) != proof {
      let upper = proof.upper.position
      let lower = proof.lower.position
      try write.run(
        feed, upper.order, upper.tie, lower.order, lower.tie, proof.provenAt.milliseconds,
        Int64(proof.count), Int64(proof.rankBelow), proof.belief?.rawValue)
    }
    for cut in outdated.keys {
      try remove.run(feed, cut.position.order, cut.position.tie)
    }
  }
}
