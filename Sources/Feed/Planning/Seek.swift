/// Finds the window that shows the place right below a cut, by interpolating `created_at`
/// between ranks: at most 8 windows for a feed of 10,000.
package struct Seek: Hashable, Sendable {
  /// The most windows a seek asks for: so many that halving finds any rank the upstream shows.
  private var windowsMax: Int {
    (1...Seek.windowsWithoutWall).first { reach(windows: $0) >= paging.reachMax }
      ?? Seek.windowsWithoutWall
  }
  /// The most where no wall and no total shows how long the list is.
  private static let windowsWithoutWall = 20

  /// The cut sought.
  package var target: Cut
  /// Whether what lies right above the target is sought, not what lies right below.
  package var takesLast: Bool
  /// Windows asked so far, with those of which nothing can be used.
  package var asked = 0
  /// Whether it goes on in the list that takes the feed's place past its wall (``Window/Segment``):
  /// there ranks are counted from that list's top.
  package private(set) var isPast = false
  /// The lowest place known to stand above the target.
  private var newer = Sample(rank: 0, key: nil)
  /// Whether the last answer showed nothing new, as inside a second larger than a window.
  private var isStuck = false
  /// The last window, and whether it was that of the answer before, and neither showed anything
  /// new.
  private var last: Window?
  private var isInVain = false
  /// The highest place whose key is known.
  private var first: Sample?
  /// The highest place known to stand below it.
  private var older: Sample
  /// How the upstream is asked.
  private let paging: Paging

  private struct Sample: Hashable, Sendable {
    var rank: Int
    var key: Int64?
  }

  /// A seek that starts from what a timeline knows of ranks.
  package init(target: Cut, takesLast: Bool = false, timeline: Timeline, paging: Paging) {
    self.target = target
    self.paging = paging
    older = Sample(rank: paging.reachMax, key: nil)
    self.takesLast = takesLast
    for proof in timeline.proofs {
      let key = proof.lower.position.order
      if proof.lower > target {
        note(Sample(rank: max(0, proof.rankBelow - 1), key: key), isNewer: true)
      } else if proof.upper < target {
        let rank = proof.rankBelow - proof.count
        note(Sample(rank: rank, key: proof.upper.position.order), isNewer: false)
      }
    }
    if let total = timeline.total?.value {
      older.rank = min(older.rank, max(total, newer.rank + 1))
    }
  }

  /// Whether so many windows were asked for that it ends, or a further one would be in vain.
  package var isSpent: Bool { asked >= windowsMax || isInVain }

  /// Whether everything the upstream can show was found to stand above the target.
  package var isBeyondReach: Bool { newer.rank >= paging.reachMax - 1 }

  /// The rank the target was found at, between two neighbours. Where it is sought still, no window
  /// showed whole what lies around it.
  package var place: Int? { asked > 0 && older.rank - newer.rank <= 1 ? older.rank : nil }

  /// The next window; nil when the target cannot be reached.
  ///
  /// It lies as near to the interpolated rank as leaves, whichever way the answer goes, no more
  /// ranks than the windows after it can halve away: so a feed of even pace is searched in about
  /// four windows, and one of bursts and silences still in eight.
  package func window(perPageMax: Int) -> Window? {
    guard !isSpent, !isBeyondReach, paging.isRanked else { return nil }
    if isStuck {
      let next = newer.rank + 1
      return paging.window(
        from: newer.rank - perPageMax / 2, beyond: newer.rank, perPageMax: perPageMax)
        ?? paging.window(from: next, beyond: next, perPageMax: perPageMax)
    }
    let bearable = isEndUnknown ? .max : reach(windows: windowsMax - asked - 1)
    let guess =
      isEndUnknown
      ? estimate()
      : max(
        min(estimate(), newer.rank + bearable, older.rank - 1), older.rank - bearable,
        newer.rank + 1)
    var best: (window: Window, cost: Int)?
    for window in paging.windows(showing: guess, perPageMax: perPageMax) {
      let rest = rest(around: window)
      let margin = min(guess - window.firstRank, window.endRank - guess)
      let cost = rest > bearable ? rest : -margin
      if cost < best?.cost ?? .max { best = (window, cost) }
    }
    return best?.window
  }

  /// Whether nothing shows how long the list is: then ever longer leaps find a place below the
  /// target.
  private var isEndUnknown: Bool { !paging.hasWall && older.rank == paging.reachMax }
  /// By how much a leap multiplies the rank.
  private static let leap = 8

  /// How many ranks may still hold the target after a window that does not show it.
  private func rest(around window: Window) -> Int {
    let above = max(0, window.firstRank - newer.rank)
    let isLast = window.endRank >= min(older.rank + 1, paging.reachMax)
    return max(above, isLast ? 0 : older.rank - window.endRank + 1)
  }

  /// How many ranks so many windows can search: around any rank but near the wall one shows half of
  /// its size or more, and leaves half of the others. Of 100: 1 → 50, 2 → 150, 8 → 12,750.
  private func reach(windows: Int) -> Int {
    ((1 << windows) - 1) * max(1, paging.perPageMax / 2)
  }

  /// Learns from the answer to its last window: a window that shows the target holds one of the
  /// elements that are of a newer second, and one of the others.
  package mutating func note(_ evidence: Evidence) {
    if evidence.window.segment != nil, !isPast { beginPast() }
    asked += 1
    let above = evidence.window.segment?.rank ?? 0
    let before = (newer, older)
    let inOrder = evidence.inOrder
    if inOrder.isEmpty {
      note(Sample(rank: evidence.window.firstRank - above, key: nil), isNewer: false)
    }
    if let last = inOrder.last(where: { isNewer($0.position.order) }) {
      note(Sample(rank: last.rank - above, key: last.position.order), isNewer: true)
    }
    if let first = inOrder.first(where: { !isNewer($0.position.order) }) {
      note(Sample(rank: first.rank - above, key: first.position.order), isNewer: false)
    }
    let wasStuck = isStuck
    isStuck = before == (newer, older)
    isInVain = wasStuck && isStuck && last == evidence.window
    last = evidence.window
  }

  /// Begins over in the list past the wall, of which nothing is known.
  private mutating func beginPast() {
    isPast = true
    (asked, first, last) = (0, nil, nil)
    newer = Sample(rank: 0, key: nil)
    older = Sample(rank: paging.reachMax, key: nil)
  }

  private func isNewer(_ key: Int64) -> Bool {
    takesLast ? .below(key: key) > target : .below(key: key) >= target
  }

  private mutating func note(_ sample: Sample, isNewer: Bool) {
    if sample.key != nil, sample.rank < first?.rank ?? .max { first = sample }
    if isNewer, sample.rank >= newer.rank {
      newer = sample
      older.rank = max(older.rank, newer.rank + 1)
    } else if !isNewer, sample.rank <= older.rank {
      older = sample
      newer.rank = min(newer.rank, max(0, older.rank - 1))
    }
  }

  /// The rank of the target if the feed goes on at the pace it has above; nil where none is known.
  private func extrapolated(from key: Int64) -> Int? {
    guard older.key == nil, let first, let above = first.key, newer.rank > first.rank else {
      return nil
    }
    let pace = (Double(above) - Double(key)) / Double(newer.rank - first.rank)
    let ranks = (Double(key) - Double(target.position.order)) / pace
    guard pace > 0, ranks >= 0, ranks < Double(older.rank - newer.rank) else { return nil }
    return newer.rank + Int(ranks)
  }

  /// The rank where the target is guessed: by time where that is known on both sides, by the pace
  /// of what is above where it is known there, else by the middle.
  private func estimate() -> Int {
    let middle =
      isEndUnknown
      ? Seek.leap * max(newer.rank, paging.perPageMax) : (newer.rank + older.rank) / 2
    guard let above = newer.key else { return middle }
    guard let below = older.key, above > below else {
      return extrapolated(from: above) ?? middle
    }
    let (span, isTooLong) = above.subtractingReportingOverflow(target.position.order)
    guard !isTooLong else { return older.rank }
    // Keys are what an upstream says, and may be any.
    let length = above.clampedSubtracting(below)
    let part = min(max(span, 0), length)
    let width = Int64(older.rank - newer.rank)
    return newer.rank
      + Int(length.dividingFullWidth(width.multipliedFullWidth(by: part)).quotient)
  }
}
