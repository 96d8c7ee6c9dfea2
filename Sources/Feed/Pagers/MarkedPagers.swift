/// Pages that begin at keys, each with all of its first one.
struct KeyedPager: Pager {
  let plan: Plan

  func aim(below target: Target) -> Window? {
    inside(target) ?? Window(.mark(nil, rank: max(1, target.rank)), perPage: perPage(for: target))
  }

  /// How many elements are asked for of a place: where an answer brought nothing there, its first
  /// key may be larger than pages are since one failed, and a size that has not is tried.
  private func perPage(for target: Target) -> Int {
    let (most, size) = (target.perPageMax, plan.size)
    guard target.attempt.idle > 0, most == size.perPageMax else { return most }
    return max(most, min(plan.paging.perPageMax, size.perPageFailed - 1))
  }

  /// A key is asked for by itself: what does not show it then is larger than a page.
  func aim(seeking seek: Seek) -> Window? {
    guard !seek.takesLast, seek.asked == 0 else { return nil }
    let rank = plan.timeline.rank(of: seek.target)
    return Window(.mark(nil, rank: max(1, rank)), perPage: plan.size.perPageMax)
  }

  /// The window that shows more of the key which is open below a cut, where no answer showed all
  /// of it: its elements are counted page by page (``TieCount``). Nil where one may, or there is no
  /// way in.
  private func inside(_ target: Target) -> Window? {
    let end = plan.continuations[target.cut]
    let isBegun = end.map { $0.isFull && $0.window.keyMax == target.cut.keyBelow } ?? false
    guard plan.paging.isPagedInside,
      target.attempt.tieCount != nil || target.attempt.idle > 0 || isBegun
    else { return nil }
    let first = target.attempt.tieCount?.start ?? max(1, target.rank)
    var segment = Window.Segment(keyMax: target.cut.keyBelow, rank: first)
    (segment.isCounted, segment.isInside) = (true, true)
    guard let tieCount = target.attempt.tieCount else {
      return plan.paging.window(
        in: segment, from: first, beyond: first, perPageMax: target.perPageMax)
    }
    return plan.paging.window(counting: tieCount, perPageMax: target.perPageMax, in: segment)
  }

  func name(_ aim: Window, below cut: Cut, by handles: any Handles) -> Window? {
    // What follows on a page begins below its last key.
    let key =
      aim.isContinued
      ? cut.keyBelow.clampedAdding(-1) : isFilled(above: cut) ? cut.keyBelow : cut.position.order
    guard aim.isUnnamed, KeyUnit.keys.contains(key), let mark = handles.mark(of: key) else {
      return nil
    }
    var window = aim
    window.address = .mark(mark, rank: max(1, plan.timeline.rank(of: cut)))
    window.keyMax = key
    return window
  }

  /// Whether a window that begins with the key above a cut was asked for before, and would show no
  /// more than is known. Then it begins below that, if some of the key there is known: so it is
  /// seen whether all of that comes.
  private func isFilled(above cut: Cut) -> Bool {
    guard let end = plan.continuations[cut], end.isFull, !end.open.isEmpty else { return false }
    let isInside = end.window.segment?.isInside == true
    return plan.attempts[cut]?.idle ?? 0 > 0 || isInside
      || end.window.keyMax == cut.position.order
  }
}

/// Pages below elements that are known.
struct AnchoredPager: Pager {
  let plan: Plan

  /// Answers in a row that may bring nothing before the upstream's word is taken for what follows
  /// on a page: an answer that shows it would prove it.
  private static let vainMax = 3
  /// How many elements further up a place may be named where those nearer are gone.
  private static let furtherMax = 127
  /// How many elements may be gone before all of a page is taken to be.
  private static let goneMax = 3

  func aim(below target: Target) -> Window? { RankedPager(plan: plan).aim(below: target) }

  func name(_ aim: Window, below cut: Cut, by handles: any Handles) -> Window? {
    guard aim.isUnnamed else { return nil }
    guard !aim.isContinued else {
      let last = plan.continuations[cut]?.page?.items.last?.item
      return last.flatMap(handles.mark(of:)).map { mark in
        var window = aim
        window.address = .mark(mark, rank: aim.firstRank)
        return window
      }
    }
    return continued(below: cut, aim.perPage, by: handles)
      ?? anchored(below: cut, from: aim.firstRank, aim.perPage, by: handles)
  }

  /// A window right behind the end that is kept of a page, where so much of that stands in one
  /// instant that a window which shows it again would bring hardly anything. Which element of an
  /// instant stands lowest upstream is not known: where answers end in the one above the place, or
  /// show too much of it, it is gone down from where they ended.
  private func continued(below cut: Cut, _ perPage: Int, by handles: any Handles) -> Window? {
    let attempt = plan.attempts[cut] ?? ExtensionAttempts()
    let endsAbove = attempt.nears > AnchoredPager.vainMax
    // Above a place where nothing is known there is no element to name it by.
    let isBare = plan.timeline.proofs.last { $0.lower >= cut }.map { $0.count == 0 } ?? true
    let isVain = endsAbove || isBare || attempt.idle > AnchoredPager.vainMax
    let end =
      plan.continuations[cut]
      ?? (endsAbove ? plan.continuations.lowest(from: cut)?.end : nil)
    guard plan.paging.servesJoins, let end, isVain || end.fills(perPage),
      let mark = end.tail.last.flatMap(handles.mark(of:))
    else { return nil }
    var window = Window(.mark(mark, rank: max(1, plan.timeline.rank(of: cut))), perPage: perPage)
    window.isContinued = true
    return window
  }

  /// A window named by an element that is known to stand above, of which at least one comes again.
  private func anchored(
    below cut: Cut, from rank: Int, _ perPage: Int, by handles: any Handles
  ) -> Window? {
    guard let run = plan.timeline.runs.first(where: { $0.lower <= cut && cut <= $0.upper })
    else { return nil }
    let cutRank = plan.timeline.rank(of: cut)
    // The element that names a place comes again, or another one has to.
    let least = plan.paging.addressing == .anchor(isShown: true) ? 1 : 2
    let wanted = min(max(1, cutRank - rank), perPage) + least - 1
    let refused = handles.refusedMarks
    let name = { (item: PageItem) -> String? in
      handles.mark(of: item).flatMap { refused.contains($0) ? nil : $0 }
    }
    // What stood lowest above the place in the upstream's own order, where that is remembered.
    if plan.attempts[cut]?.misses ?? 0 == 0,
      let mark = plan.continuations[cut]?.lastProven(least).flatMap(name)
    {
      return Window(.mark(mark, rank: max(1, cutRank - 1)), perPage: perPage)
    }
    let limit = wanted + (refused.isEmpty ? 0 : AnchoredPager.furtherMax)
    let known = handles.lastElements(below: run.upper, above: cut, limit: limit)
    guard known.count >= (run == plan.head ? wanted : least) else { return nil }
    let mark = { (index: Int) -> String? in
      let element = known[index]
      let item = PageItem(
        id: element.id, key: plan.order == .value ? element.position.order : nil, updatedAt: nil,
        bytes: Array(element.bytes))
      return name(item)
    }
    let nearest = max(0, known.count - wanted)
    // Where several next to each other are gone, many may be: then it is gone up in larger steps,
    // at first no further than a page shows.
    let gone = mark(nearest) == nil ? (0...nearest).count { mark($0) == nil } : 0
    let step = (1 << min(gone, 7)) - 1
    let further = gone > AnchoredPager.goneMax ? step : min(step, max(gone, perPage - wanted))
    let indices = (0...max(0, nearest - further)).reversed() + Array(nearest..<known.count)
    for index in indices where known.count - index >= least {
      guard let mark = mark(index) else { continue }
      let shown = known.count - index + 1 - least
      return Window(.mark(mark, rank: max(1, cutRank - shown)), perPage: perPage)
    }
    return nil
  }
}

/// Pages that begin where another ended, as that one said.
struct FollowingPager: Pager {
  let plan: Plan

  func aim(below target: Target) -> Window? {
    Window(
      .mark(plan.continuations[target.cut]?.mark, rank: max(1, plan.timeline.rank(of: target.cut))),
      perPage: plan.size.perPageMax)
  }

  /// What follows on the lowest end that is known at a place or above it. Where none is kept the
  /// way down begins at the top; there is none where a word is not taken. Who looks behind a reply
  /// may not know what is kept.
  func way(to place: Place, for purpose: Purpose) -> Place? {
    guard case .below(var cut) = place else { return place }
    if purpose >= .recheck, plan.continuations.isEmpty { return place }
    if purpose == .recheck {
      guard let due = due(above: cut) else { return isOnFirstDue(cut) ? .top(.max) : nil }
      cut = due
    }
    guard plan.paging.servesJoins, plan.timeline.rank(of: cut) < plan.paging.reachMax else {
      return nil
    }
    let end = plan.continuations.keys.filter { $0 >= cut && plan.timeline.isBound($0) }.min()
    return end.map(Place.below) ?? .top(.max)
  }

  /// The lowest end at a cut or above it that was not gone on from lately: so a list whose pages
  /// are found one by the other is gone down once more.
  private func due(above cut: Cut) -> Cut? {
    plan.timeline.proofs.last { below in
      below.upper >= cut && plan.continuations[below.upper] != nil && isDue(below)
    }?.upper
  }

  /// Whether a cut lies in what the first page showed, and that was not seen lately.
  private func isOnFirstDue(_ cut: Cut) -> Bool {
    guard plan.timeline.lookedAt != nil, let first = plan.timeline.proofs.first else {
      return false
    }
    return cut > first.lower && isDue(first)
  }

  private func isDue(_ proof: Proof) -> Bool {
    plan.now - proof.provenAt >= .seconds(plan.policy.recheckSeconds)
  }

  func isAtWall(_ run: Timeline.Run) -> Bool { way(to: .below(run.lower), for: .reader) == nil }
}
