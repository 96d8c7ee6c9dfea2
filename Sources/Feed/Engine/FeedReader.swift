import Synchronization

/// Reads feeds of one source: performs the steps that ``Plan`` decides.
///
/// This target is the domain: items, cursors, timelines of runs and gaps, the rules of proof, and
/// this reader that lets them act through two ports, ``PageFetcher`` and ``TimelineStore``. It
/// knows no clock, file, socket or JSON. The rules are values and pure functions (``Plan``,
/// ``Evidence``, ``Merging``, ``TieCount``, ``Seek``, ``Budget``); read ``Plan`` next.
///
/// Readers of one feed share one flight, and a flight goes on when nobody waits any more. What
/// needs no upstream call is answered by ``stored(_:from:)`` on any thread, without the actor.
package actor FeedReader {
  /// The source's name in the configuration.
  package nonisolated let source: String
  /// Its rules of freshness and thrift. Costs a lock, on any thread.
  package nonisolated var policy: Policy { policyInForce.withLock { $0 } }
  nonisolated let policyInForce: Mutex<Policy>
  nonisolated let store: any TimelineStore
  nonisolated let time: any TimeSource
  nonisolated let report: @Sendable (Incident) -> Void
  let random: @Sendable (ClosedRange<Int64>) -> Int64
  var fetcher: any PageFetcher
  let reader: any TimelineReader
  nonisolated let executor: any SerialExecutor & TaskExecutor

  /// The timelines as last written, for readers outside the actor.
  nonisolated let published = Mutex<[FeedID: Published]>([:])
  /// See ``Reordered``.
  nonisolated let reordered: Reordered
  /// Counts what was written of the source, for ``version``.
  nonisolated let changes = Atomic<UInt64>(0)
  /// Counts what was begun to be written of it, for ``settledVersion``.
  nonisolated let changesBegun = Atomic<UInt64>(0)
  /// The epoch of the store that the states are of.
  var epoch: String
  var states: [FeedID: FeedState] = [:]
  var flights: [FlightKey: Flight] = [:]
  var departures: [FlightKey] = []
  /// Requests being answered on the actor, by feed: those feeds are not evicted meanwhile.
  var waiting: [FeedID: Int] = [:]
  /// Who is told of a feed's changes.
  var listeners: [FeedID: [UInt64: @Sendable () -> Void]] = [:]
  /// What looks at the feeds that are listened to.
  var attendants: [FeedID: Task<Void, Never>] = [:]
  /// Feeds of which all that came since the last look is being read on, for who follows changes.
  var readingOn: Set<FeedID> = []
  var itemPauses: [ItemName: ItemPause] = [:]
  /// What was edited a short while ago.
  var recentEdits = RecentEdits()
  /// What is known of the upstream's clock.
  var clock = UpstreamClock()
  var budget: Budget {
    didSet {
      let budget = budget
      publishedBudget.withLock { $0 = budget }
    }
  }
  private nonisolated let publishedBudget: Mutex<Budget>
  var lastTicket: UInt64 = 0

  /// Moves with every write to the source's timelines or items, once readers can see it and before
  /// anybody who waited for it is answered.
  ///
  /// What was read after this had a value is exactly as stored while it keeps that value. One for
  /// the whole source, since feeds share the contents of items; it writes a thousand times an hour
  /// at most. Costs one load, on any thread.
  package nonisolated var version: UInt64 { changes.load(ordering: .acquiring) }

  /// The version while nothing is being written; nil while something is. What was read between two
  /// equal ones is all of the same state, in whatever parts it was read.
  package nonisolated var settledVersion: UInt64? {
    let version = changes.load(ordering: .sequentiallyConsistent)
    return changesBegun.load(ordering: .sequentiallyConsistent) == version ? version : nil
  }

  /// The most feeds whose state is kept in memory; the rest is read from the store again.
  static let statesMax = 10_000
  /// How long a search for a place that was not ended can be gone on with.
  static let searchDuration = Duration.seconds(300)
  /// A feed of so many elements is emptied by two answers without any; a larger one by three.
  static let smallCount = 20
  /// By how much an answer may seem older than what is proven without being so.
  static let ageTolerance = Duration.milliseconds(1_500)
  /// How many failed flights end a request.
  static let failuresMax = 3

  /// A reader of `source`. The executor's thread is the one the store's writes block.
  package init(
    source: String, policy: Policy, fetcher: any PageFetcher, store: any TimelineStore,
    time: any TimeSource, executor: any SerialExecutor & TaskExecutor,
    random: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { .random(in: $0) },
    report: @escaping @Sendable (Incident) -> Void = { _ in }
  ) throws(StoreError) {
    self.source = source
    policyInForce = Mutex(policy)
    self.fetcher = fetcher
    self.store = store
    self.time = time
    self.executor = executor
    self.report = report
    self.random = random
    epoch = store.epoch
    reader = try store.makeReader()
    let kept = try store.budget(of: source)?.kept ?? Budget()
    publishedBudget = Mutex(kept)
    budget = kept
    // Damage is met, and mended, where what is stored is asked for.
    reordered = Reordered(stored: (try? store.feeds()) ?? [], of: source)
    if let spentAt = kept.spentAt { time.reach(spentAt) }
  }

  /// The upstream calls left, as far as known now. Costs a lock, on any thread.
  package nonisolated var callsLeft: Budget {
    publishedBudget.withLock { $0 }.refreshed(at: time.now)
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The slice a request asks for, waiting for the upstream as long as the request allows.
  /// `permit` is asked before an opening is made for it; without one none is refused. It is given
  /// when there is `room` for it.
  package func slice(
    _ request: SliceRequest, permit: OpeningPermit? = nil, room: (any SliceRoom)? = nil
  ) async throws(ReadError) -> Slice {
    try await retryingOnReplacedFile { () async throws(ReadError) in
      try await answer(request, permit: permit, room: room)
    }
  }

  private func answer(
    _ request: SliceRequest, permit: OpeningPermit?, room: (any SliceRoom)?
  ) async throws(ReadError) -> Slice {
    let arrivedAt = time.now
    let deadline = arrivedAt + request.wait
    try await checkParent(of: request.feed, wait: request.wait, permit)
    begin(request.feed)
    defer { end(request.feed) }
    var demand = try demand(
      for: request, by: try plan(for: request.feed).timeline, from: reader, at: arrivedAt)
    states[request.feed]?.mark.note(arrivedAt)
    demand.mayAsk = request.wait > .zero
    demand.seek = search(of: request.feed, at: arrivedAt)
    var failure: ReadError = .timedOut
    var failures = 0
    var hasFailed = false
    // Bytes of a slice that found no room: it is waited for without what was read.
    var lacking: Int?
    while true {
      if let bytes = lacking.take() { await room?.wait(for: bytes) }
      let version = version
      let plan = try plan(for: request.feed)
      let (next, elements) = try step(for: demand, of: request.feed, by: plan, from: reader)
      guard reader.epoch == plan.timeline.epoch else { throw .store(.replaced) }
      switch next {
      case .serve(let outcome):
        // What has expired is served while the upstream fails; that the feed is gone is an answer.
        if hasFailed, failure == .notFound, outcome.freshness.state == .expired { throw failure }
        lacking = room?.lack(elements.byteCount)
        if lacking != nil { continue }
        noteReading(request, outcome.looks[...], at: arrivedAt)
        return slice(outcome, elements, plan, demand, version: version, isShort: hasFailed)
      case .pass(let cut):
        // Each leads further down, so that they come to an end.
        guard cut < demand.start else { throw unavailable(after: plan) }
        demand.start = cut
      case .expired(let isStart):
        throw .positionExpired(isStart: isStart)
      case .fetch(let ask):
        guard mayRefresh(demand, by: ask, of: request.feed, permit) else {
          demand.refreshes = false
          continue
        }
        switch await land(.feed(request.feed), ask, until: deadline, permit) {
        case .landed(let evidence):
          hasFailed = false
          demand.note(evidence, to: ask)
          if ask.seek != nil { keep(demand.seek, of: request.feed) }
        case .shown: break
        case .failed(let error):
          // What failed before tells more than that time ran out on another try.
          if failures == 0 || error != .timedOut { failure = error }
          failures += 1
          hasFailed = true
          demand.mayAsk = false
        }
      case .show(let window):
        if let slice = try await show(window, for: request, plan, demand, until: deadline, permit) {
          return slice
        }
      case .fail:
        if demand.mayAsk { throw unavailable(after: plan) }
        guard failures > 0, failures < FeedReader.failuresMax,
          await pause(of: request.feed, after: failure, until: deadline)
        else { throw failure }
        demand.mayAsk = true
      }
    }
  }

  /// A window as the upstream shows it; nil where it was stored meanwhile.
  private func show(
    _ window: Window, for request: SliceRequest, _ plan: Plan, _ demand: Demand,
    until deadline: Timestamp, _ permit: OpeningPermit?
  ) async throws(ReadError) -> Slice? {
    let ask = Ask(window, for: .reader)
    switch await land(.window(request.feed, window), ask, until: deadline, permit) {
    case .shown(let page, let sentAt):
      return slice(showing: page, sentAt: sentAt, plan, calls: demand.calls + 1)
    case .landed: return nil
    case .failed(let error): throw error
    }
  }

  /// Whether a look at the top that only a refresh asks for may be made for whoever asks: one who
  /// refreshes feed after feed is shown what is stored, like everybody else.
  private func mayRefresh(
    _ demand: Demand, by ask: Ask, of feed: FeedID, _ permit: OpeningPermit?
  ) -> Bool {
    guard demand.refreshes, ask.lookedAt != nil, flights[.feed(feed)] == nil else { return true }
    return permit?() == nil
  }

  /// The slice a request asks for, if what is stored answers it, on the caller's thread with the
  /// caller's own store connection; nil when the upstream would have to be asked first.
  package nonisolated func stored(
    _ request: SliceRequest, from reader: any TimelineReader
  ) throws(ReadError) -> Slice? {
    do throws(ReadError) {
      return try read(request, from: reader)
    } catch {
      // The actor sees to a damaged store, and then answers.
      if case .store(let cause) = error, cause.isDamage { return nil }
      throw error
    }
  }

  private nonisolated func read(
    _ request: SliceRequest, from reader: any TimelineReader
  ) throws(ReadError) -> Slice? {
    let now = time.now
    let version = version
    guard let published = published.withLock({ $0[request.feed] }) else { return nil }
    published.mark.note(now)
    let timeline = published.timeline
    if let parent = request.feed.parent, try isGone(parent, from: reader) { return nil }
    let demand = try demand(for: request, by: timeline, from: reader, at: now)
    var plan = Plan(timeline: timeline, policy: policy, now: now)
    plan.order = request.feed.pattern.order
    let (step, elements) = try step(for: demand, of: request.feed, by: plan, from: reader)
    guard case .serve(let outcome) = step,
      // Rows may have gone since, or the whole file; then the actor reads both together.
      reader.epoch == timeline.epoch,
      let present = self.published.withLock({ $0[request.feed] }),
      present === published || present.timeline == timeline
    else { return nil }
    if !outcome.looks.isEmpty, request.wait > .zero {
      Task(executorPreference: executor) {
        await self.look(at: outcome.looks[...], of: request.feed)
      }
    }
    return slice(outcome, elements, plan, demand, version: version, isShort: false)
  }

  /// Notes that a feed was read, which has a state only now where it was cold, and looks at what is
  /// due.
  private func noteReading(_ request: SliceRequest, _ looks: ArraySlice<Ask>, at now: Timestamp) {
    states[request.feed]?.mark.note(now)
    if request.wait > .zero { look(at: looks, of: request.feed) }
  }

  private func keep(_ seek: Seek?, of feed: FeedID) {
    states[feed]?.search = seek.map { ($0, time.now) }
  }

  /// The search that an earlier request of a feed left unended, while ranks have hardly moved.
  private func search(of feed: FeedID, at now: Timestamp) -> Seek? {
    guard let (seek, at) = states[feed]?.search, now - at < FeedReader.searchDuration,
      seek.asked < Seek.windowsMax || seek.place != nil
    else { return nil }
    return seek
  }

  func begin(_ feed: FeedID) {
    waiting[feed, default: 0] += 1
  }

  func end(_ feed: FeedID) {
    guard let count = waiting[feed] else { return }
    waiting[feed] = count > 1 ? count - 1 : nil
  }
}

extension FeedReader {
  /// The next step for a demand, with the stored elements that a slice is made of.
  nonisolated func step(
    for demand: Demand, of feed: FeedID, by plan: Plan, from reader: any TimelineReader
  ) throws(ReadError) -> (Step, ArraySlice<Element>) {
    switch plan.begin(demand) {
    case .step(let step):
      return (step, [])
    case .read(let scope):
      let moves = plan.timeline.moves
      let (found, elements) = try find(
        demand, of: feed, in: scope, leaving: demand.trail(knowing: moves).leftOut(moves),
        from: reader)
      return (plan.nextStep(for: demand, in: scope, found: found), elements)
    case .locate(let scope, let offset):
      guard let page = demand.page else { return (.fail, []) }
      let position = try fromStore { () throws(StoreError) in
        try reader.position(at: offset, of: feed, below: scope.upper, above: scope.lower)
      }
      guard let position else {
        return (plan.reach(page, below: scope.run, for: demand), [])
      }
      var located = demand
      located.start = .above(position)
      located.isLocated = true
      return try step(for: located, of: feed, by: plan, from: reader)
    }
  }

  /// Reads what a scope holds for a demand: the elements a slice would take, without those that the
  /// walk was given before, and what lies about.
  private nonisolated func find(
    _ demand: Demand, of feed: FeedID, in scope: Scope, leaving leftOut: Set<Identity>,
    from reader: any TimelineReader
  ) throws(ReadError) -> (Found, ArraySlice<Element>) {
    do throws(StoreError) {
      let takesLast = demand.takesLast
      var elements: ArraySlice<Element> = []
      if scope.upper > scope.lower {
        elements =
          takesLast
          ? try reader.lastElements(
            of: feed, below: scope.upper, above: scope.lower, limit: demand.limit + 1)
          : try reader.elements(
            of: feed, below: scope.upper, above: scope.lower,
            limit: demand.limit + 1 + leftOut.count)
      }
      if !leftOut.isEmpty {
        elements = elements.filter { !leftOut.contains($0.id) }.prefix(demand.limit + 1)
      }
      let count = elements.count
      if count > demand.limit {
        elements = takesLast ? elements.dropFirst() : elements.dropLast()
      }
      var hasAbove = false
      if !takesLast, demand.start != .top {
        hasAbove = try reader.hasElement(of: feed, below: .top, above: demand.start)
      }
      var hasBelow = false
      if !takesLast, demand.end != .bottom, scope.run.reachesEnd {
        hasBelow = try reader.hasElement(of: feed, below: demand.end, above: .bottom)
      }
      let bound: Cut? =
        takesLast
        ? elements.first.map { .above($0.position) } : elements.last.map { .below($0.position) }
      return (
        Found(count: count, bound: bound, hasAbove: hasAbove, hasBelow: hasBelow), elements
      )
    } catch {
      throw .store(error)
    }
  }
}

/// What is read from the store. A failure is the request's.
func fromStore<Value>(_ read: () throws(StoreError) -> Value) throws(ReadError) -> Value {
  do throws(StoreError) {
    return try read()
  } catch {
    throw .store(error)
  }
}
