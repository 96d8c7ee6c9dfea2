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

  /// What a reader is told when no window brings proof: when the next may be asked for.
  func giveUp(_ plan: Plan) -> ReadError {
    let efforts = plan.timeline.runs.compactMap { plan.efforts[$0.lower] }
    let rests = (efforts.map(\.restsUntil) + [plan.restsUntil])
      .compactMap(\.self).filter { $0 > plan.now }
    let retryAt = rests.max() ?? plan.now + FeedReader.pauseMin
    let isUncountable = efforts.contains { effort in
      effort.isUncountable && effort.restsUntil.map { $0 > plan.now } ?? false
    }
    return isUncountable ? .uncountable(retryAt: retryAt) : .unavailable(retryAt: retryAt)
  }
}
