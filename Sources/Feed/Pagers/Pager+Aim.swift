extension Pager {
  /// About where the page lies that shows a place; nil where no page does.
  func aim(at place: Place) -> Window? {
    switch place {
    case .top(let count): top(showing: count)
    case .below(let cut): next(below: cut, insteadOf: aim(below: plan.target(below: cut)))
    case .above(let cut): aim(above: cut)
    case .sought(let seek): aim(seeking: seek)
    // Where nothing shows the order, nothing far down can be proven.
    case .rank(let rank) where plan.order == .value:
      plan.paging.window(from: rank - 1, beyond: rank, perPageMax: plan.size.perPageMax)
    case .rank: nil
    case .again(let window, _): window
    }
  }

  /// The page that shows what lies below a cut, and where that is the one that ends there what
  /// follows on that one; nil where that was looked for, and is not joined.
  private func next(below cut: Cut, insteadOf aim: Window?) -> Window? {
    guard let end = plan.continuations[cut] else { return aim }
    guard !plan.isHole(below: cut) else { return nil }
    if let check = plan.size.check { return check }
    if end.next == .nothing, plan.paging.isRanked { return end.again }
    let isMissed =
      end.idle > 1 || end.hole.isConfirmed
      || end.idle > 0 && plan.attempts[cut]?.misses ?? 0 > 0
    return end.following(
      plan.size.hides && isMissed ? nil : aim, in: plan.paging, perPageMax: plan.size.perPageMax,
      hides: plan.size.hides) ?? aim
  }

  /// A cold feed's first page is small when that suffices, since it comes sooner, and the pages
  /// below it may be larger; calls count, items do not, so every other one is as large as may be.
  private func top(showing count: Int) -> Window {
    let isCold = plan.timeline.proofs.isEmpty && plan.timeline.lookedAt == nil
    let isSmall =
      isCold && count < plan.policy.firstWindow && !plan.paging.keepsSize && !plan.size.isUnkept
    let most = count == .max ? plan.size.perPageMax : plan.size.perPageSure
    if let mark = plan.continuations[.top]?.mark {
      return Window(.mark(mark, rank: 0), perPage: most)
    }
    return plan.paging.top(perPage: isSmall ? min(plan.policy.firstWindow, most) : most)
  }

  func aim(above cut: Cut) -> Window? { nil }
  func aim(seeking seek: Seek) -> Window? { nil }
  func name(_ aim: Window, below cut: Cut, by handles: any Handles) -> Window? { nil }
  func way(to place: Place, for purpose: Purpose) -> Place? { place }
  func isAtWall(_ run: Timeline.Run) -> Bool { isPastReach(plan.target(below: run.lower)) }

  /// Where large seconds follow one another no page shows one whole: then it is counted from the
  /// run above on, which is gone on with if that is near, else when no other page is left. And
  /// where a place is found by what stands above it alone.
  func descent(to seek: Seek) -> (run: Timeline.Run, isNear: Bool)? {
    guard seek.place != nil || !plan.paging.isRanked,
      let above = plan.timeline.runs.last(where: { $0.lower > seek.target })
    else { return nil }
    let distance = seek.place.map { $0 - plan.bottom(of: above).rankBelow }
    return (above, distance.map { $0 <= 2 * plan.size.perPageMax } ?? false)
  }

  /// Whether pages come smaller than they are asked for, and so small that none which shows the end
  /// of a run reaches beyond it; in an order of its own not of one size, where nothing joins them.
  func isTooSmall(below run: Timeline.Run) -> Bool {
    guard let served = plan.size.served else { return false }
    guard plan.paging.isSized else { return plan.paging.isSideBySide }
    return isPastReach(plan.target(below: run.lower), perPageMax: served)
  }

  /// Whether no page of the feed shows what lies right below a cut.
  func isPastReach(_ target: Target, perPageMax: Int = .max) -> Bool {
    let counting = target.attempt.tieCount?.need(slackMax: 0)
    let window: (Int, Int) -> Window? = { need, seen in
      plan.paging.window(from: need, beyond: seen, perPageMax: perPageMax)
    }
    return window(target.rank - plan.overlap, target.beyond) == nil
      && counting.flatMap { window($0.rank, $0.beyond) } == nil
  }

  /// Whether pages go on below a run though none shows its end and goes on: pages of a few elements
  /// do not meet everywhere.
  func goesOn(below run: Timeline.Run) -> Bool {
    let target = plan.target(below: run.lower)
    let further = target.beyond + 2 * min(target.perPageMax, plan.paging.perPageMax)
    let window: (Paging, Int, Int) -> Window? = { paging, need, seen in
      paging.window(from: need, beyond: seen, perPageMax: target.perPageMax)
    }
    return window(plan.paging, further, further - 1) != nil
      && window(plan.paging.withoutWall, target.rank - plan.overlap, target.beyond) == nil
  }
}
