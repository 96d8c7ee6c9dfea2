/// Finds the window that shows the place right below a cut, by interpolating `created_at`
/// between ranks: at most 8 windows for a feed of 10,000.
package struct Seek: Hashable, Sendable {
  /// The most windows a seek asks for.
  package static let windowsMax = 8

  /// The cut sought.
  package var target: Cut
  /// Windows asked so far.
  package var asked = 0
  /// The lowest place known to stand above the target.
  private var newer = Sample(rank: 0, second: nil)
  /// The highest place known to stand below it.
  private var older = Sample(rank: Window.reachMax, second: nil)

  private struct Sample: Hashable, Sendable {
    var rank: Int
    var second: Int64?
  }

  /// A seek that starts from what a timeline knows of ranks.
  package init(target: Cut, timeline: Timeline) {
    self.target = target
    for proof in timeline.proofs {
      let second = proof.lower.position.order
      if proof.lower > target {
        note(Sample(rank: max(0, proof.rankBelow - 1), second: second), isNewer: true)
      } else if proof.upper < target {
        let rank = proof.rankBelow - proof.count
        note(Sample(rank: rank, second: proof.upper.position.order), isNewer: false)
      }
    }
    if let total = timeline.total?.value {
      older.rank = min(older.rank, max(total, newer.rank + 1))
    }
  }

  /// Whether everything the upstream can show was found to stand above the target.
  package var isBeyondReach: Bool { newer.rank >= Window.reachMax - 1 }

  /// The next window; nil when the target cannot be reached.
  package func window(perPageMax: Int) -> Window? {
    guard asked < Seek.windowsMax, !isBeyondReach else { return nil }
    let width = older.rank - newer.rank
    if width <= perPageMax {
      return Aim.window(from: newer.rank, beyond: newer.rank, perPageMax: perPageMax)
    }
    let middle = min(max(estimate() - perPageMax / 2, newer.rank), older.rank - 1)
    let page = min(middle / perPageMax + 1, Window.pageMax)
    return Window(page: page, perPage: perPageMax)
  }

  /// Learns from the answer to its last window.
  package mutating func note(_ evidence: Evidence) {
    asked += 1
    let inOrder = evidence.elements.filter { !$0.isDisplaced }
    guard let first = inOrder.first, let last = inOrder.last else {
      note(Sample(rank: evidence.window.firstRank, second: nil), isNewer: false)
      return
    }
    if evidence.lower >= target {
      note(Sample(rank: last.rank, second: last.position.order), isNewer: true)
    } else if evidence.upper < target {
      note(Sample(rank: first.rank, second: first.position.order), isNewer: false)
    }
  }

  private mutating func note(_ sample: Sample, isNewer: Bool) {
    if isNewer, sample.rank >= newer.rank {
      newer = sample
      older.rank = max(older.rank, newer.rank + 1)
    } else if !isNewer, sample.rank <= older.rank {
      older = sample
      newer.rank = min(newer.rank, max(0, older.rank - 1))
    }
  }

  /// The rank where the target is guessed: by time while that is known on both sides and the
  /// guesses are young, by the middle afterwards, so that the search always ends.
  private func estimate() -> Int {
    let middle = (newer.rank + older.rank) / 2
    guard asked < 4, let above = newer.second, let below = older.second, above > below else {
      return middle
    }
    let (span, isTooLong) = above.subtractingReportingOverflow(target.position.order)
    guard !isTooLong else { return older.rank }
    let part = min(max(span, 0), above - below)
    let width = Int64(older.rank - newer.rank)
    return newer.rank
      + Int((above - below).dividingFullWidth(width.multipliedFullWidth(by: part)).quotient)
  }
}
