/// Where an item of a merged feed is from.
package struct ItemOrigin: Hashable, Sendable {
  /// The name of its part; the first by name where it stands in several.
  package var part: String
  /// The instant by which it is ordered.
  package var at: Timestamp

  /// The first part, by name, of those that have their items in common; nil for a part that has its
  /// own alone. An identity is one item in all of them.
  package var shared: String?

  /// An origin from its parts.
  package init(part: String, at: Timestamp, shared: String? = nil) {
    (self.part, self.at, self.shared) = (part, at, shared)
  }
}
