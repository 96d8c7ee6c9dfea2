import Feed
import Support
import Synchronization

@testable import Engine

/// A part in memory that plans as a reader does, and whose upstream answers immediately: what it
/// knows is exact, and as old as its answers.
final class ScriptedPart: SliceSource {
  struct Failures: Sendable {
    var isDown = false
    var isUnordered = false
    /// Whether its store is shared, so that its slices tell their number.
    var isShared = false
    /// Whether what a client has been told is not known here, and cannot be asked for.
    var isBehind = false
  }

  let source: String
  let feed: FeedID
  private let part: Int
  let wall: Int?
  private let upstream: ScriptedUpstream
  private let knowledge: Mutex<Knowledge>
  private let failures = Mutex(Failures())
  private let policyInForce: Mutex<Policy>

  init(
    _ part: Int, of upstream: ScriptedUpstream, named name: String, pageSize: Int, wall: Int? = nil,
    policy: Policy = Policy()
  ) {
    (self.part, self.upstream, self.wall) = (part, upstream, wall)
    let (realm, unit) = upstream.parts[part]
    source = "source\(realm)"
    let pattern = FeedPattern(
      "\(name)", order: .value, content: "items", unit: unit,
      paging: Paging(.offset, perPageMax: pageSize, reachMax: wall))
    feed = FeedID(source: source, pattern: pattern, parts: [Array(name.utf8)])
    knowledge = Mutex(
      Knowledge(
        unit: unit, pageSize: pageSize, wall: wall, contents: upstream.contents[realm]))
    policyInForce = Mutex(policy)
  }

  var policy: Policy { policyInForce.withLock { $0 } }
  var version: UInt64 { knowledge.withLock { $0.version } }
  var settledVersion: UInt64? { version }
  /// Answers of its upstream so far.
  var calls: Int { knowledge.withLock { $0.calls } }
  /// The ranges that it was asked for, in its own places.
  var asked: [SliceRequest] { knowledge.withLock { $0.asked } }

  /// Items that it stores with a content that it has not been shown itself.
  var unseenEdits: [Identity] { knowledge.withLock { $0.unseenEdits } }

  func fail(_ change: @Sendable (inout Failures) -> Void) { failures.withLock { change(&$0) } }

  /// Forgets what is stored below a place, or all.
  func evict(below cut: Cut = .top) { knowledge.withLock { $0.evict(below: cut) } }

  func stored(_ request: SliceRequest, from reader: any TimelineReader) throws(ReadError) -> Slice?
  {
    var request = request
    guard !request.asksNothing else { return try answer(request) }
    request.asksNothing = true
    return nil
  }

  func slice(
    _ request: SliceRequest, permit: OpeningPermit?, room: (any SliceRoom)?
  ) async throws(ReadError) -> Slice {
    if request.wait > .zero, !request.asksNothing, calls == 0 { _ = permit?() }
    return try answer(request)
  }

  private func answer(_ request: SliceRequest) throws(ReadError) -> Slice {
    let (part, upstream, policy) = (part, upstream, policy)
    let failures = failures.withLock { $0 }
    let isDown = failures.isDown
    if failures.isBehind, request.told != nil {
      throw .unavailable(retryAt: upstream.clock.now + .seconds(1))
    }
    let result = knowledge.withLock { knowledge -> Result<Slice, ReadError> in
      do throws(ReadError) {
        var slice = try knowledge.answer(
          request, upstream: isDown ? nil : { upstream.list(of: part) }, policy: policy,
          at: upstream.clock.now)
        if failures.isShared { slice.told = slice.sequence }
        return .success(slice)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func isServed(_ feed: FeedID) -> Bool { failures.withLock { !$0.isUnordered } }
  func served(_ feed: FeedID) -> FeedID { isServed(feed) ? feed : feed.observed }

  func version(of feed: FeedID) -> (any FeedVersion)? { Version(self) }
  var contentVersion: any FeedVersion { Version(self) }

  private final class Version: FeedVersion {
    private let part: ScriptedPart
    private let value: UInt64
    init(_ part: ScriptedPart) { (self.part, value) = (part, part.version) }
    var isCurrent: Bool { part.version == value }
  }

  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) async throws(ReadError) -> ChangeReading {
    knowledge.withLock { $0.changes(after: number, limit: limit) }
  }

  private let listening = Mutex<[UInt64: @Sendable () -> Void]>([:])

  func listen(to feed: FeedID, told: @escaping @Sendable () -> Void) async -> Listening {
    listening.withLock { listeners in
      let ticket = UInt64(listeners.count + 1)
      listeners[ticket] = told
      return Listening(feed: feed, ticket: ticket)
    }
  }

  func unlisten(_ listening: Listening) async {
    self.listening.withLock { $0[listening.ticket] = nil }
  }

  var listenerCount: Int { listening.withLock { $0.count } }

  /// Says that it has changed to those who listen.
  func report() { for told in listening.withLock({ Array($0.values) }) { told() } }

  func refresh(
    _ feed: FeedID, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> Int {
    var request = SliceRequest(feed: feed, limit: 1, wait: wait)
    request.refreshes = true
    return try answer(request).calls
  }

  func status(of feed: FeedID) async throws(ReadError) -> FeedStatus {
    let now = upstream.clock.now
    return knowledge.withLock { knowledge in
      FeedStatus(
        feed, by: knowledge.plan(feed.pattern, policy, now), unusablePlaces: 0,
        budget: Budget(assumed: policy.allowance), flight: nil)
    }
  }

  func fill(
    _ upper: Cut, of feed: FeedID, wait: Duration
  ) async throws(ReadError) -> Filling? {
    let now = upstream.clock.now
    let gap = knowledge.withLock { $0.plan(feed.pattern, policy, now).gap(at: upper) }
    guard let gap else { return nil }
    var request = SliceRequest(feed: feed, limit: 1_000, wait: wait)
    (request.start, request.end) = (.cut(gap.upper), .cut(gap.lower))
    var filling = Filling(budget: Budget(assumed: policy.allowance))
    filling.calls = try answer(request).calls
    return filling
  }

  func stored(_ name: ItemName, from reader: any TimelineReader) -> ItemReading? { nil }
  func unchanged(_ feed: FeedID, since number: SequenceNumber) -> Changes? { nil }
  var callsLeft: Budget { Budget(assumed: policy.allowance) }
  var reads: [String: Timestamp] { get async { [:] } }
  var status: ReaderStatus {
    get async { ReaderStatus(budget: callsLeft, flights: 0, feeds: 0, gaps: 0, unusablePlaces: 0) }
  }
  func item(
    _ name: ItemName, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> ItemReading { throw .notFound }
  func storedItem(_ id: Identity, in feed: FeedID) async throws(ReadError) -> ItemReading {
    throw .notFound
  }
}
