/// Maps an item's content while it is read, for example to the members that `fields` names.
///
/// `item` is the store's own number of an item: it names the same content while the source's
/// version stands.
package protocol Projection: AnyObject {
  /// What was made of an item's content before; nil when it has to be read.
  func known(of item: Int64) -> ProjectedContent?

  /// What is made of a content that was read; nil leaves it as it is.
  func shaped(_ content: [UInt8], of item: Int64) -> ProjectedContent?
}

/// What was made of a content, and its digest: the same for the same bytes, worked out once.
package struct ProjectedContent: Hashable, Sendable {
  /// What was made.
  package var bytes: [UInt8]
  /// The digest of the bytes.
  package var digest: UInt64

  /// What was made, from its parts.
  package init(bytes: [UInt8], digest: UInt64) {
    self.bytes = bytes
    self.digest = digest
  }
}
