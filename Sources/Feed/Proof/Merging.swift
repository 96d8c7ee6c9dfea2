/// Lays evidence into a timeline: what is now proven, and what that changes in the store.
package enum Merging {
  /// The most proofs a timeline keeps; beyond it neighbours that touch become one.
  package static let proofsMax = 256

  /// The rank to which a total moves a proof at most: windows there still show what is there.
  static func sunkRankMax(in paging: Paging) -> Int {
    max(0, paging.reachMax - 4 * paging.perPageMax)
  }

  /// What the rules need to know besides the evidence.
  package struct Context: Sendable {
    /// The feed.
    package var feed: FeedID
    /// What was proven before.
    package var timeline: Timeline
    /// The elements known in the evidence's range and its lost runs, tombstones included.
    package var knownInRange: [KnownElement]
    /// Where the evidence's elements are known to stand, in the range or not.
    package var knownByID: [Identity: KnownElement]
    /// Its freshness rules.
    package var policy: Policy
    /// Bounds of proofs at which something is in progress: there none are made one.
    package var kept: Set<Cut>
    /// Whether a reader waits for the answer: what two of these lack has left, however little apart
    /// they are beyond what the upstream takes to settle.
    package var isRefresh: Bool
    /// What is known of the feed so that what comes there is a change, not only news to us.
    package var territory: Territory

    /// A context from its parts.
    package init(
      feed: FeedID, timeline: Timeline, knownInRange: [KnownElement],
      knownByID: [Identity: KnownElement], policy: Policy, kept: Set<Cut> = [],
      isRefresh: Bool = false, territory: Territory? = nil
    ) {
      self.territory = territory ?? Territory(timeline)
      self.isRefresh = isRefresh
      self.feed = feed
      self.timeline = timeline
      self.knownInRange = knownInRange
      self.knownByID = knownByID
      self.policy = policy
      self.kept = kept
    }
  }

  /// Whether the evidence may be laid in: no range of it was proven by a request sent later, nor,
  /// where it shows the top, was that seen later. What an older answer shows above all that is
  /// known has no range yet by which it could be named.
  package static func mayApply(_ evidence: Evidence, to timeline: Timeline) -> Bool {
    if evidence.isTop, let lookedAt = timeline.lookedAt, lookedAt > evidence.sentAt { return false }
    return timeline.proofs.allSatisfy {
      $0.provenAt <= evidence.sentAt || $0.lower >= evidence.upper || $0.upper <= evidence.lower
    }
  }

  /// The range the evidence proves in this timeline. Nothing proven stands above the top, so
  /// what a window from further down shows above the head run is left for the next look there.
  package static func clipped(_ evidence: Evidence, to timeline: Timeline) -> Evidence {
    guard !evidence.isTop, timeline.lookedAt != nil, let head = timeline.proofs.first,
      evidence.upper > head.upper
    else { return evidence }
    var evidence = evidence
    evidence.upper = head.upper
    evidence.lower = min(evidence.lower, evidence.upper)
    return evidence
  }

  /// The merge of one answer. The evidence has been clipped and may be applied.
  package static func merge(_ evidence: Evidence, total: Int?, in context: Context) -> Merge {
    var timeline = context.timeline
    if evidence.isTop {
      timeline.lookedAt = evidence.sentAt
      timeline.proofs = timeline.proofs.compactMap { below(evidence.upper, $0) }
      // Where the answer reaches what is known, ranks below are counted on from it.
      let isConnected = timeline.proofs.contains { $0.upper >= evidence.lower }
      if !isConnected, let total, let before = timeline.total?.value {
        sink(&timeline.proofs, by: total - before, in: context.feed.pattern.paging)
      }
    }
    if let lost = evidence.lostRuns.map(\.upper).max() {
      timeline.expire(below: lost)
      timeline.proofs.removeAll { proof in
        evidence.lostRuns.contains { proof.upper <= $0.upper && proof.lower >= $0.lower }
      }
    }
    if let total { timeline.total = Total(value: total, asOf: evidence.sentAt) }
    for range in evidence.doubted { timeline.open(range) }
    timeline.proofs = laid(
      evidence, into: timeline.proofs, known: context.knownInRange,
      in: context.feed.pattern)
    for range in evidence.unproven {
      timeline.open(range, holding: evidence.covered.count { range.holds($0.position) })
    }
    timeline.proofs = joined(timeline.proofs, except: context.kept)

    var merge = Merge(feed: context.feed, sentAt: evidence.sentAt, timeline: timeline)
    merge.seen = seen(evidence, in: context)
    let shown = Set(evidence.elements.map(\.item.id))
    for known in context.knownInRange
    where known.state != .removed && !shown.contains(known.id) && evidence.refutes(known.position) {
      guard evidence.window.isFeed else {
        merge.unconfirmed.append(known.id)
        continue
      }
      if evidence.showsAbsence || evidence.lostRuns.contains(where: { $0.holds(known.position) }) {
        merge.removed.append(known.position)
        continue
      }
      guard let since = known.missingSince else {
        merge.missing.append(known.position)
        continue
      }
      // One that was met elsewhere may still be there: only that it is not met any more shows it.
      let seconds =
        known.state == .live ? context.policy.freshSeconds : context.policy.staleSeconds
      let isSettled =
        evidence.isTop && context.isRefresh && known.state == .live
        && evidence.sentAt - since > .seconds(context.feed.pattern.settleSeconds)
      if isSettled || evidence.sentAt - since >= .seconds(seconds) {
        merge.removed.append(known.position)
      }
    }
    if context.feed.pattern.order != .whole { noteMoves(in: &merge, context) }
    return merge
  }

  /// The elements to write: those of the range, displaced ones wherever their key puts them, and
  /// known ones outside the range for their content's sake.
  private static func seen(_ evidence: Evidence, in context: Context) -> [Merge.Seen] {
    evidence.elements.compactMap { placed in
      let isCovered = evidence.range.holds(placed.position)
      let last = context.knownByID[placed.item.id]
      let known = last.flatMap { $0.state == .removed ? nil : $0 }
      let isInPlace = known?.position == placed.position
      if isInPlace, evidence.remembered.contains(placed.item.id) { return nil }
      guard isCovered || placed.isDisplaced || isInPlace else { return nil }
      let staysDisplaced = placed.isDisplaced || (!isCovered && known?.state == .displaced)
      let isChange =
        last != nil || !evidence.lostRuns.isEmpty || context.territory.holds(placed.position)
      return Merge.Seen(
        position: placed.position, item: placed.item,
        state: staysDisplaced ? .displaced : .live,
        takesNumber: isInPlace ? known?.updatedAt != placed.item.updatedAt : isChange)
    }
  }

  /// Notes the elements that were found further down than they stood, and those that left, which
  /// may yet be found.
  private static func noteMoves(in merge: inout Merge, _ context: Context) {
    for seen in merge.seen {
      guard let known = context.knownByID[seen.item.id], known.position > seen.position else {
        continue
      }
      // A client that got one that had left got it before it left.
      let from = known.state == .removed ? seen.position : known.position
      merge.timeline.noteMove(of: seen.item.id, from: from, to: seen.position, at: merge.sentAt)
    }
    guard !merge.removed.isEmpty else { return }
    let removed = Set(merge.removed)
    for known in context.knownInRange where removed.contains(known.position) {
      merge.timeline.noteMove(
        of: known.id, from: known.position, to: Cut.bottom.position, at: merge.sentAt)
    }
  }

  /// Moves ranks by as much as the feed has grown since it was last seen: what came, came at the
  /// top for the most part. What it has shrunk by takes them back, so that nothing that came and
  /// went, and no total that was wrong once, moves them permanently; known items stay above them.
  /// Only an answer shows that something has sunk beyond what can be asked for.
  private static func sink(_ proofs: inout [Proof], by grown: Int, in paging: Paging) {
    var above = 0
    let grown = min(max(grown, -paging.reachMax), paging.reachMax)
    let sunkRankMax = sunkRankMax(in: paging)
    for index in proofs.indices {
      above += proofs[index].count
      let rank = proofs[index].rankBelow
      let moved = rank + grown
      proofs[index].rankBelow = max(min(moved, max(rank, sunkRankMax)), above)
    }
  }

  /// The part of a proof below a cut; nil when there is none.
  private static func below(_ cut: Cut, _ proof: Proof) -> Proof? {
    guard proof.upper > cut else { return proof }
    guard proof.lower < cut else { return nil }
    var proof = proof
    proof.upper = cut
    proof.belief = nil
    return proof
  }

  /// The proofs with the evidence's own among them, and ranks set by what it showed.
  private static func laid(
    _ evidence: Evidence, into proofs: [Proof], known: [KnownElement], in pattern: FeedPattern
  ) -> [Proof] {
    let inOrder = evidence.inOrder
    let proofs = proofs.map { ranked($0, by: inOrder) }
    guard evidence.upper > evidence.lower || evidence.isTop else { return proofs }
    let covered = evidence.covered
    let new = Proof(
      upper: evidence.upper, lower: evidence.lower, provenAt: evidence.sentAt,
      count: covered.count, rankBelow: evidence.rankBelow, belief: evidence.belief)
    let firstRank = covered.first?.rank ?? evidence.rankBelow
    var above: [Proof] = []
    var below: [Proof] = []
    for proof in proofs {
      if proof.lower >= new.upper {
        above.append(proof)
      } else if proof.upper <= new.lower {
        below.append(proof)
      } else {
        let parts = split(
          proof, around: new, firstRank: firstRank, known: known, in: pattern)
        parts.above.map { above.append($0) }
        parts.below.map { below.append($0) }
      }
    }
    return above + [new] + ranked(below, under: new)
  }

  /// A proof's rank, as far as elements of the evidence that stand in its order, above and below
  /// the proof, tell.
  private static func ranked(_ proof: Proof, by inOrder: [Evidence.Placed]) -> Proof {
    var proof = proof
    if let newer = inOrder.last(where: { proof.upper.isBelow($0.position) }) {
      proof.rankBelow = max(proof.rankBelow, newer.rank + 1 + proof.count)
    }
    if let lowest = inOrder.last(where: { proof.lower.isBelow($0.position) }) {
      proof.rankBelow = max(proof.rankBelow, lowest.rank + 1)
    }
    if let older = inOrder.first(where: { !proof.lower.isBelow($0.position) }) {
      proof.rankBelow = min(proof.rankBelow, older.rank)
    }
    return proof
  }

  /// What is left of a proof above and below a new one laid over it.
  private static func split(
    _ proof: Proof, around new: Proof, firstRank: Int, known: [KnownElement],
    in pattern: FeedPattern
  ) -> (above: Proof?, below: Proof?) {
    let overlaid = known.count {
      $0.state == .live && proof.lower.isBelow($0.position) && !proof.upper.isBelow($0.position)
    }
    let rest = max(0, proof.count - overlaid)
    var above: Proof?
    var below: Proof?
    if proof.upper > new.upper {
      let hasBelow = proof.lower < new.lower
      let estimate = firstRank - (proof.rankBelow - proof.count)
      var part = proof
      part.lower = new.upper
      part.count = hasBelow ? min(max(0, estimate), rest) : rest
      part.rankBelow = firstRank
      above = part
    }
    if proof.lower < new.lower {
      var part = proof
      part.upper = new.lower
      // A join lies at the top of a proof, a doubted end at its bottom; what a segment shows is
      // believed throughout, and where nothing joins, what is missing may be anywhere.
      if pattern.paging.past == nil, proof.belief != JoinProof.none { part.belief = nil }
      part.count = rest - (above?.count ?? 0)
      below = part
    }
    return (above, below)
  }

  /// The proofs below a new one, their ranks counted on from it as far as they touch, and moved
  /// by the same amount further down.
  private static func ranked(_ proofs: [Proof], under new: Proof) -> [Proof] {
    var proofs = proofs
    var last = new
    var shift = 0
    for index in proofs.indices {
      let counted = last.rankBelow + proofs[index].count
      let isTouching = proofs[index].upper == last.lower
      let rank = isTouching ? counted : max(counted, proofs[index].rankBelow + shift)
      shift = rank - proofs[index].rankBelow
      proofs[index].rankBelow = rank
      last = proofs[index]
    }
    return proofs
  }

  /// Proofs that touch made one where there are too many: first those whose answers were sent
  /// closest together, since the older one speaks for both. Else they stay apart, so that what was
  /// proven longest ago is looked at again first.
  private static func joined(_ proofs: [Proof], except kept: Set<Cut>) -> [Proof] {
    var proofs = proofs
    // What an answer proved nothing of, as above a top that is still being written.
    for index in proofs.indices.dropLast().reversed()
    where proofs[index].upper == proofs[index].lower
      && proofs[index + 1].upper == proofs[index].lower
    {
      proofs[index + 1].upper = proofs[index].upper
      proofs.remove(at: index)
    }
    while proofs.count > proofsMax {
      let pairs = proofs.indices.dropLast().filter { index in
        proofs[index].lower == proofs[index + 1].upper && !kept.contains(proofs[index].lower)
      }
      let apart = { (index: Int) in
        let gap = proofs[index].provenAt - proofs[index + 1].provenAt
        return max(gap, .zero - gap)
      }
      guard let index = pairs.min(by: { apart($0) < apart($1) }) else { break }
      proofs[index].lower = proofs[index + 1].lower
      proofs[index].belief = [proofs[index].belief, proofs[index + 1].belief]
        .compactMap(\.self).min()
      proofs[index].count += proofs[index + 1].count
      proofs[index].rankBelow = proofs[index + 1].rankBelow
      proofs[index].provenAt = min(proofs[index].provenAt, proofs[index + 1].provenAt)
      proofs.remove(at: index + 1)
    }
    return proofs
  }
}
