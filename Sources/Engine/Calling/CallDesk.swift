import Feed

/// The upstream calls of one source: which are in progress or queued and who waits for them, what
/// the budget bears, what is left alone after a failure.
///
/// It is a value without clock, store or actor: it gets what was asked, sent and answered, and
/// decides what goes. Whatever calls the upstream goes through it.
struct CallDesk {
  /// The calls left.
  private(set) var budgets: Budgets
  /// The source's rules.
  var policy: Policy {
    didSet { budgets.assumed = policy.allowance }
  }
  /// The calls that are in progress or queued.
  private(set) var flights: [FlightKey: Flight] = [:]
  private var queue: [FlightKey] = []
  private var backoff: Backoff
  private var lastTicket: UInt64 = 0

  /// The most looks that wait for one feed's call to land; of more, what was seen last goes.
  static let looksMax = 32

  /// Whether a queued call goes.
  enum Decision {
    /// It does, and this is left of the budget it counts in.
    case go(Budget)
    /// It does not: those who wait for it get the reason.
    case refused(ReadError)
    /// There is no place for it now.
    case busy

    /// What is left where it goes.
    var budget: Budget? {
      if case .go(let budget) = self { budget } else { nil }
    }
  }

  /// What is asked of the desk.
  struct Call {
    let key: FlightKey
    let ask: Ask
    /// Whether it finds out what nothing stored leads to.
    var isOpening = false
    /// Whether it is for an item of which nothing is known.
    var isForUnknown = false
    /// Whether a client forces it: a look at what is stored, and not due.
    var isForced = false
  }

  /// A desk without calls; `random` makes the jitter of pauses, in milliseconds.
  init(
    budget: Budget, policy: Policy, random: @escaping @Sendable (ClosedRange<Int64>) -> Int64
  ) {
    budgets = Budgets(own: budget)
    self.policy = policy
    backoff = Backoff(random: random)
  }

  // MARK: Asked

  /// Whether a call for a purpose may be sent now.
  func bears(_ purpose: Purpose, for key: FlightKey, at now: Timestamp) -> Bool {
    budgets[key.budget].bears(purpose, reserve: policy.reserveCalls, at: now)
  }

  /// What the last failure of a feed or an item means, while it is left alone; else nil.
  func pause(of key: FlightKey, at now: Timestamp) -> ReadError? {
    backoff.pause(of: key, at: now)
  }

  /// Whether an opening was taken for a feed that an outage kept from its answer, and still counts.
  func hasOpened(_ key: FlightKey, at now: Timestamp) -> Bool {
    backoff.openedAt(key).map { now - $0 < budgets[key.budget].assumed.period } ?? false
  }

  /// Why a call may not be made; nil where it may. `permit` is asked last, when it opens something
  /// or is forced.
  func refusal(of call: Call, _ permit: OpeningPermit?, at now: Timestamp) -> ReadError? {
    if let failure = pause(of: call.key, at: now) { return failure }
    guard bears(call.ask.purpose, for: call.key, at: now) else {
      return rateLimited(call.key, at: now)
    }
    guard call.isOpening || call.isForUnknown else {
      return call.isForced ? refusal(by: permit, at: now) : nil
    }
    let queued = flights.values.count { !$0.isSent && $0.openedAt != nil }
    return refusalToOpen(call.key, call.ask, permit, beside: queued, at: now)
  }

  /// Queues a call.
  mutating func board(_ call: Call, then next: ArraySlice<Ask> = [], at now: Timestamp) {
    var flight = Flight(ask: call.ask, next: next, isForUnknown: call.isForUnknown)
    if call.isOpening { flight.openedAt = now }
    flights[call.key] = flight
    queue.insert(call.key, at: place(of: call.ask.purpose))
  }

  /// Where a call is queued: in the order in which they come, but for errands, which stand after
  /// readers that wait, and both before what no reader waits for.
  private func place(of purpose: Purpose) -> Int {
    let isBefore: (Purpose) -> Bool
    switch purpose {
    case .reader: isBefore = { $0 >= .raw }
    case .raw: isBefore = { $0 > .raw }
    case .head, .gap, .recheck, .prefetch: return queue.endIndex
    }
    return queue.firstIndex { flights[$0].map { isBefore($0.ask.purpose) } ?? false }
      ?? queue.endIndex
  }

  /// Notes that a request waits for a call. Returns the ticket to wake it by.
  mutating func wait(for key: FlightKey) -> UInt64 {
    lastTicket += 1
    flights[key]?.waiters.append(lastTicket)
    return lastTicket
  }

  /// Whether the call is still there that a ticket was taken for, and not another one after it.
  func holds(_ ticket: UInt64, for key: FlightKey) -> Bool {
    flights[key]?.waiters.contains(ticket) == true
  }

  /// Notes that somebody waits no more.
  mutating func leave(_ key: FlightKey, _ ticket: UInt64) {
    flights[key]?.waiters.removeAll { $0 == ticket }
  }

  /// Which call goes next: the first that waits, while there is a place. The last place is left to
  /// those that did not fail last time, so that feeds the upstream does not answer do not hold up
  /// the others.
  var next: FlightKey? {
    let places = policy.maxInFlight - sentCount
    guard places > 0 else { return nil }
    guard places == 1, policy.maxInFlight > 1 else { return queue.first }
    return queue.first { $0.feed == nil || backoff.failures(of: $0) == 0 }
  }

  /// The calls that were sent and have not ended, the oldest first.
  var underway: [UnderwayCall] {
    flights.compactMap { key, flight in
      flight.sentAt.map { sentAt in
        UnderwayCall(
          path: key.path, window: flight.window, purpose: flight.ask.purpose,
          sentAt: sentAt)
      }
    }.sorted { ($0.sentAt, $0.path) < ($1.sentAt, $1.path) }
  }

  private var sentCount: Int { flights.values.count { $0.isSent } }

  /// Whether a queued call goes, by what is known of those who share its source: those before it
  /// may have spent what was left. Changes nothing, so that it can be asked again.
  func decision(on key: FlightKey, _ ground: CallGround?, at now: Timestamp) -> Decision {
    guard let flight = flights[key] else { return .busy }
    if let pause = ground?.pause, pause.until > now { return .refused(pause.error) }
    if let ground, ground.othersInFlight + sentCount >= policy.maxInFlight { return .busy }
    var desk = self
    if var budget = ground?.budget {
      budget.assumed = policy.allowance
      desk.budgets[key.budget] = budget
    }
    guard desk.bears(flight.ask.purpose, for: key, at: now) else {
      return .refused(desk.rateLimited(key, at: now))
    }
    let isOpening = flight.isForUnknown || flight.openedAt != nil
    if isOpening, let refusal = desk.refusalToOpen(key, flight.ask, nil, at: now) {
      return .refused(refusal)
    }
    if flight.openedAt != nil {
      desk.budgets[key.budget].openings.take(at: now, over: policy.allowance.period)
    }
    desk.budgets[key.budget].spend(at: now)
    return .go(desk.budgets[key.budget])
  }

  /// Sends a queued call for a window, after which this is left. Returns it.
  mutating func send(
    _ key: FlightKey, _ window: Window?, leaving budget: Budget, at now: Timestamp
  ) -> Flight? {
    queue.removeAll { $0 == key }
    budgets[key.budget] = budget
    flights[key]?.sentAt = now
    flights[key]?.window = window
    if flights[key]?.openedAt != nil { flights[key]?.openedAt = now }
    return flights[key]
  }

  /// Takes a call out of the queue; who waits for it goes on waiting.
  mutating func hold(_ key: FlightKey) {
    queue.removeAll { $0 == key }
  }

  /// Queues a call again that was held. Returns whether there is one.
  mutating func requeue(_ key: FlightKey) -> Bool {
    guard let flight = flights[key], !flight.isSent, !queue.contains(key) else { return false }
    queue.append(key)
    return true
  }

  /// The calls that are neither sent nor queued, since other servers make the same.
  var held: [FlightKey] {
    flights.filter { !$0.value.isSent && !queue.contains($0.key) }.map(\.key)
  }

  /// How a call ends for which none may be spent.
  func rateLimited(_ key: FlightKey, at now: Timestamp) -> ReadError {
    let budget = budgets[key.budget]
    let until = budget.waitsUntil(at: now) ?? now + .seconds(1)
    return budget.assumption(at: now).map { .rateAssumed($0, until: until, isOpening: false) }
      ?? .rateLimited(until: until)
  }

  /// Why what opens something may not be called; nil where it may.
  ///
  /// Each call of a seek is part of the openings' share of calls, but the whole seek is one opening
  /// of the client that asked.
  private func refusalToOpen(
    _ key: FlightKey, _ ask: Ask, _ permit: OpeningPermit?, beside queued: Int = 0,
    at now: Timestamp
  ) -> ReadError? {
    let budget = budgets[key.budget]
    let permille = policy.openingPermille
    guard budget.bearsOpening(permille: permille, beside: queued, at: now) else {
      let until = budget.opensAgain(permille: permille, at: now)
      return budget.assumption(at: now).map { .rateAssumed($0, until: until, isOpening: true) }
        ?? .tooManyOpenings(retryAt: until, byClient: false)
    }
    let isFirstOfSeek = ask.seek?.asked ?? 0 == 0
    return isFirstOfSeek ? refusal(by: permit, at: now) : nil
  }

  private func refusal(by permit: OpeningPermit?, at now: Timestamp) -> ReadError? {
    permit?().map { .tooManyOpenings(retryAt: now + $0, byClient: true) }
  }

  // MARK: Answered

  /// Takes a budget of a name as it was kept; nil where it was not.
  mutating func take(_ kept: Budget?, of name: String) {
    budgets[name] =
      kept?.kept(assuming: policy.allowance) ?? Budget(assumed: policy.allowance)
  }

  /// What an answer to a call changes of a budget. An opening that did not reach the upstream is
  /// given back; a name that was none is an opening, once that is known.
  func change(
    by answer: Fetched<some Sendable>, to key: FlightKey, at now: Timestamp
  ) -> @Sendable (inout Budget) -> Void {
    let flight = flights[key]
    var error: FetchError?
    if case .failure(let failure) = answer.result { error = failure }
    var givenBack: Timestamp?
    if case .unreachable = error { givenBack = flight?.openedAt }
    var isNone = false
    if case .item = key { isNone = error == .notFound && flight?.isForUnknown == true }
    return { [givenBack, isNone] budget in
      let period = budget.assumed.period
      budget.learn(from: answer, departedAt: flight?.sentAt)
      if let givenBack { budget.openings.giveBack(takenAt: givenBack, over: period) }
      if isNone { budget.openings.take(at: now, over: period) }
    }
  }

  /// Changes the budget that a call counts in.
  mutating func learn(_ key: FlightKey, _ change: (inout Budget) -> Void) {
    change(&budgets[key.budget])
  }

  /// Takes the budget that a call counts in, as all who share it have it.
  mutating func adopt(_ budget: Budget, for key: FlightKey) {
    budgets[key.budget] = budget
  }

  /// Takes the budget of a name, or the source's, as all who share it have it. Calls in progress
  /// here stay counted.
  mutating func adopt(_ kept: Budget, of name: String?) {
    var budget = kept
    budget.assumed = policy.allowance
    budget.inFlight = budgets[name].inFlight
    budgets[name] = budget
  }

  /// The pause after a failed call, in the form that is shared with other servers; nil without one.
  func sharedPause(of key: FlightKey, at now: Timestamp) -> CallPause? {
    backoff.sharedPause(of: key, at: now)
  }

  /// Notes a good answer: what it was for is left alone no more.
  mutating func noteGood(_ key: FlightKey) {
    backoff.noteGood(key)
  }

  /// Notes a call that failed: its feed or item is left alone for a while, longer each time.
  /// Returns what a reader gets for it.
  ///
  /// An opening that an outage kept from its answer is not over: it may be tried again for as long
  /// as it counts.
  mutating func fail(_ key: FlightKey, after error: FetchError, at now: Timestamp) -> ReadError {
    var openedAt: Timestamp?
    if let taken = flights[key]?.openedAt {
      switch error {
      case .serverError, .noAnswer, .timedOut, .cut, .tooLarge: openedAt = taken
      case .unreachable, .unchanged, .rateLimited, .refused, .notFound, .rejected, .malformed: break
      }
    }
    return backoff.fail(
      key, after: error, refusedUntil: budgets[key.budget].waitsUntil(at: now), openedAt: openedAt,
      pauseMax: policy.pauseMax, at: now)
  }

  /// Has a window asked for as soon as the call in progress has landed, before what follows it.
  mutating func askNext(_ asks: [Ask], after key: FlightKey) {
    let next = flights[key]?.next ?? []
    flights[key]?.next = asks + next
  }

  /// Has what readers found due looked at as well once the call in progress has landed: what is
  /// most needed first, and of that what was seen longest ago. What is read ahead is not worth
  /// waiting.
  mutating func remember(_ looks: ArraySlice<Ask>, after call: FlightKey) {
    guard let flight = flights[call] else { return }
    var places: Set = [flight.ask.place]
    let asks = flight.next + looks.filter { $0.purpose != .prefetch }
    let key = { (ask: Ask) in (ask.purpose, ask.seenAt?.milliseconds ?? .min) }
    let byAge = asks.sorted { key($0) < key($1) }
    let due = byAge.filter { places.insert($0.place).inserted }
    flights[call]?.next = due.prefix(CallDesk.looksMax)
  }

  /// Ends a call that was answered, or will not be made. Returns who waited for it, and what
  /// follows.
  mutating func land(_ key: FlightKey) -> Flight? {
    queue.removeAll { $0 == key }
    return flights.removeValue(forKey: key)
  }

  /// Forgets what answers said, as they said it to another caller.
  mutating func forgetAnswers() {
    budgets.forgetAnswers()
  }
}
