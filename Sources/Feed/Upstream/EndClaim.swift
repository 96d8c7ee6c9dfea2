/// What a page says of the end of its list, by all that it gives: how many elements came of those
/// that were asked for, the total, and whether a flag or a link names a next page.
package enum EndClaim: Hashable, Sendable {
  /// All of it agrees that nothing follows.
  case end
  /// More follows, or may.
  case more
  /// One says that nothing follows and another that more does: see ``Doubts``.
  case contested
}

extension Page {
  /// What it says of the end, as the answer to a window.
  ///
  /// The page of 30 elements that was asked for 100:
  /// - of a total of 30, or without one, is the end; of a total of 330 it is contested
  /// - with a next page says that more follows; of a total of 30 it is contested
  package func endClaim(in window: Window) -> EndClaim {
    let end = window.firstRank + count
    if isLast(of: window) { return total ?? end > end ? .contested : .end }
    return hasNext && count < window.perPage && total == end ? .contested : .more
  }
}
