extension FeedReader {
  /// A request's bounds as cuts.
  nonisolated func demand(
    for request: SliceRequest, by timeline: Timeline, from reader: any TimelineReader,
    at now: Timestamp
  ) throws(ReadError) -> Demand {
    var demand = Demand(limit: request.limit, arrivedAt: now)
    demand.takesLast = request.takesLast
    demand.refreshes = request.refreshes
    demand.page = request.page
    demand.fillsUp = request.fillsUp
    demand.start = try cut(of: request.start, in: request.feed, isStart: true, from: reader) ?? .top
    demand.end = try cut(of: request.end, in: request.feed, isStart: false, from: reader) ?? .bottom
    demand.trail = request.takesLast ? nil : request.start?.trail
    demand.startLineage = lineage(of: request.start, in: timeline)
    demand.endLineage = lineage(of: request.end, in: timeline)
    return demand
  }

  private nonisolated func cut(
    of bound: SliceRequest.Bound?, in feed: FeedID, isStart: Bool,
    from reader: any TimelineReader
  ) throws(ReadError) -> Cut? {
    switch bound {
    case nil: return nil
    case .cut(let cut), .walked(let cut, _), .observed(let cut, _, _): return cut
    case .element(let id, let isAbove):
      let position = try fromStore { () throws(StoreError) in
        try reader.position(of: id, in: feed)
      }
      guard let position else { throw .unknownElement(isStart: isStart) }
      return isAbove ? .above(position) : .below(position)
    }
  }

  /// The name a bound's position was told under: an element's stands where it stands now.
  private nonisolated func lineage(
    of bound: SliceRequest.Bound?, in timeline: Timeline
  ) -> UInt64? {
    switch bound {
    case nil, .cut, .walked: nil
    case .observed(_, let lineage, _): lineage
    case .element: timeline.lineages.last?.name
    }
  }

  /// The slice of an outcome. One that is short because the upstream failed is never fresh.
  nonisolated func slice(
    _ outcome: Step.Outcome, _ elements: ArraySlice<Element>, _ plan: Plan, _ demand: Demand,
    version: UInt64, isShort: Bool
  ) -> Slice {
    var freshness = outcome.freshness
    if isShort, freshness.state == .fresh { freshness.state = .stale }
    var slice = Slice(
      items: elements, hasMore: outcome.hasMore, hasPrevious: outcome.hasPrevious,
      endReason: outcome.endReason, gap: outcome.gap, freshness: freshness,
      sequence: plan.timeline.sequence, total: plan.timeline.total)
    slice.calls = demand.calls
    slice.version = version
    slice.epoch = plan.timeline.epoch
    slice.lineage = plan.timeline.lineages.last?.name ?? 0
    if plan.order != .whole {
      let end = elements.last.map { Cut.below($0.position) } ?? demand.start
      let moves = plan.timeline.moves
      slice.trail = demand.trail(knowing: moves).reaching(end, moves)
    }
    return slice
  }

  /// The slice of a page as the upstream has it.
  func slice(showing page: Page, sentAt: Timestamp, _ plan: Plan, calls: Int) -> Slice {
    let nowhere = Position(order: 0, tie: [])
    let items = page.items.map { Element(position: nowhere, id: $0.item.id, bytes: $0.item.bytes) }
    let proof = Proof(
      upper: .top, lower: .bottom, provenAt: sentAt, count: items.count, rankBelow: items.count)
    var slice = Slice(
      items: items[...], hasMore: page.hasNext, hasPrevious: true,
      endReason: page.hasNext ? nil : .end,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: policy, at: time.now),
      sequence: plan.timeline.sequence,
      total: page.total.map { Total(value: $0, asOf: sentAt) } ?? plan.timeline.total)
    slice.isUnplaced = true
    slice.calls = calls
    return slice
  }
}
