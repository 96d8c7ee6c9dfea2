import Feed

/// Calls: what the desk decides is done here.
extension FeedReader {
  /// Waits for the feed's or item's flight, starting one when there is none; `permit` is asked
  /// when that opens a feed, or a client forces a look that is not due.
  func land(
    _ key: FlightKey, _ ask: Ask, until deadline: Timestamp, _ permit: OpeningPermit? = nil,
    isForced: Bool = false
  ) async -> FlightResult {
    loadBudget(of: key)
    guard await rest(before: key, until: deadline) else { return .failed(.timedOut) }
    if desk.flights[key] == nil {
      // The flight it was planned beside may have landed before this one was boarded.
      if book.isDone(ask, for: key) { return .landed(nil) }
      let now = time.now
      let isOpening = isOpening(key, ask, at: now)
      let call = CallDesk.Call(
        key: key, ask: ask, isOpening: isOpening, isForUnknown: !isOpening && isUnknown(key),
        isForced: isForced)
      if let refusal = desk.refusal(of: call, permit, at: now) { return .failed(noted(refusal)) }
      board(call)
      // Those who boarded before may have spent what was left, or others have written.
      guard desk.flights[key] != nil else {
        return lastEnd?.key == key ? lastEnd?.result ?? .moved : .moved
      }
    }
    let ticket = desk.wait(for: key)
    let alarm = Task(executorPreference: executor) { [time] in
      await time.sleep(until: deadline)
      await self.leave(key, ticket)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiter in
      // The actor may have let the flight land, and what follows it depart, or the alarm ring, on
      // the way here.
      if !desk.holds(ticket, for: key) {
        waiter.resume(returning: .landed(nil))
      } else if time.now >= deadline {
        desk.leave(key, ticket)
        waiter.resume(returning: .failed(.timedOut))
      } else {
        waiters[ticket] = waiter
      }
    }
  }

  /// Whether a call finds out what nothing stored leads to. What an outage kept from its answer may
  /// be tried again for as long as the opening counts.
  private func isOpening(_ key: FlightKey, _ ask: Ask, at now: Timestamp) -> Bool {
    switch key {
    case .item, .errand: false
    case .window: true
    case .feed(let feed):
      switch ask.place {
      case .sought, .rank: true
      case .top, .below, .above, .again:
        book[feed]?.timeline.lookedAt == nil && !desk.hasOpened(key, at: now)
      }
    }
  }

  /// Whether a call is for an item of which nothing is known. A store that fails is reported where
  /// the item is read.
  private func isUnknown(_ key: FlightKey) -> Bool {
    guard case .item(let name) = key else { return false }
    return (try? book.reader.item(name.id, realm: name.realm(of: slices.source))) == .some(nil)
  }

  private func leave(_ key: FlightKey, _ ticket: UInt64) {
    guard let waiter = waiters.removeValue(forKey: ticket) else { return }
    desk.leave(key, ticket)
    waiter.resume(returning: .failed(.timedOut))
  }

  /// Makes a flight and lets it depart, or wait for one of the `maxInFlight` places.
  func board(_ call: CallDesk.Call, then next: ArraySlice<Ask> = []) {
    if case .feed(let feed) = call.key { book.begin(feed) }
    desk.board(call, then: next, at: time.now)
    depart()
  }

  /// Asks for windows that no reader waits for, one after the other, as far as the budget bears it:
  /// after the feed's call in progress, where there is one.
  func look(at asks: ArraySlice<Ask>, of feed: FeedID) {
    let (key, now) = (FlightKey.feed(feed), time.now)
    guard desk.flights[key] == nil else { return desk.remember(asks, after: key) }
    loadBudget(of: key)
    // Store errors are reported by the slice read; ignored here.
    guard desk.pause(of: key, at: now) == nil, let plan = try? plan(for: feed) else { return }
    for index in asks.indices {
      guard let ask = plan.renewed(asks[index]), !book.isDone(ask, for: key),
        book.isDue(ask, of: feed, at: now), desk.bears(ask.purpose, for: key, at: now)
      else { continue }
      return board(CallDesk.Call(key: key, ask: ask), then: asks[(index + 1)...])
    }
  }

  /// Sends the calls for which there is a place and that no other server makes, and ends those for
  /// which none may be spent, or whose place no page shows any more. What is queued meanwhile by
  /// what ends goes with them: a call that is being decided on is not sent beside that.
  func depart() {
    guard !isDeparting else { return }
    isDeparting = true
    defer { isDeparting = false }
    while let key = desk.next {
      let now = time.now
      let window = desk.flights[key].flatMap { self.window(of: key, $0.ask) }
      guard window != nil || key.feed == nil else {
        abandon(key, .moved)
        continue
      }
      var decision = CallDesk.Decision.busy
      let claim: CallClaim
      do throws(StoreError) {
        claim = try book.store.claim(key.shared(of: slices.source)) { ground in
          decision = desk.decision(on: key, ground, at: now)
          lander.adopt(ground?.latest)
          return decision.budget
        }
      } catch {
        report(.notStored(error))
        if book.store.isShared { decision = .refused(refusal(by: error, at: now)) }
        claim = decision.budget == nil ? .declined : .granted
      }
      switch (claim, decision) {
      case (.granted, .go(let budget)):
        moves[key] = nil
        if let feed = key.feed, let segment = window?.segment, !segment.isInside {
          book[feed]?.segment = segment
        }
        guard let flight = desk.send(key, window, leaving: budget, at: now) else { continue }
        Task(executorPreference: executor) { await self.fly(key, flight) }
      case (_, .refused(let refusal)): abandon(key, .failed(noted(refusal)))
      case (.held(let until), _):
        let soon = now + FeedReader.heldInterval
        hold(key, until: until > now ? min(until, soon) : soon)
      case (.behind, _):
        // What was planned by what others have changed is planned again by what they wrote.
        noteMove(of: key)
        abandon(key, catchUp(with: key).map { .failed(refusal(by: $0, at: now)) } ?? .moved)
      case (_, _):
        // The others' calls leave no place: all that wait do so a little longer.
        return hold(key, until: now + FeedReader.heldInterval)
      }
    }
  }

  /// Why a call is not made; reported to the operator once where only a rate is assumed.
  func noted(_ refusal: ReadError) -> ReadError {
    if case .rateAssumed(let rate, _, _) = refusal, !hasNotedRate {
      hasNotedRate = true
      report(.rateAssumed(rate))
    }
    return refusal
  }

  /// How something ends that the others who share the store cannot be asked about, or whose answer
  /// finds no place here.
  func refusal(by error: StoreError, at now: Timestamp) -> ReadError {
    error.isLocal ? .store(error) : .unavailable(retryAt: now + FeedReader.unreachableDuration)
  }

  /// Waits a little before a call is asked for again that another server makes.
  private func hold(_ key: FlightKey, until instant: Timestamp) {
    desk.hold(key)
    Task(executorPreference: executor) { [time] in
      await time.sleep(until: instant)
      await self.goOn(with: key)
    }
  }

  /// Asks again for a call that was held.
  private func goOn(with key: FlightKey) {
    if desk.requeue(key) { depart() }
  }

  /// Ends a call that is not made.
  func abandon(_ key: FlightKey, _ result: FlightResult) {
    if let flight = desk.land(key) { end(flight, of: key, result) }
  }

  /// Reads the budget of a name that a call counts in, as an earlier process kept it.
  private func loadBudget(of key: FlightKey) {
    guard let name = key.budget, !desk.budgets.knows(name) else { return }
    // Store errors are reported by the slice read; ignored here.
    let kept = try? book.store.budget(of: Budgets.keptName(of: name, in: slices.source))
    desk.take(kept ?? nil, of: name)
  }

  /// Keeps what is left of the budget of a name, or of the source's.
  func keepBudget(_ name: String?) {
    do throws(StoreError) {
      try book.store.keep(
        desk.budgets[name], of: Budgets.keptName(of: name, in: slices.source))
    } catch {
      report(.notStored(error))
    }
  }

  private func fly(_ key: FlightKey, _ flight: Flight) async {
    let result: FlightResult
    let departedAt = time.now
    switch (key, flight.window) {
    case (.feed(let feed), let window?):
      let known = book[feed]?.revision
      let latest = latest(of: feed)
      var fetched = await fetcher.page(window, of: feed, unlessStill: known)
      fetched.sentAt = FeedReader.sent(
        fetched.sentAt, after: latest, by: fetched.receivedAt)
      let answer = lander.dated(fetched, in: feed.pattern.unit)
      if window.isTop, case .success = answer.result { book[feed]?.askedAt = departedAt }
      learn(answer, key, flight, count: (try? answer.result.get())?.count)
      result = settle(answer, to: Asked(flight.ask, window), of: feed)
    case (.window(let feed, let window), _):
      let answer = lander.dated(await fetcher.page(window, of: feed), in: feed.pattern.unit)
      learn(answer, key, flight, count: (try? answer.result.get())?.count)
      switch answer.result {
      case .success(let page): result = .shown(page, sentAt: answer.sentAt)
      case .failure(let error): result = fail(error, to: window, key, at: answer.receivedAt)
      }
    case (.item(let name), _):
      let answer = lander.dated(await fetcher.item(name), newest: nil)
      learn(answer, key, flight, count: nil)
      result = settle(answer, of: name)
    case (.feed, nil), (.errand, _):
      result = await fly(errand: key, flight)
    }
    release(key, after: result)
    followAfterCall()
    abandon(key, result)
    depart()
  }

  /// Reports the end of a call to the store.
  private func release(_ key: FlightKey, after result: FlightResult) {
    // The source's own is kept with what a good answer stores.
    var isWritten = key.budget == nil
    if case .failed(let error) = result {
      if case .store = error { isWritten = true } else { isWritten = false }
    }
    do throws(StoreError) {
      let budget = try book.store.settle(
        key.shared(of: slices.source), settling: (desk.budgets[key.budget], isWritten),
        pausing: desk.sharedPause(of: key, at: time.now))
      if let budget { desk.adopt(budget, for: key) }
    } catch {
      report(.notStored(error))
    }
  }

  /// The page of a call as it would depart now; nil where none shows its place any more, and for
  /// what is in no feed.
  func window(of key: FlightKey, _ ask: Ask) -> Window? {
    switch key {
    case .item, .errand: return nil
    case .window(_, let window): return window
    case .feed(let feed):
      // A store that fails is reported where the slice is read.
      let handles = StoredHandles(feed: feed, book: book, fetcher: fetcher)
      return (try? plan(for: feed))?.request(for: ask.place, by: handles)
    }
  }

  /// Learns the budget from an answer, and reports it to the store and the operator.
  func learn(
    _ answer: Fetched<some Sendable>, _ key: FlightKey, _ flight: Flight, count: Int?
  ) {
    let change = desk.change(by: answer, to: key, at: answer.receivedAt)
    desk.learn(key, change)
    book.store.note(
      CallAnswer(budget: desk.budgets[key.budget], moved: lander.moved, change: change),
      to: key.shared(of: slices.source))
    var failure: FetchError?
    if case .failure(let error) = answer.result { failure = error }
    report(
      .called(
        EndedCall(
          path: key.path, window: flight.window, purpose: flight.ask.purpose,
          budget: desk.budgets[key.budget], failure: failure,
          sentAt: flight.sentAt ?? answer.sentAt,
          receivedAt: answer.receivedAt, count: count)))
  }

  private func settle(_ answer: Fetched<Page>, to ask: Asked, of feed: FeedID) -> FlightResult {
    let key = FlightKey.feed(feed)
    let (result, followUps) = lander.land(answer, to: ask, of: feed)
    switch result {
    case .failed(let error):
      return fail(error, to: ask.window, key, at: answer.receivedAt)
    case .taken(let evidence):
      desk.noteGood(key)
      follow(followUps, of: feed)
      return .landed(evidence)
    case .notStored(let error):
      desk.noteGood(key)
      return .failed(.store(error))
    }
  }

  private func settle(_ answer: Fetched<PageItem>, of name: ItemName) -> FlightResult {
    switch lander.land(answer, of: name) {
    case .taken:
      desk.noteGood(.item(name))
      return .landed(nil)
    case .deleted: return .failed(.deleted)
    case .failed(let error): return fail(error, to: nil, .item(name), at: answer.receivedAt)
    case .notStored(let error): return .failed(.store(error))
    }
  }

  /// Notes a failed flight, which asked for a window or for what is in no feed.
  func fail(
    _ error: FetchError, to window: Window?, _ key: FlightKey, at now: Timestamp
  ) -> FlightResult {
    let meaning = desk.fail(key, after: error, at: now)
    do throws(StoreError) {
      if let feed = key.feed, let window {
        try book.noteFailure(error, perPage: window.perPage, of: feed)
      }
    } catch {
      return .failed(.store(error))
    }
    return .failed(meaning)
  }

  /// Makes the calls that an answer leads to.
  private func follow(_ followUps: [FollowUp], of feed: FeedID) {
    var asks: [Ask] = []
    for followUp in followUps {
      switch followUp {
      case .ask(let ask): asks.append(ask)
      case .confirm(let name):
        let key = FlightKey.item(name)
        guard desk.flights[key] == nil, desk.bears(.recheck, for: key, at: time.now) else {
          // It is not asked for: another answer may have it asked for within the hour.
          book[feed]?.doubts.clear(.lacking)
          continue
        }
        board(CallDesk.Call(key: key, ask: Ask(.top(1), for: .recheck)))
      }
    }
    desk.askNext(asks, after: .feed(feed))
  }

  /// Wakes those who waited for a flight, and asks for what follows it.
  private func end(_ flight: Flight, of key: FlightKey, _ result: FlightResult) {
    lastEnd = (key, result)
    for ticket in flight.waiters {
      waiters.removeValue(forKey: ticket)?.resume(returning: result)
    }
    guard case .feed(let feed) = key else { return }
    book.end(feed)
    // What is due still is found so again by those who read it.
    if case .failed = result { return }
    let isFollowedUp = flight.next.contains { $0.purpose == .gap }
    guard !isFollowedUp, !flight.waiters.isEmpty, !flight.next.isEmpty else {
      return look(at: flight.next, of: feed)
    }
    // Those who waited may ask for more, and are first: what is due follows on their call then.
    Task(executorPreference: executor) { await self.look(at: flight.next, of: feed) }
  }
}
