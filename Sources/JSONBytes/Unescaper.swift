/// Decodes the escapes of a JSON text into UTF-8.
enum Unescaper {
  /// The bytes meant. Bytes that are not escaped pass through unchecked.
  ///
  /// - Throws: `.invalidEscape` with an offset in the indices of `inner`.
  static func bytes(of inner: some RandomAccessCollection<UInt8>) throws(JSONError) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(inner.count)
    var rest = inner[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        continue
      }
      let offset = inner.count - rest.count - 1
      guard let kind = rest.popFirst() else { throw .invalidEscape(offset: offset) }
      if kind == UInt8(ascii: "u") {
        guard let scalar = scalar(&rest) else { throw .invalidEscape(offset: offset) }
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      } else {
        guard let plain = simple(kind) else { throw .invalidEscape(offset: offset) }
        result.append(plain)
      }
    }
    return result
  }

  /// The byte that a one-letter escape means (RFC 8259 §7); nil for no such escape.
  static func simple(_ kind: UInt8) -> UInt8? {
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): kind
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The value of a hexadecimal digit in either case; nil for another byte.
  static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// Takes four digits, and the second half of a surrogate pair where the first stands.
  private static func scalar<Bytes: Collection<UInt8>>(
    _ rest: inout Bytes
  ) -> Unicode.Scalar? where Bytes.SubSequence == Bytes {
    guard let first = unit(&rest) else { return nil }
    guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) }
    guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
      let second = unit(&rest), 0xDC00..<0xE000 ~= second
    else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private static func unit<Bytes: Collection<UInt8>>(
    _ rest: inout Bytes
  ) -> UInt32? where Bytes.SubSequence == Bytes {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = rest.popFirst(), let digit = digit(byte) else { return nil }
      value = value << 4 | digit
    }
    return value
  }
}
