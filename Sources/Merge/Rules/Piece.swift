import Feed

/// What is known of one part beside a cut: all its items of a stretch, in merged places.
struct Piece: Sendable {
  /// Where all of the part is known; nothing is where `upper` is `lower`.
  var range: CutRange
  /// The items, falling.
  var items: [Element]
  /// Whether another item is known right beyond the far end.
  var isFull = false
  /// Why nothing is beyond the far end; nil where something may be.
  var end: EndReason?
  /// Where known items go on below the range; nil where none do.
  var next: Cut?
  /// Whether what lies before `next` can never be read.
  var isSunk = false
  /// What is passed over above the range, since it was skipped or can never be read.
  var hole: CutRange?
  /// Whether the part is known no further up, and nothing is known to be lacking there.
  var isHead = false
  /// Items that the walk was given before, from another place.
  var leftOut: Set<Identity> = []
  /// How old it is.
  var freshness: Freshness
  /// Whether the part has something above the range.
  var hasPrevious = false
}

extension Piece {
  /// What a part's own slice says in merged places, which was read of a range by a request for so
  /// many items that asked nothing.
  init(
    _ slice: Slice, of scale: PartScale, limit: Int, upwards: Bool, within asked: CutRange
  ) {
    // What it was asked from is where it begins, however the part's own places are spaced.
    range =
      slice.covers.map { own in
        let upper = own.upper == scale.partCut(asked.upper) ? asked.upper : scale.cut(own.upper)
        let lower =
          own.lower == scale.partCut(asked.lower) ? asked.lower : scale.lowestCut(own.lower)
        // Of two realms' elements in one place the other's may lie between.
        return CutRange(upper: upper, lower: min(lower, upper))
      } ?? asked
    items = slice.items.map { element in
      Element(
        position: scale.position(element.position), id: element.id, bytes: element.bytes,
        digest: element.digest)
    }
    freshness = slice.freshness
    hasPrevious = slice.hasPrevious
    leftOut = slice.trail.leftOut(slice.moves)
    guard let covers = slice.covers else {
      // A range in which the part can have nothing, as between two of its instants.
      end = .range
      isHead = upwards
      return
    }
    if upwards {
      isFull =
        slice.hasPrevious && slice.items.count >= limit
        && slice.items.first.map { covers.upper == .above($0.position) } ?? false
      isHead = !isFull && !slice.hasPrevious
    } else {
      isFull =
        slice.hasMore && slice.items.count >= limit
        && slice.items.last.map { covers.lower == .below($0.position) } ?? false
      end = slice.hasMore ? nil : slice.endReason
      isHead = range.upper < asked.upper
      next = slice.gap.map { scale.cut($0.lower) }
      isSunk = slice.isGapSunk
    }
  }

  /// Whether nothing is known beside the cut.
  var isUnknown: Bool {
    range.upper == range.lower && end == nil && !isFull && !isHead
  }
}

/// How a part stands in one request.
struct PartState: Sendable {
  /// Its name; parts stand in the order of their names.
  var name: String
  /// Whether the feed is shown without it where it fails.
  var isOptional: Bool
  /// By how much its last look may be older than the newest of the others before it is left behind;
  /// of optional parts alone.
  var lag: Duration
  /// Whether another part shows the same items.
  var hasSiblings = false
  /// Which realm it is of: an identity is one item in each.
  var realm: Int
  /// What is known of it.
  var piece: Piece?
  /// Why it cannot be asked any more; nil while it can.
  var block: Block?
  /// Whether it was asked for this request.
  var isAsked = false

  /// Why a part is not asked any more.
  enum Block: Hashable, Sendable {
    /// It failed.
    case failed(ReadError)
    /// It shows no more, as was found out by asking.
    case wall
    /// Its feed is found to be in another order.
    case unordered(retryAt: Timestamp)

    /// What a request gets that nothing can be shown of.
    var error: ReadError {
      switch self {
      case .failed(let error): error
      case .wall: .timedOut
      case .unordered(let retryAt): .badResponse(retryAt: retryAt)
      }
    }

    /// What is said where it is left out.
    var reason: MissingPart.Reason {
      switch self {
      case .wall: .wall
      case .unordered: .unordered
      case .failed(let error): error.missingReason
      }
    }

    /// When it may be asked again.
    var retryAt: Timestamp? { self == .wall ? nil : error.retryAt }
  }
}
