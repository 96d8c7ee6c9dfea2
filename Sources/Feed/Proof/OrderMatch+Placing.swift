/// Where what a page shows about the elements that tie it stands.
extension OrderMatch {
  /// Places what stands between two anchors: of one run between what is known there, of two runs
  /// as an extension of the upper run, which the lower one then joins.
  func placeBetween(
    _ a: Anchor, _ b: Anchor, _ standing: [Position], _ rows: [Position],
    into placed: inout [Int: Position]
  ) {
    let slots = (a.slot + 1)..<b.slot
    if let run = run(of: a), !run.holds(b.position), believed == .max {
      let positions = positions(below: run.lower.position, count: slots.count, rows)
      placed.merge(zip(slots, positions)) { _, new in new }
      return
    }
    let known = standing.filter { $0 < a.position && $0 > b.position }
    place(slots, below: a, above: b, among: known, rows, into: &placed)
  }

  /// Extends the run below its last anchor. Returns what is in doubt: where more known elements
  /// stand there than the window still shows, they have been pushed down by others, and it proves
  /// no further than the anchor; where the feed was known to end, it goes on.
  func placeTail(
    after last: Anchor, _ standing: [Position], _ rows: [Position],
    into placed: inout [Int: Position]
  ) -> [CutRange] {
    let slots = (last.slot + 1)..<page.items.count
    guard let run = run(of: last), !slots.isEmpty else { return [] }
    let known = standing.filter { $0 < last.position && run.holds($0) }
    if isEnd, run.reachesEnd {
      place(slots, below: last, above: nil, among: known, rows, into: &placed)
      return []
    }
    let isGone = known.count <= min(slots.count, OrderMatch.takenAwayMax)
    let goesOn = known.isEmpty || (isGone && !run.reachesEnd)
    guard isEnd || goesOn else {
      return known.first.map { [CutRange(upper: .below(last.position), lower: .above($0))] } ?? []
    }
    // A reader may stand at the end of the run: all that was not proven yet comes after it.
    let bottom = run.reachesEnd ? self.bottom(below: last, rows) : run.lower.position
    let positions = positions(
      below: min(bottom, last.position), count: slots.count, rows)
    placed.merge(zip(slots, positions)) { _, new in new }
    return run.reachesEnd ? [CutRange(upper: .below(last.position), lower: .bottom)] : []
  }

  /// What is in doubt above the first anchor of a window further down: where it shows others there,
  /// they have come between the anchor and its neighbour.
  func doubtedAbove(_ first: Anchor, _ standing: [Position]) -> [CutRange] {
    guard !window.isTop, first.slot > 0, let run = run(of: first),
      let neighbour = standing.last(where: { $0 > first.position && run.holds($0) })
    else { return [] }
    return [CutRange(upper: .below(neighbour), lower: .above(first.position))]
  }

  /// So many positions right below the lowest of a run, above all that is placed further down.
  private func positions(below bottom: Position, count: Int, _ rows: [Position]) -> [Position] {
    let run = timeline.runs.first { $0.upper.position <= bottom }
    let next = [rows.first { $0 < bottom }, run?.upper.position].compactMap(\.self).max()
    guard let next, bottom.order.clampedSubtracting(Int64(count)) <= next.order, next < bottom
    else {
      return ObservedPosition.extending(bottom, count: count)
    }
    return ObservedPosition.between(bottom, next, count: count)
  }

  /// Places slots below an anchor and above another, or the end of the run, among known elements
  /// there that are not shown.
  private func place(
    _ slots: Range<Int>, below a: Anchor, above b: Anchor?, among known: [Position],
    _ rows: [Position], into placed: inout [Int: Position]
  ) {
    // What lacks where a join is only believed may still be there, above what follows.
    let depth = { b != nil && slots.lowerBound + $0 < believed ? 0 : known.count }
    let interleaving = Interleaving(
      indices: slots.map(index), after: index(of: a.slot),
      before: b.map { index(of: $0.slot) } ?? page.count, known: known.count,
      depth: depth)
    for group in interleaving.groups {
      let upper = group.depth == 0 ? a.position : known[group.depth - 1]
      let next = rows.first { $0 < upper }
      let lower =
        b.map { max(next ?? $0.position, $0.position) }
        ?? (group.depth < known.count ? next : nil)
      let count = group.offsets.count
      let positions =
        lower.map { ObservedPosition.between(upper, $0, count: count) }
        ?? ObservedPosition.extending(bottom(below: a, rows), count: count)
      placed.merge(zip(group.offsets.map { slots.lowerBound + $0 }, positions)) { _, new in new }
    }
  }

  /// The lowest place ever taken in an anchor's run.
  private func bottom(below anchor: Anchor, _ rows: [Position]) -> Position {
    let run = run(of: anchor)
    return min(rows.last { run?.holds($0) == true } ?? anchor.position, anchor.position)
  }
}
