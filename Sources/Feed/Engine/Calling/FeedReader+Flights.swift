extension FeedReader {
  /// How often an item that left a feed is asked for by itself, a feed.
  static let confirmInterval = Duration.seconds(3_600)

  /// Waits for the feed's or item's flight, starting one when there is none; `permit` is asked
  /// when that opens a feed.
  func land(
    _ key: FlightKey, _ ask: Ask, until deadline: Timestamp, _ permit: OpeningPermit? = nil
  ) async -> Landing {
    if flights[key] == nil {
      // The flight it was planned beside may have landed before this one was boarded.
      if isDone(ask, for: key) { return .landed(nil) }
      let now = time.now
      if let feed = key.feed, let state = states[feed], let until = state.pausedUntil,
        until > now, let failure = state.failure
      {
        return .failed(failure)
      }
      guard budget.bears(ask.purpose, reserve: policy.reserveCalls, at: now) else {
        return rateLimited(at: now)
      }
      let isOpening = isOpening(key, ask, at: now)
      let refusal =
        isOpening
        ? refusalToOpen(ask, permit, at: now) : refusalToAsk(for: key, ask, permit, at: now)
      if let refusal { return .failed(refusal) }
      board(key, ask)
      if isOpening { takeOpening(key, at: now) }
      // Those who boarded before may have spent what was left.
      guard flights[key] != nil else {
        return rateLimited(at: now)
      }
    }
    lastTicket += 1
    let ticket = lastTicket
    let alarm = Task(executorPreference: executor) { [time] in
      await time.sleep(until: deadline)
      await self.leave(key, ticket)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiter in
      // The actor may have let the flight land, or the alarm ring, on the way here.
      if flights[key] == nil {
        waiter.resume(returning: .landed(nil))
      } else if time.now >= deadline {
        waiter.resume(returning: .failed(.timedOut))
      } else {
        flights[key]?.waiters[ticket] = waiter
      }
    }
  }

  /// How a flight ends for which no call may be spent.
  private func rateLimited(at now: Timestamp) -> Landing {
    .failed(.rateLimited(until: budget.waitsUntil(at: now) ?? now + .seconds(1)))
  }

  /// Whether what an ask was made for has come meanwhile: its place was proven, or proven again, or
  /// the top was looked at again.
  func isDone(_ ask: Ask, for key: FlightKey) -> Bool {
    guard case .feed(let feed) = key, let timeline = states[feed]?.timeline else { return false }
    if let cut = ask.below { return timeline.isProven(below: cut, after: ask.provenAt) }
    if let cut = ask.above { return timeline.isProven(above: cut) }
    guard ask.seek == nil, ask.page == nil else { return false }
    return timeline.lookedAt != ask.lookedAt
  }

  private func leave(_ key: FlightKey, _ ticket: UInt64) {
    flights[key]?.waiters.removeValue(forKey: ticket)?.resume(returning: .failed(.timedOut))
  }

  /// Makes a flight and lets it depart, or wait for one of the `maxInFlight` places.
  func board(_ key: FlightKey, _ ask: Ask, then next: ArraySlice<Ask> = []) {
    flights[key] = Flight(ask: ask, next: next)
    departures.append(key)
    depart()
  }

  func depart() {
    var hasDeparted = false
    while let index = nextDeparture {
      let key = departures.remove(at: index)
      guard let ask = flights[key]?.ask else { continue }
      let now = time.now
      guard budget.bears(ask.purpose, reserve: policy.reserveCalls, at: now) else {
        finish(key, rateLimited(at: now))
        continue
      }
      // Names may have been none since it was boarded.
      if let refusal = refusalToAsk(for: key, ask, nil, at: now) {
        finish(key, .failed(refusal))
        continue
      }
      budget.spend(at: now)
      hasDeparted = true
      Task(executorPreference: executor) { await self.fly(key, ask) }
    }
    // What is sent is noted at once, so that a process that ends before the answer comes, again
    // and again, does not spend it unseen.
    if hasDeparted { keepBudget() }
  }

  /// Which flight departs next: the first that waits, while there is a place. The last place is
  /// left to those that did not fail last time, so that feeds the upstream does not answer do not
  /// hold up the others.
  private var nextDeparture: Int? {
    let places = policy.maxInFlight - budget.inFlight
    guard places > 0 else { return nil }
    guard places == 1, policy.maxInFlight > 1 else { return departures.indices.first }
    return departures.firstIndex { key in
      key.feed.flatMap { states[$0] }.map { $0.failures == 0 } ?? true
    }
  }

  /// Keeps what is left of the budget.
  func keepBudget() {
    do throws(StoreError) {
      try store.keep(budget, of: source)
    } catch {
      report(.notStored(error))
    }
  }

  private func fly(_ key: FlightKey, _ ask: Ask) async {
    let landing: Landing
    switch key {
    case .feed(let feed):
      let known = states[feed]?.revision
      let departedAt = time.now
      let answer = dated(await fetcher.page(ask.window, of: feed, unlessStill: known))
      if ask.window.page == 1, case .success = answer.result {
        states[feed]?.askedAt = departedAt
      }
      note(answer, path: feed.path, window: ask.window, ask.purpose)
      landing = settle(answer, to: ask, of: feed)
    case .window(let feed, let window):
      let answer = dated(await fetcher.page(window, of: feed))
      note(answer, path: feed.path, window: window, ask.purpose)
      switch answer.result {
      case .success(let page): landing = .shown(page, sentAt: answer.sentAt)
      case .failure(let error):
        landing = .failed(fail(error, to: ask, key, of: feed, at: answer.receivedAt))
      }
    case .item(let name):
      let answer = dated(await fetcher.item(name), newest: nil)
      note(answer, path: name.path, window: nil, ask.purpose)
      landing = settle(answer, of: name)
    }
    finish(key, landing)
    depart()
  }

  private func dated(_ answer: Fetched<Page>) -> Fetched<Page> {
    dated(answer, newest: (try? answer.result.get())?.newest)
  }

  /// An answer as old as it says: what it proves is of when it was made, not of when it was asked
  /// for. A `Date` that cannot be trusted is taken away; `newest` is the newest time an element of
  /// the answer tells.
  private func dated<Value>(_ answer: Fetched<Value>, newest: Int64?) -> Fetched<Value> {
    // What failed on the way says nothing of the upstream's clock.
    guard answer.date != nil || answer.age != nil else { return answer }
    var answer = answer
    let reading = clock.read(
      date: answer.date, age: answer.age, newest: newest, sentAt: answer.sentAt,
      receivedAt: answer.receivedAt)
    answer.sentAt = reading.madeAt
    answer.date = reading.clock
    return answer
  }

  private func finish(_ key: FlightKey, _ landing: Landing) {
    guard let flight = flights.removeValue(forKey: key) else { return }
    for (_, waiter) in flight.waiters.sorted(by: { $0.key < $1.key }) {
      waiter.resume(returning: landing)
    }
    if case .feed(let feed) = key { look(at: flight.next, of: feed) }
  }

  /// Learns the budget from an answer and tells the operator of it.
  private func note(
    _ answer: Fetched<some Sendable>, path: String, window: Window?, _ purpose: Purpose
  ) {
    budget.learn(from: answer)
    var failure: FetchError?
    if case .failure(let error) = answer.result { failure = error }
    report(
      .called(path: path, window: window, purpose: purpose, budget: budget, failure: failure))
    // What is stored of a good answer keeps it too.
    if failure != nil, failure != .unchanged { keepBudget() }
  }

  private func settle(_ answer: Fetched<Page>, to ask: Ask, of feed: FeedID) -> Landing {
    switch answer.result {
    case .failure(.unchanged):
      noteGood(feed)
      renew(feed, at: answer.sentAt)
      return .landed(nil)
    case .failure(let error):
      return .failed(fail(error, to: ask, .feed(feed), of: feed, at: answer.receivedAt))
    case .success(let page):
      let perPageMax = states[feed]?.pageSize.perPageMax ?? Window.perPageMax
      if let error = page.contradiction(
        to: ask.window, order: feed.pattern.order, perPageMax: perPageMax)
      {
        return .failed(fail(error, to: ask, .feed(feed), of: feed, at: answer.receivedAt))
      }
      noteGood(feed, of: ask.window.perPage)
      var pageSize = states[feed]?.pageSize ?? PageSize()
      let ask = ask.served(by: &pageSize, page)
      states[feed]?.pageSize = pageSize
      do throws(StoreError) {
        let evidence = try retryingOnceOnReplacedFile { () throws(StoreError) in
          try take(page, answer, to: ask, of: feed)
        }
        if evidence != nil { states[feed]?.revision = page.revision }
        report(page.faults, evidence, ask.window, of: feed)
        return .landed(evidence)
      } catch {
        report(.notStored(error))
        return .failed(.store(error))
      }
    }
  }

  /// Stores what an answer proves, a second time from the beginning where too much was held.
  private func take(
    _ page: Page, _ answer: Fetched<Page>, to ask: Ask, of feed: FeedID
  ) throws(StoreError) -> Evidence? {
    do throws(StoreError) {
      return try takeOnce(page, answer, to: ask, of: feed)
    } catch {
      guard error == .full, discardBuffered() else { throw error }
      return try takeOnce(page, answer, to: ask, of: feed)
    }
  }

  private func takeOnce(
    _ page: Page, _ answer: Fetched<Page>, to ask: Ask, of feed: FeedID
  ) throws(StoreError) -> Evidence? {
    let page = recentEdits.settled(page, realm: feed.realm, sentAt: answer.sentAt)
    let evidence = try evidence(of: page, answer, to: ask, of: feed)
    recentEdits.note(
      page, realm: feed.realm, clock: answer.date ?? answer.receivedAt.seconds,
      sentAt: answer.sentAt)
    if let evidence, try refusesOrder(evidence, of: feed) {
      report([:], evidence, ask.window, of: feed)
      return nil
    }
    if let evidence {
      try take(evidence, total: page.total, for: ask, of: feed)
    } else {
      noteMiss(ask, of: feed)
    }
    return evidence
  }

  /// Tells the operator what was wrong with an answer's elements.
  private func report(
    _ faults: [ElementFault: Int], _ evidence: Evidence?, _ window: Window, of feed: FeedID
  ) {
    var faults = faults
    let displaced = evidence?.elements.count(where: \.isDisplaced) ?? 0
    if displaced > 0 { faults[.displaced] = displaced }
    for fault in ElementFault.allCases {
      guard let count = faults[fault] else { continue }
      let isFirst = states[feed]?.faults.insert(fault).inserted ?? true
      report(
        .faultyElements(
          feed: feed, window: window, fault: fault, count: count, isFirst: isFirst))
    }
  }

  private func settle(_ answer: Fetched<PageItem>, of name: ItemName) -> Landing {
    let realm = name.realm(of: source)
    do throws(StoreError) {
      switch answer.result {
      case .success(let item):
        itemPauses[name] = nil
        let item = recentEdits.settled(item, realm: realm, sentAt: answer.sentAt)
        try retryingOnceOnReplacedFile { () throws(StoreError) in
          try change { () throws(StoreError) in
            try store.keep(item, realm: realm, sentAt: answer.sentAt)
          }
        }
        return .landed(nil)
      case .failure(.notFound):
        let isKnown = try retryingOnceOnReplacedFile { () throws(StoreError) in
          guard try reader.item(name.id, realm: realm) != nil else { return false }
          try delete([name.id], realm: realm, sentAt: answer.sentAt)
          return true
        }
        if isKnown { return .failed(.deleted) }
        noteAbsent(at: answer.sentAt)
        return .failed(pause(name, after: .notFound, at: answer.receivedAt))
      case .failure(let error):
        return .failed(pause(name, after: error, at: answer.receivedAt))
      }
    } catch {
      report(.notStored(error))
      return .failed(.store(error))
    }
  }

  private func noteGood(_ feed: FeedID, of perPage: Int = 0) {
    states[feed]?.failures = 0
    if perPage > 0 { states[feed]?.pageSize.noteWhole(of: perPage) }
    states[feed]?.pausedUntil = nil
  }

  /// Notes a failed flight: the feed is not asked again for a while, longer each time.
  private func fail(
    _ error: FetchError, to ask: Ask, _ key: FlightKey, of feed: FeedID, at now: Timestamp
  ) -> ReadError {
    var state: FeedState
    do throws(StoreError) {
      state = try self.state(of: feed)
    } catch {
      return .store(error)
    }
    state.failures += 1
    state.openedAt = closeOpening(of: key, after: error) ?? state.openedAt
    switch error {
    case .tooLarge: state.pageSize.shrink(after: ask.window.perPage, isTooLarge: true)
    case .timedOut, .cut: state.pageSize.shrink(after: ask.window.perPage, isTooLarge: false)
    default: break
    }
    let retryAt = now + pause(after: error, failures: state.failures)
    let meaning = meaning(of: error, retryAt: retryAt)
    state.pausedUntil = retryAt
    state.failure = meaning
    keep(state, of: feed)
    return meaning
  }
}
