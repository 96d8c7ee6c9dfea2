import Feed

/// Decides what a range of a merged feed shows, read downwards: from the watermark, or the cursor,
/// down to the highest place below which something is not known.
func mergeDown(_ question: Question) -> MergeStep {
  var descent = Descent(question)
  return descent.begin() ?? descent.cut()
}

/// One reading downwards.
private struct Descent {
  let question: Question
  /// Where the range begins: the watermark in the place of the top.
  private var start: Cut
  /// Where it ends: at the first wall of a required part, at the latest.
  private var end: Cut
  private let behind: Set<Int>
  /// Parts that are shown no item of.
  private var absent: Set<Int> = []
  private var missing: [MissingPart] = []

  init(_ question: Question) {
    self.question = question
    start = question.start
    end = question.end
    // A cursor above all that is known is the top's: no part can have been read up to there.
    let known = question.parts.compactMap(\.piece).filter { !$0.isUnknown }
    let isAbove = known.allSatisfy { $0.hole == nil && $0.range.upper < question.start }
    if isAbove, !known.isEmpty { start = .top }
    behind = question.behind()
  }

  private var parts: [PartState] { question.parts }

  /// Finds where the range begins; a step where something has to be done before.
  mutating func begin() -> MergeStep? {
    var asks: [PartAsk] = []
    var failed: Int?
    var tops: [Cut] = []
    for (index, part) in parts.enumerated() {
      guard let piece = part.piece else { continue }
      // Known further down alone: what may stand above is found out by a look at its top.
      let lacksTop = start == .top ? piece.isUnknown : piece.isHead && piece.hole == nil
      guard lacksTop else {
        if start == .top, !behind.contains(index) { tops.append(piece.range.upper) }
        continue
      }
      let isBehind = behind.contains(index)
      guard question.isBlocked(index) || isBehind else {
        let range = CutRange(upper: start, lower: end)
        asks.append(PartAsk(part: index, range: range, looks: start != .top))
        continue
      }
      guard part.isOptional else {
        failed = failed ?? index
        continue
      }
      if piece.isUnknown { absent.insert(index) }
      missing.append(
        question.missing(
          index, isBehind ? .behind : nil, from: start,
          to: piece.isUnknown ? nil : piece.range.upper))
    }
    if let failed { return question.fail(failed) }
    if !asks.isEmpty { return .ask(asks) }
    if start == .top {
      guard let watermark = tops.min() else { return question.fail(0) }
      for index in parts.indices where behind.contains(index) {
        guard let upper = parts[index].piece?.range.upper, upper < watermark else { continue }
        missing.append(question.missing(index, .behind, from: watermark, to: upper))
      }
      start = watermark
    }
    let walls = parts.compactMap { part -> Cut? in
      guard !part.isOptional, let piece = part.piece else { return nil }
      let isWall = piece.end == .upstreamLimit || (piece.end == nil && part.block == .wall)
      return isWall ? piece.range.lower : nil
    }
    end = max(end, min(walls.max() ?? end, start))
    return nil
  }

  /// Cuts the slice, or says what it takes to.
  mutating func cut() -> MergeStep {
    let known = question.candidates(below: start, atMost: question.limit + 1)
      .prefix { !isBelow($0, end) }
    let isLong =
      known.count > question.limit
      || known.count == question.limit && end == question.end && question.goesOn
    // Down to here all parts have to be known.
    let bound =
      isLong
      ? Cut.below(known[known.index(known.startIndex, offsetBy: question.limit - 1)].position)
      : end
    var (reads, asks): ([Int], [PartAsk]) = ([], [])
    var stops: [Int] = []
    for (index, part) in parts.enumerated() where !absent.contains(index) {
      guard let piece = part.piece else { continue }
      if piece.range.upper > bound, question.asksAgain(piece, of: index) {
        asks.append(PartAsk(part: index, range: CutRange(upper: question.start, lower: bound)))
        continue
      }
      guard piece.end == nil, piece.range.lower > bound else { continue }
      if piece.isFull {
        reads.append(index)
      } else if !question.isBlocked(index), !piece.isSunk {
        asks.append(
          PartAsk(part: index, range: CutRange(upper: piece.range.lower, lower: bound)))
      } else if part.isOptional {
        let reason: MissingPart.Reason? = piece.isSunk ? .gap : nil
        missing.append(question.missing(index, reason, from: piece.range.lower, to: nil))
      } else {
        stops.append(index)
      }
    }
    if !reads.isEmpty { return .read(reads) }
    if !asks.isEmpty { return .ask(asks) }
    let stop = stops.compactMap { parts[$0].piece?.range.lower }.max()
    guard let stop, stop > end else {
      // All parts are known as far down as it takes.
      var outcome = outcome(known.prefix(question.limit), down: bound)
      outcome.hasMore = isLong
      if !isLong { outcome.endReason = endReason }
      return .serve(outcome)
    }
    let shown = known.prefix { !isBelow($0, stop) }.prefix(question.limit)
    let ending = stops.filter { parts[$0].piece?.range.lower == stop }
    guard !shown.isEmpty else { return question.fail(ending.first ?? 0) }
    var outcome = outcome(shown, down: stop)
    outcome.hasMore = true
    let gaps = ending.filter { parts[$0].piece?.next != nil }
    if let lower = gaps.compactMap({ parts[$0].piece?.next }).max() {
      outcome.gap = Slice.Gap(upper: stop, lower: lower)
      outcome.gap?.parts = gaps.map { parts[$0].name }
    }
    return .serve(outcome)
  }

  private func outcome(_ shown: ArraySlice<MergedItem>, down bound: Cut) -> MergedOutcome {
    let covers = CutRange(upper: start, lower: bound)
    var missing = missing.filter {
      $0.from.map { $0.milliseconds >= bound.position.order || bound == .bottom } ?? true
    }
    for (index, part) in parts.enumerated() {
      guard let piece = part.piece else { continue }
      if let hole = piece.hole, hole.upper > bound, hole.lower < start {
        missing.append(question.missing(index, .gap, from: hole.upper, to: hole.lower))
      }
      // The wall of an optional part is where it is left out.
      if part.isOptional, piece.end == .upstreamLimit, piece.range.lower > bound {
        missing.append(question.missing(index, .wall, from: piece.range.lower, to: nil))
      }
    }
    let hasPrevious =
      question.start != .top && parts.contains { $0.piece?.hasPrevious == true }
    return MergedOutcome(
      items: Array(shown), covers: covers, hasMore: false, hasPrevious: hasPrevious,
      missing: missing, counted: question.counted(in: covers, without: behind))
  }

  /// Why the range is over: for the client's own bound, for the first wall, or since all parts are.
  private var endReason: EndReason {
    if end > question.end { return .upstreamLimit }
    let ends = parts.indices.filter { !absent.contains($0) }.compactMap { parts[$0].piece?.end }
    if ends.contains(.range) { return .range }
    let isLimited = parts.contains { !$0.isOptional && $0.piece?.end == .upstreamLimit }
    if isLimited { return .upstreamLimit }
    return question.end == .bottom || ends.allSatisfy { $0 == .end } ? .end : .range
  }

  private func isBelow(_ item: MergedItem, _ cut: Cut) -> Bool { !cut.isBelow(item.position) }
}
