import Bytes

/// One ordered collection of a source: `qiita/items`, `qiita/items?query=swift`.
///
/// Its name is ASCII and canonical: every byte that is not unreserved (RFC 3986 §2.3) is
/// percent-encoded, so equal feeds have equal names and unequal ones never.
package struct FeedID: Hashable, Sendable {
  /// The source's name in the configuration.
  package var source: String { texts.source }
  /// The path below the source, each part percent-encoded: `tags/CI%2FCD/items`.
  package var path: String { texts.path }
  /// The search text, percent-encoded; nil when there is none.
  package var query: String? { texts.query }
  /// The pattern it is of.
  package var pattern: FeedPattern { texts.pattern }
  /// The canonical name: source, path and query, as in `qiita/items?query=tag%3ASwift`.
  package var name: String { texts.name }

  private let texts: Texts

  /// What it is made of. One object: a feed's name goes with whatever is done for a request.
  private final class Texts: Sendable {
    let source: String
    let path: String
    let query: String?
    let pattern: FeedPattern
    let name: String
    /// What it hangs on.
    let parent: ItemName?
    /// Of the name: feeds are looked up often, and made seldom.
    let hash: Int

    init(
      source: String, path: String, query: String?, pattern: FeedPattern, parent: ItemName? = nil
    ) {
      (self.source, self.path, self.query, self.pattern) = (source, path, query, pattern)
      self.parent = parent
      name = "\(source)/\(path)" + (query.map { "?query=\($0)" } ?? "")
      hash = name.hashValue
    }
  }

  /// A feed from the decoded parts of its path, and its decoded search text.
  package init(source: String, pattern: FeedPattern, parts: [[UInt8]], query: [UInt8]? = nil) {
    texts = Texts(
      source: source, path: parts.map(percentEncoded).joined(separator: "/"),
      query: query.map(percentEncoded), pattern: pattern,
      parent: pattern.parent(in: parts))
  }

  /// What a feed such as `items/:id/comments` hangs on; nil for any other. What hangs on a private
  /// thing is as private.
  package var parent: ItemName? { texts.parent }

  /// The feed of what a search finds in this one; `query` is decoded.
  package func searched(for query: [UInt8]) -> FeedID {
    FeedID(Texts(source: source, path: path, query: percentEncoded(query), pattern: pattern))
  }

  /// The same feed in the order in which the upstream shows it.
  package var observed: FeedID {
    var pattern = pattern
    pattern.order = .observed
    return FeedID(
      Texts(source: source, path: path, query: query, pattern: pattern, parent: parent))
  }

  private init(_ texts: Texts) {
    self.texts = texts
  }

  /// The partition its elements' contents are kept in, where an identity names one content:
  /// `qiita#items` for articles. Owners' items are never shared with others.
  package var realm: String {
    if pattern.isOwners { return "\(source)#owner" }
    return pattern.content.map { $0.realm(of: source) } ?? "\(name)#own"
  }

  package static func == (a: FeedID, b: FeedID) -> Bool {
    a.texts === b.texts || a.name == b.name
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(texts.hash)
  }
}
