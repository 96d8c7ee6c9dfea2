import Bytes
import Feed

/// The URL of a slice on a running server: the origin it must not leave, and the rest.
struct FeedURL: Hashable, CustomStringConvertible {
  /// Scheme, host and port: `http://127.0.0.1:8080`.
  let origin: String
  /// Path and query, beginning with a slash: `/v1/qiita/items?limit=20`.
  private(set) var target: String

  /// A URL as a person writes it: bytes that cannot stand in one are percent-encoded, a fragment
  /// is left out. Nil when it is no absolute `http` or `https` URL.
  init?(_ text: String) {
    let escaped = text.utf8.prefix { $0 != UInt8(ascii: "#") }.map { byte in
      (0x21...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : percentEncoded([byte])
    }.joined()
    let scheme = ["http://", "https://"].first { escaped.lowercased().hasPrefix($0) }
    guard let scheme else { return nil }
    let rest = escaped.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.isEmpty else { return nil }
    origin = scheme + authority
    let target = rest.dropFirst(authority.count)
    self.target = target.hasPrefix("/") ? String(target) : "/" + target
  }

  /// The whole URL.
  var description: String { origin + target }

  /// Adds a query parameter, its value encoded.
  mutating func append(_ name: String, _ value: String) {
    target += (target.contains("?") ? "&" : "?") + "\(name)=\(percentEncoded(value.utf8))"
  }

  /// The query's parameters, as they stand: `query=tag%3ASwift`.
  var parameters: [Substring] {
    let query = target.drop { $0 != "?" }.dropFirst()
    return query.split(separator: "&")
  }

  /// The URL of a verb of the feed, with the same parameters: `/v1/qiita/items:status`.
  func asking(_ verb: String) -> FeedURL {
    var url = self
    let path = target.prefix { $0 != "?" }
    url.target = "\(path):\(verb)\(target[path.endIndex...])"
    return url
  }

  /// The URL that `next` leads to: a path of the same origin, or a whole URL of it; nil otherwise.
  func following(_ next: String) -> FeedURL? {
    if next.hasPrefix("/"), !next.hasPrefix("//") { return FeedURL(origin + next) }
    return FeedURL(next).flatMap { $0.origin == origin ? $0 : nil }
  }
}
