import Synchronization

extension FeedReader {
  /// From now on reads by these rules, and through this fetcher where one is given. Flights under
  /// way end as they departed, and nothing that is known is forgotten; only the budget is, where
  /// the calls are another caller's from now on: it has one of its own.
  package func adopt(
    _ policy: Policy, fetcher: (any PageFetcher)? = nil, isAnotherCaller: Bool = false
  ) {
    policyInForce.withLock { $0 = policy }
    if let fetcher {
      self.fetcher = fetcher
      // Another fetcher counts the states of a feed anew.
      for feed in states.keys { states[feed]?.revision = nil }
    }
    if isAnotherCaller {
      budget.forgetAnswers()
      keepBudget()
    }
    depart()
  }
}
