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
  /// The parameters that were added, sorted and percent-encoded: `labels=bug&state=open`; nil when
  /// there are none.
  package var parameters: String? { texts.parameters }
  /// The pattern it is of.
  package var pattern: FeedPattern { texts.pattern }
  /// The canonical name: source, path and parameters, as in `qiita/items?query=tag%3ASwift`.
  package var name: String { texts.name }

  private let texts: Texts

  /// What it is made of. One object: a feed's name goes with whatever is done for a request.
  private final class Texts: Sendable {
    let source: String
    let path: String
    let parameters: String?
    let pattern: FeedPattern
    let name: String
    /// What it hangs on.
    let parent: ItemName?
    /// Of the name: feeds are looked up often, and made seldom.
    let hash: Int

    init(
      source: String, path: String, parameters: String?, pattern: FeedPattern,
      parent: ItemName? = nil
    ) {
      (self.source, self.path, self.parameters) = (source, path, parameters)
      (self.pattern, self.parent) = (pattern, parent)
      name = "\(source)/\(path)" + (parameters.map { "?\($0)" } ?? "")
      hash = name.hashValue
    }
  }

  /// A feed from the decoded parts of its path.
  package init(source: String, pattern: FeedPattern, parts: [[UInt8]]) {
    texts = Texts(
      source: source, path: parts.map(percentEncoded).joined(separator: "/"), parameters: nil,
      pattern: pattern, parent: pattern.parent(in: parts))
  }

  /// What a feed such as `items/:id/comments` hangs on; nil for any other. What hangs on a private
  /// thing is as private.
  package var parent: ItemName? { texts.parent }

  /// The feed of what a search finds in this one; `query` is decoded.
  package func searched(for query: [UInt8]) -> FeedID { with([("query", query)]) }

  /// The feed with these parameters, whose values are decoded; each name stands once.
  package func with(_ parameters: [(name: String, value: [UInt8])]) -> FeedID {
    let pairs = parameters.sorted { $0.name < $1.name }
      .map { "\(percentEncoded($0.name.utf8))=\(percentEncoded($0.value))" }
    return FeedID(
      Texts(
        source: source, path: path, parameters: pairs.isEmpty ? nil : pairs.joined(separator: "&"),
        pattern: pattern, parent: parent))
  }

  /// The same feed in the order in which the upstream shows it.
  package var observed: FeedID {
    var pattern = pattern
    pattern.order = .observed
    return FeedID(
      Texts(
        source: source, path: path, parameters: parameters, pattern: pattern, parent: parent))
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
