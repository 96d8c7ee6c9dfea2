import Bytes

/// Places what one answer brought of a feed that comes whole: it is replaced as a whole.
///
/// The feed then shows the answer's own order, without gaps, and what is missing has left it.
/// Elements that keep their order keep their positions, so that cursors stay good; new ones are
/// placed between them, and one that moved up is placed again, for a reader who saw it has passed
/// its new place. Where one moved down, or left and comes back further down, a reader who saw it
/// would see it twice: then every element is placed again, above all that was, and no position that
/// was given out before is found any more.
package struct Replacement {
  /// The longest tie an inserted element gets; beyond it everything is placed again, so that a
  /// cursor stays short.
  static let tieBytesMax = 32

  private let page: Page
  /// All rows of the feed, tombstones included, in feed order.
  private let rows: [KnownElement]
  private let timeline: Timeline
  /// Where elements stand that the page does not show, top first.
  private let unshown: [Position]

  /// A replacement of what `rows` and `timeline` know by a page.
  package init(_ page: Page, rows: [KnownElement], timeline: Timeline) {
    self.page = page
    self.rows = rows
    self.timeline = timeline
    let shown = Set(page.items.map(\.item.id))
    unshown = rows.filter { $0.state != .removed && !shown.contains($0.id) }.map(\.position)
  }

  /// What the page proves: everything.
  package func evidence(window: Window, sentAt: Timestamp) -> Evidence {
    let kept = keepingPositions()
    let positions =
      kept ?? ObservedPosition.head(count: page.items.count, epoch: nextEpoch)
    let elements = zip(page.items, positions).map { slot, position in
      Evidence.Placed(position: position, rank: slot.index, isDisplaced: false, item: slot.item)
    }
    let first = positions.first ?? ObservedPosition.head(count: 1, epoch: nextEpoch)[0]
    var evidence = Evidence(
      window: window, sentAt: sentAt, elements: elements, upper: max(.above(first), top ?? .bottom),
      lower: .bottom, rankBelow: page.count, isTop: true, isEnd: true)
    evidence.showsAbsence = true
    evidence.omittedRanks = page.omitted
    evidence.unread = CutRange.unread(
      page.unusableIndices,
      among: zip(page.items, positions).map { CutRange.Neighbour(at: $1, index: $0.index) })
    if kept == nil { evidence.lostRuns = timeline.runs }
    return evidence
  }

  private var top: Cut? { timeline.proofs.first?.upper }

  private var nextEpoch: Int64 {
    let highest = [top?.position, rows.first?.position].compactMap(\.self).max()
    return highest.map { ObservedPosition.epoch(of: $0) + 1 } ?? 1
  }

  /// A position for each of the page's elements, falling; nil when what was given out before cannot
  /// stand.
  private func keepingPositions() -> [Position]? {
    let standing = Dictionary(
      rows.filter { $0.state != .removed }.map { ($0.id, $0.position) },
      uniquingKeysWith: { first, _ in first })
    let known = page.items.map { standing[$0.item.id] }
    let placed = placed(among: known)
    // Rows are in feed order: the first of an identity is the highest place it ever had.
    let highest = Dictionary(
      rows.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first })
    let isSound = zip(placed, page.items).allSatisfy { new, slot in
      new.tie.count <= Replacement.tieBytesMax && highest[slot.item.id].map { new >= $0 } ?? true
    }
    return isSound ? placed : nil
  }

  /// Positions where the elements that keep their order keep their place.
  private func placed(among known: [Position?]) -> [Position] {
    let met = known.indices.filter { known[$0] != nil }
    let marks = longestFallingSubsequence(met.compactMap { known[$0] })
    let kept = zip(met, marks).filter(\.1).map(\.0)
    var placed: [Position] = []
    for slot in kept {
      guard let position = known[slot] else { continue }
      placed += positions(placed.count..<slot, after: placed.last, before: position)
      placed.append(position)
    }
    return placed + positions(placed.count..<known.count, after: placed.last, before: nil)
  }

  /// Free positions for the slots between two kept ones; nil is the top, or the bottom.
  private func positions(
    _ slots: Range<Int>, after: Position?, before: Position?
  ) -> [Position] {
    guard !slots.isEmpty else { return [] }
    let first = after.map { upper in unshown.partitioningIndex { $0 < upper } } ?? 0
    let last = before.map { lower in unshown.partitioningIndex { $0 <= lower } } ?? unshown.count
    let hidden = Array(unshown[min(first, last)..<last])
    let interleaving = Interleaving(
      indices: slots.map { page.items[$0].index },
      after: slots.lowerBound == 0 ? -1 : page.items[slots.lowerBound - 1].index,
      before: slots.upperBound == page.items.count
        ? page.count : page.items[slots.upperBound].index,
      known: hidden.count, depth: { _ in before == nil ? hidden.count : 0 })
    return interleaving.groups.flatMap { group in
      positions(
        count: group.offsets.count,
        after: group.depth == 0 ? after : hidden[group.depth - 1],
        before: group.depth < hidden.count ? hidden[group.depth] : before)
    }
  }

  private func positions(count: Int, after: Position?, before: Position?) -> [Position] {
    guard count > 0 else { return [] }
    guard let after else { return ObservedPosition.head(count: count, epoch: nextEpoch) }
    guard let before else {
      let lowest = min(rows.last?.position ?? after, after)
      return ObservedPosition.extending(lowest, count: count)
    }
    // Right below the upper one may be a tombstone, whose place stays its own.
    let next = rows[rows.partitioningIndex { $0.position < after }...].first?.position ?? before
    return ObservedPosition.between(after, max(next, before), count: count)
  }
}
