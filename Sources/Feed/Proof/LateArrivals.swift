import Bytes

/// Elements that came into what was proven, below all that a look at the top shows: the feed has
/// grown by more than the look shows as new.
///
/// The proofs stay what they are, statements about their instant; but until it is known where the
/// late ones stand, a reader that goes on finds a gap below the look. Where they stand is shown by
/// ranks: a second that begins so many ranks further down than it would has so many late ones above
/// it. So the stretches in which they are are halved, one window each time, and one in which ranks
/// have not moved is as it was: k places are found in O(k · log n) calls, and as many more as their
/// elements take.
package struct LateArrivals: Hashable, Sendable {
  /// Ranks among which late ones stand.
  package struct Stretch: Hashable, Sendable {
    /// The ranks, as they were at the look.
    package var ranks: Range<Int>
    /// How many late ones stand above it.
    package var above: Int
    /// How many stand in it; the total may have been wrong.
    package var count: Int
    /// Where the gap above it begins.
    package var cut: Cut
    /// Below this none of them stands.
    package var end: Cut
  }

  /// The most windows asked for; what is not found by then is found by reading on.
  package static let windowsMax = 32

  /// When the look was sent.
  package let since: Timestamp
  /// Where the known elements below the look stand, top first, down to the end of its run.
  package let known: [Position]
  /// The rank of the first of them, if nothing came above it.
  package let firstRank: Int
  /// The total of the look.
  package let total: Int?
  /// Whether nothing was known to follow on the last of them: late ones may stand there, too.
  let reachesEnd: Bool
  /// Where late ones may be, top first.
  package private(set) var stretches: [Stretch]
  /// Whether ranks have shown whether there are any.
  package private(set) var isConfirmed = false
  /// Whether ranks have shown any.
  package private(set) var wasRight = false
  /// Windows that were asked for.
  package private(set) var windows = 0
  /// Where in the list the seconds lie in which windows began or ended, as far as they showed:
  /// inside one, ranks tell nothing, since those of a second stand in any order.
  private var blind: [Int64: Range<Int>] = [:]
  /// Whether the window was asked for in which the last known one stood.
  private var hasAskedEnd = false
  /// Whether the last one showed nothing: then reading on finds the rest.
  private var isStuck = false

  /// So many late ones somewhere below a look that proved what is above `cut`; `windows` were asked
  /// for already, where some of them were looked for before. What is known ends with the list where
  /// it `reachesEnd`.
  package init(
    count: Int, below cut: Cut, since: Timestamp, known: [Position], firstRank: Int, total: Int?,
    windows: Int = 0, reachesEnd: Bool = false
  ) {
    self.reachesEnd = reachesEnd
    self.since = since
    self.windows = windows
    self.known = known
    self.firstRank = firstRank
    self.total = total
    let ranks = firstRank..<firstRank + known.count + count
    let end = reachesEnd ? .bottom : known.last.map(Cut.below) ?? .bottom
    stretches = [Stretch(ranks: ranks, above: 0, count: count, cut: cut, end: end)]
  }

  /// Goes on where a search stood.
  mutating func resume(_ claims: [Doubts.Entry]) {
    var above = 0
    stretches = claims.compactMap { claim -> Stretch? in
      let count = claim.value
      guard let range = claim.range, count > 0 else { return nil }
      let lower = firstRank + knownCount(above: range.upper) + above
      let upper = firstRank + knownCount(above: range.lower) + above + count
      defer { above += count }
      return Stretch(
        ranks: lower..<max(lower, upper), above: above, count: count, cut: range.upper,
        end: range.lower)
    }
    isConfirmed = claims.allSatisfy { $0.answers >= Doubts.Claim.late.answers }
    (wasRight, hasAskedEnd) = (isConfirmed, windows > 0)
  }

  /// How many are not found yet.
  package var count: Int { stretches.reduce(0) { $0 + $1.count } }

  /// Whether so many windows were requested that the search ends.
  package var isSpent: Bool { windows >= LateArrivals.windowsMax }

  /// The rank around which a window shows most of where they are; nil when all are found, or too
  /// many windows were requested.
  package mutating func nextRank(perPageMax: Int, paging: Paging) -> Int? {
    guard count > 0, !isSpent, !isStuck else { return nil }
    // Where the last known one stood a wrong total shows immediately.
    var places = [firstRank + known.count - perPageMax / 2]
    if isConfirmed || hasAskedEnd {
      places = stretches.sorted { $0.ranks.count > $1.ranks.count }
        .compactMap { place(in: $0, perPageMax: perPageMax) }
    }
    guard let rank = places.first else { return nil }
    windows += 1
    hasAskedEnd = true
    let start = max(0, min(rank, paging.reachMax - perPageMax))
    let window = paging.window(from: start, beyond: start + 1, perPageMax: perPageMax)
    return window.map { _ in start + 1 }
  }

  /// The rank from which a window shows most of a stretch; nil where all of it lies in one second.
  private func place(in stretch: Stretch, perPageMax: Int) -> Int? {
    let ranks = stretch.ranks
    let middle = (ranks.lowerBound + ranks.upperBound - perPageMax) / 2
    let rank = ranks.count <= perPageMax - 2 ? ranks.lowerBound - 1 : middle
    // Two seconds may share ranks where the list has moved: the larger one, always the same.
    let blind = blind.values.filter {
      $0.count >= perPageMax / 2 && $0.contains(max(rank, ranks.lowerBound))
    }.max { ($0.count, $0.lowerBound) < ($1.count, $1.lowerBound) }
    guard let blind else { return rank }
    // Out of the second upwards, else downwards. Pages begin at few ranks, so that one may end a
    // little early.
    if blind.lowerBound > ranks.lowerBound { return blind.lowerBound - perPageMax * 3 / 4 }
    return blind.upperBound < ranks.upperBound ? blind.upperBound - perPageMax / 4 : nil
  }

  /// Learns from an answer where seconds begin and end in the list.
  package mutating func note(_ evidence: Evidence, total: Int?) {
    // What came or went since the look stands above, for the most part.
    let drift = total.flatMap { now in self.total.map { now - $0 } } ?? 0
    let inOrder = evidence.inOrder
    guard !inOrder.isEmpty else {
      // Nothing stands where the last known one stood: the total was wrong.
      if !isConfirmed { (isConfirmed, stretches) = (true, []) }
      isStuck = true
      return
    }
    let before = (stretches, blind)
    defer { isStuck = before == (stretches, blind) }
    noteEnds(of: inOrder, drift: drift)
    guard evidence.lower < evidence.upper else { return }
    let start = inOrder.first { evidence.upper.position > $0.position }?.rank ?? evidence.rankBelow
    let ranks = start - drift..<max(start, evidence.rankBelow) - drift
    let knownAboveBottom = knownCount(above: evidence.lower)
    let edges = Edges(
      ranks: ranks, upper: evidence.upper, lower: evidence.lower,
      aboveTop: ranks.lowerBound - firstRank - knownCount(above: evidence.upper),
      aboveBottom: ranks.upperBound - firstRank - knownAboveBottom,
      isLast: reachesEnd ? evidence.isEnd : knownAboveBottom == known.count)
    isConfirmed = true
    wasRight = wasRight || edges.aboveBottom > 0
    stretches = stretches.flatMap { $0.without(edges) }
  }

  /// Learns from an answer, and leaves out what is proven with it.
  package mutating func note(_ evidence: Evidence, total: Int?, proofs: [Proof]) {
    note(evidence, total: total)
    leaveOut(proofs)
  }

  /// Leaves out what was read on since the look was sent: nothing is in doubt there.
  package mutating func leaveOut(_ proofs: [Proof]) {
    let proofs = proofs.filter { $0.provenAt >= since }
    stretches = stretches.compactMap { stretch in
      var stretch = stretch
      for proof in proofs where proof.upper >= stretch.cut && proof.lower < stretch.cut {
        stretch.cut = proof.lower
      }
      return stretch.cut > stretch.end ? stretch : nil
    }
  }

  /// Learns where the seconds lie in which an answer begins and ends.
  package mutating func noteEnds(of inOrder: [Evidence.Placed], drift: Int = 0) {
    for second in Set([inOrder.first, inOrder.last].compactMap(\.?.position.order)) {
      let ranks = inOrder.filter { $0.position.order == second }.map { $0.rank - drift }
      guard let first = ranks.first, let last = ranks.last else { continue }
      let before = blind[second] ?? first..<last + 1
      blind[second] = min(before.lowerBound, first)..<max(before.upperBound, last + 1)
    }
  }

  /// How many of the known ones stand above a cut.
  private func knownCount(above cut: Cut) -> Int {
    known.partitioningIndex { !cut.isBelow($0) }
  }

  /// What a window shows at its two ends.
  struct Edges {
    /// The ranks of what it proved.
    var ranks: Range<Int>
    /// From where it proved.
    var upper: Cut
    /// How far it proved.
    var lower: Cut
    /// How many late ones stand above what it proved.
    var aboveTop: Int
    /// How many stand above what follows it.
    var aboveBottom: Int
    /// Whether nothing follows it in which late ones may be.
    var isLast: Bool
  }

  /// The gap above a stretch: from its cut to the first second that is known whole below it, or to
  /// the list's end. Nil where nothing is known there.
  package func gap(above stretch: Stretch) -> CutRange? {
    let open = stretch.cut.keyBelow
    let index = known.partitioningIndex { $0.order < open }
    guard index < known.count || reachesEnd else { return nil }
    let lower = index < known.count ? Cut.above(key: known[index].order) : .bottom
    return lower < stretch.cut ? CutRange(upper: stretch.cut, lower: lower) : nil
  }
}

extension LateArrivals.Stretch {
  /// What is left of it above and below a window.
  fileprivate func without(_ edges: LateArrivals.Edges) -> [LateArrivals.Stretch] {
    guard edges.ranks.upperBound > ranks.lowerBound, edges.ranks.lowerBound < ranks.upperBound
    else { return [self] }
    var upper = self
    upper.ranks = ranks.lowerBound..<max(ranks.lowerBound, edges.ranks.lowerBound)
    upper.count = upper.ranks.isEmpty ? 0 : min(max(0, edges.aboveTop - above), count)
    upper.end = max(end, edges.upper)
    var lower = self
    lower.ranks = min(ranks.upperBound, edges.ranks.upperBound)..<ranks.upperBound
    lower.above = edges.aboveBottom
    lower.count = max(0, above + count - edges.aboveBottom)
    lower.cut = edges.lower
    if edges.isLast || lower.ranks.isEmpty { lower.count = 0 }
    return [upper, lower].filter { $0.count > 0 }
  }
}
