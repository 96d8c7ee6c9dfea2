import Feed

/// The upstream calls of one source: which are under way or queued and who waits for them, what the
/// budget bears, what is left alone after a failure.
///
/// It is a value without clock, store or actor: it is told what was asked, sent and answered, and
/// returns what is to be done. Whatever calls the upstream goes through it.
struct CallDesk {
  /// The calls left.
  private(set) var budgets: Budgets
  /// The source's rules.
  var policy: Policy {
    didSet { budgets.assumed = policy.allowance }
  }
  /// The calls that are under way or queued.
  private(set) var flights: [FlightKey: Flight] = [:]
  private var queue: [FlightKey] = []
  private var backoff: Backoff
  private var lastTicket: UInt64 = 0

  /// What is to be done, in this order.
  enum Action {
    /// Writes the budget of this name down: a process that ends before the answer comes, again and
    /// again, must not spend it unseen.
    case keepBudget(String?)
    /// Makes the call.
    case send(FlightKey, Ask)
    /// Tells those who wait that it will not be made.
    case end(Flight, of: FlightKey, ReadError)
  }

  /// What is asked of the desk.
  struct Call {
    let key: FlightKey
    let ask: Ask
    /// Whether it finds out what nothing stored leads to.
    var isOpening = false
    /// Whether it is for an item of which nothing is known.
    var isForUnknown = false
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
    backoff.openedAt(key).map { now - $0 < Openings.duration } ?? false
  }

  /// Why a call may not be made; nil where it may. `permit` is asked last, when it opens something.
  func refusal(of call: Call, _ permit: OpeningPermit?, at now: Timestamp) -> ReadError? {
    if let failure = pause(of: call.key, at: now) { return failure }
    guard bears(call.ask.purpose, for: call.key, at: now) else {
      return rateLimited(call.key, at: now)
    }
    guard call.isOpening || call.isForUnknown else { return nil }
    return refusalToOpen(call.key, call.ask, permit, at: now)
  }

  /// Queues a call, and lets go what may go.
  mutating func board(
    _ call: Call, then next: ArraySlice<Ask> = [], at now: Timestamp
  ) -> [Action] {
    var flight = Flight(ask: call.ask, next: next, isForUnknown: call.isForUnknown)
    if call.isOpening {
      budgets[call.key.budget].openings.take(at: now)
      flight.openedAt = now
    }
    flights[call.key] = flight
    queue.append(call.key)
    return depart(at: now)
  }

  /// Notes that somebody waits for a call. Returns the ticket to be told by.
  mutating func wait(for key: FlightKey) -> UInt64 {
    lastTicket += 1
    flights[key]?.waiters.append(lastTicket)
    return lastTicket
  }

  /// Notes that somebody waits no more.
  mutating func leave(_ key: FlightKey, _ ticket: UInt64) {
    flights[key]?.waiters.removeAll { $0 == ticket }
  }

  /// Lets the calls go for which there is a place, and ends those for which none may be spent.
  mutating func depart(at now: Timestamp) -> [Action] {
    var actions: [Action] = []
    var spent: Set<String?> = []
    while let index = nextDeparture {
      let key = queue.remove(at: index)
      guard let flight = flights[key] else { continue }
      if let refusal = refusalToDepart(key, flight, at: now) {
        flights[key] = nil
        actions.append(.end(flight, of: key, refusal))
        continue
      }
      budgets[key.budget].spend(at: now)
      spent.insert(key.budget)
      actions.append(.send(key, flight.ask))
    }
    return spent.map(Action.keepBudget) + actions
  }

  /// Why a queued call may not go: those before it may have spent what was left.
  private func refusalToDepart(
    _ key: FlightKey, _ flight: Flight, at now: Timestamp
  ) -> ReadError? {
    guard bears(flight.ask.purpose, for: key, at: now) else { return rateLimited(key, at: now) }
    return flight.isForUnknown ? refusalToOpen(key, flight.ask, nil, at: now) : nil
  }

  /// Which call goes next: the first that waits, while there is a place. The last place is left to
  /// those that did not fail last time, so that feeds the upstream does not answer do not hold up
  /// the others.
  private var nextDeparture: Int? {
    let places = policy.maxInFlight - budgets.inFlight
    guard places > 0 else { return nil }
    guard places == 1, policy.maxInFlight > 1 else { return queue.indices.first }
    return queue.firstIndex { $0.feed == nil || backoff.failures(of: $0) == 0 }
  }

  /// How a call ends for which none may be spent.
  func rateLimited(_ key: FlightKey, at now: Timestamp) -> ReadError {
    .rateLimited(until: budgets[key.budget].waitsUntil(at: now) ?? now + .seconds(1))
  }

  /// Why what opens something may not be called; nil where it may.
  ///
  /// Each call of a seek is part of the openings' share of calls, but the whole seek is one opening
  /// of whoever asked.
  private func refusalToOpen(
    _ key: FlightKey, _ ask: Ask, _ permit: OpeningPermit?, at now: Timestamp
  ) -> ReadError? {
    let budget = budgets[key.budget]
    let limit = budget.limit ?? budget.assumed.calls
    guard budget.openings.bears(of: limit, permille: policy.openingPermille, at: now) else {
      return .tooManyOpenings(
        retryAt: budget.openings.oldestEndsAt(at: now) ?? now + Openings.duration)
    }
    let isFirstOfSeek = ask.seek?.asked ?? 0 == 0
    if isFirstOfSeek, let wait = permit?() { return .tooManyOpenings(retryAt: now + wait) }
    return nil
  }

  // MARK: Answered

  /// Takes a budget of a name as it was kept; nil where it was not.
  mutating func take(_ kept: Budget?, of name: String) {
    budgets[name] =
      kept?.kept(assuming: policy.allowance) ?? Budget(assumed: policy.allowance)
  }

  /// Learns the budget from an answer to a call.
  mutating func learn(from answer: Fetched<some Sendable>, to key: FlightKey) {
    budgets[key.budget].learn(from: answer)
  }

  /// Notes a good answer: what it was for is left alone no more.
  mutating func noteGood(_ key: FlightKey) {
    backoff.noteGood(key)
  }

  /// Notes a call that failed: its feed or item is left alone for a while, longer each time.
  /// Returns what a reader is told of it.
  ///
  /// An opening that did not reach the upstream is given back. One that an outage kept from its
  /// answer is not over: it may be tried again for as long as it counts.
  mutating func fail(_ key: FlightKey, after error: FetchError, at now: Timestamp) -> ReadError {
    var openedAt: Timestamp?
    if let taken = flights[key]?.openedAt {
      switch error {
      case .unreachable: budgets[key.budget].openings.giveBack(takenAt: taken)
      case .serverError, .timedOut, .cut, .tooLarge: openedAt = taken
      case .unchanged, .rateLimited, .refused, .notFound, .rejected, .malformed: break
      }
    }
    // A name that was none: an item's call is an opening once that is known.
    if case .item = key, error == .notFound { budgets[key.budget].openings.take(at: now) }
    return backoff.fail(
      key, after: error, refusedUntil: budgets[key.budget].waitsUntil(at: now), openedAt: openedAt,
      pauseMax: policy.pauseMax, at: now)
  }

  /// Has a window asked for as soon as the call under way has landed, before what follows it.
  mutating func askNext(_ asks: [Ask], after key: FlightKey) {
    let next = flights[key]?.next ?? []
    flights[key]?.next = asks + next
  }

  /// Ends a call that was answered. Returns who waited for it, and what follows.
  mutating func land(_ key: FlightKey) -> Flight? {
    flights.removeValue(forKey: key)
  }

  /// Forgets what answers told, as they told it to another caller.
  mutating func forgetAnswers() {
    budgets.forgetAnswers()
  }
}
