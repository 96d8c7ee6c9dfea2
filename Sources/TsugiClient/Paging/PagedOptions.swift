/// How a list behaves.
public struct PagedOptions: Hashable, Sendable {
  /// What a refresh does when it does not reach what the list holds.
  public enum GapPolicy: Hashable, Sendable {
    /// Both parts stay, with a gap row between them.
    case mark
    /// The list begins again at the top.
    case reset
  }

  /// How many rows before its end the list fetches more, at most 100.
  public var prefetchDistance: Int
  /// About how many items are kept; what is farthest from the reader goes first and is loaded
  /// again when the reader comes back. What is on the screen and near it stays in any case: a few
  /// hundred items. Nil keeps all.
  public var maxItems: Int?
  /// What a refresh does when it does not reach what the list holds.
  public var gapPolicy: GapPolicy
  /// Whether a gap is filled when the reader comes near; else only on a call.
  public var fillsGaps: Bool

  /// How long after the last answer ``PagedList/cameBack()`` asks for changes again.
  public var catchUpAfter: Duration
  /// How long after it was sent an edit is shown at most, where the server does not tell of it.
  public var settlesWithin: Duration

  /// Options, each of which has a default.
  public init(
    prefetchDistance: Int = 10, maxItems: Int? = nil, gapPolicy: GapPolicy = .mark,
    fillsGaps: Bool = true, catchUpAfter: Duration = .seconds(30),
    settlesWithin: Duration = .seconds(300)
  ) {
    self.prefetchDistance = prefetchDistance
    self.maxItems = maxItems
    self.gapPolicy = gapPolicy
    self.fillsGaps = fillsGaps
    self.catchUpAfter = catchUpAfter
    self.settlesWithin = settlesWithin
  }
}

/// What a list does in one direction.
public enum LoadState: Hashable, Sendable {
  /// Nothing.
  case idle
  /// It waits for the server.
  case loading
  /// It failed; nothing was moved. The server may have said how long to wait.
  case failed(TsugiError, retryAfter: Duration?)

  /// Whether it waits for the server.
  public var isLoading: Bool { self == .loading }

  /// What went wrong last; nil unless it failed.
  public var error: TsugiError? {
    if case .failed(let error, _) = self { error } else { nil }
  }
}

/// What became of the place that a list, or an item by itself, was asked for.
public enum FeedPlace: Hashable, Sendable {
  /// It is not known yet.
  case looking
  /// It is shown.
  case found
  /// It was there and has left: a list shows the next item first.
  case gone
  /// The server does not know it: a list shows the top.
  case notKnown
}

/// What came of a refresh.
public enum PagedRefresh: Hashable, Sendable {
  /// The server looked at its upstream, or had done so just before: the list shows what is there.
  case fresh
  /// The server answered, but could not look, or what it has is older than it likes: the list shows
  /// what was there then.
  case stale(FeedFreshness)
  /// No answer came, and nothing was moved.
  case failed(TsugiError)
  /// The task that asked was cancelled; what is in progress goes on for the list.
  case cancelled
}
