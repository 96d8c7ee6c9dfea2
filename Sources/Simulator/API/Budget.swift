/// How many calls one identity may still make.
///
/// The window runs from the first call and lasts an hour; every call counts, whatever becomes of
/// it. With a limit of 60: the first call at 1000 leaves 59 until 4600, the 61st is refused, and
/// the first one at 4600 or later begins again.
struct Budget: Hashable {
  /// The length of a window.
  static let windowSeconds: Int64 = 3600

  let limit: Int
  private(set) var resetSeconds: Int64 = .min
  private var used = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// How many calls are left in this window.
  var remaining: Int {
    max(0, limit - used)
  }

  /// Counts one call; false when none was left.
  mutating func spend(nowSeconds: Int64) -> Bool {
    if nowSeconds >= resetSeconds {
      resetSeconds = nowSeconds + Self.windowSeconds
      used = 0
    }
    guard used < limit else { return false }
    used += 1
    return true
  }
}
