/// The state of a feed for an operator: runs, gaps, counts, budget, the running flight.
package struct FeedStatus: Hashable, Sendable {
  /// The feed.
  package var feed: FeedID
  /// Its runs, top first.
  package var runs: [Run]
  /// What lies between them, top first: one fewer than there are runs.
  package var gaps: [Gap]
  /// How many times two answers are joined, by what the join rests on.
  package var joins: [JoinProof: Int]
  /// At how many places answers agree that an element cannot be used; what is proven lacks it.
  package var unusablePlaces: Int
  /// How old the top is; nil until it was looked at.
  package var freshness: Freshness?
  /// The feed's size, as the upstream last said.
  package var total: Total?
  /// The number of the last change; 0 when there was none.
  package var sequence: Int64
  /// The source's calls left.
  package var budget: Budget
  /// What is being asked of the upstream for it now.
  package var flight: Ask?

  /// How a feed stands by its plan.
  package init(
    _ feed: FeedID, by plan: Plan, unusablePlaces: Int, budget: Budget, flight: Ask?
  ) {
    self.feed = feed
    self.unusablePlaces = unusablePlaces
    self.flight = flight
    self.budget = budget.refreshed(at: plan.now)
    runs = plan.runStatuses
    gaps = plan.gaps
    joins = plan.joins
    freshness = plan.topFreshness
    total = plan.timeline.total
    sequence = plan.timeline.sequence
  }

  /// A run, as an operator sees it.
  package struct Run: Hashable, Sendable {
    /// How many elements the answers that proved it had in it.
    package var count: Int
    /// When any of it was last seen upstream.
    package var checkedAt: Timestamp
    /// The oldest answer it rests on.
    package var provenAt: Timestamp
    /// Whether the feed's end lies in it.
    package var reachesEnd: Bool
  }

  /// A gap, as an operator sees it.
  package struct Gap: Hashable, Sendable {
    /// Its edges; the upper one names it.
    package var gap: Slice.Gap
    /// About how many elements lie in it.
    package var estimatedCount: Int
    /// Whether no window reaches into it any more, so that it can never be filled.
    package var isSunk: Bool
  }
}

/// The result of filling a gap.
package struct Filling: Hashable, Sendable {
  /// How many upstream calls were waited for.
  package var calls = 0
  /// What is left of it, by a new name where it is smaller; nil when it is filled.
  package var rest: FeedStatus.Gap?
  /// The source's calls left.
  package var budget: Budget

  /// Nothing was done so far.
  package init(budget: Budget) {
    self.budget = budget
  }
}

extension Plan {
  /// The feed's runs, top first.
  package var runStatuses: [FeedStatus.Run] {
    timeline.runs.map { run in
      let proofs = timeline.proofs[run.proofs]
      let isTop = run == head
      let freshness = Freshness(
        of: proofs, lookedAt: isTop ? timeline.lookedAt : nil, policy: policy, at: now)
      return FeedStatus.Run(
        count: proofs.reduce(0) { $0 + $1.count }, checkedAt: freshness.checkedAt,
        provenAt: freshness.provenAt, reachesEnd: run.reachesEnd)
    }
  }

  /// How many proofs follow on another of their run, by what that rests on.
  package var joins: [JoinProof: Int] {
    let below = timeline.runs.flatMap { timeline.proofs[$0.proofs].dropFirst() }
    return Dictionary(below.map { ($0.belief ?? JoinProof(order), 1) }, uniquingKeysWith: +)
  }

  /// The feed's gaps, top first.
  package var gaps: [FeedStatus.Gap] {
    zip(timeline.runs, timeline.runs.dropFirst()).map { gap(between: $0, and: $1) }
  }

  /// The freshness of a slice at the top; nil until the top was looked at.
  package var topFreshness: Freshness? {
    timeline.lookedAt.map {
      Freshness(of: timeline.proofs.prefix(1), lookedAt: $0, policy: policy, at: now)
    }
  }

  /// The gap that begins at a cut; nil when none does.
  package func gap(at upper: Cut) -> Slice.Gap? {
    gaps.first { $0.gap.upper == upper }?.gap
  }

  /// The run that holds what is right above a gap: it is extended to fill the gap.
  package func run(above gap: Slice.Gap) -> Timeline.Run? {
    timeline.runs.first { $0.lower <= gap.upper && gap.upper < $0.upper }
  }

  /// What is left of a gap that was there; nil when nothing is.
  package func rest(of gap: Slice.Gap) -> FeedStatus.Gap? {
    guard let run = run(above: gap), run.lower > gap.lower else { return nil }
    return timeline.runs.first { $0.upper < run.lower }.map { self.gap(between: run, and: $0) }
  }

  private func gap(between run: Timeline.Run, and next: Timeline.Run) -> FeedStatus.Gap {
    let first = timeline.proofs[next.proofs.lowerBound]
    let estimate = first.rankBelow - first.count - bottom(of: run).rankBelow
    return FeedStatus.Gap(
      gap: Slice.Gap(upper: run.lower, lower: next.upper), estimatedCount: max(0, estimate),
      isSunk: isAtWall(run))
  }
}
