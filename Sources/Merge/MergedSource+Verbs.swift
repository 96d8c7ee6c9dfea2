package import Feed
import Synchronization

/// Listening, and what an operator asks: each of all parts.
extension MergedSource {
  /// Who listens.
  struct Listeners {
    var last: UInt64 = 0
    var all: [UInt64: (parts: [(any SliceSource, Listening)], watch: Task<Void, Never>)] = [:]
  }

  /// Reports what each part reports, and looks now and then whether a look that changed nothing in
  /// its part has moved the watermark.
  package func listen(to feed: FeedID, told: @escaping @Sendable () -> Void) async -> Listening {
    var parts: [(any SliceSource, Listening)] = []
    for part in (try? self.parts(of: feed))?.parts ?? [] {
      parts.append((part.source, await part.source.listen(to: part.feed, told: told)))
    }
    let watch = Task { [weak self] in
      var version = self?.version
      while !Task.isCancelled, let source = self {
        await source.time.sleep(until: source.time.now + .seconds(source.policy.freshSeconds))
        guard !Task.isCancelled, source.version != version else { continue }
        version = source.version
        told()
      }
    }
    return listeners.withLock { [parts] listeners in
      listeners.last += 1
      listeners.all[listeners.last] = (parts, watch)
      return Listening(feed: feed, ticket: listeners.last)
    }
  }

  /// See ``SliceSource``.
  package func unlisten(_ listening: Listening) async {
    let ended = listeners.withLock { $0.all.removeValue(forKey: listening.ticket) }
    ended?.watch.cancel()
    for (source, listening) in ended?.parts ?? [] { await source.unlisten(listening) }
  }

  /// How each part stands; nothing is known of the whole that they do not say.
  package func status(of feed: FeedID) async throws(ReadError) -> FeedStatus {
    let parts = try parts(of: feed)
    // Where nothing can be shown yet, the parts say why.
    let top = try? await knownTop(of: feed)
    var (states, gaps): ([FeedStatus.Part], [FeedStatus.Gap]) = ([], [])
    for (part, scale) in zip(parts.parts, parts.roles.map(\.scale)) {
      let own = try await part.source.status(of: part.feed)
      let run = own.freshness == nil ? nil : own.runs.first
      let missing = top?.missing.first { $0.part == part.name }
      let lower = run.flatMap { $0.reachesEnd ? nil : scale.cut($0.range.lower) }
      var state = FeedStatus.Part(
        name: part.name, isOptional: part.isOptional, isCounted: run != nil && missing == nil, own,
        settledTo: run.map {
          Timestamp(milliseconds: scale.cut($0.range.upper).position.order)
        }, provenTo: lower.map { Timestamp(milliseconds: $0.position.order) })
      state.retryAt = missing?.retryAt ?? state.retryAt
      states.append(state)
      gaps += own.gaps.map { merged($0, by: scale) }
    }
    var status = FeedStatus(
      feed, of: states, gaps: gaps.sorted { $0.gap.upper > $1.gap.upper },
      freshness: top?.freshness, budget: callsLeft, policy: policy)
    status.total = top?.total
    status.numbers = top?.numbers
    status.watermark = top?.numbers.map { Timestamp(milliseconds: $0.watermark) }
    return status
  }

  private func merged(_ gap: FeedStatus.Gap, by scale: PartScale) -> FeedStatus.Gap {
    var gap = gap
    gap.gap = Slice.Gap(
      upper: scale.lowestCut(gap.gap.upper), lower: scale.cut(gap.gap.lower))
    return gap
  }

  /// Looks at all parts' tops at the same time. Throws why a required one was not looked at.
  package func refresh(
    _ feed: FeedID, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> Int {
    let parts = try parts(of: feed).parts
    let permit = permit.map(once)
    let results = await together(parts) { part throws(ReadError) in
      try await part.source.refresh(part.feed, wait: part.wait(of: wait), permit: permit)
    }
    var calls = 0
    for (part, result) in zip(parts, results) {
      switch result {
      case .success(let own): calls += own
      case .failure(let error): if !part.isOptional { throw .part(part.name, error) }
      }
    }
    return calls
  }

  /// Fills the gaps that begin at a cut, one part after the other.
  package func fill(
    _ upper: Cut, of feed: FeedID, wait: Duration
  ) async throws(ReadError) -> Filling? {
    let parts = try parts(of: feed)
    let deadline = time.now + wait
    var filled: Filling?
    for (part, scale) in zip(parts.parts, parts.roles.map(\.scale)) {
      let own = try await part.source.fill(
        scale.partCut(upper), of: part.feed, wait: max(.zero, deadline - time.now))
      guard let own else { continue }
      var sum = filled ?? Filling(budget: own.budget)
      sum.calls += own.calls
      sum.rest = sum.rest ?? own.rest.map { merged($0, by: scale) }
      filled = sum
    }
    return filled
  }
}
