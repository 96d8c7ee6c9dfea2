/// How full a store is, as of its last write.
package struct StoreLoad: Hashable, Sendable {
  /// What its rows take, in bytes; space that is free for other rows is not counted.
  package var bytes: Int64 = 0
  /// Feeds that have a row.
  package var feeds = 0
  /// Feeds evicted as a whole since it was opened.
  package var feedsEvicted = 0
  /// Places evicted since it was opened, tombstones included.
  package var placesEvicted = 0

  /// An empty store's.
  package init() {}
}

/// Which rows are expired: tombstones, marks of deleted items, items in no feed.
package struct Sweep: Hashable, Sendable {
  /// Tombstones, and marks of deleted items, of answers sent before this.
  package var goneBefore: Timestamp
  /// Items in no feed that were brought by answers sent before this.
  package var looseBefore: Timestamp
  /// The most rows looked at.
  package var rowsMax: Int

  /// A sweep from its parts.
  package init(goneBefore: Timestamp, looseBefore: Timestamp, rowsMax: Int) {
    self.goneBefore = goneBefore
    self.looseBefore = looseBefore
    self.rowsMax = rowsMax
  }
}
