import Feed

extension World {
  /// Whether the answers of an upstream that stands still tell all there is of a feed.
  ///
  /// Pages of one size are joined by totals alone. Where pages follow on one another by a word, or
  /// by an instant, no rank tells what of an instant was seen: one that comes in another order each
  /// time, or that is larger than a page and has no way into it, stays unproven.
  func tellsEnough(of feed: FeedID) -> Bool {
    let paging = feed.pattern.paging
    if paging.joins == .count, !script.tellsTotal || script.odd.totals != .exact { return false }
    if paging.joins != nil || !paging.isRanked, script.shufflesTies { return false }
    // A list past a wall tells no total of its own.
    let isUntold = paging.past != nil && script.shufflesTies
    let isKeyed = paging.addressing == .key && !paging.isPagedInside
    guard isUntold || isKeyed, feed.pattern.order == .value else { return true }
    let seconds = Dictionary(grouping: list(feed).entries, by: \.second)
    let perPage = script.perPageMax(in: paging)
    return seconds.values.allSatisfy { $0.count < perPage }
  }
}
