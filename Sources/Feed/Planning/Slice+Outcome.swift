extension Slice {
  /// The slice of an outcome. One that is short because the upstream failed is never fresh.
  package init(
    _ outcome: Step.Outcome, _ elements: ArraySlice<Element>, _ plan: Plan, _ demand: Demand,
    version: UInt64, isShort: Bool
  ) {
    var freshness = outcome.freshness
    if isShort, freshness.state == .fresh { freshness.state = .stale }
    self.init(
      items: elements, hasMore: outcome.hasMore, hasPrevious: outcome.hasPrevious,
      endReason: outcome.endReason, gap: outcome.gap, freshness: freshness,
      sequence: plan.timeline.sequence, total: plan.timeline.total)
    if let gap = outcome.gap, let status = plan.gapStatus(below: gap.upper) {
      (gapCount, isGapSunk) = (status.estimatedCount, status.isSunk)
    }
    proof = outcome.proof
    covers = outcome.covers
    omitted = plan.timeline.omissions.count(
      from: demand.takesLast && hasPrevious
        ? elements.first.map { .above($0.position) } ?? demand.start : demand.start,
      to: hasMore ? elements.last.map { .below($0.position) } ?? demand.end : demand.end)
    self.calls = demand.calls
    self.version = version
    epoch = plan.timeline.epoch
    lineage = plan.timeline.lineages.last?.name ?? 0
    if plan.order != .whole {
      let end = elements.last.map { Cut.below($0.position) } ?? demand.start
      let moves = plan.timeline.moves
      trail = demand.trail(knowing: moves)
      if demand.asksNothing { self.moves = moves } else { trail = trail.reaching(end, moves) }
    }
  }

  /// The slice of a page as the upstream has it.
  package init(showing page: Page, sentAt: Timestamp, _ plan: Plan, calls: Int, at now: Timestamp) {
    let nowhere = Position(order: 0, tie: [])
    let items = page.items.map { Element(position: nowhere, id: $0.item.id, bytes: $0.item.bytes) }
    let proof = Proof(
      upper: .top, lower: .bottom, provenAt: sentAt, count: items.count, rankBelow: items.count)
    self.init(
      items: items[...], hasMore: page.hasNext, hasPrevious: true,
      endReason: page.hasNext ? nil : .end,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: plan.policy, at: now),
      sequence: plan.timeline.sequence,
      total: page.total.map { Total(value: $0, asOf: sentAt) } ?? plan.timeline.total)
    isUnplaced = true
    self.proof = JoinProof(plan.order)
    self.calls = calls
  }
}
