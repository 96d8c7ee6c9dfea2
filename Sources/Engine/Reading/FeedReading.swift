import Feed

/// Reads one feed out of the store, as far as a plan asks for. It has no state, so that it serves
/// the actor as well as any other thread.
struct FeedReading {
  /// The feed.
  let feed: FeedID
  /// The connection of the thread that reads.
  let reader: any TimelineReader

  /// A request's bounds as cuts.
  func demand(
    for request: SliceRequest, by timeline: Timeline, at now: Timestamp
  ) throws(ReadError) -> Demand {
    var demand = Demand(limit: request.limit, arrivedAt: now)
    demand.takesLast = request.takesLast
    demand.refreshes = request.refreshes
    demand.rank = request.page?.firstRank
    demand.fillsUp = request.fillsUp
    demand.asksNothing = request.asksNothing
    demand.mayAsk = !request.asksNothing
    demand.start = try cut(of: request.start, isStart: true) ?? .top
    demand.end = try cut(of: request.end, isStart: false) ?? .bottom
    demand.trail = request.takesLast ? nil : request.start?.trail
    demand.startLineage = lineage(of: request.start, in: timeline)
    demand.endLineage = lineage(of: request.end, in: timeline)
    return demand
  }

  private func cut(
    of bound: SliceRequest.Bound?, isStart: Bool
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

  /// The name under which a bound's position was given out: an element's stands where it stands
  /// now.
  private func lineage(
    of bound: SliceRequest.Bound?, in timeline: Timeline
  ) -> UInt64? {
    switch bound {
    case nil, .cut, .walked: nil
    case .observed(_, let lineage, _): lineage
    case .element: timeline.lineages.last?.name
    }
  }

  /// A request's demand and the next step for it; nil where what the feed hangs on has gone.
  func next(
    for request: SliceRequest, by plan: Plan, at now: Timestamp
  ) throws(ReadError) -> (Demand, Step, ArraySlice<Element>)? {
    if let parent = feed.parent, try isGone(parent) { return nil }
    let demand = try demand(for: request, by: plan.timeline, at: now)
    let (step, elements) = try step(for: demand, by: plan)
    return (demand, step, elements)
  }

  /// The next step for a demand, with the stored elements of the slice where one is served: who
  /// waits for the upstream holds none meanwhile.
  func step(
    for demand: Demand, by plan: Plan
  ) throws(ReadError) -> (Step, ArraySlice<Element>) {
    switch plan.begin(demand) {
    case .step(let step):
      return (step, [])
    case .read(let scope):
      let moves = plan.timeline.moves
      let (found, elements) = try find(
        demand, in: scope, leaving: demand.trail(knowing: moves).leftOut(moves))
      let next = plan.nextStep(for: demand, in: scope, found: found)
      if case .serve = next { return (next, elements) }
      return (next, [])
    case .locate(let scope, let offset):
      guard let rank = demand.rank else { return (.fail, []) }
      let position = try fromStore { () throws(StoreError) in
        try reader.position(at: offset, of: feed, below: scope.upper, above: scope.lower)
      }
      guard let position else {
        return (plan.reach(rank, below: scope.run, for: demand), [])
      }
      var located = demand
      located.start = .above(position)
      located.isLocated = true
      return try step(for: located, by: plan)
    }
  }

  /// Reads what a scope holds for a demand: the elements a slice would take, without those that the
  /// walk was given before, and what lies about.
  private func find(
    _ demand: Demand, in scope: Scope, leaving leftOut: Set<Identity>
  ) throws(ReadError) -> (Found, ArraySlice<Element>) {
    do throws(StoreError) {
      let takesLast = demand.takesLast
      var elements: ArraySlice<Element> = []
      if scope.upper > scope.lower {
        elements =
          takesLast
          ? try reader.lastElements(
            of: feed, below: scope.upper, above: scope.lower, limit: demand.limit + 1)
          : try reader.elements(
            of: feed, below: scope.upper, above: scope.lower,
            limit: demand.limit + 1 + leftOut.count)
      }
      if !leftOut.isEmpty {
        elements = elements.filter { !leftOut.contains($0.id) }.prefix(demand.limit + 1)
      }
      let count = elements.count
      if count > demand.limit {
        elements = takesLast ? elements.dropFirst() : elements.dropLast()
      }
      var hasAbove = false
      if !takesLast, demand.start != .top {
        hasAbove = try reader.hasElement(of: feed, below: .top, above: demand.start)
      }
      var hasBelow = false
      if !takesLast, demand.end != .bottom, scope.run.reachesEnd {
        hasBelow = try reader.hasElement(of: feed, below: demand.end, above: .bottom)
      }
      let bound: Cut? =
        takesLast
        ? elements.first.map { .above($0.position) } : elements.last.map { .below($0.position) }
      return (
        Found(count: count, bound: bound, hasAbove: hasAbove, hasBelow: hasBelow), elements
      )
    } catch {
      throw .store(error)
    }
  }

  /// Whether an item is known to have gone.
  func isGone(_ name: ItemName) throws(ReadError) -> Bool {
    try fromStore { () throws(StoreError) in
      try reader.item(name.id, realm: name.realm(of: feed.source)).map { $0.bytes == nil } ?? false
    }
  }
}

/// What is read from the store. A failure is the request's.
func fromStore<Value>(_ read: () throws(StoreError) -> Value) throws(ReadError) -> Value {
  do throws(StoreError) {
    return try read()
  } catch {
    throw .store(error)
  }
}
