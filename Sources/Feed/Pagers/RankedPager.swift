/// Pages that begin at ranks: at any, or at multiples of their size.
///
/// A page that extends a run begins at or before the last element strictly newer than the open
/// second, so that the whole second is read in one answer. Where no such page reaches beyond what
/// was seen, the second is counted over several answers instead (``TieCount``). After misses it
/// steps back, and when it steps back too far to reach beyond the cut, it shows where that stands
/// now.
struct RankedPager: Pager {
  let plan: Plan
  private var paging: Paging { plan.paging }

  func aim(below target: Target) -> Window? {
    if let check = plan.size.check { return check }
    let attempt = target.attempt
    // By value a run that ends where the total says it does is proven by the page that shows the
    // end; by sight that needs elements in it.
    let total = attempt.misses > 0 && plan.order != .value ? plan.timeline.total?.value : nil
    let reach = min(total ?? paging.reachMax, attempt.ceiling ?? .max)
    let rank = paging.isRanked ? min(target.rank, reach) : target.rank
    let need = rank - plan.overlap - WindowChoice.slack(afterMisses: attempt.misses)
    let beyond = max(attempt.tieCount?.need().beyond ?? rank, rank, ended(above: target))
    // Having stepped back in vain, it begins further up, as far as the size allows.
    let steps = attempt.returns == 0 ? [] : (0...min(attempt.returns, 6)).reversed().map { 1 << $0 }
    let next: (Int) -> Window? = { perPage in
      (steps + [0]).lazy.compactMap {
        paging.window(from: need - $0, beyond: beyond, perPageMax: perPage)
      }.first ?? attempt.tieCount.flatMap { paging.window(counting: $0, perPageMax: perPage) }
    }
    let standing =
      attempt.misses == 0 || paging.isSideBySide
      ? nil : paging.window(from: need, beyond: max(need, 0), perPageMax: target.perPageMax)
    if let window = spanning(target, from: need) ?? inFront(of: target) { return window }
    let window = next(target.perPageMax) ?? (attempt.returns == 0 ? standing : nil)
    if let window { return window }
    // A smaller page reaches less deep, 10 elements 1,000 ranks, and has fewer places to begin at.
    // Then a larger one is tried after all, at first one that has not failed yet.
    let larger = (target.perPageMax...max(target.perPageMax, paging.perPageMax)).dropFirst()
    return larger.prefix { $0 < plan.size.perPageFailed }.lazy.compactMap(next).first
      ?? standing ?? larger.lazy.compactMap(next).first ?? joined(below: target, rank)
      ?? beside(target)
  }

  /// Of pages of a few elements some end where no page of another size shows the run's end and goes
  /// on. The one right below is asked for then, which nothing joins to the run, unless by value
  /// elements of one key are counted by a total.
  private func beside(_ target: Target) -> Window? {
    guard case .page = paging.addressing, plan.order != .whole else { return nil }
    let counted = target.attempt.idle == 0 ? target.attempt.tieCount?.need().beyond : nil
    if let counted, plan.timeline.total != nil {
      let window = (1..<TieCount.anchorCount).reversed().lazy.compactMap { known in
        paging.window(
          from: counted + 1 - known, beyond: counted, perPageMax: target.perPageMax)
      }.first
      if let window { return window }
    }
    let rank = target.beyond + 1
    return paging.window(showing: rank, noneAbove: rank, perPageMax: target.perPageMax)
  }

  /// The page that reaches beyond one which brought nothing since elements are hidden in it, and
  /// begins furthest up, at a rank if there is such: so the run's end comes again. Nil where the
  /// last one did not show it.
  private func spanning(_ target: Target, from need: Int) -> Window? {
    guard plan.size.hides, target.attempt.misses == 0, case .page = paging.addressing,
      let end = plan.continuations[target.cut], end.idle > 0, end.namesNext
    else { return nil }
    let seen = end.window.endRank
    return paging.window(from: need, beyond: seen, perPageMax: target.perPageMax)
      ?? paging.window(upFrom: seen + target.perPageMax / 10, perPageMax: target.perPageMax)
  }

  /// The page that goes on with the run in front of those that came with nothing on them, without a
  /// total that says why: some upstreams show so many pages, or no more than so many elements. Of
  /// offsets it is the page of the usual size, after the first one.
  private func inFront(of target: Target) -> Window? {
    guard let emptyPage = target.attempt.emptyPage else { return nil }
    let (rank, size) = (target.rank, target.perPageMax)
    switch paging.addressing {
    case .page where emptyPage > 1:
      return paging.upTo(page: emptyPage - 1)
        .window(from: rank - plan.overlap, beyond: rank, perPageMax: size)
    case .offset where target.attempt.nothings == 1:
      let whole = Window(offset: max(0, rank - plan.overlap) / size * size, perPage: size)
      return whole.endRank > rank && whole.firstRank < paging.reachMax ? whole : nil
    default: return nil
    }
  }

  /// The last rank of a page of one size that was seen to its end: it brings nothing more, unless
  /// it is looked for again.
  private func ended(above target: Target) -> Int {
    guard !paging.isSized, target.attempt.misses == 0 else { return 0 }
    return (plan.continuations.lowest(from: target.cut)?.end.window.endRank ?? 0) - 1
  }

  /// The page after the one that brought the end of a run, or that one again where nothing is kept
  /// of it: it is joined by what the source's answers are worth. Nil where that is not served, or
  /// nothing lies below. Where nothing joins pages at all it shows what lies below the gap.
  private func joined(below target: Target, _ rank: Int) -> Window? {
    guard !paging.isSized else { return nil }
    guard paging.servesJoins || paging.isSideBySide && isLowest(target) else { return nil }
    // Where one ended above the cut that reaches as far, that one again brings nothing more.
    guard let (cut, last) = plan.continuations.lowest(from: target.cut),
      cut == target.cut || last.window.endRank >= rank
    else {
      return paging.window(from: rank - 1, beyond: max(rank - 1, 0) - 1)
    }
    let next = last.window.endRank + last.hole.ranks
    return paging.window(from: next, beyond: next)
  }

  private func isLowest(_ target: Target) -> Bool {
    plan.timeline.proofs.last?.lower == target.cut
  }

  /// As far up as one page shows that reaches into the run. Nil where such pages do not meet the
  /// run: then it is met from above.
  func aim(above cut: Cut) -> Window? {
    let misses = plan.attempts[cut]?.missesAbove ?? 0
    guard plan.order == .value, paging.isRanked, misses < ExtensionAttempts.missesAboveMax,
      let first = plan.timeline.proofs.first(where: { $0.upper == cut })
    else { return nil }
    let rank = first.rankBelow - first.count
    return paging.window(
      upFrom: rank + WindowChoice.depth(afterMisses: misses), perPageMax: plan.size.perPageMax)
  }

  /// The last page of a size is as far as that reaches: further down one of the least size is asked
  /// for that reaches beyond.
  func aim(seeking seek: Seek) -> Window? {
    let sizes = plan.size.perPageMax...max(plan.size.perPageMax, paging.perPageMax)
    let windows = sizes.lazy.compactMap { seek.window(perPageMax: $0) }
    return windows.first { !paging.isLast($0) } ?? windows.last
  }

  func isAtWall(_ run: Timeline.Run) -> Bool {
    if plan.isHole(below: run.lower) { return true }
    // Of one size, the page that ends at the wall may have been seen to its end.
    let target = plan.target(below: run.lower)
    return paging.isSized ? isPastReach(target) : aim(below: target) == nil
  }
}

extension Paging {
  /// Whether no page of its size lies further down.
  fileprivate func isLast(_ window: Window) -> Bool {
    if case .page(let pageMax) = addressing { window.page >= pageMax } else { false }
  }

  /// The window by which a key is counted on: with some slack for what was deleted above it, or
  /// with none where no window of the size bears that.
  func window(
    counting tieCount: TieCount, perPageMax: Int, in segment: Window.Segment? = nil
  ) -> Window? {
    [perPageMax / 4, 0].lazy.compactMap { slackMax in
      let need = tieCount.need(slackMax: slackMax)
      return window(in: segment, from: need.rank, beyond: need.beyond, perPageMax: perPageMax)
    }.first
  }
}
