package import Engine
package import Feed

/// A walk along `next`, and the promise it is held to.
package struct Walk: Sendable {
  /// What it was given.
  package var slices: [Slice] = []
  /// What it ended with, if not with a slice.
  package var failure: ReadError?

  /// An empty walk.
  package init() {}

  /// What it was given, in order.
  package var ids: [Identity] { slices.flatMap { $0.items.map(\.id) } }

  /// Walks from the top to the end.
  package static func run(
    _ reader: FeedReader, _ first: SliceRequest, pause: @escaping () async -> Void
  )
    async -> Walk
  {
    var walk = Walk()
    var request = first
    while walk.slices.count < 20_000 {
      do throws(ReadError) {
        let slice = try await reader.slice(request)
        walk.slices.append(slice)
        guard slice.hasMore else { return walk }
        guard let last = slice.items.last else { return walk }
        request.start = .walked(.below(last.position), slice.trail)
        request.refreshes = false
      } catch {
        walk.failure = error
        return walk
      }
      await pause()
    }
    return walk
  }

  /// Walks on from a request by what `answer` gives, until there is no more or it fails; `between`
  /// happens after each slice that has more, with their count.
  package init(
    from first: SliceRequest, answer: (SliceRequest) throws -> Result<Slice, ReadError>,
    between: (Int) throws -> Void = { _ in }
  ) rethrows {
    var request = first
    while slices.count < 2_000 {
      switch try answer(request) {
      case .failure(let error):
        failure = error
        return
      case .success(let slice):
        slices.append(slice)
        guard slice.hasMore, let last = slice.items.last else { return }
        request.start = slice.bound(.below(last.position), of: first.feed)
        request.told = slice.told
        request.refreshes = false
      }
      try between(slices.count)
    }
  }

  /// Everything the promise says, checked against what was really there; nil when it holds.
  package func violation(of history: [Identity: ScriptedList.Presence], endedAt: Timestamp)
    -> String?
  {
    if let failure { return "failed: \(failure)" }
    guard let last = slices.last else { return "no slice" }
    if last.hasMore { return "ended with hasMore" }
    if last.endReason != .end { return "ended with \(String(describing: last.endReason))" }
    for slice in slices.dropLast() where slice.items.isEmpty || !slice.hasMore {
      return "an empty slice in the middle"
    }
    let positions = slices.flatMap { $0.items.map(\.position) }
    for (a, b) in zip(positions, positions.dropFirst()) where a <= b {
      return "order broken between \(a) and \(b)"
    }
    let provenAt = slices.map(\.freshness.provenAt).min() ?? endedAt
    let delivered = Set(ids)
    if delivered.count != ids.count { return "an item twice" }
    for (id, presence) in history {
      let isSettled = presence.second <= provenAt.seconds - 3
      if presence.since <= provenAt, presence.until ?? endedAt >= endedAt, isSettled,
        !delivered.contains(id)
      {
        return "a hole: \(id.text) of second \(presence.second)"
      }
    }
    return nil
  }
}

extension VirtualTime {
  /// What a reader gives for a request, while time goes on as far as that needs.
  package func slice(
    _ request: SliceRequest, from reader: FeedReader
  ) -> Result<Slice, ReadError> {
    let result: Result<Slice, ReadError>? = run {
      do throws(ReadError) {
        return .success(try await reader.slice(request))
      } catch {
        return .failure(error)
      }
    }
    return result ?? .failure(.timedOut)
  }
}

extension Slice {
  /// A place in its feed as a cursor of the slice names it.
  func bound(_ cut: Cut, of feed: FeedID, trail: Trail? = nil) -> SliceRequest.Bound {
    let trail = trail ?? self.trail
    return feed.pattern.order == .value
      ? .walked(cut, trail) : .observed(cut, lineage: lineage, trail)
  }
}
