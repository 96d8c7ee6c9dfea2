/// What one window's answer shows of a feed whose order is the upstream's own.
///
/// Nothing in an item tells its place, so a window is tied to what is known by sight: by known
/// elements that stand in it in their known order. One alone proves nothing, for it may have moved;
/// ``sightCount`` side by side do. Elements between them are placed between them, elements
/// above a head window's first known one get a new epoch, elements below a run's last known one
/// extend it. A known element met elsewhere has moved: it is placed anew.
package struct Sighting {
  /// Known elements in their known order that tie a window to a run.
  package static let sightCount = 3
  /// As many are needed where the window would take away more than so many elements: three that
  /// stood side by side may have moved together.
  package static let farSightCount = 6
  /// Standing elements that may be passed over between two neighbours of a stretch: so many at
  /// once are taken for deleted. More are a sign of a move.
  package static let passedOverMax = 2

  private let page: Page
  private let window: Window
  private let sentAt: Timestamp
  private let timeline: Timeline
  private let isEnd: Bool
  /// Slots whose elements are known to stand in a run, top first, in order or not.
  private let met: [Anchor]

  private struct Anchor {
    var slot: Int
    var position: Position
    /// Whether it was missing at its position for as long as makes sure that it has left it.
    var isGone = false
  }

  /// A sighting of a page; `known` is where its elements stand, as far as they do. One that was
  /// missing there for `goneAfter` has left.
  package init(
    _ page: Page, to window: Window, sentAt: Timestamp,
    known: [Identity: KnownElement], goneAfter: Duration, timeline: Timeline
  ) {
    self.page = page
    self.window = window
    self.sentAt = sentAt
    self.timeline = timeline
    let isShort = page.count < window.perPage && !page.hasNext
    isEnd = isShort && (page.count > 0 || (window.page == 1 && page.total ?? 0 == 0))
    met = page.items.indices.compactMap { slot in
      guard let element = known[page.items[slot].item.id], element.state != .removed,
        timeline.runs.contains(where: { $0.holds(element.position) })
      else { return nil }
      let isGone = element.missingSince.map { sentAt - $0 >= goneAfter } ?? false
      return Anchor(slot: slot, position: element.position, isGone: isGone)
    }
  }

  /// The part of the feed whose rows ``evidence(among:)`` needs; nil when it needs none.
  package var range: (upper: Cut, lower: Cut)? {
    guard let first = met.max(by: { $0.position < $1.position }),
      let last = met.min(by: { $0.position < $1.position })
    else { return nil }
    let upper = window.page == 1 ? timeline.proofs.first?.upper : nil
    let lower = isEnd ? .bottom : run(of: last)?.lower ?? .below(last.position)
    return (upper ?? .above(first.position), lower)
  }

  /// What the page proves, given all rows of ``range`` in feed order; nil when it proves nothing.
  package func evidence(among rows: [KnownElement]) -> Evidence? {
    let standing = rows.filter { $0.state != .removed }.map(\.position)
    let anchors = anchors(among: standing)
    if anchors.isEmpty {
      return window.page == 1 ? headEvidence(among: rows) : nil
    }
    return evidence(from: anchors, standing, rows.map(\.position))
  }

  /// A head window that met no run: a run of its own, with a gap below unless the feed ends.
  ///
  /// Known elements in it have moved there, unless they came in their known order, as movers by
  /// chance do not: the rest may as well have gone from between them. Then nobody can tell where
  /// their runs stand now.
  private func headEvidence(among rows: [KnownElement]) -> Evidence {
    let positions = ObservedPosition.head(count: page.items.count, epoch: nextEpoch)
    let top = positions.first ?? ObservedPosition.head(count: 1, epoch: nextEpoch)[0]
    var evidence = evidence(
      placing: Dictionary(uniqueKeysWithValues: zip(page.items.indices, positions)),
      upper: .above(top))
    let inOrder = longestFallingSubsequence(met.map(\.position)).count { $0 }
    // Of 12 that moved about 6 are in order, and hardly ever 9; 4 in order are one case in 24.
    let isAmbiguous =
      met.count < 12 ? met.count > 3 && inOrder == met.count : 4 * inOrder >= 3 * met.count
    if isAmbiguous {
      evidence.lostRuns += timeline.runs.filter { run in
        met.contains { run.holds($0.position) } && !evidence.lostRuns.contains(run)
      }
    }
    return evidence
  }

  private var nextEpoch: Int64 {
    timeline.proofs.map { ObservedPosition.epoch(of: $0.upper.position) }.max().map { $0 + 1 } ?? 1
  }

  /// The elements that tie the window to what is known: unbroken stretches of at least
  /// ``sightCount`` that stand side by side in both, and everything of their runs in order with
  /// them. What stood between two of them and is not shown is gone from there, however much it was:
  /// the window shows all there is between. A window of the whole feed needs no tie, since nothing
  /// lies beyond it.
  private func anchors(among standing: [Position]) -> [Anchor] {
    var accepted: [Anchor] = []
    for stretch in stretches(among: standing).sorted(by: { $0.count > $1.count }) {
      let fits = accepted.allSatisfy { anchor in
        stretch.allSatisfy { isInOrder($0, anchor) }
      }
      if fits { accepted += stretch }
    }
    guard !accepted.isEmpty || isWholeFeed else { return [] }
    let tied = timeline.runs.filter { run in accepted.contains { run.holds($0.position) } }
    let candidates = met.filter { candidate in
      (isWholeFeed || tied.contains { $0.holds(candidate.position) })
        && accepted.allSatisfy { candidate.slot == $0.slot || isInOrder(candidate, $0) }
    }
    // What moves goes to the top. So of two that changed places the lower one stayed, and nothing
    // is ever placed below where it was: a reader may have passed there.
    var anchors: [Anchor] = []
    for candidate in candidates.reversed()
    where anchors.last.map({ isInOrder(candidate, $0) }) ?? true {
      anchors.append(candidate)
    }
    return anchors.reversed()
  }

  /// Whether the window shows the feed from its top to its end.
  private var isWholeFeed: Bool { window.page == 1 && isEnd }

  private func isInOrder(_ a: Anchor, _ b: Anchor) -> Bool {
    a.slot < b.slot ? a.position > b.position : a.position < b.position
  }

  /// Neighbouring slots whose elements are neighbours in one of the known runs too.
  private func stretches(among standing: [Position]) -> [[Anchor]] {
    var stretches: [[Anchor]] = []
    for anchor in met {
      if let last = stretches.last?.last, anchor.slot == last.slot + 1,
        anchor.position < last.position, run(of: last)?.holds(anchor.position) == true,
        count(of: standing, between: last, and: anchor) <= Sighting.passedOverMax
      {
        stretches[stretches.count - 1].append(anchor)
      } else {
        stretches.append([anchor])
      }
    }
    return stretches.filter { stretch in
      let known = stretch.first.flatMap(run).map { timeline.proofs[$0.proofs].map(\.count) } ?? []
      let isFar = takenAway(above: stretch[0], among: standing) > Sighting.farSightCount
      let needed = isFar ? Sighting.farSightCount : Sighting.sightCount
      return stretch.count >= min(needed, max(1, known.reduce(0, +)))
    }
  }

  /// How many that stand above an anchor a window from the top takes for gone.
  private func takenAway(above anchor: Anchor, among standing: [Position]) -> Int {
    guard window.page == 1 else { return 0 }
    return standing.count { $0 > anchor.position }
      - met.count { $0.position > anchor.position }
  }

  private func count(of standing: [Position], between a: Anchor, and b: Anchor) -> Int {
    let (upper, lower) = (max(a.position, b.position), min(a.position, b.position))
    return standing.count { $0 < upper && $0 > lower }
  }

  private func run(of anchor: Anchor) -> Timeline.Run? {
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
    if window.page == 1, first.slot > 0 {
      let positions = ObservedPosition.head(count: first.slot, epoch: nextEpoch)
      placed.merge(zip(0..<first.slot, positions)) { _, new in new }
      upper = .above(positions[0])
    }
    for (a, b) in zip(anchors, anchors.dropFirst()) where b.slot - a.slot > 1 {
      placeBetween(a, b, standing, rows, into: &placed)
    }
    placeTail(after: last, standing, rows, into: &placed)
    // What stands further up is not given a second place below it, since a reader may have passed,
    // before it has been missing there for a while.
    for anchor in met where !anchor.isGone {
      if let position = placed[anchor.slot], position < anchor.position {
        placed[anchor.slot] = nil
      }
    }
    return evidence(placing: placed, upper: upper, tiedTo: anchors)
  }

  /// Places what stands between two anchors: of one run between what is known there, of two runs
  /// as an extension of the upper run, which the lower one then joins.
  private func placeBetween(
    _ a: Anchor, _ b: Anchor, _ standing: [Position], _ rows: [Position],
    into placed: inout [Int: Position]
  ) {
    let slots = (a.slot + 1)..<b.slot
    if let run = run(of: a), !run.holds(b.position) {
      let positions = ObservedPosition.extending(run.lower.position, count: slots.count)
      placed.merge(zip(slots, positions)) { _, new in new }
      return
    }
    let known = standing.filter { $0 < a.position && $0 > b.position }
    place(slots, below: a, above: b, among: known, rows, into: &placed)
  }

  /// Extends the run below its last anchor. Where more known elements stand there than the
  /// window still shows, they may only have been pushed down by others: then it proves no further
  /// than the anchor.
  private func placeTail(
    after last: Anchor, _ standing: [Position], _ rows: [Position],
    into placed: inout [Int: Position]
  ) {
    let slots = (last.slot + 1)..<page.items.count
    guard let run = run(of: last), !slots.isEmpty else { return }
    let known = standing.filter { $0 < last.position && run.holds($0) }
    guard isEnd || (known.count <= slots.count && !run.reachesEnd) else { return }
    guard run.reachesEnd else {
      // A reader may stand at the end of the run: all that was not proven yet comes after it.
      let bottom = min(run.lower.position, last.position)
      let positions = ObservedPosition.extending(bottom, count: slots.count)
      placed.merge(zip(slots, positions)) { _, new in new }
      return
    }
    place(slots, below: last, above: nil, among: known, rows, into: &placed)
  }

  /// Places slots below an anchor and above another, or the end of the run, among known elements
  /// there that are not shown.
  private func place(
    _ slots: Range<Int>, below a: Anchor, above b: Anchor?, among known: [Position],
    _ rows: [Position], into placed: inout [Int: Position]
  ) {
    let interleaving = Interleaving(
      indices: slots.map(index), after: index(of: a.slot),
      before: b.map { index(of: $0.slot) } ?? page.count, known: known.count,
      depth: b == nil ? known.count : 0)
    for group in interleaving.groups {
      let upper = group.depth == 0 ? a.position : known[group.depth - 1]
      let next = rows.first { $0 < upper }
      let lower =
        b.map { max(next ?? $0.position, $0.position) }
        ?? (group.depth < known.count ? next : nil)
      let count = group.offsets.count
      let positions =
        lower.map { ObservedPosition.between(upper, $0, count: count) }
        ?? ObservedPosition.extending(bottom(below: a, rows), count: count)
      placed.merge(zip(group.offsets.map { slots.lowerBound + $0 }, positions)) { _, new in new }
    }
  }

  /// The lowest place ever taken in an anchor's run.
  private func bottom(below anchor: Anchor, _ rows: [Position]) -> Position {
    let run = run(of: anchor)
    return min(rows.last { run?.holds($0) == true } ?? anchor.position, anchor.position)
  }

  /// Where in the answer the element of a slot came, from 0, those that cannot be used counted.
  private func index(of slot: Int) -> Int { page.items[slot].index }

  /// The evidence of the placed slots. The last element of a window that does not end the feed
  /// stays open, so that below a run there is always one that was seen.
  /// A window from the top shows that nothing stands above it, whatever did before.
  private func evidence(
    placing placed: [Int: Position], upper first: Cut, tiedTo anchors: [Anchor] = []
  ) -> Evidence {
    let head = window.page == 1 ? timeline.proofs.first?.upper : nil
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
    var evidence = Evidence(
      window: window, sentAt: sentAt, elements: Array(covered), upper: upper, lower: lower,
      rankBelow: covered.last.map { $0.rank + 1 } ?? window.firstRank,
      isTop: window.page == 1, isEnd: isEnd)
    evidence.lostRuns = timeline.runs.filter { run in
      run.upper <= upper && run.lower >= lower && !anchors.contains { run.holds($0.position) }
    }
    evidence.unread = CutRange.unread(
      page.unusableIndices,
      among: anchors.map { CutRange.Neighbour(at: $0.position, index: index(of: $0.slot)) })
    return evidence
  }
}

extension Timeline.Run {
  /// Whether an element at this position stands in the run.
  func holds(_ position: Position) -> Bool {
    lower.isBelow(position) && !upper.isBelow(position)
  }
}
