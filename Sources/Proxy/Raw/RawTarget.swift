import Bytes
import Feed
import Freshness
import Wire

/// What is asked of an upstream past `/v1/{source}/raw/`: path and query as they are sent there.
///
/// The parts of the path are encoded in one way, so that each target has one name and none leads
/// elsewhere; the query goes as it came.
struct RawTarget {
  /// The longest target, in bytes as it is sent: its name is kept with each answer.
  static let bytesMax = 2048

  /// Begins with a slash.
  let text: String

  /// A target that a source shows.
  ///
  /// `endsInSlash` is whether the path does, which its parts do not tell and an upstream may.
  init(
    _ parts: [[UInt8]], endsInSlash: Bool, query: String?, of raw: RawSource
  ) throws(Rejection) {
    let path = RawTarget.path(parts) + (endsInSlash && !parts.isEmpty ? "/" : "")
    text = path + (query.map { "?\($0)" } ?? "")
    guard text.utf8.count <= RawTarget.bytesMax else {
      throw Rejection(
        .uriTooLong, "Path and query are at most \(RawTarget.bytesMax) bytes together.")
    }
    let names = try RawTarget.names(in: query)
    let fits = raw.paths.map { $0.fit(parts, query: names) }
    guard fits.contains(.fits) else {
      for case .excess(let name) in fits {
        throw .parameter(
          name,
          "The parameter is not one of those that sources.<name>.raw.paths names.")
      }
      throw Rejection(.notFound, "sources.<name>.raw.paths has no pattern for this path.")
    }
  }

  /// The path of parts, as it is sent.
  private static func path(_ parts: [[UInt8]]) -> String {
    "/" + parts.map { percentEncoded($0) }.joined(separator: "/")
  }

  /// The selection of a purge: a target, or how targets begin.
  static func selection(_ items: inout QueryItems) throws(Rejection) -> AnswerSelection {
    let (path, prefix, all) = (items.take("path"), items.take("prefix"), items.take("all"))
    try items.requireEmpty()
    switch (path, prefix, all.map { String(decoding: $0, as: UTF8.self) }) {
    case (let path?, nil, nil): return .target(try named(path))
    case (nil, let prefix?, nil): return .prefix(try named(prefix))
    case (nil, nil, "true"): return .all
    default:
      throw .parameter("path", "One of path, prefix and all=true selects what is purged.")
    }
  }

  /// A target as an operator names it, with or without a slash at its beginning.
  private static func named(_ text: [UInt8]) throws(Rejection) -> String {
    let text = text.first == UInt8(ascii: "/") ? text[1...] : text[...]
    let end = text.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    let written = text[..<end].split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let parts = written.compactMap { PercentCoding.decoded($0) }
    guard parts.count == written.count else {
      throw .parameter("path", "The path is not percent-encoded UTF-8.")
    }
    return path(parts) + String(decoding: text[end...], as: UTF8.self)
  }

  /// The decoded names of a query. Throws for a query that has what no URL has (RFC 3986 §3.4).
  private static func names(in query: String?) throws(Rejection) -> [[UInt8]] {
    guard let query else { return [] }
    let bytes = Array(query.utf8)
    guard bytes.allSatisfy(isOfQuery), hasWholeEscapes(bytes) else {
      throw Rejection(.badRequest, "The query has bytes that may not stand in a URL.")
    }
    return bytes.split(separator: UInt8(ascii: "&")).map { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      return PercentCoding.decoded(name) ?? Array(name)
    }
  }

  private static func isOfQuery(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "!$&'()*+,;=:@/?%".utf8.contains(byte)
  }

  private static func hasWholeEscapes(_ bytes: [UInt8]) -> Bool {
    bytes.indices.allSatisfy { index in
      guard bytes[index] == UInt8(ascii: "%") else { return true }
      let digits = bytes[(index + 1)...].prefix(2)
      return digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
  }
}
