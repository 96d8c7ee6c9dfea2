import Feed
import Wire

/// A path split at `/` while raw, each part decoded once.
///
/// Whatever could mean something else to the upstream is refused: empty parts, `.` and `..`,
/// control bytes, bad UTF-8, parts over ``partBytesMax``. A decoded part may hold `/` (`CI/CD`),
/// but not `.` or `..` beside one, also not beside a backslash: a proxy in front of the upstream
/// may decode it once more and remove such segments (RFC 3986 §5.2.4), which leads to another path.
struct PathParts {
  /// The most bytes of one part, decoded.
  static let partBytesMax = 256
  /// The most parts of a path.
  static let partsMax = 16

  /// The decoded parts, in order.
  var parts: [[UInt8]]

  /// The parts of a path that begins with `/`.
  init(_ path: String) throws(Rejection) {
    let raw = Array(path.utf8).dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard raw.count <= PathParts.partsMax else {
      throw Rejection(.badRequest, "The path has more than \(PathParts.partsMax) parts.")
    }
    parts = []
    for part in raw {
      guard let bytes = PercentCoding.decoded(part) else {
        throw Rejection(.badRequest, "The path is not percent-encoded UTF-8.")
      }
      guard !bytes.isEmpty, bytes.count <= PathParts.partBytesMax, !PathParts.hasDotSegment(bytes),
        !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f })
      else {
        throw Rejection(
          .badRequest,
          """
          Each part of the path is 1 to 256 bytes, without control bytes, and neither is '.' or \
          '..' nor holds one of them beside '/' or '\\'.
          """)
      }
      parts.append(bytes)
    }
  }

  /// Whether a decoded part, split at `/` and backslash, has a segment `.` or `..`.
  private static func hasDotSegment(_ bytes: [UInt8]) -> Bool {
    let isSeparator = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
    return bytes.split(omittingEmptySubsequences: true, whereSeparator: isSeparator)
      .contains { $0.elementsEqual([46]) || $0.elementsEqual([46, 46]) }
  }
}

/// Percent-encoding, decoded (RFC 3986 §2.1).
enum PercentCoding {
  /// A path without a slash at its end, and with what is unreserved as it is: `/v1/item%73/` names
  /// what `/v1/items` does (RFC 3986 §6.2.2.2, RFC 9110 §4.2.3).
  static func normalized(_ path: String) -> String {
    let path = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    var bytes: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(value)
      guard byte == UInt8(ascii: "%"), digits.count == 2, isUnreserved(digits[0] << 4 | digits[1])
      else {
        bytes.append(byte)
        continue
      }
      rest = rest.dropFirst(2)
      bytes.append(digits[0] << 4 | digits[1])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes a text stands for; nil for an incomplete `%` or for bytes that are not UTF-8.
  static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    // Most hold nothing to decode, and are taken all at once.
    let plain = text.withContiguousStorageIfAvailable { text -> [UInt8]? in
      // Looked at to the end: that is done many at once.
      let plus = plusIsSpace ? UInt8(ascii: "+") : UInt8(ascii: "%")
      var special: UInt8 = 0
      for byte in text {
        special |= byte & 0x80 | (byte == UInt8(ascii: "%") || byte == plus ? 1 : 0)
      }
      return special == 0 ? Array(text) : nil
    }
    if let plain = plain ?? nil { return plain }
    var bytes: [UInt8] = []
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(value), let low = iterator.next().flatMap(value)
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace:
        bytes.append(UInt8(ascii: " "))
      default:
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
