/// By what the rows of a stored feed were written: read by another recipe they mean something else.
package struct FeedForm: Hashable, Sendable {
  /// The realm of its items; see ``FeedID/realm``.
  package var realm: String
  /// How it is ordered.
  package var order: FeedOrder
  /// The fingerprint of its recipe; nil where a program wrote it that kept none.
  package var recipe: Int64?

  /// A form from its parts.
  package init(realm: String, order: FeedOrder, recipe: Int64?) {
    (self.realm, self.order, self.recipe) = (realm, order, recipe)
  }

  /// What stored rows are to a feed as it is configured now.
  package enum Fit: Hashable, Sendable {
    /// They are the feed's.
    case same
    /// They are the feed's, in the order in which the upstream shows it; see ``FeedID/observed``.
    case reordered
    /// They were written by another recipe, or in an order that was found wrong.
    case other
  }

  /// What rows of this form are to a feed. A recipe that is not known fits any.
  package func fit(_ feed: FeedID) -> Fit {
    guard realm == feed.realm, FeedForm.isSame(recipe, feed.pattern.recipe) else { return .other }
    if order == feed.pattern.order { return .same }
    return order == .observed && feed.pattern.order == .value ? .reordered : .other
  }

  /// Whether two fingerprints may be of one recipe.
  package static func isSame(_ one: Int64?, _ other: Int64?) -> Bool {
    one == nil || other == nil || one == other
  }
}
