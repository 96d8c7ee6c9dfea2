/// Keeps timelines, elements, items and budgets. One owner writes; its calls block on the disk,
/// so they belong on a queue of their own.
package protocol TimelineStore: Sendable {
  /// A random name made with the file, part of every sequence number. It changes when a damaged
  /// file is replaced: what was read before is then no longer what is stored.
  var epoch: String { get }

  /// Whether the present file was found to be damaged.
  var isDamaged: Bool { get }

  /// Sets the file of this epoch aside and begins a new one, unless that is done already. Returns
  /// where the damaged file is now; nil when nothing was done.
  func renew(from epoch: String) throws(StoreError) -> String?

  /// How full it is. Never blocks, on any thread.
  var load: StoreLoad { get }

  /// What is proven of a feed; nil when it was never written.
  func timeline(of feed: FeedID) throws(StoreError) -> Timeline?

  /// The elements known below `upper` and above `lower`, tombstones included, in feed order.
  func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]

  /// Where these identities stand in the feed, tombstones included; in no order.
  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement]

  /// Writes what one answer brought, and the budget it left, in one transaction, and returns
  /// the feed's last sequence number. The row of the feed is made by its first commit.
  func commit(_ merge: Merge, budget: Budget?) throws(StoreError) -> Int64

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

  /// All feeds that have a row, in no order.
  func feeds() throws(StoreError) -> [StoredFeed]

  /// The lowest places of a feed, `limit` at most; nil when it has no row.
  func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail?

  /// Evicts what lies below a cut, with the items that no feed holds any more, in one
  /// transaction that leaves `timeline`.
  func cut(_ name: String, below cut: Cut, leaving timeline: Timeline) throws(StoreError)

  /// Evicts a feed with its row, in one transaction. One made anew counts its numbers on from
  /// beyond all that this one told.
  func drop(_ name: String) throws(StoreError)

  /// Notes when feeds were last read.
  func note(_ reads: [String: Timestamp]) throws(StoreError)

  /// Looks at the next rows, from where the last sweep ended on, and takes away those that nobody
  /// needs. Returns whether it came around to the first row again.
  func sweep(_ sweep: Sweep) throws(StoreError) -> Bool

  /// Gives a bounded part of the free space beyond its limit back to the disk. Returns whether
  /// there is more.
  func shrink() throws(StoreError) -> Bool

  /// Whether anything is held in memory because it cannot be written.
  var isHolding: Bool { get }

  /// A number for the time since when changes of a feed are held, another each time; nil while
  /// all that was committed of it is written.
  func holdingPeriod(of feed: FeedID) -> Int?

  /// Writes what is held, as far as that works now. Returns the numbers that feeds came to by it.
  func recover() -> [(feed: String, sequence: Int64)]

  /// Forgets what is held of a source's feeds. Its readers must not go by it any more.
  func discardBuffered(of source: String)

  /// Opens a further connection that only reads. Used by one thread at a time.
  func makeReader() throws(StoreError) -> any TimelineReader

  /// Asks for one small write and takes it back: whether the store works.
  func check() throws(StoreError)
}

/// A store that writes at once what it is given, and holds nothing back.
package protocol UnbufferedStore: TimelineStore {}

// Not on TimelineStore itself: where the module of a store that holds is not imported, the compiler
// would take these for its own.
extension UnbufferedStore {
  /// Never.
  package var isHolding: Bool { false }

  /// None.
  package func holdingPeriod(of feed: FeedID) -> Int? { nil }

  /// Nothing is to be written.
  package func recover() -> [(feed: String, sequence: Int64)] { [] }

  /// Nothing is held.
  package func discardBuffered(of source: String) {}
}
