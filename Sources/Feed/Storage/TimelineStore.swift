/// Keeps timelines, elements, items and budgets: the core of a store. One owner writes; its calls
/// block on the disk, so they belong on a queue of their own.
package protocol TimelineStore: Sendable {
  /// A random name made with the file, part of every sequence number. It changes when a damaged
  /// file is replaced: what was read before is then no longer what is stored.
  var epoch: String { get }

  /// How often a content that was stored has been replaced or erased: an item may stand in several
  /// feeds. It moves once readers can see that. Costs one load, on any thread.
  var contentChanges: UInt64 { get }

  /// What is proven of a feed; nil when it was never written. Throws
  /// ``StoreError/otherForm(_:)`` where what is stored of it is of another form.
  func timeline(of feed: FeedID) throws(StoreError) -> Timeline?

  /// The elements known below `upper` and above `lower`, tombstones included, in feed order.
  func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]

  /// Where these identities stand in the feed, tombstones included; in no order.
  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement]

  /// Writes what one answer brought to a feed, one merge after the other, and the budget it left,
  /// in one transaction, and returns the feed's last sequence number. The row of the feed is made
  /// by its first commit. `merges` has one at least, all of the same feed. A nil `budget` leaves it
  /// as it is: the call goes on.
  func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64

  /// The budget last kept for a source; nil when none was.
  func budget(of source: String) throws(StoreError) -> Budget?

  /// Keeps a source's budget.
  func keep(_ budget: Budget, of source: String) throws(StoreError)

  /// Keeps an item asked for by itself, unless a later request already brought it.
  func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError)

  /// Erases items' contents everywhere in their realm and leaves tombstones, each with a number,
  /// all in one transaction. Returns the feeds they were in, by name, with their last sequence
  /// numbers.
  func delete(_ ids: [Identity], realm: String, sentAt: Timestamp) throws(StoreError)
    -> [String: Int64]

  /// Opens a further connection that only reads. Used by one thread at a time.
  func makeReader() throws(StoreError) -> any TimelineReader
}
