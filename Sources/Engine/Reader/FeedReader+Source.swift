package import Feed

/// What is answered without the actor, and what the keeper of the store asks.
extension FeedReader {
  /// See ``SliceSource``.
  package nonisolated var source: String { slices.source }
  /// See ``SliceSource``.
  package nonisolated var policy: Policy { slices.policy }
  /// See ``SliceSource``.
  package nonisolated var version: UInt64 { slices.published.version }
  /// See ``SliceSource``.
  package nonisolated func version(of feed: FeedID) -> (any FeedVersion)? {
    slices.version(of: feed)
  }
  /// See ``SliceSource``.
  package nonisolated var contentVersion: any FeedVersion { slices.contentVersion }
  /// See ``SliceSource``.
  package nonisolated func stored(
    _ name: ItemName, from reader: any TimelineReader
  ) -> ItemReading? { slices.item(name, from: reader, at: time.now) }
  /// See ``SliceSource``.
  package nonisolated func unchanged(
    _ feed: FeedID, since number: SequenceNumber
  ) -> Changes? { slices.unchanged(feed, since: number, at: time.now) }
  /// See ``SliceSource``.
  package nonisolated var settledVersion: UInt64? { slices.published.settledVersion }
  /// See ``SliceSource``.
  package nonisolated var callsLeft: Budget { slices.budget.refreshed(at: time.now) }

  /// See ``SliceSource``.
  package nonisolated func served(_ feed: FeedID) -> FeedID { slices.served(feed) }

  /// See ``SliceSource``.
  package nonisolated func isServed(_ feed: FeedID) -> Bool { slices.isServed(feed) }

  /// See ``SliceSource``.
  package var status: ReaderStatus {
    let counts = book.counts
    return ReaderStatus(
      budget: desk.budgets.own.refreshed(at: time.now),
      namedBudgets: desk.budgets.named.mapValues { $0.refreshed(at: time.now) },
      flights: desk.flights.count, underway: desk.underway,
      feeds: counts.feeds, gaps: counts.gaps, unusablePlaces: counts.unusablePlaces)
  }

  /// When the feeds in memory were last read, by name.
  package var reads: [String: Timestamp] { book.reads }

  /// When feeds were last read that were read since this was last asked, by name.
  package func takeReads() -> [String: Timestamp] { book.takeReads() }

  /// See ``FeedBook/evictStep(_:)``.
  package func evictStep(_ victim: Eviction.Victim) throws(StoreError) -> EvictionResult {
    try book.evictStep(victim)
  }

  /// Takes over the numbers that held changes took when they were written.
  package func noteRecovery(_ numbers: [(feed: String, sequence: Int64)]) {
    book.noteRecovery(numbers)
  }
}
