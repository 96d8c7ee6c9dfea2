/// The state of a source's reader, for metrics.
package struct ReaderStatus: Hashable, Sendable {
  /// The upstream calls left.
  package var budget: Budget
  /// Upstream calls under way, or waiting to depart.
  package var flights: Int
  /// Feeds whose timeline is in memory.
  package var feeds: Int
  /// Places between two runs of these feeds.
  package var gaps: Int
  /// Places in their feeds at which an element stays that cannot be used.
  package var unusablePlaces: Int
}

extension FeedReader {
  /// How it stands now. Costs O(proofs in memory).
  package var status: ReaderStatus {
    ReaderStatus(
      budget: budget.refreshed(at: time.now), flights: flights.count, feeds: states.count,
      gaps: states.values.reduce(0) { $0 + max(0, $1.timeline.runs.count - 1) },
      unusablePlaces: states.values.reduce(0) { $0 + $1.unusable.count })
  }
}
