/// Positions in a feed whose order is the upstream's own: they are given once and never change.
///
/// `order` is `epoch · 2³² − index`: a head run that joins new items takes the next epoch and
/// counts its index from 0, and a run that is extended downwards counts its index on. Only an item
/// that turns up between two known ones needs the tie's bytes.
package enum ObservedPosition {
  private static let epochSize: Int64 = 1 << 32

  /// The epoch of a position, from 1 on: `2³² − 5` and `2³²` are of epoch 1, `2³² + 1` of 2.
  package static func epoch(of position: Position) -> Int64 {
    // Whatever a client made up is a position too.
    (position.order &- 1) >> 32 + 1
  }

  /// The first `count` positions of an epoch, top first.
  package static func head(count: Int, epoch: Int64) -> [Position] {
    let last = epoch.clampedMultiplied(by: epochSize)
    return (0..<count).map { Position(order: last.clampedSubtracting(Int64($0)), tie: []) }
  }

  /// The next `count` positions below a run whose lowest is `bottom`, top first.
  package static func extending(_ bottom: Position, count: Int) -> [Position] {
    (0..<count).map { Position(order: bottom.order.clampedSubtracting(1 + Int64($0)), tie: []) }
  }

  /// So many positions between two others, top first; the shortest ties that keep them apart.
  package static func between(_ upper: Position, _ lower: Position, count: Int) -> [Position] {
    guard count > 0 else { return [] }
    let bound = upper.order == lower.order ? upper.tie : nil
    let middle = Position(order: lower.order, tie: tie(above: lower.tie, below: bound))
    let above = count / 2
    return between(upper, middle, count: above) + [middle]
      + between(middle, lower, count: count - 1 - above)
  }

  /// Bytes that sort strictly between two ties; nothing lies above a nil `upper`.
  ///
  /// Between `[]` and nil is `[128]`, between `[4]` and `[5]` is `[4, 128]`.
  static func tie(above lower: [UInt8], below upper: [UInt8]?) -> [UInt8] {
    var tie: [UInt8] = []
    var upper = upper
    for index in 0... {
      let low = index < lower.count ? Int(lower[index]) : 0
      let high = upper.map { index < $0.count ? Int($0[index]) : 0 } ?? 256
      if high - low > 1 {
        tie.append(UInt8(low + (high - low) / 2))
        return tie
      }
      tie.append(UInt8(low))
      // Once it is below the upper one's bytes, only the lower one bounds what follows.
      if high > low { upper = nil }
    }
    return tie
  }
}
