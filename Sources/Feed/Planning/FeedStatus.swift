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
  package var flight: Asked?
  /// The source's rules.
  package var policy: Policy
  /// The rank from which on the upstream shows nothing; nil where it has no such end.
  package var wall: Int?
  /// The name under which its positions are given out; 0 in a feed ordered by value.
  package var lineage: UInt64
  /// The parts of a merged feed; empty for any other.
  package var parts: [Part] = []
  /// Up to when all parts of a merged feed that count were looked at.
  package var watermark: Timestamp?
  /// The last numbers of the parts of a merged feed; nil for any other.
  package var numbers: PartNumbers?

  /// How many of its items are stored, of a merged feed those of all its parts.
  package var count: Int {
    runs.reduce(0) { $0 + $1.count } + parts.reduce(0) { $0 + $1.count }
  }

  /// How a feed stands by its plan.
  package init(
    _ feed: FeedID, by plan: Plan, unusablePlaces: Int, budget: Budget, flight: Asked?
  ) {
    policy = plan.policy
    wall = plan.paging.hasWall && plan.order != .whole ? plan.paging.reachMax : nil
    lineage = plan.timeline.lineages.last?.name ?? 0
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

  /// How a merged feed stands that is made of parts.
  package init(
    _ feed: FeedID, of parts: [Part], gaps: [Gap], freshness: Freshness?, budget: Budget,
    policy: Policy
  ) {
    (self.feed, self.parts, self.gaps) = (feed, parts, gaps)
    (self.freshness, self.budget, self.policy) = (freshness, budget, policy)
    (runs, joins, unusablePlaces, sequence, lineage) = ([], [:], 0, 0, 0)
    (total, flight, wall) = (nil, nil, nil)
  }

  /// A part of a merged feed, as an operator sees it.
  package struct Part: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// The feed.
    package var feed: FeedID
    /// Whether the merged feed is shown without it where it fails.
    package var isOptional: Bool
    /// Whether the merged feed's top waits for it.
    package var isCounted: Bool
    /// Up to when it was looked at; nil until then.
    package var settledTo: Timestamp?
    /// Down to when it is known without a gap; nil where its end is.
    package var provenTo: Timestamp?
    /// How old its top is.
    package var freshness: Freshness?
    /// How many gaps it has.
    package var gaps: Int
    /// Why nothing is below what is known; nil where something may be.
    package var endReason: EndReason?
    /// How many of its items are stored.
    package var count: Int
    /// When its upstream may be asked again; nil where it may now.
    package var retryAt: Timestamp?

    /// A part from what it says of itself, looked at up to `settledTo` and known down to
    /// `provenTo`.
    package init(
      name: String, isOptional: Bool, isCounted: Bool, _ status: FeedStatus,
      settledTo: Timestamp?, provenTo: Timestamp?
    ) {
      (self.name, self.isOptional, self.isCounted) = (name, isOptional, isCounted)
      (feed, freshness, gaps) = (status.feed, status.freshness, status.gaps.count)
      (self.settledTo, self.provenTo) = (settledTo, provenTo)
      count = status.count
      retryAt = status.budget.remaining > 0 ? nil : status.budget.resetAt
      endReason = status.freshness != nil && status.runs.first?.reachesEnd == true ? .end : nil
    }
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
    /// About how many elements of the feed stand above it.
    package var rank: Int
    /// Where it begins and ends.
    package var range: CutRange
    /// The place of its first element; where it begins while that was not looked up.
    package var first: Position
    /// The answers it rests on, top first: ``proofsMax`` at most.
    package var proofs: [Proof]

    /// Answers that are listed of one run: of more, neighbours are listed as one that is as old as
    /// the older of them.
    package static let proofsMax = 200

    /// What one answer has proven, or several.
    package struct Proof: Hashable, Sendable {
      /// How many elements it had in the run.
      package var count: Int
      /// When the oldest of them was sent.
      package var provenAt: Timestamp

      /// As one with what is below.
      func joined(with other: Proof?) -> Proof {
        guard let other else { return self }
        return Proof(count: count + other.count, provenAt: min(provenAt, other.provenAt))
      }
    }
  }

  /// A gap, as an operator sees it.
  package struct Gap: Hashable, Sendable {
    /// Its edges; the upper one names it.
    package var gap: Slice.Gap
    /// About how many elements lie in it.
    package var estimatedCount: Int
    /// Whether no window reaches into it any more, so that it can never be filled.
    package var isSunk: Bool
    /// About how many elements of the feed stand above it.
    package var rank: Int
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
        count: proofs.elementCount, checkedAt: freshness.checkedAt,
        provenAt: freshness.provenAt, reachesEnd: run.reachesEnd,
        rank: proofs.first.map { max(0, $0.rankBelow - $0.count) } ?? 0, range: run.range,
        first: run.upper.position, proofs: told(proofs))
    }
  }

  private func told(_ proofs: ArraySlice<Proof>) -> [FeedStatus.Run.Proof] {
    var told = proofs.map { FeedStatus.Run.Proof(count: $0.count, provenAt: $0.provenAt) }
    while told.count > FeedStatus.Run.proofsMax {
      told = stride(from: 0, to: told.count, by: 2).map { index in
        told[index].joined(with: index + 1 < told.count ? told[index + 1] : nil)
      }
    }
    return told
  }

  /// How many proofs follow on another of their run, by what that rests on.
  package var joins: [JoinProof: Int] {
    let below = timeline.runs.flatMap { timeline.proofs[$0.proofs].dropFirst() }
    return Dictionary(below.map { ($0.belief ?? JoinProof(order), 1) }, uniquingKeysWith: +)
  }

  /// The feed's gaps, top first.
  package var gaps: [FeedStatus.Gap] {
    timeline.runs.indices.compactMap(gapStatus(belowRun:))
  }

  /// The freshness of a slice at the top; nil until the top was looked at.
  package var topFreshness: Freshness? {
    timeline.lookedAt.map {
      Freshness(of: timeline.proofs.prefix(1), lookedAt: $0, policy: policy, at: now)
    }
  }

  /// The gap that begins at a cut; nil when none does.
  package func gap(at upper: Cut) -> Slice.Gap? {
    gapStatus(below: upper)?.gap
  }

  /// How the gap stands that begins at a cut; nil when none does.
  package func gapStatus(below upper: Cut) -> FeedStatus.Gap? {
    timeline.runs.firstIndex { $0.lower == upper }.flatMap(gapStatus(belowRun:))
  }

  private func gapStatus(belowRun index: Int) -> FeedStatus.Gap? {
    let runs = timeline.runs
    return status(ofGapBelow: runs[index], above: index + 1 < runs.count ? runs[index + 1] : nil)
  }

  /// The gap between a run and the next one. Below the last it is open where no page shows its end
  /// and goes on, or where pages came with nothing on them: what will be found there does not meet
  /// it, and where that begins is not known yet. Nil where what follows may still meet it.
  func gap(below run: Timeline.Run, above next: Timeline.Run?) -> Slice.Gap? {
    if let next { return Slice.Gap(upper: run.lower, lower: next.upper) }
    guard !run.reachesEnd else { return nil }
    let isAboveEmptyPages =
      paging.isRanked && !paging.servesJoins && continuations[run.lower]?.hole.pages ?? 0 > 0
    guard isAboveEmptyPages || pager.isAtWall(run) && pager.goesOn(below: run) else { return nil }
    return Slice.Gap(upper: run.lower, lower: run.lower)
  }

  /// The run that holds what is right above a gap: it is extended to fill the gap.
  package func run(above gap: Slice.Gap) -> Timeline.Run? {
    timeline.runs.first { $0.lower <= gap.upper && gap.upper < $0.upper }
  }

  /// What is left of a gap that was there; nil when nothing is.
  package func rest(of gap: Slice.Gap) -> FeedStatus.Gap? {
    if gap.isOpen { return gapStatus(below: gap.upper) }
    guard let run = run(above: gap), run.lower > gap.lower else { return nil }
    return timeline.nextRun(below: run.lower).flatMap { status(ofGapBelow: run, above: $0) }
  }

  private func status(
    ofGapBelow run: Timeline.Run, above next: Timeline.Run?
  ) -> FeedStatus.Gap? {
    guard let gap = gap(below: run, above: next) else { return nil }
    let rank = bottom(of: run).rankBelow
    let first = next.map { timeline.proofs[$0.proofs.lowerBound] }
    return FeedStatus.Gap(
      gap: gap, estimatedCount: max(0, first.map { $0.rankBelow - $0.count - rank } ?? 0),
      isSunk: isAtWall(run), rank: rank)
  }
}
