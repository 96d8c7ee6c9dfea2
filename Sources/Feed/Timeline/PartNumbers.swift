import Bytes

/// The numbers of a merged feed's parts, of which each counts its own changes, and how far from the
/// top what they count was shown.
///
/// Its bytes are the parts' fingerprint, the watermark, each number at seven bits a byte and a
/// checksum, in base64url: 245 characters of a whole ``SequenceNumber`` for 32 parts whose numbers
/// take five bytes each.
package struct PartNumbers: Hashable, Sendable {
  /// The most parts of a merged feed.
  package static let partsMax = 32
  /// The most bytes of the text of a number that has them: 32 parts of nine bytes each.
  package static let bytesMax = 448
  /// The number of a part of which nothing was known: no part counts so far.
  package static let absent: Int64 = 1 << 54

  /// Stands for the parts' names.
  package var parts: UInt32
  /// The last number of each part, by name.
  package var numbers: [Int64]
  /// Milliseconds since 1970: what has a greater instant was not shown.
  package var watermark: Int64

  /// Numbers from their parts.
  package init(parts: UInt32, numbers: [Int64], watermark: Int64) {
    (self.parts, self.numbers, self.watermark) = (parts, numbers, watermark)
  }

  /// The numbers that a text stands for; nil for any other.
  init?(_ text: some StringProtocol) {
    guard let bytes = Base64URL.bytes(Array(text.utf8)), bytes.count >= 16 else { return nil }
    let end = bytes.count - 4
    guard PartNumbers.integer(bytes[end...]) == UInt64(PartNumbers.checksum(bytes[..<end])) else {
      return nil
    }
    parts = UInt32(truncatingIfNeeded: PartNumbers.integer(bytes[..<4]))
    watermark = Int64(bitPattern: PartNumbers.integer(bytes[4..<12]))
    numbers = []
    var rest = bytes[12..<end]
    while !rest.isEmpty {
      guard numbers.count < PartNumbers.partsMax,
        let number = Varint.take(from: &rest, bytesMax: 9)
      else { return nil }
      numbers.append(number)
    }
  }

  /// What they are given out as.
  var text: String {
    var bytes = PartNumbers.bytes(UInt64(parts), count: 4)
    bytes += PartNumbers.bytes(UInt64(bitPattern: watermark), count: 8)
    for number in numbers { bytes += Varint.bytes(of: UInt64(max(0, number))) }
    bytes += PartNumbers.bytes(UInt64(PartNumbers.checksum(bytes[...])), count: 4)
    return bytes.withUnsafeBytes { Base64URL.text($0) }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    UInt32(truncatingIfNeeded: bytes.withUnsafeBytes { Fingerprint.value(of: $0) })
  }

  private static func bytes(_ value: UInt64, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
