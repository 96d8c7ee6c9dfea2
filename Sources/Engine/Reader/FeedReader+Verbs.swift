package import Feed

/// What an operator asks of a feed: how it stands, a look at its top, a gap filled.
extension FeedReader {
  /// How a feed stands, by what is stored: the upstream is not asked.
  package func status(of feed: FeedID) throws(ReadError) -> FeedStatus {
    let plan = try plan(for: feed)
    let key = FlightKey.feed(feed)
    let asked = desk.flights[key].flatMap { flight in
      (flight.window ?? window(of: key, flight.ask)).map { Asked(flight.ask, $0) }
    }
    var status = FeedStatus(
      feed, by: plan, unusablePlaces: book[feed]?.doubts.unusableCount ?? 0,
      budget: desk.budgets[feed.pattern.budget],
      flight: asked)
    try fromStore { () throws(StoreError) in
      for index in status.runs.indices {
        let range = status.runs[index].range
        let first = try book.reader.position(
          at: 0, of: feed, below: range.upper, above: range.lower)
        status.runs[index].first = first ?? range.upper.position
      }
    }
    return status
  }

  /// Looks at a feed's top, by the rules of a reader that refreshes: one looked at less than
  /// `refreshSeconds` ago is not asked again, and simultaneous looks share one call. Returns how
  /// many calls were waited for; throws where the look that was due did not happen. `permit` is
  /// asked before a look.
  package func refresh(
    _ feed: FeedID, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> Int {
    var demand = Demand(limit: SliceRequest.limitMax, arrivedAt: time.now)
    demand.refreshes = true
    let deadline = demand.arrivedAt + wait
    book.begin(feed)
    defer { book.end(feed) }
    while let look = try plan(for: feed).look(for: demand) {
      guard wait > .zero, demand.calls < Demand.callsMax else { throw .timedOut }
      switch await land(.feed(feed), look, until: deadline, permit, isForced: true) {
      case .landed, .shown: demand.calls += 1
      case .moved: guard time.now < deadline else { throw .timedOut }
      case .failed(let error): throw error
      }
    }
    return demand.calls
  }

  /// Fills the gap that begins at a cut, from above, as far as time and the budget allow; nil when
  /// no gap begins there. Throws where nothing could be brought into it at all.
  package func fill(_ upper: Cut, of feed: FeedID, wait: Duration) async throws(ReadError)
    -> Filling?
  {
    let deadline = time.now + wait
    var plan = try plan(for: feed)
    guard let gap = plan.gap(at: upper) else { return nil }
    book.begin(feed)
    defer { book.end(feed) }
    var filling = Filling(budget: desk.budgets[feed.pattern.budget])
    var failure: ReadError?
    while failure == nil, plan.rest(of: gap) != nil, filling.calls < Demand.callsMax {
      guard let ask = plan.run(above: gap).flatMap(plan.askBelow) else {
        failure = plan.unproven
        break
      }
      guard time.now < deadline else {
        failure = .timedOut
        break
      }
      switch await land(.feed(feed), ask, until: deadline) {
      case .landed, .shown: filling.calls += 1
      case .moved: break
      case .failed(let error): failure = error
      }
      plan = try self.plan(for: feed)
    }
    filling.rest = plan.rest(of: gap)
    filling.budget = desk.budgets[feed.pattern.budget].refreshed(at: time.now)
    if let failure, let rest = filling.rest, filling.calls == 0, !rest.isSunk { throw failure }
    return filling
  }
}
