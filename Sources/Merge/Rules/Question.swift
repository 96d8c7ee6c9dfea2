import Bytes
import Feed

/// What is asked of a merged feed, its bounds resolved, and what is known of its parts so far.
struct Question {
  /// Where the range begins; ``Cut/top`` where a walk does.
  var start: Cut = .top
  /// Where it ends.
  var end: Cut = .bottom
  /// 1 or more.
  var limit: Int
  /// What each part is, by name.
  var roles: [PartRole]
  /// How each stands.
  var parts: [PartState]
  /// Whether the upstreams may be asked.
  var mayAsk = true
  /// Items that stand higher in another part than where they are met, or that the walk was given
  /// before.
  var excluded: Set<ItemKey> = []
}

/// What an item of a merged feed is one by: an identity within a realm.
struct ItemKey: Hashable, Sendable {
  /// The realm's place among those of the parts.
  var realm: Int
  /// The identity.
  var id: Identity
}

/// An item among those of all parts: which of a piece's it is.
struct MergedItem {
  /// The first part by name that shows it there.
  var part: Int
  /// Where it is among the items of that part's piece.
  var index: Int
  /// By what it is ordered first. Milliseconds.
  var instant: Int64
}

/// The next step towards a merged slice.
enum MergeStep {
  /// Answer with this.
  case serve(MergedOutcome)
  /// Ask these parts, all at the same time, and read them again.
  case ask([PartAsk])
  /// Read more of what is known of these parts.
  case read([Int])
  /// Nothing can be shown.
  case fail(ReadError, part: Int)
}

/// What is asked of one part.
struct PartAsk {
  /// The part.
  var part: Int
  /// The stretch that is lacking.
  var range: CutRange
  /// Whether the part's top is looked at first.
  var looks = false
}

/// A merged slice, as it is cut out of the pieces.
struct MergedOutcome {
  /// The items, falling.
  var items: ArraySlice<MergedItem>
  /// What they are all of.
  var covers: CutRange
  /// Whether there is more to the end of the range.
  var hasMore = false
  /// Whether there is something above.
  var hasPrevious = false
  /// Why there is no more.
  var endReason: EndReason?
  /// The gap it ends at.
  var gap: Slice.Gap?
  /// What it lacks.
  var missing: [MissingPart] = []
  /// The parts whose age, proof and omissions are the slice's.
  var counted: [Int]
}

/// The parts that are not known as far as a slice needs, by what is done about each.
struct Lacks {
  /// More of these is known than was read.
  private(set) var reads: [Int] = []
  /// These are asked.
  var asks: [PartAsk] = []
  /// The slice is shown without these.
  var missing: [MissingPart]
  /// The slice ends where these are known to: they are required.
  private(set) var stops: [Int] = []

  /// Sorts a part of which a stretch is lacking that goes on from what is known of it.
  mutating func sort(_ index: Int, _ stretch: CutRange, upwards: Bool, in question: Question) {
    let piece = question.parts[index].piece
    let isSunk = piece?.isSunk == true
    if piece?.isFull == true {
      reads.append(index)
    } else if !question.isBlocked(index), !isSunk {
      asks.append(PartAsk(part: index, range: stretch))
    } else if question.roles[index].isOptional {
      let lower = upwards ? stretch.lower : nil
      missing.append(question.missing(index, isSunk ? .gap : nil, from: stretch.upper, to: lower))
    } else {
      stops.append(index)
    }
  }

  /// What has to be done before the slice can be cut; nil where nothing has.
  var step: MergeStep? { !reads.isEmpty ? .read(reads) : asks.isEmpty ? nil : .ask(asks) }
}

extension Question {
  /// An item as its part stores it, in the part's own place.
  func element(_ item: MergedItem) -> Element {
    guard let piece = parts[item.part].piece else { preconditionFailure("an item is of a piece") }
    return piece.slice.items[item.index]
  }

  /// What an item is one by.
  func key(_ item: MergedItem) -> ItemKey {
    ItemKey(realm: roles[item.part].realm, id: element(item).id)
  }

  /// An item's merged place.
  func place(_ item: MergedItem) -> Position {
    roles[item.part].scale.position(element(item).position)
  }

  /// The items known of all parts in a range, falling, each at the highest place that any part
  /// stores; no more than so many.
  func candidates(in range: CutRange, atMost most: Int = .max) -> ArraySlice<MergedItem> {
    var seen = excluded
    var lanes: [Lane] = []
    for part in parts.indices {
      guard let piece = parts[part].piece else { continue }
      let (role, items) = (roles[part], piece.slice.items)
      // What one part leaves out, since the walk was given it before, all of its realm leave out.
      for id in piece.slice.trail.leftOut(piece.slice.moves) {
        seen.insert(ItemKey(realm: role.realm, id: id))
      }
      let (upper, lower) = (role.scale.partCut(range.upper), role.scale.partCut(range.lower))
      let first = items.partitioningIndex { !upper.isBelow($0.position) }
      let end = items[first...].partitioningIndex { !lower.isBelow($0.position) }
      // What stands above the range in one part counts there.
      if !role.siblings.isEmpty {
        for item in items[..<first] { seen.insert(ItemKey(realm: role.realm, id: item.id)) }
      }
      if first < end { lanes.append(Lane(part, piece, first..<end, role.scale)) }
    }
    // One that has its realm alone has each item once.
    let areApart = seen.isEmpty && roles.allSatisfy(\.siblings.isEmpty)
    var known: [MergedItem] = []
    known.reserveCapacity(min(most, lanes.reduce(0) { $0 + $1.count }))
    while known.count < most, let highest = highest(of: lanes) {
      let item = lanes[highest].item
      if !lanes[highest].advance() { lanes.remove(at: highest) }
      if areApart || seen.insert(key(item)).inserted { known.append(item) }
    }
    return known[...]
  }

  /// Which lane's next item stands highest; nil where there is none.
  private func highest(of lanes: [Lane]) -> Int? {
    guard var highest = lanes.indices.first else { return nil }
    for lane in lanes.indices.dropFirst() where lanes[lane].isAbove(lanes[highest]) {
      highest = lane
    }
    return highest
  }

  /// The parts that are left behind: optional, known, and last looked at much longer ago than the
  /// newest of the others.
  func behind() -> Set<Int> {
    func lookedAt(_ part: PartState) -> Timestamp? {
      part.piece.flatMap { $0.isUnknown ? nil : $0.slice.freshness.checkedAt }
    }
    return Set(
      parts.indices.filter { index in
        guard roles[index].isOptional, parts[index].piece?.isHead == true,
          let own = lookedAt(parts[index]), let newest = parts.compactMap(lookedAt).max()
        else { return false }
        return newest - own > roles[index].lag
      })
  }

  /// The parts that a slice rests on: those known in its range, and those in whose name it says
  /// that nothing stands above what they are known for.
  func counted(in covers: CutRange, without behind: Set<Int>) -> [Int] {
    parts.indices.filter { index in
      guard let piece = parts[index].piece, !piece.isUnknown else { return false }
      let isInside = piece.range.lower < covers.upper && piece.range.upper > covers.lower
      return isInside || piece.isHead && !behind.contains(index)
    }
  }

  /// How much later than a look a cursor stands that no further one of the request reaches.
  private static let futureMin = Duration.seconds(60)

  /// Whether a part was looked at, and no look of this minute reaches where the range begins: an
  /// item of another part that is dated in the future stands there.
  func isAhead(of part: Int) -> Bool {
    guard parts[part].isAsked, parts[part].block == nil, let piece = parts[part].piece else {
      return false
    }
    let soon = piece.slice.freshness.checkedAt + Question.futureMin
    return start.position.order > soon.milliseconds
  }

  /// What nothing is to be asked of any more.
  func isBlocked(_ part: Int) -> Bool { !mayAsk || parts[part].block != nil }

  /// Whether a part is asked again for what is known of it, which has expired.
  func asksAgain(_ part: Int, for piece: Piece) -> Bool {
    piece.slice.freshness.state == .expired && !piece.isUnknown && !parts[part].isAsked
      && !isBlocked(part)
  }

  /// Whether another item is known beyond those that were read, of a part that shows it alone.
  var goesOn: Bool {
    parts.indices.contains { parts[$0].piece?.isFull == true && roles[$0].siblings.isEmpty }
  }

  /// That nothing can be shown without a part.
  func fail(_ part: Int) -> MergeStep { .fail(block(of: part).error, part: part) }

  /// Why a part is not asked.
  private func block(of part: Int) -> PartState.Block { parts[part].block ?? .failed(.timedOut) }

  /// A stretch that is shown without a part.
  func missing(
    _ part: Int, _ reason: MissingPart.Reason? = nil, from: Cut, to: Cut?
  ) -> MissingPart {
    let block = block(of: part)
    return MissingPart(
      part: roles[part].name, reason: reason ?? block.reason,
      from: from == .top ? nil : Timestamp(milliseconds: from.position.order),
      to: to.map { Timestamp(milliseconds: $0.position.order) },
      retryAt: reason == nil ? block.retryAt : nil)
  }
}

/// The items of one part that are still to be merged, falling.
private struct Lane {
  /// The next of them.
  private(set) var item: MergedItem
  private let piece: Piece
  private let end: Int
  private let scale: PartScale

  /// The items of a part's piece in a range that is not empty.
  init(_ part: Int, _ piece: Piece, _ range: Range<Int>, _ scale: PartScale) {
    (self.piece, end, self.scale) = (piece, range.upperBound, scale)
    let first = piece.slice.items[range.lowerBound].position
    item = MergedItem(
      part: part, index: range.lowerBound, instant: scale.instant(first.order))
  }

  /// How many are left.
  var count: Int { end - item.index }

  /// Goes on with the next item; false where there is none.
  mutating func advance() -> Bool {
    item.index += 1
    guard item.index < end else { return false }
    item.instant = scale.instant(piece.slice.items[item.index].position.order)
    return true
  }

  /// Whether the next item of this lane comes before that of an earlier part's: by their merged
  /// places, of which none is made. In one place the earlier part's does.
  func isAbove(_ other: Lane) -> Bool {
    guard item.instant == other.item.instant else { return item.instant > other.item.instant }
    return scale.isTie(tie, above: other.tie, in: other.scale)
  }

  private var tie: [UInt8] { piece.slice.items[item.index].position.tie }
}
