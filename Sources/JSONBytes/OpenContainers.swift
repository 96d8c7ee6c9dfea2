/// The containers that are open at one place of a JSON text: for each, whether it is an object.
///
/// One bit each, in as many words as `JSON.nestingMax` asks for, so that a scan takes no memory.
struct OpenContainers {
  private(set) var count = 0
  private var kinds = InlineArray<8, UInt64>(repeating: 0)

  /// Opens a container; false when `JSON.nestingMax` are open already.
  mutating func push(isObject: Bool) -> Bool {
    guard count < JSON.nestingMax else { return false }
    let bit = UInt64(1) << UInt64(count & 63)
    if isObject { kinds[count >> 6] |= bit } else { kinds[count >> 6] &= ~bit }
    count += 1
    return true
  }

  /// Closes the innermost one and says whether it was an object; nil when none is open.
  mutating func pop() -> Bool? {
    guard let last = innermostIsObject else { return nil }
    count -= 1
    return last
  }

  /// Whether the innermost one is an object; nil when none is open.
  var innermostIsObject: Bool? {
    guard count > 0 else { return nil }
    return kinds[(count - 1) >> 6] >> UInt64((count - 1) & 63) & 1 == 1
  }
}
