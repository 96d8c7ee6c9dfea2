import Feed

/// Decides what the end of a range of a merged feed shows: the items nearest above it, as far up as
/// all parts are known.
func mergeUp(_ question: Question) -> MergeStep {
  let parts = question.parts
  let behind = question.behind()
  // Above this some part was not looked at yet.
  let top = parts.indices.reduce(question.start) { top, index in
    guard let piece = parts[index].piece, piece.isHead, !behind.contains(index) else { return top }
    return min(top, piece.range.upper)
  }
  let known = question.candidates()
    .drop { top.isBelow($0.position) }.prefix { question.end.isBelow($0.position) }
  let isLong =
    known.count > question.limit
    || known.count == question.limit && top == question.start && question.goesOn
  let first = known.suffix(question.limit).first
  let bound = isLong ? first.map { Cut.above($0.position) } ?? top : top
  var (reads, asks): ([Int], [PartAsk]) = ([], [])
  var stops: [Int] = []
  var missing: [MissingPart] = []
  for (index, part) in parts.enumerated() {
    guard let piece = part.piece, piece.range.upper < bound else { continue }
    if piece.isHead {
      // No part but one that is left behind is known less far than the top.
      missing.append(question.missing(index, .behind, from: bound, to: piece.range.upper))
    } else if piece.isFull {
      reads.append(index)
    } else if !question.isBlocked(index) {
      asks.append(PartAsk(part: index, range: CutRange(upper: bound, lower: piece.range.upper)))
    } else if part.isOptional {
      missing.append(question.missing(index, from: bound, to: piece.range.upper))
    } else {
      stops.append(index)
    }
  }
  if !reads.isEmpty { return .read(reads) }
  if !asks.isEmpty { return .ask(asks) }
  let stop = stops.compactMap { parts[$0].piece?.range.upper }.min()
  let shown = (stop.map { stop in known.drop { stop.isBelow($0.position) } } ?? known)
    .suffix(question.limit)
  if let stop, shown.isEmpty {
    return question.fail(stops.first { parts[$0].piece?.range.upper == stop } ?? 0)
  }
  let covers = CutRange(upper: stop ?? bound, lower: question.end)
  return .serve(
    MergedOutcome(
      items: Array(shown), covers: covers, hasMore: false, hasPrevious: isLong || stop != nil,
      endReason: .range, missing: missing, counted: question.counted(in: covers, without: behind)))
}
