import Bytes

/// How a feed's elements are ordered, and so how two windows of it are proven adjacent.
package enum FeedOrder: String, CaseIterable, Sendable {
  /// By `created_at` descending, then `id` descending by bytes: the key is in the item.
  case value
  /// By the upstream's own order, whose key is not in the item.
  case observed
  /// One call brings everything; it is replaced at once.
  case whole
}

/// What a feed's elements are, and so which of them share one stored content by identity.
package enum FeedContent: String, Sendable {
  /// Articles: the same in every feed of the source.
  case items
  /// People.
  case users
  /// Tags.
  case tags
  /// Elements that mean something in their own feed only: likes, comments.
  case own
}

/// Which feeds a source has: one pattern, such as `users/:id/items`.
package struct FeedPattern: Hashable, Sendable {
  /// Words of the path; one that begins with `:` stands for any single part.
  package var words: [String]
  /// How its feeds are ordered.
  package var order: FeedOrder
  /// What its elements are.
  package var content: FeedContent
  /// Where an element's identity stands in its JSON: `["id"]` or `["user", "id"]`.
  package var identityPath: [String]
  /// How the upstream hands out its lists.
  package var paging: Paging
  /// Whether `query` is taken.
  package var takesQuery: Bool
  /// Whether it shows the token's owner only, and is stored apart.
  package var isOwners: Bool

  /// A pattern from a path such as `tags/:id/items`.
  package init(
    _ path: String, order: FeedOrder, content: FeedContent = .items,
    identityPath: [String] = ["id"], paging: Paging,
    takesQuery: Bool = false, isOwners: Bool = false
  ) {
    words = path.split(separator: "/").map(String.init)
    self.order = order
    self.content = content
    self.identityPath = identityPath
    self.paging = paging
    self.takesQuery = takesQuery
    self.isOwners = isOwners
  }

  /// The pattern's text, as in `users/:id/items`.
  package var path: String { words.joined(separator: "/") }

  /// Whether decoded path parts are of this pattern.
  package func matches(_ parts: [[UInt8]]) -> Bool {
    parts.count == words.count
      && zip(words, parts).allSatisfy { word, part in
        word.utf8.first == UInt8(ascii: ":") ? !part.isEmpty : word.utf8.elementsEqual(part)
      }
  }
}

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
    /// The article it hangs on.
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
      parent: parts.count == 3 && pattern.words.first == ItemName.Kind.items.rawValue
        ? ItemName(Identity(bytes: parts[1])) : nil)
  }

  /// The article that a feed such as `items/:id/comments` hangs on; nil for any other. What hangs
  /// on a private article is as private.
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
    return pattern.content == .own ? "\(name)#own" : "\(source)#\(pattern.content.rawValue)"
  }

  package static func == (a: FeedID, b: FeedID) -> Bool {
    a.texts === b.texts || a.name == b.name
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(texts.hash)
  }
}
