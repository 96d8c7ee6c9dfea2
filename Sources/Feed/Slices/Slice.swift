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
  /// Whether fewer items than `limit`, where more may come, are no answer: for clients that take
  /// a short page for the last one.
  package var fillsUp = false

  /// A request for the first items of a feed.
  package init(feed: FeedID, limit: Int, wait: Duration) {
    self.feed = feed
    self.limit = limit
    self.wait = wait
  }

  /// One end of a range, as a client names it.
  package enum Bound: Hashable, Sendable {
    /// A cut that tells its own place, where a walk begins: from a time.
    case cut(Cut)
    /// A cut that tells its own place, from a cursor of a feed ordered by value.
    case walked(Cut, Trail)
    /// A cut from a cursor of a feed that is not ordered by value, and whom that was told under.
    case observed(Cut, lineage: UInt64, Trail = Trail())
    /// Right above (or below) an element that is or was stored.
    case element(Identity, isAbove: Bool)

    /// What the walk remembers that it is of; nil where one begins.
    var trail: Trail? {
      switch self {
      case .walked(_, let trail), .observed(_, _, let trail): trail
      case .cut, .element: nil
      }
    }
  }
}

/// What a client gets: items proven adjacent, and where to go on.
package struct Slice: Hashable, Sendable {
  /// The items, in feed order, newest first in a value feed.
  package var items: ArraySlice<Element>
  /// Whether there is more between this slice and the end of the asked range.
  package var hasMore: Bool
  /// Whether there is anything above this slice that `previous` would show.
  package var hasPrevious: Bool
  /// Why there is no more; nil when there is.
  package var endReason: EndReason?
  /// The gap it ends at; nil when it does not.
  package var gap: Gap?
  /// How old what it rests on is.
  package var freshness: Freshness
  /// The number of the last change known when it was read.
  package var sequence: Int64
  /// The epoch of the store that counts these numbers.
  package var epoch = ""
  /// The name its positions are told under; 0 in a feed ordered by value.
  package var lineage: UInt64 = 0
  /// What a cursor at its end remembers; at its start, only what is known.
  package var trail = Trail()
  /// The feed's size, as the upstream last said.
  package var total: Total?
  /// Whether its items are only shown as the upstream has them: their positions mean nothing, and
  /// none leads on from here.
  package var isUnplaced = false
  /// How many upstream calls the request waited for; 0 when the store alone answered.
  package var calls = 0
  /// The source's version before it was read: of one version, a request has one slice.
  package var version: UInt64 = 0

  /// A gap below a slice.
  package struct Gap: Hashable, Sendable {
    /// Its upper edge, which names it.
    package var upper: Cut
    /// Where known items go on.
    package var lower: Cut

    /// A gap from its two edges.
    package init(upper: Cut, lower: Cut) {
      self.upper = upper
      self.lower = lower
    }
  }
}

/// Why a slice is the last of its range.
package enum EndReason: String, CaseIterable, Sendable {
  /// The client's own bound was reached.
  case range
  /// The feed is over.
  case end
  /// The upstream shows no more than 10,000 elements, or fewer than it counts of what comes whole.
  case upstreamLimit
}

/// How old the answers are that a range rests on.
package struct Freshness: Hashable, Sendable {
  /// How a slice may be served.
  package enum State: String, CaseIterable, Sendable {
    /// It may be served.
    case fresh
    /// It may be served, and is looked at again behind the reply.
    case stale
    /// It is served only while the upstream fails.
    case expired
  }

  /// How it may be served.
  package var state: State
  /// When any of it was last seen upstream.
  package var checkedAt: Timestamp
  /// When the oldest answer it rests on was asked for.
  package var provenAt: Timestamp

  /// Whole seconds at `now` since any of it was last seen upstream.
  package func age(at now: Timestamp) -> Int64 {
    // Compared as numbers: through `Duration` it takes ten times as long.
    max(0, (now.milliseconds - checkedAt.milliseconds) / 1000)
  }

  /// The freshness at `now` of a range that rests on these answers; `lookedAt` is when the top
  /// was last looked at, for a range that begins there. Of nothing at all it is `now`.
  package init(
    of proofs: some Sequence<Proof>, lookedAt: Timestamp?, policy: Policy, at now: Timestamp
  ) {
    let instants = proofs.map(\.provenAt)
    checkedAt = lookedAt ?? instants.max() ?? now
    provenAt = min(instants.min() ?? checkedAt, checkedAt)
    if now - provenAt >= .seconds(policy.staleSeconds) {
      state = .expired
    } else if now - checkedAt >= .seconds(policy.freshSeconds)
      || now - provenAt >= .seconds(policy.recheckSeconds)
    {
      state = .stale
    } else {
      state = .fresh
    }
  }
}

/// Why a request got no slice. Each becomes one code of the contract.
package enum ReadError: Error, Hashable, Sendable {
  /// `id:` named an element that is not known in this feed.
  case unknownElement(isStart: Bool)
  /// A position in a feed without order by value can no longer be found.
  case positionExpired(isStart: Bool)
  /// The feed is served in another order than was asked for, from now on.
  case reordered
  /// The upstream does not know the feed, or the item.
  case notFound
  /// The item is known to have gone.
  case deleted
  /// The upstream refuses the feed.
  case refused
  /// The upstream's budget is spent.
  case rateLimited(until: Timestamp)
  /// This hour's share of calls for feeds not yet stored is spent, or what one client may open.
  case tooManyOpenings(retryAt: Timestamp)
  /// The upstream fails; asked again no earlier than `retryAt`.
  case unavailable(retryAt: Timestamp)
  /// The feed has more elements of one second than an answer shows, and they cannot be counted:
  /// each answer has another order, or they are too many to hold. Tried again no earlier than
  /// `retryAt`.
  case uncountable(retryAt: Timestamp)
  /// The upstream's answer cannot be used; asked again no earlier than `retryAt`.
  case badResponse(retryAt: Timestamp)
  /// The upstream did not answer within the time the client waits; the call goes on.
  case timedOut
  /// The store failed.
  case store(StoreError)
}

extension ArraySlice where Element == Feed.Element {
  /// The bytes of these items together.
  package var byteCount: Int {
    // By index, here and wherever a slice is gone through: to take an element out copies it.
    indices.reduce(0) { $0 + self[$1].bytes.count }
  }
}
