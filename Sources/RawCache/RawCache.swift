// The raw route, `GET /v1/{source}/raw/…`: a shared HTTP cache. The rules are in `Freshness`; this
// target performs them: it serves stored answers, shares calls, and stores their answers.
// Read next: `Reuse` (the decision), `RawFlight` (one call for several requests), `RawPorts` (the
// protocols of the upstream and the store).

package import Feed
package import Freshness
import Synchronization

/// A shared cache of one source's answers (RFC 9111).
///
/// Requests for one target and variant share a call. An answer that may not be stored goes only to
/// the request that made the call; for a minute, requests for that target then do not wait for each
/// other.
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
    /// Targets whose last answer may not be stored, by the hash of their names, and until when
    /// their requests do not share a call.
    var passes: [Int: Timestamp] = [:]
  }

  /// Target and variant, as far as it is known before the answer.
  private struct FlightName: Hashable {
    let target: String
    let variant: [UInt8]
  }

  /// How long requests do not share calls for a target whose answer may not be stored.
  static let passDuration = Duration.seconds(60)
  /// The most such targets; one more, and all are forgotten.
  static let passesMax = 10_000
  /// How often a request starts again because it waited for an answer of another variant.
  static let turnsMax = 3

  /// A cache for a source, over a store, and what it shares with other servers. Writes to the store
  /// and all that is shared block the executor's thread.
  package init(
    source: String, rules: CacheRules, limits: RawLimits, fetcher: any RawFetching,
    runner: any ErrandRunner, store: any AnswerStore, sharing: (any AnswerSharing)? = nil,
    time: any TimeSource, executor: any TaskExecutor,
    report: @escaping @Sendable (StoreError) -> Void
  ) {
    (self.rules, self.limits, self.executor) = (rules, limits, executor)
    (self.fetcher, self.runner, self.time) = (fetcher, runner, time)
    kept = KeptAnswers(
      of: source, limits: limits, store: store, sharing: sharing, time: time, executor: executor,
      report: report)
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

  package func follow(_ selection: AnswerSelection, purgedAt: Timestamp) throws(StoreError) {
    try kept.follow(selection, purgedAt: purgedAt)
  }

  private func served(_ stored: RawAnswer, ttl: Int64, at target: String) -> RawReply {
    kept.noteUse(of: target)
    return .kept(stored, .hit(ttl: ttl))
  }

  // MARK: Calls

  /// A request that needs the upstream.
  private struct Asking: Sendable {
    let request: RawRequest
    /// The stored answer to it.
    var stored: RawAnswer?
    /// The stored variants of its target, and the version at which they were read.
    let answers: [RawAnswer]
    let version: UInt64
    let deadline: Timestamp
    let permit: OpeningPermit?
    let interim: @Sendable (Int, FieldList) -> Void

    /// Whether the stored answer is not to be validated.
    var isUnconditional = false

    /// The validators of the stored answer.
    var validators: [FieldLine] {
      isUnconditional ? [] : stored.map { Preconditions.validators(of: $0.head) } ?? []
    }

    /// Whether the upstream request is a HEAD.
    var isHead: Bool { request.isHead && validators.isEmpty }

    /// Whether other requests may share its call.
    var isShareable: Bool { request.isShareable && !isHead }

    /// Why the request is forwarded.
    func forward(by rules: CacheRules, at now: Timestamp) -> CacheStatus.Forward {
      guard let stored else { return answers.isEmpty ? .uriMiss : .varyMiss }
      return stored.head.timeToLive(by: rules, at: now.milliseconds) > 0 ? .request : .stale
    }
  }

  /// The upstream's answer, from a call of its own or a shared one. Nil if a shared call brought
  /// another variant: then the request starts again.
  private func fresh(_ asking: Asking, alone isAlone: Bool) async -> RawReply? {
    let request = asking.request
    guard !isAlone, asking.isShareable, !passes(request.target) else {
      return await alone(asking)
    }
    let (flight, isFirst) = flight(for: asking)
    switch await flight.wait(until: asking.deadline, time) {
    case .own where !isFirst: return await alone(asking)
    // Another client was refused; this one may be allowed.
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

  /// The call that a request waits for: the one in progress, or a new one.
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
      // Requests from now on find the stored answer.
      state.withLock { $0.flights[name] = nil }
      flight.land(landing)
    }
    return (flight, true)
  }

  /// The variant is computed by the `Vary` of the target's newest answer.
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

  /// Whether a call serves only one client, so that it counts as an opening. A call that renews an
  /// expired answer, or brings one that the next client gets too, is none.
  private func isOpening(_ asking: Asking) -> Bool {
    guard let stored = asking.stored, asking.isShareable, !passes(asking.request.target) else {
      return true
    }
    return !Reuse.isDue(stored.head, by: rules, at: time.now.milliseconds)
  }

  /// Calls the upstream, and stores the answer if it may be stored.
  private func perform(_ asked: Asking) async -> RawLanding {
    let (asking, answer) = looked(again: asked)
    if let answer { return .kept(answer, status: nil) }
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
        // A 304 although no validator was sent.
        return .failed(.badResponse(retryAt: time.now + .seconds(1)))
      }
      let told = read(answer, for: request)
      guard Preconditions.isValidated(stored.head, by: told.head) else {
        var again = asked
        again.isUnconditional = true
        return await perform(again)
      }
      let validated = RawAnswer(head: stored.head.validated(by: told.head), body: stored.body)
      kept.store(validated, renewing: stored, at: request.target)
      return .kept(validated, status: 304)
    }
    let told = read(answer, for: request)
    let isTrouble = asking.stored.map { servesStale($0, request, in: .error, after: told) } ?? false
    let mayKeep = Keeping.mayKeep(told.head, to: request.judged, by: rules)
    guard mayKeep, !asking.isHead, !isTrouble, told.body.count <= limits.bodyBytesMax else {
      // Only an answer may end sharing for a target, never a single client's request.
      if asking.isShareable { pass(request.target) }
      return .own(told)
    }
    state.withLock { $0.passes[request.target.hashValue] = nil }
    kept.store(told, at: request.target)
    return .kept(told, status: told.head.status)
  }

  /// What a request needs of the upstream, with what was stored since it looked, and that answer if
  /// it is fresh: the call that the request would have shared may have ended in between, here or at
  /// another server.
  private func looked(again asking: Asking) -> (Asking, fresh: RawAnswer?) {
    let request = asking.request
    if asking.isShareable { kept.takeShared(at: request.target) }
    guard kept.version != asking.version else { return (asking, nil) }
    var asking = asking
    asking.stored = request.selected(of: kept.answers(at: request.target))
    let now = time.now.milliseconds
    switch Reuse(request.fields, stored: asking.stored?.head, by: rules, at: now) {
    case .serve: return (asking, asking.stored)
    default: return (asking, nil)
    }
  }

  /// An answer as it is served and stored.
  private func read(_ answer: RawAnswer, for request: RawRequest) -> RawAnswer {
    let head = answer.head
    return RawAnswer(
      head: StoredAnswer(
        status: head.status, fields: rules.told(head.fields), to: request.forwarded,
        askedAt: head.askedAt, respondedAt: head.respondedAt),
      body: answer.body)
  }

  /// The reply for the result of a call; `landing` is nil if it did not end in time.
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

/// The answer of a call, taken out of its errand.
private final class Came: Sendable {
  private let value = Mutex<RawAnswer?>(nil)

  var answer: RawAnswer? { value.withLock { $0 } }

  /// Takes the answer, and returns the rest.
  func note(_ fetched: Fetched<RawAnswer>) -> Fetched<Void> {
    let result = fetched.result.map { answer in value.withLock { $0 = answer } }
    return Fetched(
      sentAt: fetched.sentAt, receivedAt: fetched.receivedAt, date: fetched.date,
      age: fetched.age, redirects: fetched.redirects, budget: fetched.budget, result: result)
  }
}
