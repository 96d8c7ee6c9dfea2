/// One element of a feed with its content, as a reader gets it.
package struct Element: Hashable, Sendable {
  /// Its place in the feed.
  package var position: Position
  /// What names it.
  package var id: Identity
  /// Its JSON, byte for byte as received; where it has a digest, what was made of that.
  package var bytes: [UInt8]
  /// The digest of the bytes where a ``ContentShape`` made them of the element's JSON.
  package var digest: UInt64?

  /// An element from its parts.
  package init(position: Position, id: Identity, bytes: [UInt8], digest: UInt64? = nil) {
    self.position = position
    self.id = id
    self.bytes = bytes
    self.digest = digest
  }
}

/// What the store knows of an element's place, without its content.
package struct KnownElement: Hashable, Sendable {
  /// Its place in the feed.
  package var position: Position
  /// What names it.
  package var id: Identity
  /// `updated_at` in whole seconds since 1970, as last seen.
  package var updatedAt: Int64?
  /// How it stands there.
  package var state: State
  /// When the first proven window that lacked it was sent; nil while it is seen.
  package var missingSince: Timestamp?

  /// How an element stands at its position.
  package enum State: Int, Sendable {
    /// Part of the feed.
    case live = 0
    /// Part of the feed, met where its key does not belong: it proves and refutes nothing.
    case displaced = 1
    /// A tombstone: it left this place; the position stays known.
    case removed = 2
  }

  /// A known element from its parts.
  package init(
    position: Position, id: Identity, updatedAt: Int64?, state: State,
    missingSince: Timestamp? = nil
  ) {
    self.position = position
    self.id = id
    self.updatedAt = updatedAt
    self.state = state
    self.missingSince = missingSince
  }
}

/// What one upstream answer changes in one feed: written in one transaction or not at all.
package struct Merge: Hashable, Sendable {
  /// The feed.
  package var feed: FeedID
  /// When the answer's request was sent; content of a later request is never overwritten.
  package var sentAt: Timestamp
  /// The timeline afterwards, but for `sequence`, which the store counts on.
  package var timeline: Timeline
  /// Elements that were seen, in feed order.
  package var seen: [Seen] = []
  /// Places that lacked their element in a proven window for the first time.
  package var missing: [Position] = []
  /// Places whose element left the feed: each becomes a tombstone and takes a number.
  package var removed: [Position] = []

  /// A merge that changes nothing but the timeline.
  package init(feed: FeedID, sentAt: Timestamp, timeline: Timeline) {
    self.feed = feed
    self.sentAt = sentAt
    self.timeline = timeline
  }

  /// An element as seen, with what that means for its place.
  package struct Seen: Hashable, Sendable {
    /// Its place.
    package var position: Position
    /// The element; its missing mark, if any, is taken away.
    package var item: PageItem
    /// ``KnownElement/State/live`` or ``KnownElement/State/displaced``.
    package var state: KnownElement.State
    /// Whether a sequence number is taken: it appeared, moved, or its `updated_at` changed.
    package var takesNumber: Bool

    /// A seen element from its parts.
    package init(
      position: Position, item: PageItem, state: KnownElement.State, takesNumber: Bool
    ) {
      self.position = position
      self.item = item
      self.state = state
      self.takesNumber = takesNumber
    }
  }
}

/// An item's content, apart from any feed.
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

/// How full a store is, as of its last write.
package struct StoreLoad: Hashable, Sendable {
  /// What its rows take, in bytes; space that is free for other rows is not counted.
  package var bytes: Int64 = 0
  /// Feeds that have a row.
  package var feeds = 0
  /// Feeds given up whole since it was opened.
  package var feedsEvicted = 0
  /// Places given up since it was opened, tombstones among them.
  package var placesEvicted = 0

  /// An empty store's.
  package init() {}
}

/// A feed that has a row.
package struct StoredFeed: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// Its source's name.
  package var source: String
  /// How it is ordered.
  package var order: FeedOrder
  /// When it was last read, as last noted.
  package var readAt: Timestamp

  /// A stored feed from its parts.
  package init(name: String, source: String, order: FeedOrder = .value, readAt: Timestamp) {
    self.name = name
    self.order = order
    self.source = source
    self.readAt = readAt
  }
}

/// The lower end of a feed.
package struct Foot: Hashable, Sendable {
  /// How the feed is ordered.
  package var order: FeedOrder
  /// What is proven of it.
  package var timeline: Timeline
  /// Its lowest places, the lowest first, tombstones included.
  package var places: [KnownElement]

  /// A foot from its parts.
  package init(order: FeedOrder, timeline: Timeline, places: [KnownElement]) {
    self.order = order
    self.timeline = timeline
    self.places = places
  }
}

/// Which rows nobody needs any more.
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

/// Keeps timelines, elements, items and budgets. One owner writes; its calls block on the disk,
/// so they belong on a queue of their own.
package protocol TimelineStore: Sendable {
  /// A random name made with the file, part of every sequence number. It changes when a damaged
  /// file is replaced: what was read before is then no longer what is stored.
  var epoch: String { get }

  /// Whether damage was met in the present file.
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
  func foot(of name: String, limit: Int) throws(StoreError) -> Foot?

  /// Gives up what stands below a cut, with the items that no feed holds any more, in one
  /// transaction that leaves `timeline`.
  func cut(_ name: String, below cut: Cut, leaving timeline: Timeline) throws(StoreError)

  /// Gives up a feed with its row, in one transaction. One made anew counts its numbers on from
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
  func letGo(of source: String)

  /// Opens a further connection that only reads. Used by one thread at a time.
  func makeReader() throws(StoreError) -> any TimelineReader

  /// Asks for one small write and takes it back: whether the store works.
  func check() throws(StoreError)
}

/// What holds of a store that is in no file, and one that holds nothing in memory.
extension TimelineStore {
  package var isDamaged: Bool { false }

  package func renew(from epoch: String) throws(StoreError) -> String? { nil }

  package var isHolding: Bool { false }

  package func holdingPeriod(of feed: FeedID) -> Int? { nil }

  package func recover() -> [(feed: String, sequence: Int64)] { [] }

  package func letGo(of source: String) {}
}

/// Reads slices. Each instance is used by one thread at a time; its calls block on the disk.
///
/// Where a `shape` is given, contents need not be read that it knows already; elements whose bytes
/// it made say so. A reader may leave it aside.
package protocol TimelineReader: AnyObject {
  /// The epoch of the present file, from which the next call reads. Files only ever follow one
  /// another, so what was read of a timeline is of its file where this is its epoch afterwards.
  var epoch: String { get }

  // Slices, since a reader may have more in memory than was asked for.

  /// Up to `limit` elements that stand in the feed, from right below `upper` on, no lower than
  /// `lower`, in feed order. Tombstones are passed over.
  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int, as shape: (any ContentShape)?
  ) throws(StoreError) -> ArraySlice<Element>

  /// Up to `limit` elements that stand in the feed, from right above `lower` on, no higher than
  /// `upper`; also in feed order, so the nearest to `lower` is last.
  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int, as shape: (any ContentShape)?
  ) throws(StoreError) -> ArraySlice<Element>

  /// Whether any element stands in the feed between the two.
  func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError) -> Bool

  /// The place of the element that `offset` others of the range stand above; nil when there are
  /// not as many. Costs O(offset).
  func position(at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut)
    throws(StoreError) -> Position?

  /// Where an element stands or last stood; nil when it is not known in this feed.
  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position?

  /// What changed in a feed after a number, `limit` changes at most, 1 or more. Of a feed that has
  /// no row only the number 0 is not expired.
  func changes(of feed: FeedID, after number: SequenceNumber, limit: Int)
    throws(StoreError) -> ChangeReading

  /// An item's content; nil when it is not known.
  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem?
}

extension TimelineReader {
  /// ``elements(of:below:above:limit:as:)`` with their contents as stored.
  package func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    try elements(of: feed, below: upper, above: lower, limit: limit, as: nil)
  }

  /// ``lastElements(of:below:above:limit:as:)`` with their contents as stored.
  package func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    try lastElements(of: feed, below: upper, above: lower, limit: limit, as: nil)
  }
}

/// What a reader makes of contents as it reads them, such as some members of each. `item` is the
/// store's own number of an item: it names the same content while the source's version stands.
package protocol ContentShape: AnyObject {
  /// What was made of an item's content before; nil when it has to be read.
  func known(of item: Int64) -> ShapedContent?

  /// What is made of a content that was read; nil leaves it as it is.
  func shaped(_ content: [UInt8], of item: Int64) -> ShapedContent?
}

/// What was made of a content, and its digest: the same for the same bytes, worked out once.
package struct ShapedContent: Hashable, Sendable {
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
