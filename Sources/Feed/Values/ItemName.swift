import Bytes

/// A kind of things that a source shows: the word in the path of one by itself, as `items` is in
/// `items/c0ffee`.
package struct ItemKind: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The word.
  package let word: String

  /// A kind by its word.
  package init(_ word: String) {
    self.word = word
  }

  package init(stringLiteral word: String) {
    self.init(word)
  }

  /// The partition in which the contents of a source's things of the kind are kept.
  func realm(of source: String) -> String { "\(source)#\(word)" }
}

/// What a source shows by itself: something of a kind, by its identity.
package struct ItemName: Hashable, Sendable {
  /// What it is.
  package var kind: ItemKind
  /// What names it among its kind.
  package var id: Identity

  /// Something's name.
  package init(_ id: Identity, kind: ItemKind) {
    self.kind = kind
    self.id = id
  }

  /// Its path below the source: `users/name%40github`.
  package var path: String { "\(kind.word)/\(percentEncoded(id.bytes))" }

  /// The partition its content is kept in: the one that the feeds of its kind share
  /// (``FeedID/realm``).
  package func realm(of source: String) -> String { kind.realm(of: source) }
}
