/// How new elements of an answer stand to known ones that it does not show, between two neighbours
/// that it does.
///
/// A known one that is not shown is gone, or is among the elements that cannot be used. So a new
/// one with none of these above it stands above all the known ones, and one with none below it
/// stands below them.
struct Interleaving {
  /// Neighbouring new elements, by their offsets, with as many known ones above each.
  struct Group: Hashable {
    /// How many of the known ones stand above, from the top.
    var depth: Int
    /// Which of the new ones.
    var offsets: Range<Int>
  }
  /// All new elements, top first.
  private(set) var groups: [Group] = []

  /// `indices` are the places of the new elements in the answer, from 0, rising; `after` and
  /// `before` those of the two neighbours, -1 and the answer's count where there is none. Where all
  /// elements can be used, every new one goes to the `depth` of its offset.
  init(
    indices: [Int], after: Int, before: Int, known count: Int, depth: (Int) -> Int = { _ in 0 }
  ) {
    for (offset, index) in indices.enumerated() {
      let above = index - after - 1 - offset
      let below = before - index - (indices.count - offset)
      let depth =
        above + below == 0 ? depth(offset) : above == 0 ? 0 : max(min(above, count), count - below)
      if groups.last?.depth == depth {
        groups[groups.count - 1].offsets = groups[groups.count - 1].offsets.lowerBound..<offset + 1
      } else {
        groups.append(Group(depth: depth, offsets: offset..<offset + 1))
      }
    }
  }
}
