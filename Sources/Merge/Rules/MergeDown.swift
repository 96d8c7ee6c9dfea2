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
  /// Whether it begins at the watermark.
  private let isTop: Bool
  private let behind: Set<Int>
  private var missing: [MissingPart] = []

  init(_ question: Question) {
    self.question = question
    (end, behind) = (question.end, question.behind())
    // A cursor above all that is known is the top's: no part can have been read up to there.
    let start = question.start
    func isAbove() -> Bool {
      let known = question.parts.compactMap(\.piece).filter { !$0.isUnknown }
      return !known.isEmpty && known.allSatisfy { $0.hole == nil && $0.range.upper < start }
    }
    isTop = start == .top || isAbove()
    self.start = isTop ? .top : start
  }

  private var parts: [PartState] { question.parts }

  /// Finds where the range begins; a step where something has to be done before.
  mutating func begin() -> MergeStep? {
    var (asks, failed, watermark) = ([PartAsk](), Int?.none, Cut?.none)
    for (index, part) in parts.enumerated() {
      guard let piece = part.piece else { continue }
      let isBehind = behind.contains(index)
      // Known further down alone: what may stand above is found out by a look at its top.
      let lacksTop =
        isTop
        ? piece.isUnknown : piece.isHead && piece.hole == nil && !question.isAhead(of: index)
      if !lacksTop {
        if isTop, !isBehind { watermark = min(watermark ?? .top, piece.range.upper) }
      } else if !question.isBlocked(index), !isBehind {
        let range = CutRange(upper: start, lower: end)
        asks.append(PartAsk(part: index, range: range, looks: !isTop))
      } else if !question.roles[index].isOptional {
        failed = failed ?? index
      } else {
        missing.append(
          question.missing(
            index, isBehind ? .behind : nil, from: start,
            to: piece.isUnknown ? nil : piece.range.upper))
      }
    }
    if let failed { return question.fail(failed) }
    if !asks.isEmpty { return .ask(asks) }
    if isTop {
      guard let watermark else { return question.fail(0) }
      for index in behind.sorted() {
        guard let upper = parts[index].piece?.range.upper, upper < watermark else { continue }
        missing.append(question.missing(index, .behind, from: watermark, to: upper))
      }
      start = watermark
    }
    for (index, part) in parts.enumerated() where !question.roles[index].isOptional {
      guard let piece = part.piece else { continue }
      let isWall = piece.end == .upstreamLimit || (piece.end == nil && part.block == .wall)
      if isWall { end = max(end, min(piece.range.lower, start)) }
    }
    return nil
  }

  /// Cuts the slice, or says what it takes to.
  mutating func cut() -> MergeStep {
    let known = question.candidates(
      in: CutRange(upper: start, lower: end), atMost: question.limit + 1)
    let isLong =
      known.count > question.limit
      || known.count == question.limit && end == question.end && question.goesOn
    // Down to here all parts have to be known.
    let bound = isLong ? Cut.below(question.place(known[question.limit - 1])) : end
    var lacks = Lacks(missing: missing)
    for (index, part) in parts.enumerated() {
      // One that nothing is known of at the top is left out.
      guard let piece = part.piece, !isTop || !piece.isUnknown else { continue }
      if piece.range.upper > bound, question.asksAgain(index, for: piece) {
        let range = CutRange(upper: question.start, lower: bound)
        lacks.asks.append(PartAsk(part: index, range: range))
      } else if piece.end == nil, piece.range.lower > bound {
        let stretch = CutRange(upper: piece.range.lower, lower: bound)
        lacks.sort(index, stretch, upwards: false, in: question)
      }
    }
    if let step = lacks.step { return step }
    missing = lacks.missing
    let stop = lacks.stops.compactMap { parts[$0].piece?.range.lower }.max()
    guard let stop, stop > end else {
      // All parts are known as far down as it takes.
      var outcome = outcome(known.prefix(question.limit), down: bound)
      outcome.hasMore = isLong
      if !isLong { outcome.endReason = endReason }
      return .serve(outcome)
    }
    let shown = known.prefix { stop.isBelow(question.place($0)) }.prefix(question.limit)
    let ending = lacks.stops.filter { parts[$0].piece?.range.lower == stop }
    guard !shown.isEmpty else { return question.fail(ending.first ?? 0) }
    var outcome = outcome(shown, down: stop)
    outcome.hasMore = true
    let gaps = ending.filter { parts[$0].piece?.next != nil }
    if let lower = gaps.compactMap({ parts[$0].piece?.next }).max() {
      outcome.gap = Slice.Gap(upper: stop, lower: lower)
      outcome.gap?.parts = gaps.map { question.roles[$0].name }
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
      if question.roles[index].isOptional, piece.end == .upstreamLimit, piece.range.lower > bound {
        missing.append(question.missing(index, .wall, from: piece.range.lower, to: nil))
      }
    }
    let hasPrevious =
      question.start != .top && parts.contains { $0.piece?.slice.hasPrevious == true }
    return MergedOutcome(
      items: shown, covers: covers, hasPrevious: hasPrevious, missing: missing,
      counted: question.counted(in: covers, without: behind))
  }

  /// Why the range is over: for the client's own bound, for the first wall, or since all parts are.
  private var endReason: EndReason {
    if end > question.end { return .upstreamLimit }
    let ends = parts.compactMap { $0.piece?.end }
    if ends.contains(.range) { return .range }
    let isLimited = parts.indices.contains {
      parts[$0].piece?.end == .upstreamLimit && !question.roles[$0].isOptional
    }
    if isLimited { return .upstreamLimit }
    return question.end == .bottom || ends.allSatisfy { $0 == .end } ? .end : .range
  }
}
