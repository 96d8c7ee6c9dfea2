import Feed

/// What is known of one part beside a cut: all its items of a stretch. An object: the rules look at
/// it again and again.
final class Piece: Sendable {
  /// What the part said. Its items are in the part's own places.
  let slice: Slice
  /// Where all of the part is known, in merged cuts; nothing is where `upper` is `lower`.
  let range: CutRange
  /// Whether another item is known right beyond the far end.
  let isFull: Bool
  /// Whether the part is known no further up, and nothing is known to be lacking there.
  let isHead: Bool
  /// Why nothing is beyond the far end; nil where something may be.
  let end: EndReason?
  /// Where known items go on below the range; nil where none do.
  let next: Cut?
  /// What is passed over above the range, since it was skipped or can never be read.
  let hole: CutRange?

  /// A piece from its parts.
  init(
    _ slice: Slice, range: CutRange, isFull: Bool = false, isHead: Bool = false,
    end: EndReason? = nil, next: Cut? = nil, hole: CutRange? = nil
  ) {
    (self.isFull, self.isHead, self.end, self.next) = (isFull, isHead, end, next)
    (self.range, self.hole) = (range, hole)
    self.slice = slice
  }

  /// What a part's own slice says, which was read of a range by a request for so many items that
  /// asked nothing.
  convenience init(
    _ slice: Slice, of scale: PartScale, limit: Int, upwards: Bool, within asked: CutRange,
    below hole: CutRange?
  ) {
    guard let covers = slice.covers else {
      // A range in which the part can have nothing, as between two of its instants.
      self.init(slice, range: asked, isHead: upwards, end: .range, hole: hole)
      return
    }
    // What it was asked from is where it begins, however the part's own places are spaced.
    let isFromTop = covers.upper == scale.partCut(asked.upper)
    let isToBottom = covers.lower == scale.partCut(asked.lower)
    let upper = isFromTop ? asked.upper : scale.cut(covers.upper)
    let lower = isToBottom ? asked.lower : scale.lowestCut(covers.lower)
    // Of two realms' elements in one place the other's may lie between.
    let range = CutRange(upper: upper, lower: min(lower, upper))
    let isLong = slice.items.count >= limit
    guard !upwards else {
      let first = slice.items.first.map { Cut.above($0.position) }
      let isFull = slice.hasPrevious && isLong && covers.upper == first
      let isHead = !isFull && !slice.hasPrevious
      self.init(slice, range: range, isFull: isFull, isHead: isHead, hole: hole)
      return
    }
    let last = slice.items.last.map { Cut.below($0.position) }
    self.init(
      slice, range: range, isFull: slice.hasMore && isLong && covers.lower == last,
      isHead: upper < asked.upper, end: slice.hasMore ? nil : slice.endReason,
      next: slice.gap.flatMap { $0.isOpen ? nil : scale.cut($0.lower) }, hole: hole)
  }

  /// Whether nothing is known beside the cut.
  var isUnknown: Bool { end == nil && !isFull && !isHead && range.upper == range.lower }

  /// Whether what lies before `next` can never be read.
  var isSunk: Bool { slice.isGapSunk && next != nil }
}
