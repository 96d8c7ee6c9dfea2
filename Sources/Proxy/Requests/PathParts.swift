import Bytes
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
