/// What a client asks of a feed.
package struct SliceRequest: Hashable, Sendable {
  /// The most items a slice holds.
  package static let limitMax = 100
  /// The longest a request waits for the upstream.
  package static let waitMax = Duration.seconds(30)

  /// The feed.
  package var feed: FeedID
  /// Where the range begins; nil for the top.
  package var start: Bound?
  /// Where the range ends; nil for the feed's own end.
  package var end: Bound?
  /// 1 to ``limitMax``.
  package var limit: Int
  /// Whether the end of the range is kept, not its beginning. Needs `end`.
  package var takesLast = false
  /// Whether the top is looked at before answering.
  package var refreshes = false
  /// How long to wait for the upstream; zero never asks it.
  package var wait: Duration
  /// The upstream's page that is asked for by its rank, of as many items as `limit`; then no bound
  /// is set.
  package var page: Window?
  /// The last number of the feed that the client has got, where its cursors carry one: see
  /// ``Cursor``. Nothing older is an answer.
  package var told: Int64?
  /// Whether fewer items than `limit`, where more may come, are no answer: for clients that take
  /// a short page for the last one.
  package var fillsUp = false
  /// Whether it is answered from what is stored alone, however little that is: a slice of nothing
  /// says that nothing is known there. What is due is looked at behind the reply, unless `wait` is
  /// zero. ``Slice/covers`` says how far it reaches.
  package var asksNothing = false

  /// A request for the first items of a feed.
  package init(feed: FeedID, limit: Int, wait: Duration) {
    self.feed = feed
    self.limit = limit
    self.wait = wait
  }

  /// One end of a range, as a client names it.
  package enum Bound: Hashable, Sendable {
    /// A cut with a place of its own, where a walk begins: from a time.
    case cut(Cut)
    /// A cut with a place of its own, from a cursor of a feed ordered by value.
    case walked(Cut, Trail)
    /// A cut from a cursor of an observed feed, with the lineage that issued it.
    case observed(Cut, lineage: UInt64, Trail = Trail())
    /// Right above (or below) an element that is or was stored.
    case element(Identity, isAbove: Bool)

    /// What the walk remembers that it is of; nil where one begins.
    package var trail: Trail? {
      switch self {
      case .walked(_, let trail), .observed(_, _, let trail): trail
      case .cut, .element: nil
      }
    }
  }
}
