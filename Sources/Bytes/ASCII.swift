/// Compares ASCII text without case, as HTTP compares field names, schemes and directives.
public enum ASCII {
  /// A letter in lower case; any other byte as it is.
  @usableFromInline
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Whether two texts are the same but for the case of their letters. Lengths are compared first.
  public static func equalsIgnoringCase(
    _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
  ) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where lowercased(a[index]) != lowercased(b[index]) { return false }
    return true
  }

  /// The same for texts of any kind; those that lie in one piece, as most do, are compared there.
  @inlinable
  public static func equalsIgnoringCase(
    _ a: some Collection<UInt8>, _ b: some Collection<UInt8>
  ) -> Bool {
    let isEqual = a.withContiguousStorageIfAvailable { a in
      b.withContiguousStorageIfAvailable { b in
        equalsIgnoringCase(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
      }
    }
    if let isEqual, let isEqual { return isEqual }
    return a.elementsEqual(b) { lowercased($0) == lowercased($1) }
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit or `_`, in ASCII.
  package var isWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
