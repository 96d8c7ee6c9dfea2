/// The state of a feed that an answer was read from: it stands until something is written to the
/// feed, or the content of an item is replaced that may stand in it.
package protocol FeedVersion: AnyObject, Sendable {
  /// Whether what was read after this was taken is what would be read now. Costs two loads, on any
  /// thread.
  var isCurrent: Bool { get }
}

/// A source as the server sees it: slices of its feeds, and what goes with them.
package protocol SliceSource: AnyObject, Sendable {
  /// The source's name in the configuration.
  var source: String { get }

  /// Its rules of freshness and thrift. Costs a lock, on any thread.
  var policy: Policy { get }

  /// Moves with every write to the source's timelines or items, once readers can see it and before
  /// anybody who waited for it is answered.
  ///
  /// What was read after this had a value is exactly as stored while it keeps that value. One for
  /// the whole source, since feeds share the contents of items. Costs one load, on any thread.
  var version: UInt64 { get }

  /// The present state of a feed, by which it can be asked later whether an answer that was read
  /// from then on still stands: writes to other feeds do not move it, but where they replace a
  /// content. Nil where nothing of the feed can be read without the actor. Costs a lock, on any
  /// thread.
  func version(of feed: FeedID) -> (any FeedVersion)?

  /// The present state of all contents, by which it can be asked later whether an item that was
  /// read from then on is still as it was. On any thread.
  var contentVersion: any FeedVersion { get }

  /// A single item as stored, on the caller's thread with the caller's own store connection; nil
  /// where more has to be done: it is not known or gone, may not be served any more, or is to be
  /// looked at again.
  func stored(_ name: ItemName, from reader: any TimelineReader) -> ItemReading?

  /// The changes of a feed after a number where there are none and nothing has to be looked at for
  /// that; nil where more has to be done. Costs a lock, on any thread.
  func unchanged(_ feed: FeedID, since number: SequenceNumber) -> Changes?

  /// The version while nothing is being written; nil while something is. What was read between two
  /// equal ones is all of the same state, in whatever parts it was read.
  var settledVersion: UInt64? { get }

  /// The upstream calls left, as far as known now. Costs a lock, on any thread.
  var callsLeft: Budget { get }

  /// The feed as it is served: one by value whose answers have shown another order is observed.
  /// Costs one load while no observed feed was stored at the start, else a lock, on any thread.
  func served(_ feed: FeedID) -> FeedID

  /// Whether a feed is served in the order that its pattern says.
  func isServed(_ feed: FeedID) -> Bool

  /// The slice a request asks for, if what is stored answers it, on the caller's thread with the
  /// caller's own store connection; nil when the upstream would have to be asked first.
  func stored(
    _ request: SliceRequest, from reader: any TimelineReader
  ) throws(ReadError) -> Slice?

  /// The slice a request asks for, waiting for the upstream as long as the request allows.
  /// `permit` is asked before an opening is made for it; without one none is refused. It is given
  /// when there is `room` for it.
  func slice(
    _ request: SliceRequest, permit: OpeningPermit?, room: (any SliceRoom)?
  ) async throws(ReadError) -> Slice

  /// A single item: as stored while that may be served, else as the upstream says. One older
  /// than `recheckSeconds` is looked at again behind the reply.
  ///
  /// Throws `.deleted` once the item is known to have gone and `.notFound` where it never was.
  /// `permit` is asked before one that is not stored is asked for.
  func item(
    _ name: ItemName, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> ItemReading

  /// An item of a feed as it is stored, however old: the upstream is not asked.
  ///
  /// Throws `.deleted` once the item is known to have gone and `.notFound` where the feed, or what
  /// it hangs on, does not have it as far as is known.
  func storedItem(_ id: Identity, in feed: FeedID) async throws(ReadError) -> ItemReading

  /// What changed in a feed after a number, `limit` changes at most, by what is stored; with
  /// `learned` also what was merely learnt since. A top that is no longer fresh is looked at behind
  /// the reply, as for a slice.
  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) async throws(ReadError) -> ChangeReading

  /// From now on reports every change of a feed, immediately, until ``unlisten(_:)``; while anybody
  /// listens its top is looked at as often as the budget bears, and it is not evicted.
  func listen(to feed: FeedID, told: @escaping @Sendable () -> Void) async -> Listening

  /// Stops reporting.
  func unlisten(_ listening: Listening) async

  /// How a feed stands, by what is stored: the upstream is not asked.
  func status(of feed: FeedID) async throws(ReadError) -> FeedStatus

  /// Looks at a feed's top, by the rules of a reader that refreshes: one looked at less than
  /// `refreshSeconds` ago is not asked again, and simultaneous looks share one call. Returns how
  /// many calls were waited for; throws where the look that was due did not happen. `permit` is
  /// asked when the look opens the feed.
  func refresh(
    _ feed: FeedID, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> Int

  /// Fills the gap that begins at a cut, from above, as far as time and the budget allow; nil when
  /// no gap begins there. Throws where nothing could be brought into it at all.
  func fill(_ upper: Cut, of feed: FeedID, wait: Duration) async throws(ReadError) -> Filling?

  /// When the feeds in memory were last read, by name.
  var reads: [String: Timestamp] { get async }

  /// How it stands now. Costs O(proofs in memory).
  var status: ReaderStatus { get async }
}

extension SliceSource {
  /// ``slice(_:permit:room:)``, for a caller that has no permit to ask and room enough.
  package func slice(
    _ request: SliceRequest, permit: OpeningPermit? = nil
  ) async throws(ReadError) -> Slice {
    try await slice(request, permit: permit, room: nil)
  }

  /// ``item(_:wait:permit:)`` without a permit.
  package func item(_ name: ItemName, wait: Duration) async throws(ReadError) -> ItemReading {
    try await item(name, wait: wait, permit: nil)
  }

  /// ``refresh(_:wait:permit:)`` without a permit.
  package func refresh(_ feed: FeedID, wait: Duration) async throws(ReadError) -> Int {
    try await refresh(feed, wait: wait, permit: nil)
  }
}

/// One item and its freshness, for `GET …/items/{id}`.
package struct ItemReading: Hashable, Sendable {
  /// Its JSON, byte for byte as received.
  package var bytes: [UInt8]
  /// How old it is.
  package var freshness: Freshness
  /// How many upstream calls the request waited for; 0 when the store alone answered.
  package var calls = 0

  /// An item as it is stored.
  package init(bytes: [UInt8], freshness: Freshness) {
    self.bytes = bytes
    self.freshness = freshness
  }
}

/// The state of a source's reader, for metrics.
package struct ReaderStatus: Hashable, Sendable {
  /// The upstream calls left.
  package var budget: Budget
  /// Those of the limits that some feeds have to themselves, by name.
  package var namedBudgets: [String: Budget]
  /// Upstream calls in progress, or waiting to depart.
  package var flights: Int
  /// Those that were sent, the oldest first.
  package var underway: [UnderwayCall]
  /// Feeds whose timeline is in memory.
  package var feeds: Int
  /// Places between two runs of these feeds.
  package var gaps: Int
  /// Places in their feeds at which an element stays that cannot be used.
  package var unusablePlaces: Int

  /// A state from its numbers.
  package init(
    budget: Budget, namedBudgets: [String: Budget] = [:], flights: Int,
    underway: [UnderwayCall] = [], feeds: Int, gaps: Int, unusablePlaces: Int
  ) {
    self.underway = underway
    self.budget = budget
    self.namedBudgets = namedBudgets
    self.flights = flights
    self.feeds = feeds
    self.gaps = gaps
    self.unusablePlaces = unusablePlaces
  }
}

/// An upstream call that was sent and has not ended.
package struct UnderwayCall: Hashable, Sendable {
  /// Its path at the upstream, without what follows a `?`.
  package var path: String
  /// What was asked for; nil for a single item.
  package var window: Window?
  /// What it is for.
  package var purpose: Purpose
  /// When it was sent.
  package var sentAt: Timestamp

  /// A call from its parts.
  package init(path: String, window: Window?, purpose: Purpose, sentAt: Timestamp) {
    (self.path, self.window, self.purpose, self.sentAt) = (path, window, purpose, sentAt)
  }
}

/// Somebody's listening to a feed.
package struct Listening: Hashable, Sendable {
  /// The feed.
  package let feed: FeedID
  /// What distinguishes it from others of the same feed.
  package let ticket: UInt64

  /// A ticket for a feed.
  package init(feed: FeedID, ticket: UInt64) {
    self.feed = feed
    self.ticket = ticket
  }
}
