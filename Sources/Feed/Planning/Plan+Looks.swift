/// What is looked at behind a reply: the top, a range that was proven long ago, what lies ahead.
///
/// Who answers out of the store knows what is proven, and neither what was tried nor how pages are
/// gone on with. So whoever makes the call asks for it anew by what is known then.
extension Plan {
  /// A look as it is asked for by what is known now; nil where nothing is to be asked for any more.
  package func renewed(_ ask: Ask) -> Ask? {
    switch ask.purpose {
    case .head where ask.lookedAt != nil:
      var top = askTop(for: .head, limit: ask.window.perPage)
      top.lookedAt = ask.lookedAt
      return top
    case .recheck where ask.below != nil:
      guard let proof = timeline.proofs.first(where: { $0.upper == ask.below }) else { return nil }
      return addressed(askAgain(proof))
    case .prefetch:
      guard let below = ask.below,
        let run = timeline.runs.first(where: { $0.lower <= below && below <= $0.upper })
      else { return nil }
      return addressed(askAhead(of: run))
    default: return ask
    }
  }

  /// Asks for what lies below a run before anybody reads it.
  func askAhead(of run: Timeline.Run) -> Ask? {
    if paging.addressing == .next, continuations.isEmpty {
      return unaddressed(below: run.lower, rank: bottom(of: run).rankBelow, for: .prefetch)
    }
    return askBelow(run).map { Ask($0.window, for: .prefetch, below: $0.below) }
  }

  /// Looks again at a proof's range, from its top on; nil when that cannot be shown, or not now.
  func askAgain(_ proof: Proof) -> Ask? {
    guard !isAtRest(proof.upper) else { return nil }
    if paging.addressing == .next {
      guard continuations.isEmpty else { return askFollowingAgain(above: proof) }
      var ask = unaddressed(
        below: proof.upper, rank: proof.rankBelow - proof.count, for: .recheck)
      ask.provenAt = proof.provenAt
      return ask
    }
    return window(below: proof.upper, rank: proof.rankBelow - proof.count)
      .map { Ask($0, for: .recheck, below: proof.upper, provenAt: proof.provenAt) }
  }

  /// An ask for what lies below a cut of a list whose pages are gone on with, by one who does not
  /// know how.
  private func unaddressed(below cut: Cut, rank: Int, for purpose: Purpose) -> Ask {
    Ask(Window(.mark(nil, rank: max(1, rank)), perPage: perPageMax), for: purpose, below: cut)
  }

  /// An ask, unless it is one that cannot be made: ``unaddressed(below:rank:for:)``.
  private func addressed(_ ask: Ask?) -> Ask? {
    guard paging.addressing == .next, case .mark(nil, _)? = ask?.window.address else { return ask }
    return nil
  }

  /// Asks again for what lies below the lowest end above a proof that is kept and was not gone on
  /// from lately: so a list whose pages are found one by the other is gone down once more.
  private func askFollowingAgain(above proof: Proof) -> Ask? {
    let ends = timeline.proofs.filter { below in
      below.upper >= proof.upper && continuations[below.upper] != nil
        && now - below.provenAt >= .seconds(policy.recheckSeconds)
    }
    guard let end = ends.last?.upper else { return nil }
    var ask = askFollowing(end)
    ask?.purpose = .recheck
    return ask
  }
}
