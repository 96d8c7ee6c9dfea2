/// Pages by ranks as far as these reach, and past that the lists of all that is not newer than a
/// key, each with ranks of its own: see ``Window/Segment``.
struct SegmentedPager: Pager {
  let plan: Plan
  /// How finely what lies past the wall is asked for by its key.
  let grain: KeyGrain
  private var feed: RankedPager { RankedPager(plan: plan) }

  func aim(below target: Target) -> Window? {
    begins(at: target) ? segment(below: target) : feed.aim(below: target)
  }

  func aim(above cut: Cut) -> Window? { feed.aim(above: cut) }

  func aim(seeking seek: Seek) -> Window? {
    guard isPast(seek) else { return seek.window(perPageMax: plan.size.perPageMax) }
    let rank = max(plan.paging.reachMax, plan.timeline.rank(of: seek.target))
    let keyMax = grain.last(of: seek.target.position.order)
    var segment = Window.Segment(keyMax: keyMax, rank: rank)
    segment.isCounted = true
    let size = plan.size.perPageMax
    let sought = seek.isPast ? seek.window(perPageMax: size) : plan.paging.top(perPage: size)
    return sought.map { $0.of(segment) }
  }

  /// Whether what is sought is shown past the wall alone: pages that come smaller than they may be
  /// reach less deep than the wall stands.
  private func isPast(_ seek: Seek) -> Bool {
    seek.isPast || seek.isBeyondReach
      || !seek.isSpent && seek.window(perPageMax: plan.size.perPageMax) == nil
  }

  /// What is known of the segment is gone on with.
  func descent(to seek: Seek) -> (run: Timeline.Run, isNear: Bool)? {
    guard isPast(seek) else { return feed.descent(to: seek) }
    let segment = Cut.above(key: grain.last(of: seek.target.position.order))
    return plan.timeline.runs.last { $0.lower > seek.target && $0.lower <= segment }
      .map { ($0, true) }
  }

  func isAtWall(_ run: Timeline.Run) -> Bool {
    let target = plan.target(below: run.lower)
    return aim(below: target) == nil && (!plan.paging.isSized || isPastReach(target))
  }

  /// Where pages are too small to reach a place, a list that begins with it shows it, unless they
  /// are too small for that one, too.
  func isTooSmall(below run: Timeline.Run) -> Bool {
    let target = plan.target(below: run.lower)
    guard feed.isTooSmall(below: run), let segment = plan.segment, isLast(target) else {
      return false
    }
    let page = plan.paging.window(
      in: segment, from: target.rank - plan.overlap, beyond: target.beyond,
      perPageMax: plan.size.served ?? .max)
    return page == nil
  }

  /// Whether what lies right below a cut is asked for in a segment: what was begun to be counted in
  /// one is counted there to its end.
  private func begins(at target: Target) -> Bool {
    if isLast(target), target.attempt.tieCount != nil { return true }
    // Pages that come smaller than they were asked for, or not at all where they are larger, reach
    // less deep.
    let isTried = target.attempt.idle > 1 || target.attempt.rests > 0
    let failed = plan.size.perPageFailed
    let most = failed == .max ? failed : max(target.perPageMax, failed - 1)
    let borne = min(most, plan.size.served ?? .max)
    return isPastReach(target, perPageMax: isTried ? target.perPageMax : borne)
  }

  /// Whether the segment that was asked for last begins with a cut's own key.
  private func isLast(_ target: Target) -> Bool {
    plan.segment?.keyMax == grain.last(of: target.cut.keyBelow)
  }

  /// The window of a segment that shows what lies right below a cut: of the one that was asked for
  /// last as long as that reaches, else of one that begins with the cut's own key, whose elements
  /// above the cut have yet to be counted. Nil where the wall of that one, too, is reached.
  private func segment(below target: Target) -> Window? {
    let attempt = target.attempt
    // The first page of one of which nothing is known but about where it begins.
    let first = Window.Segment(keyMax: grain.last(of: target.cut.keyBelow), rank: target.rank)
    let top = plan.paging.top(perPage: target.perPageMax).of(first)
    // What one showed of the place in vain, another one shows from its top on.
    let isSpent = attempt.misses == 0 && attempt.idle > 1 && !isLast(target)
    guard !isSpent, let segment = plan.segment, segment.keyMax >= target.cut.keyBelow,
      target.rank > segment.rank || isLast(target) && attempt.tieCount != nil
    else { return top }
    let need = target.rank - plan.overlap - WindowChoice.slack(afterMisses: attempt.misses)
    let next: (Int) -> Window? = { [paging = plan.paging] perPage in
      paging.window(in: segment, from: need, beyond: target.beyond, perPageMax: perPage)
        ?? attempt.tieCount.flatMap {
          paging.window(counting: $0, perPageMax: perPage, in: segment)
        }
    }
    // Smaller pages reach less deep.
    return next(target.perPageMax) ?? (isLast(target) ? next(plan.paging.perPageMax) : top)
  }

  /// The window of a new segment that shows what lies below a cut, by how many elements are known
  /// between the segment's beginning and that place.
  func name(_ aim: Window, below cut: Cut, by handles: any Handles) -> Window? {
    guard var segment = aim.segment, !segment.isCounted else { return nil }
    let rank = plan.timeline.rank(of: cut)
    segment.rank = max(1, rank - handles.count(below: .above(key: segment.keyMax), above: cut))
    segment.isCounted = true
    var window =
      plan.paging.window(in: segment, from: rank - 1, beyond: rank, perPageMax: aim.perPage) ?? aim
    window.segment = segment
    return window
  }
}
