/// A name under which positions of a feed that is not ordered by value were given out to clients.
///
/// Such a position means something only as long as the rows it was given with are kept: a feed
/// that was dropped, or cut from below, and is fetched again gives the same positions to other
/// elements. So every cursor of it carries the name, and one whose rows have gone is not found.
package struct Lineage: Hashable, Sendable {
  /// Random, made with the first rows it stands for.
  package var name: UInt64
  /// Cuts below this one can no longer be found by the name.
  package var floor: Cut

  /// A lineage from its parts.
  package init(name: UInt64, floor: Cut = .bottom) {
    self.name = name
    self.floor = floor
  }
}

extension Timeline {
  /// The most lineages kept; what was given out under an older one has expired.
  package static let lineagesMax = 8

  /// Whether a cut that was given out under a lineage still stands where it stood. A cut without
  /// one is of a feed ordered by value, whose keys are the items' own, or no client's.
  package func finds(_ cut: Cut, of lineage: UInt64?) -> Bool {
    guard let lineage else { return true }
    return lineages.contains { $0.name == lineage && $0.floor <= cut }
  }

  /// Whether it reaches where no kept lineage can name its positions.
  package var needsLineage: Bool {
    guard let lower = proofs.last?.lower else { return false }
    return lineages.last.map { $0.floor > lower } ?? true
  }

  /// Expires what was given out below a cut: its places may be given to others.
  mutating func expire(below cut: Cut) {
    for index in lineages.indices { lineages[index].floor = max(lineages[index].floor, cut) }
    if cut >= proofs.first?.upper ?? .bottom { lineages = [] }
  }

  /// Gives positions out under another name from now on.
  package mutating func begin(_ lineage: Lineage) {
    lineages.append(lineage)
    lineages.removeFirst(max(0, lineages.count - Timeline.lineagesMax))
  }
}
