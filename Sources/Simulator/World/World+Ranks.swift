/// How many items stand above a place, the newest first.
extension World {
  /// How many items stand above one that is there.
  func rank(ofItem id: String) -> Int? {
    presentSerial(id).map { order.count - 1 - rankFromOldest(of: records[$0]) }
  }

  /// How many items are not older than an instant.
  func firstRank(olderThanMilliseconds instant: Int64) -> Int {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if records[Int(order[middle])].createdAt * 1_000 < instant {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return order.count - low
  }

  /// What names the place below an item, also when that has gone: only this API can read it.
  func token(below serial: Int) -> String {
    String(UInt64(serial) ^ World.tokenMask(options.seed), radix: 36)
  }

  /// How many items stand above the place that a token names; nil where it names none.
  func firstRank(below token: String) -> Int? {
    guard let number = UInt64(token, radix: 36) else { return nil }
    let serial = number ^ World.tokenMask(options.seed)
    guard serial < records.count else { return nil }
    return order.count - rankFromOldest(of: records[Int(serial)])
  }

  private static func tokenMask(_ seed: UInt64) -> UInt64 {
    SeededGenerator.mixed(seed, 5, 36) | 1 << 40
  }
}
