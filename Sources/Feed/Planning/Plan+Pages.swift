/// Pages by their rank, for clients that count pages as the upstream does.
///
/// A page begins so many elements below the top. Where a run is proven down to there, its elements
/// are counted in the store. Else one window shows the place: one that extends the run above where
/// that reaches it, else one around it, which begins a run of its own. Where nothing can be proven
/// around a place, far down a feed without an order or at the wall, the upstream's own page is
/// shown as it is.
extension Plan {
  /// Windows around a page's place that are asked for before the page is shown as it is.
  static let jumpsMax = 2

  /// Where the page of a demand begins, as far as runs tell, or the step that must come first.
  func begin(_ demand: Demand, at rank: Int) -> Start {
    if demand.mayAsk, let look = look(for: demand) { return .step(.fetch(look)) }
    guard timeline.lookedAt != nil else { return .step(.fail) }
    guard let (run, firstRank) = run(holding: rank) else {
      let above = timeline.runs.last { bottom(of: $0).rankBelow <= rank }
      return .step(reach(rank, below: above, for: demand))
    }
    return .locate(
      Scope(run: run, upper: run.upper, lower: run.lower), offset: rank - firstRank)
  }

  /// The step towards a page that begins at a rank, below all that is known of a run.
  package func reach(_ rank: Int, below run: Timeline.Run?, for demand: Demand) -> Step {
    if run?.reachesEnd ?? false || timeline.total?.value ?? .max <= rank {
      return .serve(over())
    }
    guard demand.mayAsk else { return .fail }
    if let run, let ask = askBelow(run), pager.aim(at: ask.place)?.endRank ?? 0 > rank,
      !isMiscounted(ask, below: run, for: demand)
    {
      return .fetch(ask)
    }
    guard demand.jumps < Plan.jumpsMax, let ask = ask(for: .rank(rank), .reader) else {
      return .show
    }
    return .fetch(ask)
  }

  /// Whether what lies below a run would have other ranks than a demand counts by: past the wall
  /// they are counted from the top on, where all is known from there.
  func isMiscounted(_ ask: Ask, below run: Timeline.Run, for demand: Demand) -> Bool {
    demand.rank != nil && run != head && pager.aim(at: ask.place)?.segment != nil
  }

  /// The run that holds a rank, as last estimated, with the rank of its first element.
  private func run(holding rank: Int) -> (run: Timeline.Run, firstRank: Int)? {
    for run in timeline.runs {
      let first = timeline.proofs[run.proofs.lowerBound]
      let firstRank = run == head ? 0 : first.rankBelow - first.count
      guard rank >= firstRank else { continue }
      if run.reachesEnd || rank < bottom(of: run).rankBelow { return (run, firstRank) }
    }
    return nil
  }

  /// The outcome of a page past the end.
  private func over() -> Step.Outcome {
    var outcome = Step.Outcome(
      hasMore: false, hasPrevious: true, endReason: .end,
      freshness: Freshness(of: [], lookedAt: timeline.lookedAt, policy: policy, at: now))
    if outcome.freshness.state != .fresh { outcome.looks = [askTop(for: .head, limit: 1)] }
    return outcome
  }
}
