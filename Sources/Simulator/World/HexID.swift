/// An item's id: 20 bytes of text, at Qiita always hexadecimal digits in lower case.
///
/// Ordered by its bytes. Kept as three numbers, so that a million of them need no memory of their
/// own.
package struct HexID: Hashable, Sendable {
  private let high: UInt64
  private let middle: UInt64
  private let low: UInt32

  /// The id written in `text`; nil unless it has exactly 20 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20 else { return nil }
    high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    middle = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[16...].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Twenty random digits.
  init(from generator: inout SeededGenerator) {
    high = Self.digits(generator.next())
    middle = Self.digits(generator.next())
    low = UInt32(truncatingIfNeeded: Self.digits(generator.next()))
  }

  /// The 20 bytes as text.
  package var text: String {
    let words = [high, middle, UInt64(low) << 32]
    let bytes = (0..<20).map { place -> UInt8 in
      let shift = 56 - place % 8 * 8
      return UInt8(truncatingIfNeeded: words[place / 8] >> shift)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digits(_ random: UInt64) -> UInt64 {
    (0..<8).reduce(UInt64(0)) { word, place in
      let digit = random >> UInt64(place * 4) & 15
      return word << 8 | (digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }
}

extension HexID: Comparable {
  package static func < (left: HexID, right: HexID) -> Bool {
    (left.high, left.middle, left.low) < (right.high, right.middle, right.low)
  }
}
