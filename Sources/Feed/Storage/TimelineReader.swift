/// Reads slices. Each instance is used by one thread at a time; its calls block on the disk.
package protocol TimelineReader: AnyObject {
  /// The epoch of the present file, from which the next call reads. Files only ever follow one
  /// another, so what was read of a timeline is of its file where this is its epoch afterwards.
  var epoch: String { get }

  /// Reads one state of the file, however often `body` reads, where the reader can.
  func inOneState<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value

  // Slices, since a reader may have more in memory than was asked for.

  /// Up to `limit` elements that stand in the feed, from right below `upper` on, no lower than
  /// `lower`, in feed order. Tombstones are passed over.
  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element>

  /// Up to `limit` elements that stand in the feed, from right above `lower` on, no higher than
  /// `upper`; also in feed order, so the nearest to `lower` is last.
  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element>

  /// Whether any element stands in the feed between the two.
  func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError) -> Bool

  /// The place of the element that `offset` others of the range stand above; nil when there are
  /// not as many. Costs O(offset).
  func position(at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut)
    throws(StoreError) -> Position?

  /// Where an element stands or last stood; nil when it is not known in this feed.
  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position?

  /// What changed in a feed after a number, `limit` changes at most, 1 or more; with `learned` also
  /// what was merely learnt since. Of a feed that has no row only the number 0 is not expired.
  func changes(of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool)
    throws(StoreError) -> ChangeReading

  /// An item's content; nil when it is not known.
  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem?
}

extension TimelineReader {
  package func inOneState<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body()
  }
}
