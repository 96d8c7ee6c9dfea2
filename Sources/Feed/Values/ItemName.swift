import Bytes

/// What a source shows by itself: something of a kind, by its identity.
package struct ItemName: Hashable, Sendable {
  /// What it is.
  package var kind: Kind
  /// What names it among its kind.
  package var id: Identity

  /// The kinds of things that are shown by themselves; the value is the word in their path.
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// Articles.
    case items
    /// People.
    case users
    /// Tags.
    case tags
    /// Comments, of whatever article.
    case comments
  }

  /// The name of an article, or of something else.
  package init(_ id: Identity, kind: Kind = .items) {
    self.kind = kind
    self.id = id
  }

  /// Its path below the source: `users/name%40github`.
  package var path: String { "\(kind.rawValue)/\(percentEncoded(id.bytes))" }

  /// The partition its content is kept in: for articles, people and tags the one that the feeds
  /// of them share (``FeedID/realm``).
  package func realm(of source: String) -> String { "\(source)#\(kind.rawValue)" }
}
