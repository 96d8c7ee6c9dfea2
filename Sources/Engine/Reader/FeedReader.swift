package import Feed

/// Reads feeds of one source: performs the steps that ``Plan`` decides.
///
/// The rules are values and pure functions (``Plan``, ``Evidence``, ``Merging``, ``TieCount``,
/// ``Seek``, ``Budget``); read ``Plan`` next. What the reader is made of: ``StoredSlices`` answers
/// on any thread without it; ``CallDesk`` decides which calls are made; ``Landing`` takes an answer
/// in; ``FeedBook`` keeps what is known.
///
/// Readers of one feed share one flight, and a flight goes on when no reader waits any more.
package actor FeedReader: SliceSource {
  nonisolated let slices: StoredSlices
  nonisolated let time: any TimeSource
  nonisolated let executor: any SerialExecutor & TaskExecutor
  let report: @Sendable (Incident) -> Void
  let book: FeedBook
  let lander: Lander
  var desk: CallDesk {
    didSet { slices.note(desk.budgets.own) }
  }
  private(set) var fetcher: any PageFetcher
  /// Who waits for a call, by ticket.
  var waiters: [UInt64: CheckedContinuation<FlightResult, Never>] = [:]
  /// How the call ended that ended last.
  var lastEnd: (key: FlightKey, result: FlightResult)?
  /// What is to be done for what is in no feed, and the number of the last of it.
  var errands: [FlightKey: Errand] = [:]
  var lastErrand = UInt64.random(in: 0 ... .max >> 1)
  /// Whether it was reported that an assumed rate refuses calls.
  var hasNotedRate = false
  /// Whether calls are being sent.
  var isDeparting = false
  /// Calls that others moved since they were planned: how often in a row, and when last.
  var moves: [FlightKey: (count: Int, at: Timestamp)] = [:]
  /// What looks at the feeds that are listened to.
  var attendance = Attendance()

  /// How long a search for a place that was not ended can be gone on with.
  static let searchDuration = Duration.seconds(300)
  /// How many failed flights end a request.
  static let failuresMax = 3

  /// A reader of `source`. The executor's thread is the one the store's writes block.
  package init(
    source: String, policy: Policy, fetcher: any PageFetcher, store: any FeedStore,
    time: any TimeSource, executor: any SerialExecutor & TaskExecutor,
    random: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { .random(in: $0) },
    report: @escaping @Sendable (Incident) -> Void = { _ in }
  ) throws(StoreError) {
    self.fetcher = fetcher
    self.time = time
    self.executor = executor
    let report = FeedReader.sayingOnce(report)
    self.report = report
    let budget =
      try store.budget(of: source)?.kept(assuming: policy.allowance)
      ?? Budget(assumed: policy.allowance)
    slices = StoredSlices(source: source, policy: policy, budget: budget, store: store)
    book = try FeedBook(store: store, slices: slices, time: time, report: report)
    lander = Lander(in: book, time: time, random: random, report: report)
    desk = CallDesk(budget: budget, policy: policy, random: random)
    if let spentAt = budget.spentAt { time.reach(spentAt) }
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// See ``SliceSource``.
  package nonisolated func stored(
    _ request: SliceRequest, from reader: any TimelineReader
  ) throws(ReadError) -> Slice? {
    do throws(ReadError) {
      guard let (slice, looks) = try slices.answer(request, from: reader, at: time.now) else {
        return nil
      }
      if !looks.isEmpty {
        Task(executorPreference: executor) { await self.look(at: looks, of: request.feed) }
      }
      return slice
    } catch {
      // The actor sees to a damaged store, to what is not here yet, and to what others may know.
      switch error {
      case .store(.absent): return nil
      case .store(let cause) where cause.isDamage: return nil
      case .unknownElement where slices.isShared || request.feed.placesItems: return nil
      default: throw error
      }
    }
  }

  /// See ``SliceSource``.
  package func slice(
    _ request: SliceRequest, permit: OpeningPermit?, room: (any SliceRoom)?
  ) async throws(ReadError) -> Slice {
    try await retryingOnReplacedFile { () async throws(ReadError) in
      try await bringing { () async throws(ReadError) in
        var request = request
        let deadline = time.now + request.wait
        while true {
          do throws(ReadError) {
            return try await answer(request, permit: permit, room: room)
          } catch {
            guard case .unknownElement(let isStart) = error else { throw error }
            // A bound is placed once: what has a place is no element that is unknown.
            try await place(&request, isStart: isStart, permit)
            request.wait = max(.zero, deadline - time.now)
          }
        }
      }
    }
  }

  private func answer(
    _ request: SliceRequest, permit: OpeningPermit?, room: (any SliceRoom)?
  ) async throws(ReadError) -> Slice {
    let arrivedAt = time.now
    let deadline = arrivedAt + request.wait
    try await checkParent(of: request.feed, wait: request.wait, permit)
    book.begin(request.feed)
    defer { book.end(request.feed) }
    let reading = FeedReading(feed: request.feed, reader: book.reader)
    var hasFollowed = false
    var demand = try demand(for: request, by: reading, &hasFollowed, at: arrivedAt)
    var (failure, failures, hasFailed) = (ReadError.timedOut, 0, false)
    // Bytes of a slice that found no room: it is waited for without what was read.
    var lacking: Int?
    while true {
      if let bytes = lacking.take() { await room?.wait(for: bytes) }
      let version = version
      let plan = try plan(for: request.feed)
      let (next, elements) = try reading.step(for: demand, by: plan)
      guard book.reader.epoch == plan.timeline.epoch else { throw .store(.replaced) }
      switch next {
      case .serve(let outcome):
        // What has expired is served while the upstream fails; that the feed is gone is an answer.
        if hasFailed, failure == .notFound, outcome.freshness.state == .expired { throw failure }
        lacking = room?.lack(elements.byteCount)
        if lacking != nil { continue }
        book[request.feed]?.record.mark.note(arrivedAt)
        if request.wait > .zero { look(at: outcome.looks[...], of: request.feed) }
        let slice = Slice(outcome, elements, plan, demand, version: version, isShort: hasFailed)
        return slices.told(slice)
      case .pass(let cut):
        // Each leads further down, so that they come to an end.
        guard cut < demand.start else { throw plan.unproven }
        demand.pass(to: cut)
      case .expired(let isStart):
        if followsOnce(&hasFollowed) { continue }
        throw .positionExpired(isStart: isStart)
      case .fetch(let ask):
        if await settle(ask, of: request.feed, until: deadline) { continue }
        let isForced = isForced(ask, by: demand, of: request.feed)
        switch await land(.feed(request.feed), ask, until: deadline, permit, isForced: isForced) {
        case .landed(let evidence):
          hasFailed = false
          demand.note(evidence, to: ask, by: plan)
          if ask.seek != nil { book[request.feed]?.search = demand.seek.map { ($0, time.now) } }
        case .shown: break
        case .moved: if time.now >= deadline { failure = .timedOut }
        // A client that refreshes feed after feed is shown what is stored, like everybody else.
        case .failed(.tooManyOpenings) where isForced: demand.refreshes = false
        case .failed(let error):
          // What failed before says more than that time ran out on another try.
          if failures == 0 || error != .timedOut { failure = error }
          failures += 1
          hasFailed = true
          demand.mayAsk = false
        }
      case .show:
        if let slice = try await show(request, plan, demand, until: deadline, permit) {
          return slice
        }
      case .fail:
        if demand.mayAsk { throw plan.unproven }
        guard (1..<FeedReader.failuresMax).contains(failures),
          await pause(after: failure, until: deadline)
        else { throw failure }
        demand.mayAsk = true
      }
    }
  }

  /// The page of a request as the upstream shows it; nil where it was stored meanwhile.
  private func show(
    _ request: SliceRequest, _ plan: Plan, _ demand: Demand, until deadline: Timestamp,
    _ permit: OpeningPermit?
  ) async throws(ReadError) -> Slice? {
    guard let page = request.page else { throw plan.unproven }
    let window = plan.paging.window(at: page.firstRank, perPage: page.perPage)
    let ask = Ask(.rank(page.firstRank), for: .reader)
    switch await land(.window(request.feed, window), ask, until: deadline, permit) {
    case .shown(let page, let sentAt):
      return Slice(
        showing: page, sentAt: sentAt, plan, calls: demand.calls + 1, at: time.now)
    case .landed, .moved: return nil
    case .failed(let error): throw error
    }
  }

  /// What a request demands of a feed, by what its client has got before.
  private func demand(
    for request: SliceRequest, by reading: FeedReading, _ hasFollowed: inout Bool,
    at now: Timestamp
  ) throws(ReadError) -> Demand {
    try reach(
      request.told.map { SequenceNumber(epoch: book.store.epoch, number: $0) }, of: request.feed)
    while true {
      do throws(ReadError) {
        var demand = try reading.demand(
          for: request, by: try plan(for: request.feed).timeline, at: now)
        book[request.feed]?.record.mark.note(now)
        demand.mayAsk = request.wait > .zero && !request.asksNothing
        demand.seek = search(of: request.feed, at: now)
        return demand
      } catch {
        guard case .unknownElement = error, followsOnce(&hasFollowed) else { throw error }
      }
    }
  }

  /// Waits where an end further down is doubted and an answer of this moment would not settle that,
  /// if one can before the deadline. Whether it has waited.
  private func settle(_ ask: Ask, of feed: FeedID, until deadline: Timestamp) async -> Bool {
    guard ask.goesOn, let settled = book.settling(of: feed, at: time.now), settled < deadline
    else { return false }
    await time.sleep(until: settled)
    return true
  }

  /// Waits out the pause after a failure, or until the rate limit bears a call again, if that is
  /// before the deadline.
  private func pause(after failure: ReadError, until deadline: Timestamp) async -> Bool {
    switch failure {
    case .unavailable(let instant), .rateLimited(let instant),
      .rateAssumed(_, let instant, isOpening: false):
      guard instant < deadline else { return false }
      await time.sleep(until: instant)
      return true
    default: return false
    }
  }

  /// Whether a call is a look at the top that only a refresh asks for, and no call of another
  /// request is in progress.
  private func isForced(_ ask: Ask, by demand: Demand, of feed: FeedID) -> Bool {
    demand.refreshes && ask.isLook && desk.flights[.feed(feed)] == nil
  }

  /// The search that an earlier request of a feed left unended, while ranks have hardly moved.
  private func search(of feed: FeedID, at now: Timestamp) -> Seek? {
    guard let (seek, at) = book[feed]?.search, now - at < FeedReader.searchDuration,
      !seek.isSpent || seek.place != nil
    else { return nil }
    return seek
  }

  /// The plan for a feed as it stands, its timeline read from the store the first time.
  func plan(for feed: FeedID) throws(ReadError) -> Plan {
    do throws(ReadError) {
      return try book.plan(for: feed, at: time.now)
    } catch {
      if case .store(.unreadable(let reason)) = error {
        report(.notStored(.unreadable(message: reason)))
      }
      throw error
    }
  }

  /// Does something that reads the store, again from the beginning where the file was damaged or
  /// has been replaced meanwhile.
  func retryingOnReplacedFile<Value>(
    _ body: () async throws(ReadError) -> Value
  ) async throws(ReadError) -> Value {
    for _ in 0..<FeedBook.renewalsMax {
      do throws(ReadError) {
        return try await body()
      } catch {
        guard case .store(let cause) = error, book.isReplaced(after: cause) else { throw error }
      }
    }
    return try await body()
  }

  /// From now on reads by these rules, and through this fetcher where one is given. Flights in
  /// progress end as they departed, and nothing that is known is forgotten; only the budget is,
  /// where the calls are another caller's from now on: it has one of its own.
  package func adopt(
    _ policy: Policy, fetcher: (any PageFetcher)? = nil, isAnotherCaller: Bool = false
  ) {
    slices.adopt(policy)
    desk.policy = policy
    if let fetcher {
      self.fetcher = fetcher
      book.forgetRevisions()
    }
    if isAnotherCaller {
      desk.forgetAnswers()
      keepBudget(nil)
      for name in desk.budgets.named.keys { keepBudget(name) }
    }
    depart()
  }
}
