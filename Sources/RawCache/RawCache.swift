// What else an upstream has: `GET /v1/{source}/raw/…`. The rules are `Freshness`; here they are
// performed: who is served from what is kept, who waits for which call, what is kept of its answer.
// Read next: `Reuse` (the decision), `RawFlight` (one call for all who wait), `RawPorts` (what
// fetches and what keeps).

package import Feed
package import Freshness
import Synchronization

/// A shared cache of one source's answers (RFC 9111).
///
/// Requests of one target and variant share a call. What may not be kept is for who asked first,
/// and for a minute nobody waits for that target.
package final class RawCache: RawCaching {
  package let rules: CacheRules
  private let limits: RawLimits
  private let fetcher: any RawFetching
  private let runner: any ErrandRunner
  private let time: any TimeSource
  private let executor: any TaskExecutor
  private let kept: KeptAnswers
  private let state = Mutex(State())

  private struct State {
    var flights: [FlightName: RawFlight] = [:]
    /// Targets whose last answer may not be kept, by the hash of their names, and until when no
    /// request waits for them.
    var passes: [Int: Timestamp] = [:]
  }

  /// Target and variant, as far as that is known before the answer.
  private struct FlightName: Hashable {
    let target: String
    let variant: [UInt8]
  }

  /// For how long nobody waits for a target whose answer may not be kept.
  static let passDuration = Duration.seconds(60)
  /// How many such targets are remembered; beyond, all are forgotten.
  static let passesMax = 10_000
  /// How often a request begins anew because the answer it waited for is one of another variant.
  static let turnsMax = 3

  /// A cache over a store, for a source. The executor's thread is the one the store's writes block.
  package init(
    source: String, rules: CacheRules, limits: RawLimits, fetcher: any RawFetching,
    runner: any ErrandRunner, store: any AnswerStore, time: any TimeSource,
    executor: any TaskExecutor, report: @escaping @Sendable (StoreError) -> Void
  ) {
    (self.rules, self.limits, self.executor) = (rules, limits, executor)
    (self.fetcher, self.runner, self.time) = (fetcher, runner, time)
    kept = KeptAnswers(
      of: source, limits: limits, store: store, time: time, executor: executor, report: report)
  }

  package var version: UInt64 { kept.version }

  package var useInterval: Duration { KeptAnswers.useInterval }

  package func answer(
    _ request: RawRequest, wait: Duration, permit: OpeningPermit?,
    interim: @escaping @Sendable (Int, FieldList) -> Void = { _, _ in }
  ) async -> RawReply {
    let deadline = time.now + wait
    var turn = 0
    while true {
      turn += 1
      let version = kept.version
      let answers = kept.answers(at: request.target)
      let stored = request.selected(of: answers)
      let now = time.now
      let asking = Asking(
        request: request, stored: stored, answers: answers, version: version, deadline: deadline,
        permit: permit, interim: interim)
      switch Reuse(request.fields, stored: stored?.head, by: rules, at: now.milliseconds) {
      case .serve(let ttl):
        if let stored { return served(stored, ttl: ttl, at: request.target) }
      case .serveAndValidate(let ttl):
        _ = flight(for: asking)
        if let stored { return served(stored, ttl: ttl, at: request.target) }
      case .unsatisfiable:
        return .notKept
      case .validate, .fetch:
        if let reply = await fresh(asking, alone: turn == RawCache.turnsMax) { return reply }
      }
    }
  }

  package func purge(_ selection: AnswerSelection) throws(StoreError) -> Int {
    try kept.purge(selection)
  }

  private func served(_ stored: RawAnswer, ttl: Int64, at target: String) -> RawReply {
    kept.noteUse(of: target)
    return .kept(stored, .hit(ttl: ttl))
  }

  // MARK: Calls

  /// A request that the upstream is asked for.
  private struct Asking: Sendable {
    let request: RawRequest
    /// What is kept for it.
    let stored: RawAnswer?
    /// What is kept of its target, and as of which version.
    let answers: [RawAnswer]
    let version: UInt64
    let deadline: Timestamp
    let permit: OpeningPermit?
    let interim: @Sendable (Int, FieldList) -> Void

    /// What what is kept is validated with.
    var validators: [FieldLine] { stored.map { Preconditions.validators(of: $0.head) } ?? [] }

    /// Whether only the head is asked for upstream, too.
    var isHead: Bool { request.isHead && validators.isEmpty }

    /// Whether other requests may wait for its call.
    var isShareable: Bool { request.isShareable && !isHead }

    /// Why it goes on, at a time.
    func forward(by rules: CacheRules, at now: Timestamp) -> CacheStatus.Forward {
      guard let stored else { return answers.isEmpty ? .uriMiss : .varyMiss }
      return stored.head.timeToLive(by: rules, at: now.milliseconds) > 0 ? .request : .stale
    }
  }

  /// The upstream's answer, by a call of its own or one that others wait for, too. Nil where that
  /// was for another variant: then it is to be looked for anew.
  private func fresh(_ asking: Asking, alone isAlone: Bool) async -> RawReply? {
    let request = asking.request
    guard !isAlone, asking.isShareable, !passes(request.target) else {
      return await alone(asking)
    }
    let (flight, isFirst) = flight(for: asking)
    switch await flight.wait(until: asking.deadline, time) {
    case .own where !isFirst: return await alone(asking)
    // What was refused to another client need not be to this one.
    case .failed(.tooManyOpenings) where !isFirst: return nil
    case .kept(let answer, _) where !Variants.selects(answer.head, request.forwarded): return nil
    case let landing: return reply(asking, landing, isCollapsed: !isFirst)
    }
  }

  private func alone(_ asking: Asking) async -> RawReply {
    let flight = RawFlight()
    Task(executorPreference: executor) { [self] in flight.land(await perform(asking)) }
    return reply(asking, await flight.wait(until: asking.deadline, time), isCollapsed: false)
  }

  /// The call that a request waits for: the one under way, or one that departs for it.
  private func flight(for asking: Asking) -> (RawFlight, isFirst: Bool) {
    let name = name(of: asking)
    let (flight, isFirst) = state.withLock { state -> (RawFlight, Bool) in
      if let flight = state.flights[name] { return (flight, false) }
      let flight = RawFlight()
      state.flights[name] = flight
      return (flight, true)
    }
    guard isFirst else { return (flight, false) }
    Task(executorPreference: executor) { [self] in
      let landing = await perform(asking)
      // Who comes from now on finds what is kept.
      state.withLock { $0.flights[name] = nil }
      flight.land(landing)
    }
    return (flight, true)
  }

  /// The variant is told by what the newest answer of the target varies by.
  private func name(of asking: Asking) -> FlightName {
    let variant = asking.answers.first.map { newest in
      Variants.key(
        of: StoredAnswer(
          status: 200, fields: newest.head.fields, to: asking.request.forwarded, askedAt: 0,
          respondedAt: 0))
    }
    return FlightName(target: asking.request.target, variant: variant ?? [])
  }

  private func passes(_ target: String) -> Bool {
    let now = time.now
    return state.withLock { $0.passes[target.hashValue].map { $0 > now } ?? false }
  }

  /// Whether a call is made for one client's sake, so that it counts as an opening: not because
  /// what is kept has expired, and not for an answer that the next client is served.
  private func isOpening(_ asking: Asking) -> Bool {
    guard let stored = asking.stored, asking.isShareable, !passes(asking.request.target) else {
      return true
    }
    return !Reuse.isDue(stored.head, by: rules, at: time.now.milliseconds)
  }

  /// Asks the upstream, and keeps what may be kept.
  private func perform(_ asking: Asking) async -> RawLanding {
    if let answer = keptMeanwhile(for: asking) { return .kept(answer, status: nil) }
    let (request, validators) = (asking.request, asking.validators)
    let call = OutgoingRequest(
      target: request.target, isHead: asking.isHead,
      fields: FieldList(request.forwarded.lines + validators))
    let came = Came()
    do throws(ReadError) {
      try await runner.run(
        Errand(target: request.target, isOpening: isOpening(asking)) { [fetcher, rules] in
          came.note(
            await fetcher.fetch(call) { code, fields in
              asking.interim(code, rules.told(fields))
            })
        }, permit: asking.permit)
    } catch {
      return .failed(error)
    }
    guard let answer = came.answer else { return .failed(.timedOut) }
    if answer.head.status == 304 {
      guard let stored = asking.stored, !validators.isEmpty else {
        // It was asked for nothing that a client has.
        return .failed(.badResponse(retryAt: time.now + .seconds(1)))
      }
      let told = read(answer, for: request)
      let validated = RawAnswer(head: stored.head.validated(by: told.head), body: stored.body)
      kept.keep(validated, renewing: stored, at: request.target)
      return .kept(validated, status: 304)
    }
    let told = read(answer, for: request)
    let isTrouble = asking.stored.map { servesStale($0, request, in: .error, after: told) } ?? false
    let mayKeep = Keeping.mayKeep(told.head, to: request.judged, by: rules)
    guard mayKeep, !asking.isHead, !isTrouble, told.body.count <= limits.bodyBytesMax else {
      // Only an answer decides that others do not wait, never what one client's request says.
      if asking.isShareable { pass(request.target) }
      return .own(told)
    }
    state.withLock { $0.passes[request.target.hashValue] = nil }
    kept.keep(told, at: request.target)
    return .kept(told, status: told.head.status)
  }

  /// What has been kept since a request looked, where it answers that: the call that it would have
  /// waited for may have landed in between.
  private func keptMeanwhile(for asking: Asking) -> RawAnswer? {
    guard kept.version != asking.version else { return nil }
    let request = asking.request
    let stored = request.selected(of: kept.answers(at: request.target))
    let now = time.now.milliseconds
    guard case .serve = Reuse(request.fields, stored: stored?.head, by: rules, at: now) else {
      return nil
    }
    return stored
  }

  /// An answer as it is told and kept.
  private func read(_ answer: RawAnswer, for request: RawRequest) -> RawAnswer {
    let head = answer.head
    return RawAnswer(
      head: StoredAnswer(
        status: head.status, fields: rules.told(head.fields), to: request.forwarded,
        askedAt: head.askedAt, respondedAt: head.respondedAt),
      body: answer.body)
  }

  /// What a landing means for a request; nil where it did not land in time.
  private func reply(_ asking: Asking, _ landing: RawLanding?, isCollapsed: Bool) -> RawReply {
    let request = asking.request
    var status = CacheStatus.forwarded(asking.forward(by: rules, at: time.now))
    status.isCollapsed = isCollapsed
    let failure: ReadError
    switch landing {
    case .kept(let answer, let told):
      let ttl = answer.head.timeToLive(by: rules, at: time.now.milliseconds)
      guard let told else { return .kept(answer, .hit(ttl: ttl)) }
      (status.status, status.isStored, status.ttl) = (told, true, ttl)
      return .kept(answer, status)
    case .own(let answer):
      if let stored = asking.stored, servesStale(stored, request, in: .error, after: answer) {
        return stale(stored, "upstream-\(answer.head.status)")
      }
      status.status = answer.head.status
      return .passed(answer, status)
    case .failed(let error): failure = error
    case nil: failure = .timedOut
    }
    let now = time.now.milliseconds
    if let stored = asking.stored,
      Reuse.servesStale(stored.head, to: request.fields, in: .silence, by: rules, at: now)
    {
      if case .tooManyOpenings = failure { return stale(stored, "refused") }
      return stale(stored, "no-answer")
    }
    return .failed(failure, status)
  }

  private func servesStale(
    _ stored: RawAnswer, _ request: RawRequest, in trouble: Reuse.Trouble, after answer: RawAnswer
  ) -> Bool {
    Reuse.errors.contains(answer.head.status)
      && Reuse.servesStale(
        stored.head, to: request.fields, in: trouble, by: rules, at: time.now.milliseconds)
  }

  private func stale(_ stored: RawAnswer, _ detail: String) -> RawReply {
    let ttl = stored.head.timeToLive(by: rules, at: time.now.milliseconds)
    return .kept(stored, .hit(ttl: ttl, detail: detail))
  }

  private func pass(_ target: String) {
    let until = time.now + RawCache.passDuration
    state.withLock { state in
      if state.passes.count >= RawCache.passesMax { state.passes.removeAll() }
      state.passes[target.hashValue] = until
    }
  }
}

/// What a call brought, carried out of its errand.
private final class Came: Sendable {
  private let value = Mutex<RawAnswer?>(nil)

  var answer: RawAnswer? { value.withLock { $0 } }

  /// Takes the answer, and gives what else came.
  func note(_ fetched: Fetched<RawAnswer>) -> Fetched<Void> {
    let result = fetched.result.map { answer in value.withLock { $0 = answer } }
    return Fetched(
      sentAt: fetched.sentAt, receivedAt: fetched.receivedAt, date: fetched.date,
      age: fetched.age, redirects: fetched.redirects, budget: fetched.budget, result: result)
  }
}
