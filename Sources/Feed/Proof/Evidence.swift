/// What one window's answer proves of a feed ordered by value.
///
/// All elements of a window stood in one answer, so of every second strictly between its first
/// and last element's it shows all there were. The first element's second may go on above the
/// window and the last one's below it: those two stay *open*. A window from the top shows all
/// that was written up to two seconds before the upstream's own `Date`; a window that ends the
/// feed shows all down to the bottom.
package struct Evidence: Hashable, Sendable {
  /// The window asked for.
  package var window: Window
  /// When it was sent.
  package var sentAt: Timestamp
  /// Every good element with its place, in the upstream's order.
  package var elements: [Placed]
  /// Ranks of elements it shows that cannot be used: without a date, or broken.
  package var unusableRanks: [Int] = []
  /// Ranks of those of them that readers lack.
  package var omittedRanks: [Int] = []
  /// The range of which it shows everything; `upper` equals `lower` where it shows nothing.
  package var upper: Cut
  /// The range's lower bound.
  package var lower: Cut
  /// The rank of the first element below `lower`.
  package var rankBelow: Int
  /// Runs of which it shows that their place among the others is no longer known: nothing of them
  /// stands where they were, or not enough to tell. Cursors into them must not be followed.
  package var lostRuns: [Timeline.Run] = []
  /// Ranges that were proven and are so no longer: it shows that others came there, and not which.
  package var doubted: [CutRange] = []
  /// Places in its range that it does not prove, for now: it shows an element there that cannot be
  /// used.
  package var unproven: [CutRange] = []
  /// Whether it begins at the top.
  package var isTop: Bool
  /// Whether the feed ends in it.
  package var isEnd: Bool
  /// Where elements came that cannot be used; any may be a known item that looks absent, so
  /// absence is not concluded here:
  /// everywhere else what the evidence lacks was not there.
  package var unread: [CutRange] = []
  /// What it is believed by that its first element follows on the one above its range; nil where
  /// the answer itself shows it.
  package var belief: JoinProof?
  /// Elements that it does not show but an earlier answer did, which it goes on from: where they
  /// stand is known, and what is in them may have changed since.
  package var remembered: Set<Identity> = []
  /// Whether what it does not show has left the feed, without a second answer that says so.
  package var showsAbsence = false

  /// An element, its place, and its rank in the answer.
  package struct Placed: Hashable, Sendable {
    /// Where its key puts it.
    package var position: Position
    /// Where the upstream put it, from 0 at the top.
    package var rank: Int
    /// Whether the two disagree: then it proves and refutes nothing.
    package var isDisplaced: Bool
    /// The element.
    package var item: PageItem
  }

  /// An item dated this far ahead of the upstream's `Date` is not being written now.
  static let aheadSecondsMax: Int64 = 60

  /// Evidence from its parts, for feeds that are not ordered by value: see ``OrderMatch``.
  package init(
    window: Window, sentAt: Timestamp, elements: [Placed], upper: Cut, lower: Cut, rankBelow: Int,
    isTop: Bool, isEnd: Bool
  ) {
    self.window = window
    self.sentAt = sentAt
    self.elements = elements
    self.upper = upper
    self.lower = lower
    self.rankBelow = rankBelow
    self.isTop = isTop
    self.isEnd = isEnd
  }

  /// The evidence of an answer. `top` says which keys a window of the top shows whole.
  package init(_ page: Page, to window: Window, sentAt: Timestamp, top: SettledTop) {
    self.window = window
    belief = window.belief
    self.sentAt = sentAt
    isTop = window.isTop
    elements = Evidence.placed(page, in: window)
    let usable = Set(elements.map(\.rank))
    unusableRanks = (window.firstRank..<window.firstRank + page.count).filter {
      !usable.contains($0)
    }
    omittedRanks = page.omitted.map { window.firstRank + $0 }
    let inOrder = elements.filter { !$0.isDisplaced }
    unread = CutRange.unread(
      unusableRanks,
      among: inOrder.map { CutRange.Neighbour(key: $0.position.order, index: $0.rank) })
    isEnd =
      page.isLast(of: window)
      && (isTop ? page.count > 0 || page.total ?? 0 == 0 : !inOrder.isEmpty)

    let first = inOrder.first?.position.order
    let last = inOrder.last?.position.order
    if isTop {
      upper = .above(key: top.key(first: first))
    } else {
      upper = first.map(Cut.below(key:)) ?? .bottom
      // What was asked for by its key begins there, whatever has gone from it.
      if let keyMax = window.keyMax { upper = max(upper, .above(key: keyMax)) }
    }
    lower = isEnd ? .bottom : last.map(Cut.above(key:)) ?? upper
    lower = min(lower, upper)
    let bound = lower
    rankBelow =
      inOrder.first { !bound.isBelow($0.position) }?.rank
      ?? window.firstRank + page.count
  }

  /// The evidence of a second that was counted whole over several answers.
  package init(_ tieCount: TieCount, window: Window) {
    self.window = window
    belief = window.belief
    sentAt = tieCount.provenAt
    isTop = false
    upper = .above(key: tieCount.key)
    lower = tieCount.lower ?? .below(key: tieCount.key)
    isEnd = lower == .bottom
    rankBelow = tieCount.rankBelow ?? window.endRank
    if tieCount.hasUnusable { unread = [CutRange(upper: upper, lower: lower)] }
    let first = rankBelow - tieCount.members.count
    elements = tieCount.members.values.sorted { $0.id > $1.id }.enumerated().map { index, item in
      Placed(
        position: Position(order: tieCount.key, tie: item.id.bytes), rank: first + index,
        isDisplaced: false, item: item)
    }
  }

  /// The range of which it shows everything.
  package var range: CutRange { CutRange(upper: upper, lower: lower) }

  /// The elements that stand where their keys put them, top first.
  package var inOrder: [Placed] { elements.filter { !$0.isDisplaced } }

  /// The elements that stand in the proven range.
  package var covered: [Placed] {
    elements.filter { !$0.isDisplaced && range.holds($0.position) }
  }

  /// Has it begin with its first element below a cut: nothing ties that to what stands above.
  package mutating func standApart(from cut: Cut) {
    elements.removeAll { cut.isBelow($0.position) }
    if let first = elements.first?.position { upper = min(upper, .above(first)) }
  }

  /// Whether what is known at a position, and not shown, was not there.
  package func refutes(_ position: Position) -> Bool {
    !unread.contains { $0.holds(position) }
  }

  private static func placed(_ page: Page, in window: Window) -> [Placed] {
    let dated = page.items.compactMap { slot in slot.item.key.map { (slot, $0) } }
    let inOrder = longestFallingSubsequence(dated.map(\.1))
    return zip(dated, inOrder).map { entry, isInOrder in
      Placed(
        position: Position(order: entry.1, tie: entry.0.item.id.bytes),
        rank: window.firstRank + entry.0.index,
        isDisplaced: !isInOrder,
        item: entry.0.item)
    }
  }
}
