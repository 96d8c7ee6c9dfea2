/// Numbers as seven bits a byte, the lowest first, all but the last byte with the eighth bit set:
/// unsigned LEB128, as Protocol Buffers write integers.
package enum Varint {
  /// Takes a number of at most so many bytes, 9 at most, off the beginning; nil where there is
  /// none, or one would be written otherwise.
  package static func take(from bytes: inout ArraySlice<UInt8>, bytesMax: Int) -> Int64? {
    var number: UInt64 = 0
    for place in 0..<bytesMax {
      guard let byte = bytes.popFirst() else { return nil }
      number |= UInt64(byte & 0x7f) << (7 * UInt64(place))
      guard byte < 0x80 else { continue }
      // The last byte of a number is none without need.
      return byte > 0 || place == 0 ? Int64(number) : nil
    }
    return nil
  }

  /// A number as it is written.
  package static func bytes(of number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var left = number
    repeat {
      bytes.append(UInt8(left & 0x7f) | (left > 0x7f ? 0x80 : 0))
      left >>= 7
    } while left > 0
    return bytes
  }
}
