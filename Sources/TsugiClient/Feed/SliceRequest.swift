import Wire

/// Which part of a feed is asked for: the top unless it says otherwise.
///
///     // Firestore's start(after:), end(at:), limit(to:)
///     SliceRequest(start: .after(.cursor(cursor)), end: .at(.element(id: "f00")), limit: 50)
public struct SliceRequest: Hashable, Sendable {
  /// Where a range begins.
  public enum Start: Hashable, Sendable {
    /// With what follows the place.
    case after(FeedPosition)
    /// With the place itself.
    case at(FeedPosition)
  }

  /// Where a range ends.
  public enum End: Hashable, Sendable {
    /// With what comes before the place.
    case before(FeedPosition)
    /// With the place itself.
    case at(FeedPosition)
  }

  /// Where the range begins; nil for the top.
  public var start: Start?
  /// Where the range ends; nil for the feed's own end.
  public var end: End?
  /// Whether of a range larger than `limit` the end is kept; needs `end`.
  public var limitToLast: Bool
  /// 1 to 100; nil for the feed's own.
  public var limit: Int?
  /// Whether the server looks at the top upstream before it answers; only without `start`.
  public var refresh: Bool

  /// A request from its parts.
  public init(
    start: Start? = nil, end: End? = nil, limitToLast: Bool = false, limit: Int? = nil,
    refresh: Bool = false
  ) {
    self.start = start
    self.end = end
    self.limitToLast = limitToLast
    self.limit = limit
    self.refresh = refresh
  }

  /// A request from its parts, by an old name.
  @available(*, deprecated, renamed: "init(start:end:limitToLast:limit:refresh:)")
  public init(
    start: Start? = nil, end: End? = nil, keepsEnd: Bool, limit: Int? = nil,
    refreshes: Bool = false
  ) {
    self.init(start: start, end: end, limitToLast: keepsEnd, limit: limit, refresh: refreshes)
  }

  /// A request from its parts, by an old name.
  @available(*, deprecated, renamed: "init(start:end:limitToLast:limit:refresh:)")
  public init(start: Start? = nil, end: End? = nil, limit: Int? = nil, refreshes: Bool) {
    self.init(start: start, end: end, limit: limit, refresh: refreshes)
  }

  /// The old name of ``limitToLast``.
  @available(*, deprecated, renamed: "limitToLast")
  public var keepsEnd: Bool {
    get { limitToLast }
    set { limitToLast = newValue }
  }

  /// The old name of ``refresh``.
  @available(*, deprecated, renamed: "refresh")
  public var refreshes: Bool {
    get { refresh }
    set { refresh = newValue }
  }

  /// Adds its bounds to a target.
  func addBounds(to target: inout Target) {
    switch start {
    case .after(let position): target.add(SliceParameter.startAfter.rawValue, position.text)
    case .at(let position): target.add(SliceParameter.startAt.rawValue, position.text)
    case nil: break
    }
    switch end {
    case .before(let position): target.add(SliceParameter.endBefore.rawValue, position.text)
    case .at(let position): target.add(SliceParameter.endAt.rawValue, position.text)
    case nil: break
    }
    if limitToLast { target.add(SliceParameter.limitToLast.rawValue, "true") }
    if refresh { target.add(SliceParameter.refresh.rawValue, "true") }
  }
}
