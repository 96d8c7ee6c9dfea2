/// A stretch of a feed between two cuts.
package struct CutRange: Hashable, Sendable {
  /// Where it begins.
  package var upper: Cut
  /// Where it ends.
  package var lower: Cut

  /// A stretch from its two ends.
  package init(upper: Cut, lower: Cut) {
    self.upper = upper
    self.lower = lower
  }

  /// Whether a position lies in it.
  package func holds(_ position: Position) -> Bool {
    lower.isBelow(position) && !upper.isBelow(position)
  }

  /// Whether all of another lies in it.
  func covers(_ other: CutRange) -> Bool { upper >= other.upper && lower <= other.lower }

  /// Whether some place lies in both.
  func overlaps(_ other: CutRange) -> Bool { lower < other.upper && other.lower < upper }
}

extension CutRange {
  /// An element of an answer whose place is known.
  struct Neighbour {
    /// Where in the answer it came.
    var index: Int
    /// Where what came above it ends.
    var above: Cut
    /// Where what came below it begins.
    var below: Cut
  }

  /// The stretches between neighbours, top first, in which elements came that cannot be used; both
  /// in the order of the answer.
  static func unread(_ indices: [Int], among neighbours: [Neighbour]) -> [CutRange] {
    var unread: [CutRange] = []
    var rest = neighbours[...]
    var upper = Cut.top
    for index in indices {
      while let next = rest.first, next.index < index {
        upper = next.below
        rest.removeFirst()
      }
      let range = CutRange(upper: upper, lower: rest.first?.above ?? .bottom)
      if unread.last != range { unread.append(range) }
    }
    return unread
  }
}

extension CutRange.Neighbour {
  /// One whose position is known to the last.
  init(at position: Position, index: Int) {
    self.init(index: index, above: .above(position), below: .below(position))
  }

  /// One of which only the second counts: others of it may have come on either side.
  init(key: Int64, index: Int) {
    self.init(index: index, above: .below(key: key), below: .above(key: key))
  }
}
