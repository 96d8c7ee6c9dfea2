/// Elements that came into what was proven, below all that a look at the top shows: the feed has
/// grown by more than the look shows as new.
///
/// The proofs stay what they are, statements about their instant; but until it is known where the
/// late ones stand, whoever reads on finds a gap below the look. Where they stand is told by ranks:
/// a known element that stands so many ranks further down than it would has so many late ones above
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
  }

  /// The most windows asked for; what is not found by then is found by reading on.
  package static let windowsMax = 32

  /// Where the known elements below the look stand, top first, down to the end of its run.
  package let known: [Position]
  /// The rank of the first of them, if nothing came above it.
  package let firstRank: Int
  /// The total that the look told.
  package let total: Int?
  /// Where late ones may be, top first.
  package private(set) var stretches: [Stretch]
  /// Whether ranks have told whether there are any.
  package private(set) var isConfirmed = false
  /// Whether ranks have shown any.
  package private(set) var wasRight = false
  /// Windows that were asked for.
  package private(set) var windows = 0
  /// Windows that showed none that was known, and how far they proved.
  private var dark: [Dark] = []
  /// Whether the last one told nothing, as inside a large second: then reading on finds the rest.
  private var isStuck = false

  private struct Dark: Hashable {
    var ranks: Range<Int>
    var lower: Cut
  }

  /// So many late ones somewhere below a look that proved what is above `cut`; `windows` were asked
  /// for already, where some of them were looked for before.
  package init(
    count: Int, below cut: Cut, known: [Position], firstRank: Int, total: Int?, windows: Int = 0
  ) {
    self.windows = windows
    self.known = known
    self.firstRank = firstRank
    self.total = total
    let ranks = firstRank..<firstRank + known.count + count
    stretches = [Stretch(ranks: ranks, above: 0, count: count, cut: cut)]
  }

  /// How many are not found yet.
  package var count: Int { stretches.reduce(0) { $0 + $1.count } }

  /// Whether so many windows were asked for that it is given up.
  package var isSpent: Bool { windows >= LateArrivals.windowsMax }

  /// The window that tells most of where they are; nil when all are found, or too many were asked.
  package mutating func nextWindow(perPageMax: Int) -> Window? {
    guard !isSpent, !isStuck,
      let stretch = stretches.max(by: { $0.ranks.count < $1.ranks.count })
    else { return nil }
    windows += 1
    var rank = (stretch.ranks.lowerBound + stretch.ranks.upperBound - perPageMax) / 2
    if !isConfirmed {
      // Where the last known one stood: a wrong total shows at once.
      rank = firstRank + known.count - perPageMax / 2
    } else if let dark = dark.first(where: { stretch.ranks.contains($0.ranks.lowerBound) }) {
      // Pages begin at few ranks, so that one may end a little early.
      rank = dark.ranks.lowerBound - perPageMax * 3 / 4
    } else if stretch.ranks.count <= perPageMax - 2 {
      rank = stretch.ranks.lowerBound - 1
    }
    let start = max(0, min(rank, Window.reachMax - perPageMax))
    return Aim.window(from: start, beyond: start + 1, perPageMax: perPageMax)
  }

  /// Learns from an answer: what stood in it, in the order of ranks, and how far it proved.
  package mutating func note(
    _ shown: [(position: Position, rank: Int)], to lower: Cut, total: Int?
  ) {
    // What came or went since the look stands above, for the most part.
    let drift = total.flatMap { now in self.total.map { now - $0 } } ?? 0
    guard let first = shown.first, let last = shown.last, first.rank <= last.rank else {
      // Nothing stands where the last known one stood: the total was wrong.
      if !isConfirmed { (isConfirmed, stretches) = (true, []) }
      isStuck = true
      return
    }
    let before = (stretches, dark)
    defer {
      takeInDark()
      isStuck = before == (stretches, dark)
    }
    var edges = Edges(ranks: first.rank - drift..<last.rank - drift + 1, lower: lower)
    let met = shown.compactMap { element -> Int? in
      let index = known.partitioningIndex { $0 <= element.position }
      return index < known.count && known[index] == element.position ? index : nil
    }
    guard let top = met.first, let bottom = met.last else {
      dark.append(Dark(ranks: edges.ranks, lower: lower))
      return
    }
    edges.aboveTop = edges.ranks.lowerBound - firstRank - top
    edges.aboveBottom = edges.ranks.upperBound - firstRank - bottom - 1
    edges.isLast = bottom == known.count - 1 || lower == .bottom
    isConfirmed = true
    wasRight = wasRight || edges.aboveBottom > 0
    stretches = stretches.flatMap { $0.without(edges) }
  }

  /// Takes windows all of whose elements were late off the stretches at whose ends they lie.
  private mutating func takeInDark() {
    for dark in dark {
      stretches = stretches.flatMap { stretch -> [Stretch] in
        var stretch = stretch
        let (from, to) = (stretch.ranks.lowerBound, stretch.ranks.upperBound)
        if dark.ranks.lowerBound <= from, dark.ranks.upperBound > from {
          let read = min(dark.ranks.upperBound, to) - from
          stretch.ranks = from + read..<to
          stretch.above += read
          stretch.count -= read
          stretch.cut = dark.lower
        } else if dark.ranks.upperBound >= to, dark.ranks.lowerBound < to {
          stretch.ranks = from..<dark.ranks.lowerBound
          stretch.count -= to - dark.ranks.lowerBound
        }
        return stretch.count > 0 && !stretch.ranks.isEmpty ? [stretch] : []
      }
    }
  }

  /// What a window tells at its two ends.
  struct Edges {
    var ranks: Range<Int>
    /// How far it proved.
    var lower: Cut
    /// How many late ones stand above its first element.
    var aboveTop = 0
    /// How many stand above what follows its last one.
    var aboveBottom = 0
    /// Whether nothing that is known follows it.
    var isLast = false
  }

  /// The gap above a stretch: from its cut to the first second that is known whole below it. Nil
  /// where nothing is known there.
  package func gap(above stretch: Stretch) -> CutRange? {
    let open = stretch.cut.position.order &- 1
    let index = known.partitioningIndex { $0.order < open }
    guard index < known.count else { return nil }
    let lower = Cut.above(second: known[index].order)
    return lower < stretch.cut ? CutRange(upper: stretch.cut, lower: lower) : nil
  }
}

extension LateArrivals.Stretch {
  /// What is left of it above and below a window.
  fileprivate func without(_ edges: LateArrivals.Edges) -> [LateArrivals.Stretch] {
    guard ranks.overlaps(edges.ranks) else { return [self] }
    var upper = self
    upper.ranks = ranks.lowerBound..<max(ranks.lowerBound, edges.ranks.lowerBound)
    upper.count = upper.ranks.isEmpty ? 0 : min(max(0, edges.aboveTop - above), count)
    var lower = self
    lower.ranks = min(ranks.upperBound, edges.ranks.upperBound)..<ranks.upperBound
    lower.above = edges.aboveBottom
    lower.count = max(0, above + count - edges.aboveBottom)
    lower.cut = edges.lower
    if edges.isLast || lower.ranks.isEmpty { lower.count = 0 }
    return [upper, lower].filter { $0.count > 0 }
  }
}

/// Whether a feed's total may be taken as a sign of late arrivals: after it was a false one it is
/// not for a while, longer each time.
package struct TotalTrust: Hashable, Sendable {
  /// How long it is not taken as a sign the first time.
  package static let restMin = Duration.seconds(600)
  /// The longest time.
  package static let restMax = Duration.seconds(86_400)

  private var alarms = 0
  private var restsUntil: Timestamp?

  /// One that was never wrong.
  package init() {}

  /// Whether it may be taken as a sign now.
  package func holds(at now: Timestamp) -> Bool { restsUntil.map { $0 <= now } ?? true }

  /// Notes how a sign turned out.
  package mutating func note(wasRight: Bool, at now: Timestamp) {
    guard !wasRight else {
      self = TotalTrust()
      return
    }
    alarms += 1
    restsUntil = now + TotalTrust.restMin.doubled(for: alarms, upTo: TotalTrust.restMax)
  }
}
