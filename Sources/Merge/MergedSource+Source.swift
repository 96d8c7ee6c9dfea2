package import Feed

/// What else a source is asked, by what its parts say.
extension MergedSource {
  /// The strictest of the parts' rules.
  package var policy: Policy {
    var strictest = sources[0].policy
    for policy in sources.dropFirst().map(\.policy) {
      strictest.freshSeconds = min(strictest.freshSeconds, policy.freshSeconds)
      strictest.staleSeconds = min(strictest.staleSeconds, policy.staleSeconds)
      strictest.recheckSeconds = min(strictest.recheckSeconds, policy.recheckSeconds)
      strictest.refreshSeconds = min(strictest.refreshSeconds, policy.refreshSeconds)
    }
    return strictest
  }

  /// The sum of the parts' sources' versions: it moves when any of them does.
  package var version: UInt64 { sources.reduce(0) { $0 &+ $1.version } }

  /// See ``SliceSource``.
  package var settledVersion: UInt64? {
    sources.reduce(0 as UInt64?) { sum, source in
      guard let sum, let version = source.settledVersion else { return nil }
      return sum &+ version
    }
  }

  /// See ``SliceSource``.
  package func version(of feed: FeedID) -> (any FeedVersion)? {
    guard let parts = try? parts(of: feed) else { return nil }
    let versions = parts.parts.compactMap { $0.source.version(of: $0.feed) }
    return versions.count == parts.parts.count ? MergedVersion(versions) : nil
  }

  /// See ``SliceSource``.
  package var contentVersion: any FeedVersion { MergedVersion(sources.map(\.contentVersion)) }

  /// Nil: its items are their parts'.
  package func stored(_ name: ItemName, from reader: any TimelineReader) -> ItemReading? { nil }

  /// Throws `.notFound`: its items are their parts'.
  package func item(
    _ name: ItemName, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> ItemReading { throw .notFound }

  /// Throws `.notFound`: its items are their parts'.
  package func storedItem(_ id: Identity, in feed: FeedID) async throws(ReadError) -> ItemReading {
    throw .notFound
  }

  /// Those of the part that has the fewest.
  package var callsLeft: Budget {
    let budgets = sources.map(\.callsLeft)
    return budgets.min { $0.remaining < $1.remaining } ?? Budget(assumed: Policy().allowance)
  }

  /// The feed with its parts in one order, in whichever a client named them.
  package func served(_ feed: FeedID) -> FeedID {
    guard feed.parameters != nil, let parts = try? parts(of: feed) else { return feed }
    let names = parts.parts.map(\.name).joined(separator: ",")
    return self.feed.with([("parts", Array(names.utf8))])
  }

  /// See ``SliceSource``.
  package func isServed(_ feed: FeedID) -> Bool { true }

  /// None of its own: its parts' are theirs.
  package var reads: [String: Timestamp] { get async { [:] } }

  /// Nothing of its own but the calls left: what its parts do is counted with their sources.
  package var status: ReaderStatus {
    get async { ReaderStatus(budget: callsLeft, flights: 0, feeds: 0, gaps: 0, unusablePlaces: 0) }
  }
}

/// The state of several feeds: it stands while each does.
private final class MergedVersion: FeedVersion {
  private let versions: [any FeedVersion]

  init(_ versions: [any FeedVersion]) { self.versions = versions }

  var isCurrent: Bool { versions.allSatisfy(\.isCurrent) }
}
