/// What a client gets: items proven adjacent, and where to go on.
package struct Slice: Hashable, Sendable {
  /// The items, in feed order, newest first in a value feed.
  package var items: ArraySlice<Element>
  /// Whether there is more between this slice and the end of the asked range.
  package var hasMore: Bool
  /// Whether there is anything above this slice that `previous` would show.
  package var hasPrevious: Bool
  /// Why there is no more; nil when there is.
  package var endReason: EndReason?
  /// The gap it ends at; nil when it does not.
  package var gap: Gap?
  /// About how many elements lie in that gap.
  package var gapCount = 0
  /// Whether it can never be filled.
  package var isGapSunk = false
  /// How old what it rests on is.
  package var freshness: Freshness
  /// The number of the last change known when it was read.
  package var sequence: Int64
  /// The epoch of the store that counts these numbers.
  package var epoch = ""
  /// The name under which its positions are given out; 0 in a feed ordered by value.
  package var lineage: UInt64 = 0
  /// The last number as its cursors carry it; nil where the store is not shared.
  package var told: Int64?
  /// What a cursor at its end remembers; at its start, only what is known.
  package var trail = Trail()
  /// The feed's size, as the upstream last said.
  package var total: Total?
  /// What the weakest join inside of it rests on.
  package var proof = JoinProof.value
  /// How many elements the upstream showed in its range that cannot be used.
  package var omitted = 0
  /// Whether its items are only shown as the upstream has them: their positions mean nothing, and
  /// none leads on from here.
  package var isUnplaced = false
  /// The stretch of the feed that its items are all of; nil where that is not known.
  package var covers: CutRange?
  /// The feed's moves, where it was asked for without asking the upstream: `trail` is not yet cut
  /// to its end then.
  package var moves: [Move] = []
  /// Where each item of a merged feed is from; empty in any other.
  package var origins: [ItemOrigin] = []
  /// What a merged feed lacks of its parts in the slice's range.
  package var missing: [MissingPart] = []
  /// The numbers of the last changes of a merged feed's parts; nil in any other.
  package var numbers: PartNumbers?
  /// How many upstream calls the request waited for; 0 when the store alone answered.
  package var calls = 0
  /// The source's version before it was read: of one version, a request has one slice.
  package var version: UInt64 = 0

  /// A gap below a slice.
  package struct Gap: Hashable, Sendable {
    /// Its upper edge, which names it.
    package var upper: Cut
    /// Where known items go on; the upper edge where none are known yet.
    package var lower: Cut
    /// The parts of a merged feed that it is of; empty in any other.
    package var parts: [String] = []
    /// Their bits in ``PartTrails``.
    package var partBits: UInt32 = 0

    /// A gap from its two edges.
    package init(upper: Cut, lower: Cut) {
      self.upper = upper
      self.lower = lower
    }

    /// Whether nothing is known below it yet.
    package var isOpen: Bool { lower == upper }
  }
}

extension Slice {
  /// A slice of these items, which are all of a stretch.
  package init(
    of items: [Element], covers: CutRange?, hasMore: Bool, hasPrevious: Bool,
    endReason: EndReason?, freshness: Freshness
  ) {
    self.init(
      items: items[...], hasMore: hasMore, hasPrevious: hasPrevious, endReason: endReason,
      freshness: freshness, sequence: 0)
    self.covers = covers
  }

  /// Where a client goes on that passes the gap, and what it remembers: below the gap; in a merged
  /// feed right where the slice ended, without the parts whose gap it is.
  package var skip: (position: Position, trail: Trail)? {
    guard let gap else { return nil }
    guard gap.partBits != 0 else { return (gap.lower.position, trail) }
    var passing = trail
    passing.parts?.passed |= gap.partBits
    return (gap.upper.position, passing)
  }

  /// The number of the last change known when it was read, as it is given out.
  package var number: SequenceNumber {
    SequenceNumber(epoch: epoch, number: sequence, numbers)
  }
}

/// Why a slice is the last of its range.
package enum EndReason: String, CaseIterable, Sendable {
  /// The client's own bound was reached.
  case range
  /// The feed is over.
  case end
  /// The upstream shows no more than 10,000 elements, or fewer than it counts of what comes whole.
  case upstreamLimit
}

extension ArraySlice where Element == Feed.Element {
  /// The bytes of these items together.
  package var byteCount: Int {
    // By index, here and wherever a slice is gone through: to take an element out copies it.
    indices.reduce(0) { $0 + self[$1].bytes.count }
  }
}
