/// A place above what was the top, where elements came that no look has shown: more came between
/// two looks than one answer holds.
///
/// Until it is read, changes cannot be sent whole to a client that had seen the former top: what
/// came there has no numbers yet.
package struct Untold: Hashable {
  /// The last number taken when the newest of these looks was laid in; who asks for changes after
  /// an earlier one has not seen what came.
  package var sequence: Int64
  /// The upper bound of the run that was the top before the first of them.
  package var former: Cut

  /// What is untold after a look changed a timeline; `known` is what was before. Nil once the top's
  /// run holds what was the top.
  package init?(_ known: Untold?, from before: Timeline, to after: Timeline, isTop: Bool) {
    guard let head = after.runs.first else { return nil }
    var former = known?.former
    let hadElements = before.runs.first.map { run in
      before.proofs[run.proofs].contains { $0.count > 0 }
    }
    if isTop, former == nil, before.lookedAt != nil, hadElements == true {
      former = before.runs.first?.upper
    }
    guard let former, head.lower >= former, after.runs.count > 1 else { return nil }
    self.former = former
    sequence = isTop ? after.sequence : known?.sequence ?? after.sequence
  }
}
