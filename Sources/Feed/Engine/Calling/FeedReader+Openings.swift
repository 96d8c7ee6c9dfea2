extension FeedReader {
  /// Why a flight that is an opening may not be boarded; nil where it may.
  ///
  /// Each call of a seek is part of the openings' share of calls, but the whole seek is one opening
  /// of whoever asked.
  func refusalToOpen(
    _ ask: Ask, _ permit: OpeningPermit?, at now: Timestamp
  ) -> ReadError? {
    let limit = budget.limit ?? Budget.remainingUnknown
    guard budget.openings.bears(of: limit, permille: policy.openingPermille, at: now) else {
      return .tooManyOpenings(
        retryAt: budget.openings.oldestEndsAt(at: now) ?? now + Openings.duration)
    }
    let isFirstOfSeek = ask.seek?.asked ?? 0 == 0
    if isFirstOfSeek, let wait = permit?() { return .tooManyOpenings(retryAt: now + wait) }
    return nil
  }

  /// Whether a call finds out what nothing stored leads to. What an outage kept from its answer may
  /// be tried again for as long as the opening counts.
  func isOpening(_ key: FlightKey, _ ask: Ask, at now: Timestamp) -> Bool {
    switch key {
    case .item: return false
    case .window: return true
    case .feed(let feed):
      if ask.seek != nil || ask.page != nil { return true }
      guard let state = states[feed] else { return true }
      return state.timeline.lookedAt == nil
        && state.openedAt.map { now - $0 >= Openings.duration } ?? true
    }
  }

  /// Takes an opening for a flight that was boarded.
  func takeOpening(_ key: FlightKey, at now: Timestamp) {
    budget.openings.take(at: now)
    flights[key]?.openedAt = now
  }

  /// Gives back the opening of a failed flight that did not reach the upstream. Returns when it was
  /// taken where an outage kept it from its answer, for then it is not over.
  func closeOpening(of key: FlightKey, after error: FetchError) -> Timestamp? {
    guard let openedAt = flights[key]?.openedAt else { return nil }
    switch error {
    case .unreachable:
      budget.openings.giveBack(takenAt: openedAt)
      keepBudget()
      return nil
    case .serverError, .timedOut, .cut, .tooLarge:
      return openedAt
    case .unchanged, .rateLimited, .refused, .notFound, .rejected, .malformed:
      return nil
    }
  }

  /// Why an item of which nothing is known may not be asked for: names that were none have spent
  /// what openings have, or whoever asks has made as many openings as one may; nil where it may.
  func refusalToAsk(
    for key: FlightKey, _ ask: Ask, _ permit: OpeningPermit?, at now: Timestamp
  ) -> ReadError? {
    // A store that fails is told of where the item is read.
    guard case .item(let name) = key,
      (try? reader.item(name.id, realm: name.realm(of: source))) == .some(nil)
    else { return nil }
    return refusalToOpen(ask, permit, at: now)
  }

  /// Counts a name that was none: an item's call is an opening once that is known.
  func noteAbsent(at now: Timestamp) {
    budget.openings.take(at: now)
    keepBudget()
  }
}
