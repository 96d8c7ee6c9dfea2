/// What keeps a store small: how full it is, and what can be evicted.
package protocol StoreHousekeeping: Sendable {
  /// How full it is. Never blocks, on any thread.
  var load: StoreLoad { get }

  /// All feeds that have a row, in no order.
  func feeds() throws(StoreError) -> [StoredFeed]

  /// The lowest places of a feed, `limit` at most; nil when it has no row.
  func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail?

  /// The bytes of the contents of the items that stand in a feed, those included that other feeds
  /// show as well; 0 where it has no row. Reads through the whole feed.
  func contentBytes(of name: String) throws(StoreError) -> Int64

  /// Evicts what lies below a cut, with the items that no feed holds any more, in one
  /// transaction that leaves `timeline`.
  func cut(_ name: String, below cut: Cut, leaving timeline: Timeline) throws(StoreError)

  /// Evicts a feed with its row, in one transaction. One that is made again counts its numbers on
  /// from beyond all that this one gave out.
  func drop(_ name: String) throws(StoreError)

  /// Notes when feeds were last read.
  func note(_ reads: [String: Timestamp]) throws(StoreError)

  /// Looks at the next rows, from where the last sweep ended on, and deletes those that nothing
  /// needs. Returns whether it came around to the first row again.
  func sweep(_ sweep: Sweep) throws(StoreError) -> Bool

  /// Gives a bounded part of the free space beyond its limit back to the disk. Returns whether
  /// there is more.
  func shrink() throws(StoreError) -> Bool
}
