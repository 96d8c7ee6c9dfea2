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
  let known = question.candidates(in: CutRange(upper: top, lower: question.end))
  let isLong =
    known.count > question.limit
    || known.count == question.limit && top == question.start && question.goesOn
  let first = known.suffix(question.limit).first
  let bound = isLong ? first.map { .above(question.place($0)) } ?? top : top
  var lacks = Lacks(missing: [])
  for (index, part) in parts.enumerated() {
    guard let piece = part.piece, piece.range.upper < bound else { continue }
    if piece.isHead {
      // No part but one that is left behind is known less far than the top.
      lacks.missing.append(question.missing(index, .behind, from: bound, to: piece.range.upper))
    } else {
      let stretch = CutRange(upper: bound, lower: piece.range.upper)
      lacks.sort(index, stretch, upwards: true, in: question)
    }
  }
  if let step = lacks.step { return step }
  let stop = lacks.stops.compactMap { parts[$0].piece?.range.upper }.min()
  let shown = (stop.map { stop in known.drop { stop.isBelow(question.place($0)) } } ?? known)
    .suffix(question.limit)
  if let stop, shown.isEmpty {
    return question.fail(lacks.stops.first { parts[$0].piece?.range.upper == stop } ?? 0)
  }
  let covers = CutRange(upper: stop ?? bound, lower: question.end)
  return .serve(
    MergedOutcome(
      items: shown, covers: covers, hasPrevious: isLong || stop != nil, endReason: .range,
      missing: lacks.missing, counted: question.counted(in: covers, without: behind)))
}
