/// Gzip streams (RFC 1952) made by hand.
enum GzipBytes {
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  /// A member that holds the text as it is, in stored blocks.
  static func stored(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var member = header
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let size = UInt16(block.count)
      member.append(rest.isEmpty ? 1 : 0)
      member += littleEndian(size) + littleEndian(~size) + block
    } while !rest.isEmpty
    return member + littleEndian(checkSum(bytes)) + littleEndian(UInt32(bytes.count))
  }

  /// The beginning of a member that inflates to `count` × 258 zeros, at 13 bits each.
  static func bomb(count: Int) -> [UInt8] {
    // A last block of fixed codes: the literal 0, then "258 bytes from distance 1"
    // (RFC 1951 §3.2.6).
    var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
    for _ in 0..<count { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }
    var bytes = [UInt8](repeating: 0, count: bits.count / 8 + 1)
    for (index, bit) in bits.enumerated() { bytes[index / 8] |= bit << (index % 8) }
    return header + bytes
  }

  private static func checkSum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { (sum: UInt32, _) -> UInt32 in
        sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1
      }
    }
  }

  private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
