extension UnsafeBufferPointer<UInt8> {
  /// Whether one of the bytes is below `bound`, which is at most 0x80, or is `one` or `another`;
  /// eight at a time. Made for its bytes where it is called.
  @inlinable
  public func holds(below bound: UInt8, or one: UInt8, _ another: UInt8) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    guard count >= 8 else { return contains { $0 < bound || $0 == one || $0 == another } }
    let bytes = UnsafeRawBufferPointer(self)
    func found(at offset: Int) -> UInt64 {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let (first, second) = (word ^ ones &* UInt64(one), word ^ ones &* UInt64(another))
      // A byte below borrows its highest bit from the subtraction; one that had it does not count.
      return (word &- ones &* UInt64(bound)) & ~word
        | (first &- ones) & ~first | (second &- ones) & ~second
    }
    // The last eight may be looked at in part before.
    var all = found(at: count - 8)
    var offset = 0
    while offset < count - 8 {
      all |= found(at: offset)
      offset &+= 8
    }
    return all & (ones &* 0x80) != 0
  }
}
