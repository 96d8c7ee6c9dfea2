/// An item's content, stored once for all feeds.
package struct StoredItem: Hashable, Sendable {
  /// Its JSON, byte for byte as received; nil when it is known to be deleted.
  package var bytes: [UInt8]?
  /// When the request that brought this, or said it is gone, was sent.
  package var sentAt: Timestamp

  /// A stored item from its parts.
  package init(bytes: [UInt8]?, sentAt: Timestamp) {
    self.bytes = bytes
    self.sentAt = sentAt
  }
}
