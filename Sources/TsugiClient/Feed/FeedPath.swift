/// A feed's source and path, in parts that are encoded one by one.
///
///     let path: FeedPath = "qiita/tags/\(tag)/items"   // right for `C#`, `.NET` and `CI/CD`
public struct FeedPath: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The most bytes of a part.
  static let partBytesMax = 256

  /// The parts, not encoded.
  public let parts: [String]

  /// A path from its parts, which may hold any character.
  public init(parts: [String]) {
    self.parts = parts
  }

  /// A path as it is written, split at each `/`.
  public init(_ text: String) {
    parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }

  /// A literal path, split at each `/`.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// A path whose interpolated values stay within their part.
  public init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }

  /// Collects the parts of an interpolated path.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts = [""]

    /// Nothing collected yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds what is written in the path itself: a `/` begins a new part.
    public mutating func appendLiteral(_ literal: String) {
      let pieces = literal.split(separator: "/", omittingEmptySubsequences: false)
      parts[parts.count - 1] += pieces.first ?? ""
      parts += pieces.dropFirst().map(String.init)
    }

    /// Adds a value: a `/` in it is part of the name.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      parts[parts.count - 1] += value.description
    }
  }

  /// The path as it stands in a URL, whether or not a server takes it.
  var text: String { parts.map(percentEncoded).joined(separator: "/") }

  /// The path as it stands in a URL.
  ///
  /// - Throws: `.request` for what no server takes: fewer than two parts, an empty one, `.`, `..`,
  ///   or one above 256 bytes.
  func encoded() throws -> String {
    guard parts.count >= 2 else {
      throw TsugiError.request("a feed's path is its source, / and at least one more part")
    }
    for part in parts {
      guard !part.isEmpty, part != ".", part != ".." else {
        throw TsugiError.request("a part of a feed's path is empty, . or ..")
      }
      guard part.utf8.count <= Self.partBytesMax else {
        throw TsugiError.request("a part of a feed's path has more than \(Self.partBytesMax) bytes")
      }
    }
    return text
  }
}

/// A text with every byte encoded that RFC 3986 §2.3 does not call unreserved.
func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      bytes.append(byte)
    default:
      bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
