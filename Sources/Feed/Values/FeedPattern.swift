/// How a feed's elements are ordered, and so how two windows of it are proven adjacent.
package enum FeedOrder: String, CaseIterable, Sendable {
  /// By a key in the item, descending, then by `id` descending by bytes; see ``KeyUnit``.
  case value
  /// By the upstream's own order, whose key is not in the item.
  case observed
  /// One call brings everything; it is replaced as a whole.
  case whole
}

/// Which feeds a source has, and what is to know of them: one pattern, such as `users/:id/items`.
package struct FeedPattern: Hashable, Sendable {
  /// Words of the path; one that begins with `:` stands for any single part.
  package var words: [String]
  /// How its feeds are ordered.
  package var order: FeedOrder
  /// What its elements are: those of one kind share one stored content by identity, in every feed
  /// of the source. Nil for what means something in its own feed only, as likes do.
  package var content: ItemKind?
  /// The kind by which the source shows an element by itself, so that one that left is asked for;
  /// nil where it does not, or where leaving says nothing of the element.
  package var one: ItemKind?
  /// Whether it lists all there are of its kind, unless it is searched: what leaves it is deleted.
  package var listsAll: Bool
  /// What the first variable part of its path names: what hangs on a private one is as private.
  package var hangsOn: ItemKind?
  /// Where an element's identity stands in its JSON: `["id"]` or `["user", "id"]`; empty where it
  /// stands outside.
  package var identityPath: [String]
  /// The parts of a merged feed, by name; empty in any other.
  package var parts: [Part] = []
  /// What the keys count by which its feeds are ordered, where they are by value.
  package var unit: KeyUnit
  /// How long a key's instant may still be written to after it has passed. Seconds.
  package var settleSeconds: Int64
  /// How the upstream hands out its lists.
  package var paging: Paging
  /// The parameters that readers may add, sorted: each is a part of a feed's name.
  package var parameters: [String]
  /// What variables and parameters may be, by name; any text where there is nothing.
  package var rules: [String: NameRule]
  /// The name of the rate limit that its calls count in; nil for the source's.
  package var budget: String?
  /// Whether it shows the token's owner only, and is stored apart.
  package var isOwners: Bool
  /// The fingerprint of what decides what its stored rows mean; nil where no recipe says so.
  package var recipe: Int64?

  /// A pattern from a path such as `tags/:id/items`.
  package init(
    _ path: String, order: FeedOrder, content: ItemKind?, one: ItemKind? = nil,
    listsAll: Bool = false, hangsOn: ItemKind? = nil, identityPath: [String] = ["id"],
    unit: KeyUnit = .seconds, settleSeconds: Int64 = KeyUnit.settleSeconds,
    paging: Paging,
    parameters: [String] = [], rules: [String: NameRule] = [:], isOwners: Bool = false
  ) {
    words = path.split(separator: "/").map(String.init)
    self.order = order
    self.content = content
    self.one = one
    self.listsAll = listsAll
    self.hangsOn = hangsOn
    self.identityPath = identityPath
    self.unit = unit
    self.settleSeconds = settleSeconds
    self.paging = paging
    self.parameters = parameters
    self.rules = rules
    self.isOwners = isOwners
  }

  /// Whether its feeds are merged from others.
  package var isMerged: Bool { !parts.isEmpty }

  /// A part of a merged feed.
  package struct Part: Hashable, Sendable {
    /// Its name in the merged feed.
    package var name: String
    /// The name of its own feed: `qiita/items?query=tag%3ASwift`.
    package var feed: String
    /// Where the identity of its elements stands, as ``FeedPattern/identityPath``.
    package var identityPath: [String]

    /// A part from its parts.
    package init(name: String, feed: String, identityPath: [String]) {
      (self.name, self.feed, self.identityPath) = (name, feed, identityPath)
    }
  }

  /// Everywhere that an element's identity may stand, each place once.
  package var identityPaths: [[String]] {
    guard isMerged else { return [identityPath] }
    var paths: [[String]] = []
    for part in parts where !paths.contains(part.identityPath) { paths.append(part.identityPath) }
    return paths
  }

  /// The pattern's text, as in `users/:id/items`.
  package var path: String { words.joined(separator: "/") }

  /// The names of the path's variable parts, in their order: `["id"]`.
  package var variables: [String] {
    words.filter(FeedPattern.isVariable).map { String($0.dropFirst()) }
  }

  /// Whether decoded path parts are of this pattern.
  package func matches(_ parts: [[UInt8]]) -> Bool {
    parts.count == words.count
      && zip(words, parts).allSatisfy { word, part in
        guard FeedPattern.isVariable(word) else { return word.utf8.elementsEqual(part) }
        return !part.isEmpty && rules[String(word.dropFirst())]?.takes(part) ?? true
      }
  }

  /// What a feed of these parts hangs on.
  package func parent(in parts: [[UInt8]]) -> ItemName? {
    guard let hangsOn, let index = words.firstIndex(where: FeedPattern.isVariable),
      index < parts.count
    else { return nil }
    return ItemName(Identity(bytes: parts[index]), kind: hangsOn)
  }

  private static func isVariable(_ word: String) -> Bool { word.utf8.first == UInt8(ascii: ":") }
}
