/// A list's items, each id once, and how they hang together.
///
/// They lie in segments: what one slice brought, with the cursors of its ends. Between two segments
/// there is either nothing, or a gap. Finding an item's index costs the same however many there
/// are: each item has a number, and the first one's number moves when items come or go above.
struct PagedItems<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// What one slice brought, as far as it is left.
  struct Segment: Hashable, Sendable {
    /// The place of its first item, or where it was.
    var start: FeedCursor
    /// The place of its last item, or where it was.
    var end: FeedCursor
    /// How many items are left.
    var count: Int
    /// The gap between it and the segment above.
    var gapAbove: Int?
    /// What had changed when it was read.
    var seq: SequenceNumber?
    /// What stood there and could not be decoded.
    var undecodable: [UndecodableItem]
    /// What parts of a merged feed lack in it.
    var missing: [FeedMissing]
  }

  /// Items to be put in, with the cursors of their ends.
  struct Piece: Sendable {
    var items: [Item]
    var start: FeedCursor
    var end: FeedCursor
    var seq: SequenceNumber?
    var undecodable: [UndecodableItem] = []
    var missing: [FeedMissing] = []
  }

  /// The items, in feed order.
  private(set) var items: [Item] = []
  /// The segments, in feed order.
  private(set) var segments: [Segment] = []
  /// The gaps and the indices of the items below them, in feed order.
  private(set) var gaps: [(id: Int, index: Int)] = []
  private var numbers: [Item.ID: Int] = [:]
  private var firstNumber = 0

  /// The index of an item; nil when it is not there.
  func index(of id: Item.ID) -> Int? {
    numbers[id].map { $0 - firstNumber }
  }

  /// What had changed when an item was read; nil when it is not there.
  func seq(of id: Item.ID) -> SequenceNumber? {
    guard let index = index(of: id) else { return nil }
    var below = 0
    return segments.first { segment in
      below += segment.count
      return index < below
    }?.seq
  }

  /// The segment below a gap.
  func segment(below gap: Int) -> Int? {
    segments.firstIndex { $0.gapAbove == gap }
  }

  /// Puts pieces in the place of segments, and says how many items are new at that place, and which
  /// were taken from elsewhere.
  ///
  /// An item that stands elsewhere comes here where `takes`, and else stays there. `gapAbove` lies
  /// above the pieces and `gapBelow` below them.
  @discardableResult
  mutating func replace(
    _ range: Range<Int>, with pieces: [Piece], takes: Bool = false, gapAbove: Int? = nil,
    gapBelow: Int? = nil
  ) -> (news: Int, taken: Set<Item.ID>) {
    let old = itemRange(of: range)
    var own = Set<Item.ID>()
    var elsewhere = Set<Item.ID>()
    let parts = pieces.map { piece in
      piece.items.filter { item in
        let stands = index(of: item.id).map { !old.contains($0) } ?? false
        if stands, takes { elsewhere.insert(item.id) }
        return (takes || !stands) && own.insert(item.id).inserted
      }
    }
    // What is taken from above the place moves the place.
    let taken = elsewhere.count { id in index(of: id).map { $0 < old.lowerBound } ?? false }
    drop(elsewhere)
    let place = old.lowerBound - taken..<old.upperBound - taken
    splice(place, parts.flatMap(\.self))
    var new = zip(pieces, parts).map { piece, part in
      Segment(
        start: piece.start, end: piece.end, count: part.count, seq: piece.seq,
        undecodable: piece.undecodable, missing: piece.missing)
    }
    if !new.isEmpty { new[0].gapAbove = gapAbove }
    segments.replaceSubrange(range, with: new)
    let below = range.lowerBound + new.count
    if below < segments.count { segments[below].gapAbove = gapBelow }
    tidy()
    return (own.count - place.count, elsewhere)
  }

  /// Takes items out.
  mutating func remove(_ ids: Set<Item.ID>) {
    drop(ids.filter { numbers[$0] != nil })
    tidy()
  }

  /// Puts an item in the place of the one with its id; nothing where there is none.
  mutating func update(_ item: Item) {
    guard let index = index(of: item.id) else { return }
    items[index] = item
  }

  /// Puts an item right below another one, of the same segment; nothing where that is not there.
  /// `cursor` is its place.
  mutating func insert(_ item: Item, below neighbour: Item.ID, at cursor: FeedCursor) {
    guard index(of: item.id) == nil, let index = index(of: neighbour) else { return }
    var below = 0
    for number in segments.indices {
      below += segments[number].count
      guard index < below else { continue }
      splice(index + 1..<index + 1, [item])
      segments[number].count += 1
      if index + 1 == below { segments[number].end = cursor }
      return tidy()
    }
  }

  /// Takes the first segment out; what lies above it is unknown then.
  mutating func trimTop() {
    guard !segments.isEmpty else { return }
    splice(itemRange(of: 0..<1), [])
    segments.removeFirst()
    if !segments.isEmpty { segments[0].gapAbove = nil }
    tidy()
  }

  /// Takes the last segment out; what lies below it is unknown then.
  mutating func trimBottom() {
    guard !segments.isEmpty else { return }
    splice(itemRange(of: segments.count - 1..<segments.count), [])
    segments.removeLast()
    tidy()
  }

  /// Takes out all that lies between two gaps, which become one; `gap` is the upper one.
  mutating func dropIsland(below gap: Int) {
    guard let first = segment(below: gap) else { return }
    let next = segments[(first + 1)...].firstIndex { $0.gapAbove != nil } ?? segments.count
    splice(itemRange(of: first..<next), [])
    segments.removeSubrange(first..<next)
    tidy()
  }

  /// The items of segments.
  private func itemRange(of range: Range<Int>) -> Range<Int> {
    // From the nearer end: of many segments mostly the first or the last are asked for.
    let count = segments[range].reduce(0) { $0 + $1.count }
    if range.lowerBound <= segments.count - range.upperBound {
      let lower = segments[..<range.lowerBound].reduce(0) { $0 + $1.count }
      return lower..<lower + count
    }
    let upper = items.count - segments[range.upperBound...].reduce(0) { $0 + $1.count }
    return upper - count..<upper
  }

  /// Puts items in the place of others; none of them stands elsewhere. The side with fewer items
  /// is numbered again.
  private mutating func splice(_ range: Range<Int>, _ new: [Item]) {
    let growth = new.count - range.count
    for item in items[range] { numbers[item.id] = nil }
    if range.lowerBound <= items.count - range.upperBound {
      firstNumber -= growth
      if growth != 0 {
        for item in items[..<range.lowerBound] { numbers[item.id]? -= growth }
      }
    } else if growth != 0 {
      for item in items[range.upperBound...] { numbers[item.id]? += growth }
    }
    items.replaceSubrange(range, with: new)
    for (offset, item) in new.enumerated() {
      numbers[item.id] = firstNumber + range.lowerBound + offset
    }
  }

  /// Takes out items that are there, out of their segments too.
  private mutating func drop(_ ids: Set<Item.ID>) {
    let indices = ids.compactMap(index).sorted()
    guard let first = indices.first else { return }
    var segment = 0
    var segmentEnd = segments[0].count
    for index in indices {
      while index >= segmentEnd {
        segment += 1
        segmentEnd += segments[segment].count
      }
      segments[segment].count -= 1
    }
    var kept = first
    for index in first..<items.count {
      let item = items[index]
      if ids.contains(item.id) {
        numbers[item.id] = nil
      } else {
        items[kept] = item
        numbers[item.id] = firstNumber + kept
        kept += 1
      }
    }
    items.removeSubrange(kept...)
  }

  /// Joins empty segments to their neighbours, so that their cursors are kept while they matter,
  /// and finds the gaps.
  private mutating func tidy() {
    var index = 0
    while index < segments.count, segments.count > 1 {
      let segment = segments[index]
      let joinsAbove = index > 0 && segment.gapAbove == nil
      let joinsBelow = index + 1 < segments.count && segments[index + 1].gapAbove == nil
      let isBetweenGaps = index > 0 && index + 1 < segments.count && !joinsAbove && !joinsBelow
      guard segment.count == 0, joinsAbove || joinsBelow || isBetweenGaps else {
        index += 1
        continue
      }
      if joinsAbove {
        segments[index - 1].end = segment.end
        segments[index - 1].undecodable += segment.undecodable
      } else if joinsBelow {
        segments[index + 1].start = segment.start
        segments[index + 1].gapAbove = segment.gapAbove
        segments[index + 1].undecodable.insert(contentsOf: segment.undecodable, at: 0)
      }
      segments.remove(at: index)
    }
    gaps.removeAll(keepingCapacity: true)
    var below = 0
    for segment in segments {
      if let gap = segment.gapAbove { gaps.append((gap, below)) }
      below += segment.count
    }
  }
}
