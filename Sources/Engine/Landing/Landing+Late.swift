import Feed

/// Late arrivals: elements that came into what was proven.
extension Landing {
  /// The ranges that evidence of a feed by value puts in doubt: where an element came that was not
  /// known into the second that stays open below it, others may have come further down, as far as
  /// the next second that is known.
  func doubted(
    by evidence: Evidence, _ known: [Identity: KnownElement]
  ) throws(StoreError) -> [CutRange] {
    guard !evidence.isEnd, evidence.lower < evidence.upper,
      let last = evidence.elements.last(where: { !$0.isDisplaced })
    else { return [] }
    let isNews = evidence.elements.contains { placed in
      guard !placed.isDisplaced, !evidence.lower.isBelow(placed.position) else { return false }
      let element = known[placed.item.id]
      return element == nil || element?.state == .removed || element?.position != placed.position
    }
    guard isNews, state.timeline.holdsProof(below: evidence.lower) else { return [] }
    let upper = Cut.below(key: last.position.order)
    let next =
      draft.merges.isEmpty
      ? try rows.position(at: 0, of: feed, below: upper)
      : try self.known(in: CutRange(upper: upper, lower: .bottom))
        .first { $0.state != .removed }?.position
    return [
      CutRange(upper: evidence.lower, lower: next.map { .above(key: $0.order) } ?? .bottom)
    ]
  }

  /// Notes what an answer shows of late arrivals, opens and closes the gaps above them, and asks
  /// for the window that shows most.
  mutating func noteLate(
    _ evidence: Evidence, _ laid: Laid, total: Int?
  ) throws(StoreError) {
    let isRanked = feed.pattern.order == .value && feed.pattern.paging.isRanked
    guard isRanked, evidence.window.segment == nil else { return }
    defer { state.doubts.keep(state.late.arrivals) }
    try resumeLate()
    let before = state.late.arrivals
    state.late.gaps.removeAll { gap in laid.doubted.contains { $0.upper == gap.upper } }
    if evidence.isTop {
      state.late.arrivals = try late(after: evidence, laid, total: total, state)
      state.late.open = laid.open
      state.doubts.keep(total, as: .counted)
    } else if before != nil {
      state.late.arrivals?.note(evidence, total: total, proofs: state.timeline.proofs)
    } else if let total, let counted = state.doubts.value(of: .counted) {
      // What the list has grown or shrunk by since the look, as far as this answer shows it.
      let most = total - counted
      let shown = laid.found - laid.lacking
      state.doubts.keep(counted + min(max(shown, min(most, 0)), max(most, 0)), as: .counted)
    }
    guard before != nil || state.late.arrivals != nil else { return }
    if let late = state.late.arrivals, late.isConfirmed, before?.isConfirmed != true {
      state.doubts.hear(.growth, !late.wasRight, at: now)
    }
    if let late = state.late.arrivals, late.isSpent, !late.wasRight {
      // Looked for so often in vain, they are none.
      state.doubts.hear(.growth, at: now)
      state.late.arrivals = nil
    }
    let (perPageMax, paging) = (state.pageSize.perPageMax, feed.pattern.paging)
    let rank = state.late.arrivals?.nextRank(perPageMax: perPageMax, paging: paging)
    let gaps = state.late.arrivals.map { late in late.stretches.compactMap(late.gap) } ?? []
    let closed = gaps.isEmpty && state.late.arrivals != nil
    if closed { state.late.arrivals = nil }
    change(gaps: gaps, at: evidence.sentAt)
    if let rank, !closed { followUps.insert(.ask(Ask(.rank(rank), for: .gap)), at: 0) }
  }

  /// Goes on with what an earlier process, or another server, has begun to look for. Which gaps
  /// were opened for it alone is not known any more: they end where they are read.
  private mutating func resumeLate() throws(StoreError) {
    guard state.late.arrivals == nil, let cut = state.doubts.lateBelow else { return }
    state.late.arrivals = LateArrivals(
      claimedBy: state.doubts, known: try live(below: cut),
      firstRank: state.timeline.rank(of: cut), total: state.timeline.total?.value)
    state.late.gaps = []
  }

  /// Where the known elements below a cut stand, top first.
  private func live(below cut: Cut) throws(StoreError) -> [Position] {
    try known(in: CutRange(upper: cut, lower: .bottom)).filter { $0.state == .live }.map(\.position)
  }

  /// The late arrivals that a look at the top shows, with those not found yet; nil where it shows
  /// none.
  private func late(
    after look: Evidence, _ laid: Laid, total: Int?, _ state: FeedState
  ) throws(StoreError) -> LateArrivals? {
    guard !look.isEnd else { return nil }
    // What the look put in doubt itself was connected before.
    let isConnected =
      state.timeline.runs.first.map { $0.lower < look.lower } ?? false
      || laid.doubted.contains { $0.upper == look.lower }
    var noted = state.late.arrivals
    noted?.note(look, total: total, proofs: state.timeline.proofs)
    guard let total, let before = state.doubts.value(of: .counted), look.lower < look.upper,
      isConnected || state.late.arrivals != nil,
      state.doubts.restsUntil(.growth, at: now) == nil
    else { return noted }
    let arrived = laid.arrived - laid.open.intersection(state.late.open).count
    let count = total - before - arrived + laid.lacking + (state.late.arrivals?.count ?? 0)
    guard count > 0 else { return nil }
    if state.late.arrivals?.count == count { return noted }
    let known = try live(below: look.lower)
    guard !known.isEmpty else { return nil }
    // What lies past a wall has no ranks.
    let paging = feed.pattern.paging
    let isInReach = paging.past == nil && total <= paging.reachMax
    var late = LateArrivals(
      count: count, below: look.lower, since: look.sentAt, known: known,
      firstRank: look.rankBelow, total: total, windows: state.late.arrivals?.windows ?? 0,
      reachesEnd: isInReach && state.timeline.runs.last?.reachesEnd == true)
    late.noteEnds(of: look.inOrder)
    return late
  }

  /// Opens gaps in what is proven of a feed, and closes those that were opened so and are none any
  /// more.
  private mutating func change(gaps: [CutRange], at sentAt: Timestamp) {
    let proofs = state.timeline.proofs
    for gap in state.late.gaps where !gaps.contains(gap) { state.timeline.close(gap) }
    state.late.gaps.removeAll { !gaps.contains($0) }
    for gap in gaps where !state.late.gaps.contains(gap) && state.timeline.open(gap) {
      state.late.gaps.append(gap)
      state.opened = Territory.opened(state.opened + [gap], in: state.timeline)
    }
    guard state.timeline.proofs != proofs else { return }
    draft.merges.append(Merge(feed: feed, sentAt: sentAt, timeline: state.timeline))
  }
}
