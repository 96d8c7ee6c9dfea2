/// One thing that happened to the items of a world.
package struct Event: Hashable, Sendable {
  /// What can happen.
  package enum Kind: String, CaseIterable, Sendable {
    /// A new item at the top.
    case insert
    /// An item has gone, from everywhere.
    case delete
    /// An item made public late, deep in the list, with its old date.
    case late
    /// An item was edited: its text and `updated_at` changed, its place did not.
    case touch
    /// Counts changed, `updated_at` did not.
    case count
  }

  /// What happened.
  package let kind: Kind
  /// The item it happened to.
  package let id: String
  /// When, in seconds since 1970.
  package let atSeconds: Int64
}
