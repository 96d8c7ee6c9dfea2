/// Takes the chunked coding off a body that libcurl hands over as it came (RFC 9112 §7.1).
///
/// libcurl finds the end of the message itself; what it lets through here is read once more, since
/// it refuses every coding that it does not know, and an answer need not be lost for that.
struct TransferCoding {
  private enum Place {
    case size
    case sizeExtension
    case sizeEnd
    case data
    case dataEnd
    case dataLineFeed
    case trailer
  }

  private var place = Place.size
  private var left = 0
  private var digits = 0

  /// The most digits of a chunk's size: of 64 bits, less one.
  private static let digitsMax = 15

  /// Whether the last chunk has come.
  var isAtEnd: Bool { place == .trailer }

  /// Appends to `body` what these bytes bring; false where they break the grammar.
  mutating func decode(_ bytes: UnsafeRawBufferPointer, into body: inout [UInt8]) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch place {
      case .data:
        let count = min(left, bytes.count - index)
        body.append(contentsOf: bytes[index..<(index + count)])
        left -= count
        index += count
        if left == 0 { place = .dataEnd }
        continue
      case .size:
        if let digit = TransferCoding.value(byte) {
          guard digits < TransferCoding.digitsMax else { return false }
          left = left << 4 | digit
          digits += 1
        } else if digits > 0, byte == UInt8(ascii: "\r") {
          place = .sizeEnd
        } else if digits > 0, ";\t ".utf8.contains(byte) {
          place = .sizeExtension
        } else if digits > 0, byte == UInt8(ascii: "\n") {
          beginData()
        } else {
          return false
        }
      case .sizeExtension:
        if byte == UInt8(ascii: "\n") { beginData() }
      case .sizeEnd:
        guard byte == UInt8(ascii: "\n") else { return false }
        beginData()
      case .dataEnd where byte == UInt8(ascii: "\r"):
        place = .dataLineFeed
      case .dataEnd, .dataLineFeed:
        guard byte == UInt8(ascii: "\n") else { return false }
        place = .size
      case .trailer:
        return true
      }
      index += 1
    }
    return true
  }

  private mutating func beginData() {
    place = left == 0 ? .trailer : .data
    digits = 0
  }

  private static func value(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
