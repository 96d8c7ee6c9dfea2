import Feed
import HTTP
import Synchronization

/// The server's counters, merged when they are requested.
///
/// Answers out of a loop's memory are counted by that loop without a lock; all others cost far
/// more than the lock here.
final class Metrics: Sendable {
  /// Upper bounds of the latency histogram's buckets, in seconds.
  static let bucketBounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]

  /// Replies of one kind.
  struct Kind: Hashable {
    var route: Route.Name
    var status: Int
  }

  /// What was counted so far.
  struct Counts {
    /// Replies by kind.
    var replies: [Kind: Int] = [:]
    /// Replies by the first bucket that holds them, the last being above all bounds.
    var buckets = [Int](repeating: 0, count: Metrics.bucketBounds.count + 1)
    /// The time from a request's head to its reply, all together.
    var seconds = 0.0
    /// Slices that the store answered without the upstream.
    var storedSlices = 0
    /// Replies with slices that were no longer fresh, those out of memory among them.
    var staleSlices = 0
    /// Replies out of a loop's memory; counted among the others too.
    var hits = 0
    /// Bytes of finished answers that the loops keep.
    var cacheBytes = 0
  }

  private let counts = Mutex(Counts())
  private let loops = Mutex<[HitCounter]>([])
  /// Not owned: the server's handlers own this.
  private struct Observed {
    weak var server: Server?
  }

  private let observed = Mutex(Observed())

  /// One more loop's counter of a route.
  func makeHitCounter(of route: Route.Name) -> HitCounter {
    let counter = HitCounter(of: route)
    loops.withLock { $0.append(counter) }
    return counter
  }

  /// From now on shows this server's connections.
  func observe(_ server: Server) {
    observed.withLock { $0.server = server }
  }

  /// Connections open now.
  var connections: Int { observed.withLock { $0.server?.connectionCount ?? 0 } }

  /// Bytes that wait for its peers, and connections cut since these were too many.
  var held: (bytes: Int, cut: Int) { observed.withLock { $0.server?.held ?? (0, 0) } }

  /// Counts a reply that is about to be sent.
  func count(_ status: Status, of context: RequestContext) {
    let duration = context.arrivedAt.duration(to: .now).components
    let seconds = Double(duration.seconds) + Double(duration.attoseconds) * 1e-18
    let bucket =
      Metrics.bucketBounds.firstIndex { seconds <= $0 } ?? Metrics.bucketBounds.count
    counts.withLock { counts in
      counts.replies[Kind(route: context.route, status: status.code), default: 0] += 1
      counts.buckets[bucket] += 1
      counts.seconds += seconds
    }
  }

  /// Counts what the HTTP server refused before it was a request.
  func count(refused status: Status) {
    counts.withLock { $0.replies[Kind(route: .none, status: status.code), default: 0] += 1 }
  }

  /// Counts a slice that the store answered without the upstream.
  func countStoredSlice() {
    counts.withLock { $0.storedSlices += 1 }
  }

  /// Counts replies that tell slices of a freshness.
  func count(_ freshness: Freshness, replies: Int) {
    guard freshness.state != .fresh else { return }
    counts.withLock { $0.staleSlices += replies }
  }

  /// All that was counted, the loops' hits with it: each is a reply of the lowest bucket.
  func merged() -> Counts {
    var merged = counts.withLock { $0 }
    for loop in loops.withLock({ $0 }) {
      let (whole, unchanged, stale, bytes) = loop.read()
      if whole > 0 { merged.replies[Kind(route: loop.route, status: 200), default: 0] += whole }
      if unchanged > 0 {
        merged.replies[Kind(route: loop.route, status: 304), default: 0] += unchanged
      }
      merged.hits += whole + unchanged
      merged.staleSlices += stale
      merged.buckets[0] += whole + unchanged
      merged.cacheBytes += bytes
    }
    return merged
  }
}

/// One loop's count of cached replies. Only its loop counts, so a load and a store suffice.
final class HitCounter: Sendable {
  /// The route whose answers it counts.
  let route: Route.Name
  private let whole = Atomic(0)
  private let unchanged = Atomic(0)
  private let stale = Atomic(0)
  private let bytes = Atomic(0)

  /// A counter of a route's answers.
  init(of route: Route.Name) {
    self.route = route
  }

  /// Counts one: a 304 or a 200, of a slice that is no longer fresh or of one that is.
  func count(isUnchanged: Bool, isStale: Bool) {
    if isStale { stale.store(stale.load(ordering: .relaxed) + 1, ordering: .relaxed) }
    if isUnchanged {
      unchanged.store(unchanged.load(ordering: .relaxed) + 1, ordering: .relaxed)
    } else {
      whole.store(whole.load(ordering: .relaxed) + 1, ordering: .relaxed)
    }
  }

  /// Notes how many bytes the loop keeps.
  func note(bytes: Int) {
    self.bytes.store(bytes, ordering: .relaxed)
  }

  /// What was counted, from any thread.
  func read() -> (whole: Int, unchanged: Int, stale: Int, bytes: Int) {
    (
      whole.load(ordering: .relaxed), unchanged.load(ordering: .relaxed),
      stale.load(ordering: .relaxed), bytes.load(ordering: .relaxed)
    )
  }
}
