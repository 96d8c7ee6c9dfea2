/// Looks behind replies, and what a reader is told when nothing more may be asked.
extension FeedReader {
  /// Asks for windows that nobody waits for, one after the other, as far as the budget bears it.
  func look(at asks: ArraySlice<Ask>, of feed: FeedID) {
    guard flights[.feed(feed)] == nil, states[feed]?.pausedUntil.map({ $0 <= time.now }) ?? true,
      let index = asks.firstIndex(where: { ask in
        !isDone(ask, for: .feed(feed)) && isDue(ask, of: feed)
          && budget.bears(ask.purpose, reserve: policy.reserveCalls, at: time.now)
      })
    else { return }
    board(.feed(feed), asks[index], then: asks[(index + 1)...])
  }

  /// Whether a look at the top is due: what readers outside the actor see does not tell of one that
  /// proved nothing later.
  private func isDue(_ ask: Ask, of feed: FeedID) -> Bool {
    guard ask.lookedAt != nil, let askedAt = states[feed]?.askedAt else { return true }
    return time.now - askedAt >= .seconds(min(policy.freshSeconds, policy.refreshSeconds))
  }

  /// Notes where an answer shows elements that cannot be used, and has its window asked for again
  /// behind the reply where that is to be doubted. Returns the doubtful places.
  func noteUnusable(
    in evidence: Evidence, knowing known: [KnownElement], of feed: FeedID, _ state: inout FeedState
  ) -> [CutRange] {
    // Of a second that was counted over several answers it is known already which of them agree.
    let isCounted = evidence.unusableRanks.isEmpty && !evidence.unread.isEmpty
    guard feed.pattern.order != .whole, evidence.upper > evidence.lower, !isCounted else {
      return []
    }
    let places = evidence.unusablePlaces(order: feed.pattern.order, knowing: known)
    let doubtful = state.unusable.note(places, from: evidence.upper, to: evidence.lower)
    if let place = doubtful.first { lookAgain(at: place, after: evidence, of: feed) }
    return doubtful
  }

  /// Has a window asked for again that showed an element which cannot be used.
  private func lookAgain(at place: CutRange, after evidence: Evidence, of feed: FeedID) {
    // Above the first element there is nothing from which it would be read downwards.
    let isFirst = place.upper == evidence.upper
    guard !isFirst || place.lower > .bottom else { return }
    let ask = Ask(
      evidence.window, for: .gap, below: isFirst ? place.lower : place.upper,
      provenAt: evidence.sentAt)
    askNext(ask, of: feed)
  }

  /// Has a window asked for as soon as the flight under way has landed, before what follows it.
  func askNext(_ ask: Ask, of feed: FeedID) {
    let next = flights[.feed(feed)]?.next ?? []
    flights[.feed(feed)]?.next = [ask] + next
  }

  /// What a reader is told when no window brings proof: when the next may be asked for.
  func unavailable(after plan: Plan) -> ReadError {
    let attempts = plan.timeline.runs.compactMap { plan.attempts[$0.lower] }
    let rests = (attempts.map(\.restsUntil) + [plan.restsUntil])
      .compactMap(\.self).filter { $0 > plan.now }
    let retryAt = rests.max() ?? plan.now + FeedReader.pauseMin
    let isUncountable = attempts.contains { attempt in
      attempt.isUncountable && attempt.restsUntil.map { $0 > plan.now } ?? false
    }
    return isUncountable ? .uncountable(retryAt: retryAt) : .unavailable(retryAt: retryAt)
  }
}
