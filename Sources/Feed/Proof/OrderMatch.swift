/// What one window's answer shows of a feed whose order is the upstream's own.
///
/// Nothing in an item shows its place, so a window is tied to what is known by sight: by known
/// elements that stand in it in their known order. One alone proves nothing, for it may have moved;
/// ``anchorCount`` side by side do. Elements between them are placed between them, elements above a
/// head window's first known one get a new epoch, elements below a run's last known one extend it.
/// A known element met elsewhere has moved: it is placed again.
package struct OrderMatch {
  /// Known elements in their known order that tie a window to a run.
  package static let anchorCount = 3
  /// Elements that one answer may remove between what ties it without being asked for more: a few
  /// that stood side by side may have moved together.
  package static let takenAwayMax = 6
  /// As many side by side are needed where it would remove more: so many hardly move together.
  package static let farAnchorCount = 10
  /// Standing elements that may be passed over between two neighbours of a stretch: so many
  /// together are taken for deleted. More are a sign of a move.
  package static let passedOverMax = 2

  let page: Page
  let window: Window
  private let sentAt: Timestamp
  let timeline: Timeline
  let isEnd: Bool
  /// The first slot that is only believed to follow on those above it; beyond all where none is.
  let believed: Int
  /// Slots whose elements are known to stand in a run, top first, in order or not.
  private let met: [Anchor]

  struct Anchor {
    var slot: Int
    var position: Position
  }

  /// A sighting of a page; `known` is where its elements stand, as far as they do.
  package init(
    _ page: Page, to window: Window, sentAt: Timestamp,
    known: [Identity: KnownElement], timeline: Timeline, believed: Int = .max
  ) {
    self.believed = believed
    self.page = page
    self.window = window
    self.sentAt = sentAt
    self.timeline = timeline
    let isShort = page.isLast(of: window)
    isEnd = isShort && (page.count > 0 || (window.isTop && page.total ?? 0 == 0))
    met = page.items.indices.compactMap { slot in
      guard let element = known[page.items[slot].item.id], element.state != .removed,
        timeline.runs.contains(where: { $0.holds(element.position) })
      else { return nil }
      return Anchor(slot: slot, position: element.position)
    }
  }

  /// The part of the feed whose rows ``evidence(among:)`` needs; nil when it needs none.
  package var range: (upper: Cut, lower: Cut)? {
    guard let first = met.max(by: { $0.position < $1.position }),
      let last = met.min(by: { $0.position < $1.position })
    else { return nil }
    let upper = window.isTop ? timeline.proofs.first?.upper : nil
    // Down to the next run: what is found meanwhile comes between the two.
    let bottom = run(of: last)?.lower ?? .below(last.position)
    let next = timeline.nextRun(below: bottom)?.upper
    return (upper ?? .above(first.position), isEnd ? .bottom : next ?? .bottom)
  }

  /// What the page proves, given all rows of ``range`` in feed order; nil when it proves nothing.
  package func evidence(among rows: [KnownElement]) -> Evidence? {
    let standing = rows.filter { $0.state != .removed }.map(\.position)
    let anchors = anchors(among: unquestioned(rows))
    if anchors.isEmpty {
      return window.isTop ? headEvidence(among: rows) : nil
    }
    return evidence(from: anchors, standing, rows.map(\.position))
  }

  /// Where elements stand that an earlier answer showed, too, or this one shows: what lacked before
  /// is not removed by this answer.
  private func unquestioned(_ rows: [KnownElement]) -> [Position] {
    let shown = Set(met.map(\.position))
    return rows.filter {
      $0.state != .removed && ($0.missingSince == nil || shown.contains($0.position))
    }.map(\.position)
  }

  /// A head window that met no run: a run of its own, with a gap below unless the feed ends.
  ///
  /// Known elements in it have moved there, unless they came in their known order, as movers by
  /// chance do not: the rest may as well have gone from between them. Then it is not known where
  /// their runs stand now.
  private func headEvidence(among rows: [KnownElement]) -> Evidence {
    let positions = ObservedPosition.head(count: page.items.count, epoch: nextEpoch)
    let top = positions.first ?? ObservedPosition.head(count: 1, epoch: nextEpoch)[0]
    var evidence = evidence(
      placing: Dictionary(uniqueKeysWithValues: zip(page.items.indices, positions)),
      upper: .above(top))
    let inOrder = longestFallingSubsequence(met.map(\.position)).count { $0 }
    // Of n that moved one by one about 2 √n are in order, of 12 hardly ever 9; 4 in order are one
    // case in 24, 6 side by side one in 720.
    let isAmbiguous =
      met.count < 12
      ? met.count > 3 && inOrder == met.count : inOrder * inOrder > 5 * met.count + 4
    if isAmbiguous || mostSideBySide > 5 {
      evidence.lostRuns += timeline.runs.filter { run in
        met.contains { run.holds($0.position) } && !evidence.lostRuns.contains(run)
      }
    }
    return evidence
  }

  /// How many elements of the longest row of slots come in their known order.
  private var mostSideBySide: Int {
    var (most, count) = (0, 0)
    for (index, anchor) in met.enumerated() {
      let isNext = index > 0 && anchor.slot == met[index - 1].slot + 1
      count = isNext && anchor.position < met[index - 1].position ? count + 1 : 1
      most = max(most, count)
    }
    return most
  }

  private var nextEpoch: Int64 {
    timeline.proofs.map { ObservedPosition.epoch(of: $0.upper.position) }.max().map { $0 + 1 } ?? 1
  }

  /// The elements that tie the window to what is known: unbroken stretches of at least
  /// ``anchorCount`` that stand side by side in both, and everything of their runs in order with
  /// them. What stood between two of them and is not shown is gone from there, however much it was:
  /// the window shows all there is between. A window of the whole feed needs no tie, since nothing
  /// lies beyond it.
  private func anchors(among standing: [Position]) -> [Anchor] {
    var accepted: [Anchor] = []
    for stretch in stretches(among: standing).sorted(by: { $0.count > $1.count }) {
      let fits = accepted.allSatisfy { anchor in
        stretch.allSatisfy { isInOrder($0, anchor) }
      }
      let isFar = takenAway(between: stretch, and: accepted, standing) > OrderMatch.takenAwayMax
      if fits, !isFar || stretch.count >= OrderMatch.farAnchorCount { accepted += stretch }
    }
    guard !accepted.isEmpty || isWholeFeed else { return [] }
    let candidates = tied(to: accepted, standing)
    // As few as may be have moved; of two that changed places the upper one, as most go to the top.
    // What is placed below where it was is remembered for readers who passed there: ``Move``.
    return zip(candidates, longestFallingSubsequence(candidates.map(\.position)))
      .filter { $1 }.map { $0.0 }
  }

  /// What is in order with the accepted anchors, and near them: from each of them outwards, with
  /// only a few gone between one and the next.
  private func tied(to accepted: [Anchor], _ standing: [Position]) -> [Anchor] {
    if isWholeFeed { return met }
    let runs = timeline.runs.filter { run in accepted.contains { run.holds($0.position) } }
    var tied = accepted
    for anchor in Array(met.reversed()) + met {
      if !tied.contains(where: { $0.slot == anchor.slot }),
        runs.contains(where: { $0.holds(anchor.position) }),
        accepted.allSatisfy({ isInOrder(anchor, $0) }),
        takenAway(between: [anchor], and: tied, standing) <= OrderMatch.takenAwayMax
      {
        tied.append(anchor)
      }
    }
    return tied.sorted { $0.slot < $1.slot }
  }

  /// Whether the window shows the feed from its top to its end.
  private var isWholeFeed: Bool { window.isTop && isEnd }

  private func isInOrder(_ a: Anchor, _ b: Anchor) -> Bool {
    a.slot < b.slot ? a.position > b.position : a.position < b.position
  }

  /// Neighbouring slots whose elements are neighbours in one of the known runs too.
  private func stretches(among standing: [Position]) -> [[Anchor]] {
    var stretches: [[Anchor]] = []
    for anchor in met {
      if let last = stretches.last?.last, anchor.slot == last.slot + 1,
        anchor.position < last.position, run(of: last)?.holds(anchor.position) == true,
        count(of: standing, between: last, and: anchor) <= OrderMatch.passedOverMax
      {
        stretches[stretches.count - 1].append(anchor)
      } else {
        stretches.append([anchor])
      }
    }
    return stretches.filter { stretch in
      let known = stretch.first.flatMap(run).map { timeline.proofs[$0.proofs].map(\.count) } ?? []
      let isFar = takenAway(above: stretch[0], among: standing) > OrderMatch.takenAwayMax
      let needed = isFar ? OrderMatch.farAnchorCount : OrderMatch.anchorCount
      return stretch.count >= min(needed, max(1, known.reduce(0, +)))
    }
  }

  /// How many that stand above an anchor a window takes for gone: one from the top shows, of
  /// another the rank at which they were.
  private func takenAway(above anchor: Anchor, among standing: [Position]) -> Int {
    guard !window.isTop else {
      return standing.count { $0 > anchor.position }
        - met.count { $0.position > anchor.position }
    }
    let proof = timeline.proofs.first {
      !$0.upper.isBelow(anchor.position) && $0.lower.isBelow(anchor.position)
    }
    guard let proof else { return 0 }
    let below = standing.count { $0 <= anchor.position && proof.lower.isBelow($0) }
    return proof.rankBelow - below - (window.firstRank + index(of: anchor.slot))
  }

  /// How many that stand between a stretch and the nearest accepted anchor are taken for gone, if
  /// both hold. Of two runs nothing is known of what lies between.
  private func takenAway(
    between stretch: [Anchor], and accepted: [Anchor], _ standing: [Position]
  ) -> Int {
    guard let first = stretch.first, let last = stretch.last else { return 0 }
    let above = accepted.filter { $0.slot < first.slot }.max { $0.slot < $1.slot }
    let below = accepted.filter { $0.slot > last.slot }.min { $0.slot < $1.slot }
    // Between two that hold, what is gone is gone with or without it.
    if above != nil, below != nil { return 0 }
    var most = 0
    for (upper, lower) in [(above, first), (last, below)] {
      guard let upper, let lower, run(of: upper)?.holds(lower.position) == true else { continue }
      let between = met.count { $0.slot > upper.slot && $0.slot < lower.slot }
      most = max(most, count(of: standing, between: upper, and: lower) - between)
    }
    return most
  }

  private func count(of standing: [Position], between a: Anchor, and b: Anchor) -> Int {
    let (upper, lower) = (max(a.position, b.position), min(a.position, b.position))
    return standing.count { $0 < upper && $0 > lower }
  }

  func run(of anchor: Anchor) -> Timeline.Run? {
    timeline.runs.first { $0.holds(anchor.position) }
  }

  /// Places every element about its anchors.
  private func evidence(
    from anchors: [Anchor], _ standing: [Position], _ rows: [Position]
  ) -> Evidence? {
    guard let first = anchors.first, let last = anchors.last else { return nil }
    var placed: [Int: Position] = [:]
    for anchor in anchors { placed[anchor.slot] = anchor.position }
    var upper = Cut.above(first.position)
    if window.isTop, first.slot > 0 {
      let positions = ObservedPosition.head(count: first.slot, epoch: nextEpoch)
      placed.merge(zip(0..<first.slot, positions)) { _, new in new }
      upper = .above(positions[0])
    }
    for (a, b) in zip(anchors, anchors.dropFirst()) where b.slot - a.slot > 1 {
      placeBetween(a, b, standing, rows, into: &placed)
    }
    var doubted = doubtedAbove(first, standing)
    doubted += placeTail(after: last, standing, rows, into: &placed)
    var evidence = evidence(placing: placed, upper: upper, tiedTo: anchors)
    evidence.doubted = doubted
    return evidence
  }

  /// Where in the answer the element of a slot came, from 0, those that cannot be used counted.
  func index(of slot: Int) -> Int { page.items[slot].index }

  /// The evidence of the placed slots. The last element of a window that does not end the feed
  /// stays open, so that below a run there is always one that was seen.
  /// A window from the top shows that nothing stands above it, whatever did before.
  private func evidence(
    placing placed: [Int: Position], upper first: Cut, tiedTo anchors: [Anchor] = []
  ) -> Evidence {
    let head = window.isTop ? timeline.proofs.first?.upper : nil
    let upper = max(first, head ?? first)
    let slots = placed.keys.sorted()
    let elements = slots.compactMap { (slot) -> Evidence.Placed? in
      guard let position = placed[slot] else { return nil }
      return Evidence.Placed(
        position: position, rank: window.firstRank + page.items[slot].index, isDisplaced: false,
        item: page.items[slot].item)
    }
    let opensLast = !isEnd && slots.last == page.items.indices.last
    let covered = opensLast ? elements.dropLast() : elements[...]
    let lower = isEnd ? .bottom : covered.last.map { Cut.below($0.position) } ?? upper
    // Where the open one stood before it still stands: what is in it may be new.
    let isKnown = opensLast && slots.last == anchors.last?.slot
    var evidence = Evidence(
      window: window, sentAt: sentAt, elements: isKnown ? elements : Array(covered),
      upper: upper, lower: lower,
      rankBelow: covered.last.map { $0.rank + 1 } ?? window.firstRank,
      isTop: window.isTop, isEnd: isEnd)
    evidence.lostRuns = timeline.runs.filter { run in
      run.upper <= upper && run.lower >= lower && !anchors.contains { run.holds($0.position) }
    }
    evidence.unusableRanks = page.unusableIndices.map { window.firstRank + $0 }
    evidence.omittedRanks = page.omitted.map { window.firstRank + $0 }
    evidence.unread = CutRange.unread(
      page.unusableIndices,
      among: anchors.map { CutRange.Neighbour(at: $0.position, index: index(of: $0.slot)) })
    return evidence
  }
}

extension Timeline.Run {
  /// Whether an element at this position stands in the run.
  func holds(_ position: Position) -> Bool { range.holds(position) }
}
