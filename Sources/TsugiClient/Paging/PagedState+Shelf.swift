/// What only the store has of a list: the segments above and below those in memory.
extension PagedState {
  /// A segment that only the store has.
  struct Shelved: Sendable {
    /// Its items, in feed order.
    var ids: [Item.ID]
    /// The places of its ends.
    var start: FeedCursor
    var end: FeedCursor
    /// What had changed when it was read.
    var seq: SequenceNumber?
    /// Whether there is a gap between it and the segment above.
    var hasGapAbove: Bool
  }

  /// The segments on both sides, in feed order, and what lies beyond them.
  struct Shelf: Sendable {
    var above: [Shelved] = []
    var below: [Shelved] = []
    /// Whether there is a gap between those above and what is in memory.
    var hasGapBetween = false
    /// What was known of the ends of the list when its ends left the memory.
    var hasPrevious = false
    var hasMore = true
    var endReason: FeedEndReason?

    func contains(_ id: Item.ID) -> Bool {
      above.contains { $0.ids.contains(id) } || below.contains { $0.ids.contains(id) }
    }

    mutating func remove(_ ids: Set<Item.ID>) {
      guard !ids.isEmpty else { return }
      for index in above.indices { above[index].ids.removeAll(where: ids.contains) }
      for index in below.indices { below[index].ids.removeAll(where: ids.contains) }
    }

    mutating func insert(_ id: Item.ID, below neighbour: Item.ID, at cursor: FeedCursor) {
      Self.insert(id, below: neighbour, at: cursor, in: &above)
      Self.insert(id, below: neighbour, at: cursor, in: &below)
    }

    private static func insert(
      _ id: Item.ID, below neighbour: Item.ID, at cursor: FeedCursor, in side: inout [Shelved]
    ) {
      for index in side.indices {
        guard let place = side[index].ids.firstIndex(of: neighbour) else { continue }
        side[index].ids.insert(id, at: place + 1)
        if place + 2 == side[index].ids.count { side[index].end = cursor }
      }
    }
  }

  /// The first segment leaves the memory.
  mutating func shelveTop() {
    let segment = content.segments[0]
    if shelf.above.isEmpty { (shelf.hasPrevious, shelf.hasGapBetween) = (hasPrevious, false) }
    shelf.above.append(shelved(segment, 0, hasGapAbove: shelf.hasGapBetween))
    shelf.hasGapBetween = content.segments.dropFirst().first?.gapAbove != nil
  }

  /// The last segment leaves the memory.
  mutating func shelveBottom() {
    guard let segment = content.segments.last else { return }
    if shelf.below.isEmpty { (shelf.hasMore, shelf.endReason) = (hasMore, endReason) }
    shelf.below.insert(
      shelved(
        segment, content.items.count - segment.count, hasGapAbove: segment.gapAbove != nil), at: 0)
  }

  private func shelved(
    _ segment: PagedItems<Item>.Segment, _ first: Int, hasGapAbove: Bool
  ) -> Shelved {
    Shelved(
      ids: content.items[first..<first + segment.count].map(\.id), start: segment.start,
      end: segment.end, seq: segment.seq, hasGapAbove: hasGapAbove)
  }

  /// Reads items from the store, as what a lane loads.
  mutating func read(_ lane: WritableKeyPath<Self, PagedLane>, _ ids: [Item.ID]) -> [Action] {
    let number = nextNumber()
    self[keyPath: lane].begin(number, SliceRequest())
    return [.read(number, ids)]
  }

  /// A read of the store brought what it has. Where something is missing the network is asked.
  mutating func unshelved(_ number: Int, _ items: [Item.ID: Item]) {
    if top.load?.number == number {
      while restoreAbove(items) {}
      topLoad = nil
      _ = top.abandon()
    } else if previous.load?.number == number {
      restoreAbove(items)
      previous.succeed()
      trim(towards: \.previous)
    } else if more.load?.number == number {
      restoreBelow(items)
      more.succeed()
      trim(towards: \.more)
    }
  }

  /// Takes the nearest segment above into memory; false where there is none.
  @discardableResult
  private mutating func restoreAbove(_ items: [Item.ID: Item]) -> Bool {
    guard let next = shelf.above.last else { return false }
    guard let piece = piece(next, items) else {
      (shelf.above, hasPrevious) = ([], true)
      return false
    }
    let gap = shelf.hasGapBetween ? nextNumber() : nil
    keepingPlace { state in
      state.content.replace(0..<0, with: [piece], gapBelow: gap)
      return []
    }
    shelf.above.removeLast()
    shelf.hasGapBetween = next.hasGapAbove
    if shelf.above.isEmpty { hasPrevious = shelf.hasPrevious }
    return !shelf.above.isEmpty
  }

  private mutating func restoreBelow(_ items: [Item.ID: Item]) {
    guard let next = shelf.below.first else { return }
    guard let piece = piece(next, items) else {
      (shelf.below, hasMore) = ([], true)
      return
    }
    let count = content.segments.count
    content.replace(
      count..<count, with: [piece], gapAbove: next.hasGapAbove ? nextNumber() : nil)
    shelf.below.removeFirst()
    if shelf.below.isEmpty { (hasMore, endReason) = (shelf.hasMore, shelf.endReason) }
  }

  private func piece(_ next: Shelved, _ items: [Item.ID: Item]) -> Piece? {
    let found = next.ids.compactMap { items[$0] }
    guard found.count == next.ids.count else { return nil }
    return Piece(items: found, start: next.start, end: next.end, seq: next.seq)
  }
}
