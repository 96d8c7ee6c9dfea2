/// One element of a feed with its content, as a reader gets it.
package struct Element: Hashable, Sendable {
  /// Its place in the feed.
  package var position: Position
  /// What names it.
  package var id: Identity
  /// Its JSON, byte for byte as received; where it has a digest, what was left of that.
  package var bytes: [UInt8]
  /// The digest of the bytes where they are only a part of the element's JSON.
  package var digest: UInt64?

  /// An element from its parts.
  package init(position: Position, id: Identity, bytes: [UInt8], digest: UInt64? = nil) {
    self.position = position
    self.id = id
    self.bytes = bytes
    self.digest = digest
  }
}
