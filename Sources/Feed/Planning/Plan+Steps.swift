extension Plan {
  /// Where a demand is read from, or the step that must come first.
  package enum Start: Hashable, Sendable {
    /// Read this part of the store, then ask ``Plan/nextStep(for:in:found:)``.
    case read(Scope)
    /// Perform this.
    case step(Step)
    /// Find the element that so many others of this part stand above: there the page begins.
    case locate(Scope, offset: Int)
  }

  /// Where to read for a demand: the run that holds its bound, once there is one.
  package func begin(_ demand: Demand) -> Start {
    guard timeline.finds(demand.start, of: demand.startLineage) else {
      return .step(.expired(isStart: true))
    }
    guard timeline.finds(demand.end, of: demand.endLineage) else {
      return .step(.expired(isStart: false))
    }
    guard demand.start > demand.end else { return .step(.serve(nothing(endReason: .range))) }
    if let rank = demand.rank, !demand.isLocated { return begin(demand, at: rank) }
    if demand.mayAsk, let look = look(for: demand) { return .step(.fetch(look)) }
    let bound = demand.takesLast ? demand.end : demand.start
    if let run = demand.takesLast ? run(above: bound) : run(below: bound) {
      return .read(
        Scope(run: run, upper: min(demand.start, run.upper), lower: max(demand.end, run.lower)))
    }
    if order != .value, timeline.lookedAt != nil, timeline.runs.allSatisfy({ bound != $0.lower }) {
      return .step(.expired(isStart: !demand.takesLast))
    }
    guard demand.mayAsk else {
      return .step(demand.asksNothing ? .serve(unknown(at: bound)) : .fail)
    }
    guard timeline.lookedAt != nil else {
      return .step(.fetch(askTop(for: .reader, limit: demand.limit)))
    }
    let holder = timeline.runs.first { isAtBottom(bound, of: $0) }
    if let ask = holder.flatMap(askBelow) { return .step(.fetch(ask)) }
    return .step(seek(bound, for: demand))
  }

  /// The look at the top that comes before anything is read; nil when none is due.
  package func look(for demand: Demand) -> Ask? {
    wantsLook(demand) ? askTop(for: .reader, limit: demand.limit) : nil
  }

  private func wantsLook(_ demand: Demand) -> Bool {
    guard let lookedAt = timeline.lookedAt else {
      return demand.start == .top && !demand.takesLast
    }
    guard lookedAt < demand.arrivedAt else { return false }
    guard askedAt.map({ $0 < demand.arrivedAt }) ?? true, let sinceLook else { return false }
    if demand.refreshes { return sinceLook >= .seconds(policy.refreshSeconds) }
    let beginsAtTop = !demand.takesLast && demand.start >= timeline.proofs.first?.upper ?? .top
    return beginsAtTop && sinceLook >= .seconds(policy.staleSeconds)
  }

  /// The run in which a range that ends at `end` is read upwards.
  private func run(above end: Cut) -> Timeline.Run? {
    if let head, end >= head.upper { return head }
    return timeline.runs.first { $0.lower <= end && end < $0.upper }
  }

  private func seek(_ bound: Cut, for demand: Demand) -> Step {
    guard order == .value else { return .expired(isStart: !demand.takesLast) }
    let seek =
      demand.seek.flatMap { $0.target == bound && $0.takesLast == demand.takesLast ? $0 : nil }
      ?? Seek(target: bound, takesLast: demand.takesLast, timeline: timeline, paging: paging)
    let descent = pager.descent(to: seek)
    let ask = descent.flatMap { askBelow($0.run) }
    if let ask, descent?.isNear == true { return .fetch(ask) }
    if let ask = self.ask(for: .sought(seek), .reader) ?? ask { return .fetch(ask) }
    guard seek.isBeyondReach else { return .fail }
    var outcome = nothing(endReason: .upstreamLimit)
    outcome.hasPrevious = true
    return .serve(outcome)
  }

  /// The outcome of a range that is empty, inverted or out of reach.
  private func nothing(endReason: EndReason) -> Step.Outcome {
    Step.Outcome(
      hasMore: false, hasPrevious: false, endReason: endReason,
      freshness: Freshness(of: [], lookedAt: timeline.lookedAt, policy: policy, at: now),
      proof: JoinProof(order))
  }

  /// The outcome at a cut beside which nothing is known.
  private func unknown(at cut: Cut) -> Step.Outcome {
    var outcome = nothing(endReason: .range)
    (outcome.hasMore, outcome.hasPrevious, outcome.endReason) = (true, true, nil)
    outcome.covers = CutRange(upper: cut, lower: cut)
    outcome.gap = timeline.nextRun(below: cut).map { Slice.Gap(upper: cut, lower: $0.upper) }
    return outcome
  }

  /// What the weakest join of these proofs rests on, of a range that begins at a cut. A believed
  /// join lies right below its proof's upper bound: in the key that was open there, or behind the
  /// one element that was. Where nothing joins, elements of many keys may be missing there.
  private func weakestJoin(of proofs: [Proof], from upper: Cut) -> JoinProof {
    proofs.reduce(JoinProof(order)) { weakest, proof in
      guard let belief = proof.belief else { return weakest }
      // What a segment shows is believed throughout, and a range may begin among what is missing.
      if paging.past != nil || belief == JoinProof.none {
        return upper > proof.lower ? min(weakest, belief) : weakest
      }
      let join = order == .value ? Cut.below(key: proof.upper.keyBelow) : proof.upper
      let holdsJoin = order == .value ? upper > join : upper >= join
      return holdsJoin ? min(weakest, belief) : weakest
    }
  }

  /// The next step for a demand, once what the store holds in its scope is known.
  package func nextStep(for demand: Demand, in scope: Scope, found: Found) -> Step {
    let step =
      demand.takesLast
      ? stepUpwards(for: demand, in: scope, found: found)
      : stepDownwards(for: demand, in: scope, found: found)
    guard case .serve(let outcome) = step, outcome.freshness.state == .expired, demand.mayAsk,
      demand.calls < 2, let look = outcome.looks.last,
      var ask = ask(for: look.place, look.purpose)
    else { return step }
    ask.purpose = .reader
    return .fetch(ask)
  }

  private func stepDownwards(for demand: Demand, in scope: Scope, found: Found) -> Step {
    let run = scope.run
    let isFull = found.count > demand.limit
    var outcome = dated(demand, from: scope.upper, to: isFull ? found.bound : nil, in: scope)
    outcome.count = min(found.count, demand.limit)
    outcome.hasPrevious = !demand.isFromTop && (found.hasAbove || run != head)
    if found.count == 0 {
      // That nothing follows is worth what the proof of it is.
      let known = proofs(of: run, from: scope.upper, to: scope.lower)
      outcome.proof = weakestJoin(of: known, from: .top)
    }
    // Reading ahead begins when somebody reads on: a list that is opened and left costs one call.
    if outcome.looks.isEmpty, demand.start != .top,
      isNearBottom(of: run, found.bound ?? scope.upper),
      let look = look(below: run.lower, for: .prefetch)
    {
      outcome.looks = [look]
    }
    guard !isFull else { return .serve(outcome) }

    if run.lower <= demand.end {
      outcome.hasMore = false
      let isOver = run.reachesEnd && (demand.end == .bottom || !found.hasBelow)
      outcome.endReason = isOver ? endReason(of: run) : .range
      return .serve(outcome)
    }
    let next = timeline.nextRun(below: run.lower)
    // What lies between two runs that may not be joined is no less there than what is shown.
    let isJoinable = paging.joins.map { $0 >= paging.accept } ?? true
    if isAtWall(run), isJoinable || next == nil {
      let goesOn = next == nil && pager.goesOn(below: run)
      if demand.fillsUp, !goesOn { return stepByNumber(for: demand, found, outcome) }
      if let next {
        outcome.gap = gap(below: run, above: next)
        let isPassed = found.count == 0 && !demand.asksNothing
        return isPassed ? .pass(to: next.upper) : .serve(outcome)
      }
      if !goesOn { return .serve(limited(outcome)) }
    }
    outcome.gap = gap(below: run, above: next)
    let isExact = found.count == demand.limit && demand.end <= openCut(of: run)
    if isExact, next != nil || !mayGoOnBelowHole(run) { return .serve(outcome) }
    if demand.mayAsk, let ask = askBelow(run) {
      return isMiscounted(ask, below: run, for: demand) ? .show : .fetch(ask)
    }
    if isExact { return .serve(outcome) }
    let isWalled = attempts[run.lower]?.isWalled == true
    if next == nil, isAtRest(run.lower), isWalled || pager.isTooSmall(below: run) {
      return .serve(limited(outcome))
    }
    if demand.asksNothing { return .serve(outcome) }
    let isShort = demand.fillsUp && found.count < demand.limit
    let isNumbered = demand.rank != nil || !isAtRest(run.lower)
    if isShort, isNumbered, demand.mayAsk { return stepByNumber(for: demand, found, outcome) }
    return found.count == 0 || isShort ? .fail : .serve(outcome)
  }

  /// Whether the upstream shows nothing right below a run: no page does, or it stands further down
  /// than another one below which none does, and what lies below it was looked for in vain.
  func isAtWall(_ run: Timeline.Run) -> Bool {
    let pager = pager
    if pager.isAtWall(run) { return true }
    guard askBelow(run) == nil else { return false }
    return timeline.runs.contains { above in
      above.lower >= run.upper && pager.isAtWall(above) && !pager.goesOn(below: above)
    }
  }

  /// The step where a run ends, and nothing can be asked for that goes on with it, for who counts
  /// pages and takes a short one for the last: what its number shows upstream, if not a whole page
  /// is known.
  private func stepByNumber(for demand: Demand, _ found: Found, _ outcome: Step.Outcome) -> Step {
    if found.count == demand.limit {
      var outcome = outcome
      (outcome.hasMore, outcome.endReason) = (true, nil)
      return .serve(outcome)
    }
    guard demand.mayAsk else { return .fail }
    guard demand.rank == nil else { return .show }
    return demand.start == .top ? .fail : .expired(isStart: true)
  }

  /// Answers in vain below a full slice before it no longer waits for one.
  private static let vainMax = 3

  /// Whether it may still turn out that a numbered list goes on below pages with nothing on them: a
  /// slice that ends there ends at a gap. Where an instant larger than a page is counted, or a few
  /// answers were in vain, a full slice does not wait for it.
  private func mayGoOnBelowHole(_ run: Timeline.Run) -> Bool {
    guard paging.isRanked else { return false }
    guard let attempt = attempts[run.lower] else { return true }
    let isLarge = 2 * (attempt.tieCount?.members.count ?? 0) >= size.perPageMax
    return size.hides || !isLarge && attempt.idle < Plan.vainMax
  }

  /// The same where the upstream shows no more.
  private func limited(_ outcome: Step.Outcome) -> Step.Outcome {
    var outcome = outcome
    (outcome.hasMore, outcome.endReason, outcome.gap) = (false, .upstreamLimit, nil)
    return outcome
  }

  /// Whether pages with nothing on them are all that is shown between a cut and the run below it.
  func isHole(below cut: Cut) -> Bool {
    continuations[cut]?.hole.isCrossed == true && timeline.nextRun(below: cut) != nil
  }

  /// Why a run that reaches the end ends there. Its last answer may leave it open that more
  /// follows, or count more than there is: then no further one would bring it.
  private func endReason(of run: Timeline.Run) -> EndReason {
    if timeline.proofs[run.proofs].last?.isDoubted(in: paging, order) == true {
      return .upstreamLimit
    }
    guard order == .whole else {
      // Only estimated ranks say nothing of that.
      let isCounted = paging.isRanked && paging.past == nil
      return isCounted && timeline.doubts.hiddenCount > 0 ? .upstreamLimit : .end
    }
    return timeline.total?.value ?? 0 > bottom(of: run).rankBelow ? .upstreamLimit : .end
  }

  /// Whether fewer than `prefetchItems` are known between a place in a run and its bottom. What
  /// a partly read proof holds is taken to be spread evenly: only calls depend on it.
  private func isNearBottom(of run: Timeline.Run, _ place: Cut) -> Bool {
    guard !run.reachesEnd, policy.prefetchItems > 0 else { return false }
    let below = timeline.proofs[run.proofs].reduce(0) { sum, proof in
      if proof.upper <= place { return sum + proof.count }
      return proof.lower < place ? sum + proof.count / 2 : sum
    }
    return below < policy.prefetchItems
  }

  private func stepUpwards(for demand: Demand, in scope: Scope, found: Found) -> Step {
    let run = scope.run
    let isFull = found.count > demand.limit
    let reachesStart = demand.start <= run.upper || run == head
    if !isFull, !reachesStart {
      let above = timeline.lookedAt == nil ? nil : timeline.runs.last { $0.lower > run.upper }
      let met = above.map { ask(for: .above(run.upper), .reader) ?? askBelow($0) }
      if demand.mayAsk, let ask = met ?? askTop(for: .reader, limit: demand.limit) {
        return .fetch(ask)
      }
      guard found.count > 0 || demand.asksNothing else { return .fail }
    }
    var outcome = dated(
      demand, from: isFull ? found.bound ?? scope.upper : scope.upper, to: nil, in: scope)
    outcome.count = min(found.count, demand.limit)
    outcome.hasMore = false
    outcome.hasPrevious = isFull || !reachesStart
    outcome.endReason = .range
    return .serve(outcome)
  }

  /// An outcome with the freshness of a part of the scope, and what to look at again behind the
  /// reply.
  private func dated(
    _ demand: Demand, from upper: Cut, to end: Cut?, in scope: Scope
  ) -> Step.Outcome {
    // What stands at a rank depends on the top, which moves all that lies below it.
    let hangsOnTop = demand.rank != nil || (scope.run == head && upper >= scope.run.upper)
    let lookedAt = hangsOnTop ? timeline.lookedAt : nil
    let known = proofs(of: scope.run, from: upper, to: end ?? scope.lower)
    let freshness = Freshness(of: known, lookedAt: lookedAt, policy: policy, at: now)
    var outcome = Step.Outcome(hasMore: true, hasPrevious: false, freshness: freshness)
    outcome.proof = weakestJoin(of: known, from: upper)
    outcome.covers = CutRange(upper: upper, lower: end ?? scope.lower)
    if known.last?.lower == .bottom, let look = lookAtEnd { outcome.looks.append(look) }
    if hangsOnTop, let sinceLook, sinceLook >= .seconds(policy.freshSeconds) {
      outcome.looks.append(askTop(for: .head, limit: demand.limit))
    }
    if let oldest = known.min(by: { $0.provenAt < $1.provenAt }),
      now - oldest.provenAt >= .seconds(policy.recheckSeconds),
      let ask = look(below: oldest.upper, for: .recheck)
    {
      outcome.looks.append(ask)
    }
    return outcome
  }
}
