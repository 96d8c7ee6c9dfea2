/// A place in a list's order, as cursors compare it; the larger stands nearer the top.
package struct Place: Hashable, Comparable, Sendable {
  /// Compared first.
  package var order: Int64
  /// Compared byte by byte where `order` is equal; the shorter prefix is smaller.
  package var tie: [UInt8]

  /// A place of its two parts.
  package init(order: Int64, tie: [UInt8]) {
    (self.order, self.tie) = (order, tie)
  }

  package static func < (a: Place, b: Place) -> Bool {
    a.order != b.order ? a.order < b.order : a.tie.lexicographicallyPrecedes(b.tie)
  }
}

/// An element as a client got it.
package struct ShownElement: Sendable {
  /// What names it.
  package var id: String
  /// Which of its versions its content is, from 1; nil for a content that it never had.
  package var version: Int?
  /// Where it stands.
  package var place: Place

  /// An element at a place.
  package init(id: String, version: Int?, at place: Place) {
    (self.id, self.version, self.place) = (id, version, place)
  }
}

/// A slice as a client got it. Times are milliseconds since 1970.
package struct ShownSlice: Sendable {
  /// Its elements, top first.
  package var elements: [ShownElement]
  /// Whether it says that more follows.
  package var hasMore: Bool
  /// Whether it says that something is above it.
  package var hasPrevious: Bool
  /// Why nothing follows: `end`, `range` or `upstreamLimit`; nil where more does.
  package var end: String?
  /// Whether it says that it ends at a gap.
  package var hasGap: Bool
  /// Whether it says that its joins are proven.
  package var isProven: Bool
  /// The number of its feed's last change.
  package var sequence: Int64
  /// Places compare only under one lineage.
  package var lineage: UInt64
  /// When the oldest of the answers was made that it rests on.
  package var provenAt: Int64
  /// When the upstream was last asked about it.
  package var checkedAt: Int64
  /// What a merged list says that it lacks of its parts.
  package var missing: [Missing] = []

  /// A stretch that a merged list lacks of a part, its ends in milliseconds; nil where it goes on.
  package struct Missing: Sendable {
    /// The part's name.
    package var part: String
    /// Its newer end, and its older one.
    package var from, to: Int64?

    /// A stretch of a part.
    package init(_ part: String, from: Int64?, to: Int64?) {
      (self.part, self.from, self.to) = (part, from, to)
    }

    /// Whether a place lies in it.
    func holds(_ place: Place) -> Bool {
      from.map { place.order <= $0 } ?? true && to.map { place.order >= $0 } ?? true
    }
  }

  /// A slice.
  package init(
    _ elements: [ShownElement], hasMore: Bool, hasPrevious: Bool, end: String?, hasGap: Bool,
    isProven: Bool, sequence: Int64, lineage: UInt64, provenAt: Int64, checkedAt: Int64
  ) {
    (self.elements, self.hasMore, self.hasPrevious) = (elements, hasMore, hasPrevious)
    (self.end, self.hasGap, self.isProven) = (end, hasGap, isProven)
    (self.sequence, self.lineage) = (sequence, lineage)
    (self.provenAt, self.checkedAt) = (provenAt, checkedAt)
  }
}

/// What a client asked for.
package struct Question: Sendable {
  /// The list's name.
  package var list: String
  /// The most elements it wants.
  package var limit: Int
  /// Whether it begins at the top.
  package var isFromTop: Bool
  /// The number of the last change that it knows.
  package var known: Int64?
  /// When it was asked, where requests that are answered together need not agree: in a merged list,
  /// whose parts are read one after the other. Milliseconds since 1970.
  package var askedAt: Int64?

  /// A question.
  package init(list: String, limit: Int, isFromTop: Bool, known: Int64?, askedAt: Int64? = nil) {
    (self.list, self.limit, self.isFromTop, self.known) = (list, limit, isFromTop, known)
    self.askedAt = askedAt
  }
}

/// A stretch of a list as one walk got it: slices that follow each other downwards.
package struct Stretch: Sendable {
  /// The list's name.
  package var list: String
  /// The slices, top first.
  package var slices: [ShownSlice]
  /// Whether it was read upwards: then an element that moves up may come again.
  package var isUpwards = false
  /// Whether it began at the top.
  package var beginsAtTop = false
  /// Whether it goes on with an earlier walk, which may have shown what moved since.
  package var isResumed = false
  /// Where it began, in a list by keys: all elements that come are at smaller places.
  package var start: Place?

  /// A stretch of a list.
  package init(
    of list: String, _ slices: [ShownSlice] = [], beginsAtTop: Bool = false, start: Place? = nil
  ) {
    (self.list, self.slices, self.beginsAtTop, self.start) = (list, slices, beginsAtTop, start)
  }
}
