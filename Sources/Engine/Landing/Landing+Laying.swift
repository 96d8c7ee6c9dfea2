import Feed

/// Laying evidence into a timeline, and committing what that changes.
extension Landing {
  /// Lays in one piece of evidence. Returns what it showed.
  @discardableResult
  mutating func lay(
    _ evidence: Evidence, total: Int?, isRefresh: Bool = false
  ) throws(StoreError) -> Laid {
    var evidence = evidence
    let isKnown = state.record.isStored || !draft.merges.isEmpty
    let knownByID = try known(evidence.elements.map(\.item.id))
    if isKnown, feed.pattern.order == .value {
      evidence.doubted += try doubted(by: evidence, knownByID)
    }
    let knownInRange = isKnown ? try known(in: evidence) : []
    let doubtful = noteUnusable(in: evidence, knowing: knownInRange)
    var omissions = state.timeline.omissions
    omissions.note(
      evidence.omissions(order: feed.pattern.order, knowing: knownInRange), in: evidence.range)
    // Positions of a feed that is observed are made as it is read, and leave no room for a gap.
    // One above all others is as one that is not written yet: the top begins where it did.
    if feed.pattern.order == .value {
      let head = evidence.isTop ? nil : state.timeline.proofs.first?.upper
      evidence.unproven = doubtful.filter { $0.upper < max(head ?? .bottom, evidence.upper) }
    }
    let context = Merging.Context(
      feed: feed, timeline: state.timeline,
      knownInRange: knownInRange, knownByID: knownByID,
      policy: policy, kept: Set(state.attempts.keys), isRefresh: isRefresh,
      territory: Territory(state.timeline, former: state.untold?.former, opened: state.opened))
    var merge = Merging.merge(evidence, total: total, in: context)
    if feed.pattern.order != .value, merge.timeline.needsLineage {
      merge.timeline.begin(newLineage())
    }
    state.timeline = merge.timeline
    state.timeline.omissions = omissions
    draft.isLaid = true
    if isKnown || !merge.seen.isEmpty { draft.merges.append(merge) }
    state.opened = Territory.opened(
      state.opened + evidence.doubted + evidence.unproven, in: state.timeline)
    if evidence.isTop || state.untold == nil { draft.tellsTop = true }
    state.untold = Untold(
      state.untold, from: context.timeline, to: state.timeline, isTop: evidence.isTop)
    confirm(merge, of: context, by: evidence)
    let arrived = evidence.elements.filter {
      knownByID[$0.item.id].map { $0.state == .removed || $0.missingSince != nil } ?? true
    }
    return Laid(
      arrived: arrived.count,
      open: Set(arrived.filter { !evidence.lower.isBelow($0.position) }.map(\.item.id)),
      found: arrived.count { placed in
        context.timeline.proofs.contains { $0.range.holds(placed.position) }
      },
      lacking: merge.missing.count,
      hasNews: merge.seen.contains { knownByID[$0.item.id] == nil },
      endsInNews: evidence.isEnd && context.timeline.runs.last?.reachesEnd == true
        && evidence.elements.last.map { knownByID[$0.item.id] == nil } == true,
      doubted: evidence.doubted)
  }

  /// Notes at which end of a list news come, and has the end looked at after the top where they
  /// come there, further down each time until it is seen.
  mutating func noteEnd(_ evidence: Evidence, _ laid: Laid, for ask: Asked) {
    guard feed.pattern.order == .observed else { return }
    let denial = evidence.isTop && laid.arrived > 0 ? false : nil
    state.doubts.hear(.rising, laid.endsInNews ? true : denial, at: evidence.sentAt)
    guard evidence.isTop || ask.purpose == .head,
      let look = state.plan(of: feed.pattern, by: policy, at: now).lookAtEnd,
      evidence.isTop || look.below ?? .top < ask.below ?? .bottom
    else { return }
    followUps.append(.ask(look))
  }

  /// The elements known where evidence speaks, tombstones included.
  private func known(in evidence: Evidence) throws(StoreError) -> [KnownElement] {
    let isApart = evidence.lostRuns.filter {
      $0.upper <= evidence.lower || $0.lower >= evidence.upper
    }
    let ranges = [(evidence.upper, evidence.lower)] + isApart.map { ($0.upper, $0.lower) }
    var known: [KnownElement] = []
    for (upper, lower) in ranges where upper > lower {
      known += try self.known(in: CutRange(upper: upper, lower: lower))
    }
    return known
  }

  /// Follows up on elements that left a feed. What left the list of all of a kind is deleted; what
  /// left another feed may only have left it, and what a reader's refresh lacks may be gone: one of
  /// these a feed and hour is asked for by itself, and so is what a search does not show, or what
  /// lacks only where a join is believed.
  private mutating func confirm(
    _ merge: Merge, of context: Merging.Context, by evidence: Evidence
  ) {
    guard let kind = feed.pattern.one else { return }
    let ids = { (positions: [Position]) in
      let places = Set(positions)
      return context.knownInRange.filter { places.contains($0.position) }.map(\.id)
    }
    var left = merge.removed
    if feed.pattern.listsAll, feed.parameters == nil {
      let join = feed.pattern.order == .value ? evidence.upper.keyBelow : .min
      let believed = evidence.belief == nil ? .max : join
      draft.gone += ids(left.filter { $0.order < believed })
      left.removeAll { $0.order < believed }
    }
    let lacking = context.isRefresh ? ids(merge.missing).first : nil
    guard let first = ids(left).first ?? lacking ?? merge.unconfirmed.first,
      state.doubts.restsUntil(.lacking, at: now) == nil
    else { return }
    state.doubts.hear(.lacking, at: now)
    followUps.append(.confirm(ItemName(first, kind: kind)))
  }

  /// Notes in which order an answer came. Returns whether nothing of it may be taken, for now or,
  /// where the feed is served in another order from now on.
  mutating func refusesOrder(_ evidence: Evidence) -> Bool {
    guard feed.pattern.order == .value else { return false }
    let verdict = state.doubts.hear(.disorder, evidence.isDisordered, at: now)
    guard verdict == .believed else {
      // Of what was in order before, one answer that is not takes nothing away.
      return verdict == .doubted && state.timeline.lookedAt == nil
    }
    isReordered = true
    incidents.append(.reordered(feed: feed))
    return true
  }
}
