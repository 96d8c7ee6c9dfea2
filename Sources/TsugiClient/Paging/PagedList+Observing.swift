import Observation

/// What observers of a list can see, and when they are notified.
extension PagedList {
  /// Notifies observers of what has changed, and only that.
  func tell(_ now: Shown, _ before: Shown) {
    if now.content != before.content || now.gap != before.gap { rowsVersion += 1 }
    if now.content != before.content { withMutation(keyPath: \.items) {} }
    if now.place != before.place { withMutation(keyPath: \.place) {} }
    if now.resumesAt != before.resumesAt { withMutation(keyPath: \.resumesAt) {} }
    if now.hasMore != before.hasMore { withMutation(keyPath: \.canLoadMore) {} }
    if now.freshness != before.freshness { withMutation(keyPath: \.freshness) {} }
    if now.total != before.total { withMutation(keyPath: \.total) {} }
    if now.endReason != before.endReason { withMutation(keyPath: \.endReason) {} }
    if now.hasPrevious != before.hasPrevious { withMutation(keyPath: \.canLoadPrevious) {} }
    if now.isLoaded != before.isLoaded { withMutation(keyPath: \.isLoaded) {} }
    if now.hasNews != before.hasNews { withMutation(keyPath: \.hasNews) {} }
    if now.top != before.top { withMutation(keyPath: \.refreshState) {} }
    if now.more != before.more { withMutation(keyPath: \.moreState) {} }
    if now.previous != before.previous { withMutation(keyPath: \.previousState) {} }
    if now.gap != before.gap { withMutation(keyPath: \.gapState) {} }
  }

  /// What observers can see.
  struct Shown {
    var content, hasMore, hasPrevious, isLoaded, hasNews: Int
    var top, more, previous, gap: LoadState
    var freshness: FeedFreshness?
    var total: FeedTotal?
    var endReason: FeedEndReason?
    var place: FeedPlace?
    var resumesAt: Item.ID?
    var screen: [Item.ID]
    var since: SequenceNumber?
    var kept: Kept {
      Kept(
        numbers: [content, hasMore, hasPrevious, isLoaded, hasNews], since: since,
        freshness: freshness, total: total)
    }

    /// What is written of a list, but for its rows.
    struct Kept: Equatable {
      var numbers: [Int]
      var since: SequenceNumber?
      var freshness: FeedFreshness?
      var total: FeedTotal?
    }

    init(_ state: PagedState<Item>) {
      content = state.contentVersion
      hasMore = state.hasMore ? 1 : 0
      hasPrevious = state.hasPrevious ? 1 : 0
      isLoaded = state.isLoaded ? 1 : 0
      hasNews = state.hasNews ? 1 : 0
      (top, more) = (state.top.state, state.more.state)
      (previous, gap) = (state.previous.state, state.gap.state)
      (freshness, total, endReason) = (state.freshness, state.total, state.endReason)
      (place, resumesAt, since) = (state.place, state.resumesAt, state.since)
      screen = state.isKept ? state.visible.all(in: state.content) : []
    }
  }
}
