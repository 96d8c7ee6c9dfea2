import Bytes
import Feed

/// How the places of one part lie among those of a merged feed.
///
/// A merged place is the instant in milliseconds, then the identity, then what stands for the
/// part's realm: within one realm an identity is one item, whichever part shows it, and in two it
/// is two. The tie's bytes keep that order: the identity, a zero and four bytes of the realm; a
/// zero in an identity is followed by 255, which no byte of a realm is. A cut at 12:00:00.250 has
/// all of 12:00:00 below it in a part that counts seconds, and none of 12:00:01.
struct PartScale: Hashable, Sendable {
  /// The furthest instant from 1970 that has a place of its own. Milliseconds.
  private static let instantMax: Int64 = 1 << 62

  /// Stands for the part's realm: two realms of one merged feed have different marks.
  let mark: [UInt8]
  /// What follows the identity in a tie.
  private let ending: [UInt8]
  private let isInSeconds: Bool

  /// The scale of a feed.
  init(of feed: FeedID) {
    self.init(realm: feed.realm, unit: feed.pattern.unit)
  }

  /// The scale of a realm whose places count by a unit.
  init(realm: String, unit: KeyUnit) {
    let fingerprint = UInt64(bitPattern: Fingerprint.value(of: realm))
    mark = (0..<4).map { 1 + UInt8(fingerprint >> (8 * UInt64($0)) & 0xff) % 254 }
    ending = [0] + mark
    isInSeconds = unit == .seconds
  }

  /// The merged place of one of the part's.
  func position(_ position: Position) -> Position {
    let own = position.tie
    // A loop over indices: `contains` takes twice as long.
    let hasZero = own.indices.contains { own[$0] == 0 }
    let identity = hasZero ? own.flatMap { $0 == 0 ? [0, 255] : [$0] } : own
    return Position(order: instant(position.order), tie: identity + ending)
  }

  /// Whether an element's merged place is above that of another scale's in the same instant, by
  /// their own ties: what a tie gains keeps the order of the identities.
  func isTie(_ own: [UInt8], above other: [UInt8], in scale: PartScale) -> Bool {
    if other.lexicographicallyPrecedes(own) { return true }
    return own == other && scale.mark.lexicographicallyPrecedes(mark)
  }

  /// The lowest merged cut that divides the part's elements as a cut of the part does: between two
  /// seconds of it others may have items, and it has none.
  func lowestCut(_ cut: Cut) -> Cut {
    guard isInSeconds, cut != .top, cut != .bottom, cut.position.tie.isEmpty else {
      return self.cut(cut)
    }
    let last = instant(cut.keyBelow)
    return Cut(position: Position(order: last.clampedAdding(1), tie: []))
  }

  /// The highest merged cut that divides the part's elements as a cut of the part does.
  func cut(_ cut: Cut) -> Cut {
    if cut == .top || cut == .bottom { return cut }
    let position = cut.position
    guard !position.tie.isEmpty else {
      return Cut(position: Position(order: instant(position.order), tie: []))
    }
    // Right above an element: of two realms' it is the element of this one that lies below.
    if position.tie.count > 1, position.tie.last == 0 {
      let element = Position(order: position.order, tie: position.tie.dropLast())
      return .above(self.position(element))
    }
    return .below(self.position(position))
  }

  /// The part's cut that divides its elements as a merged one does.
  func partCut(_ cut: Cut) -> Cut {
    if cut == .top || cut == .bottom { return cut }
    let (order, tie) = (cut.position.order, cut.position.tie)
    let key = key(at: order)
    // Whole instants of the part lie on one side, whatever the tie says.
    guard !tie.isEmpty, instant(key) == order else {
      return Cut(position: Position(order: key, tie: []))
    }
    guard let (identity, rest) = PartScale.split(tie) else {
      return Cut(position: Position(order: key, tie: tie))
    }
    // The cut right above a place ends in one more zero.
    let isBelow = mark.lexicographicallyPrecedes(rest)
    let place = Position(order: key, tie: identity)
    return isBelow ? .above(place) : .below(place)
  }

  /// The part's first key at or after an instant.
  func key(at milliseconds: Int64) -> Int64 {
    guard isInSeconds else { return milliseconds }
    return milliseconds > 0 ? (milliseconds - 1) / 1_000 + 1 : milliseconds / 1_000
  }

  /// The instant of one of the part's keys. Milliseconds.
  func instant(_ key: Int64) -> Int64 {
    let instant = isInSeconds ? key.clampedMultiplied(by: 1_000) : key
    return min(max(instant, -PartScale.instantMax), PartScale.instantMax)
  }

  /// The identity in a tie, and what follows it; nil where the tie is none of a merged place.
  private static func split(_ tie: [UInt8]) -> (identity: [UInt8], rest: ArraySlice<UInt8>)? {
    var (identity, rest) = ([UInt8](), tie[...])
    while let byte = rest.popFirst() {
      if byte == 0 {
        guard rest.first == 255 else { return (identity, rest) }
        rest.removeFirst()
      }
      identity.append(byte)
    }
    return nil
  }
}
