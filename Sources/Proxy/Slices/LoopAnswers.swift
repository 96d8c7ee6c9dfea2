import Feed
import Freshness
import HTTP

/// What one loop answered before and may answer again immediately.
final class LoopAnswers {
  private let service: Service
  private let time: any TimeSource
  private let answers: AnswerCache
  @exclusivity(unchecked) private var requestIDs = RequestIDs()
  /// When the loop's turn began, or an answer was last kept since: by this it is judged which are
  /// ready. Reading the time for each would take a tenth of our part of one.
  @exclusivity(unchecked) private var turnTime: Timestamp
  private let hits: HitCounter
  private let pageHits: HitCounter
  private let rawHits: HitCounter
  private let itemHits: HitCounter

  /// None yet. After a reload it takes over the counters of `former`, but none of its answers,
  /// which may say other things by now.
  init(_ service: Service, after former: LoopAnswers? = nil) {
    self.service = service
    time = service.time
    turnTime = time.now
    answers = AnswerCache(
      bytesMax: AnswerCache.bytesMax(
        loops: service.state.loops, of: service.state.memory.answerBytes))
    hits = former?.hits ?? service.metrics.makeHitCounter(of: .slice)
    pageHits = former?.pageHits ?? service.metrics.makeHitCounter(of: .page)
    rawHits = former?.rawHits ?? service.metrics.makeHitCounter(of: .raw)
    itemHits = former?.itemHits ?? service.metrics.makeHitCounter(of: .item)
    if former != nil { hits.note(bytes: 0) }
  }

  /// Notes that a turn of the loop begins.
  func beginTurn() {
    turnTime = time.now
  }

  /// The answer to a plain request for a slice that was answered before and has not changed.
  ///
  /// Reads the feed's version, and nothing else that other threads share. While an access log is
  /// kept no request is served from the cache, so that each is logged.
  func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply? {
    guard service.state.accessLog == nil, service.gate.admits(head) else { return nil }
    let coding = head[.acceptEncoding].map { ContentCoding(accepted: $0) } ?? .identity
    guard let known = answers.answer(to: head.target, as: coding) else { return nil }
    if let host = known.host {
      guard let named = head[.host], named.elementsEqual(host) else { return nil }
    }
    // A raw response may be requested in part, or with revalidation.
    if head.asksMore, case .raw = known.origin { return nil }
    let now = turnTime
    guard known.isValid(at: now) else {
      answers.drop(known)
      return nil
    }
    let isUnchanged: Bool
    if let tags = head[.ifNoneMatch] {
      // Lists, `*` and other entity tags take the uncached path.
      guard tags.elementsEqual(known.entityTag) else { return nil }
      isUnchanged = true
    } else {
      isUnchanged = false
    }
    guard isWithinRate(head, at: now) else { return nil }
    let id = head[.requestID].flatMap { RequestID.isGood($0) ? $0 : nil }
    if id == nil, service.rate == nil, !head.closes {
      answers.remember(head.bytes, for: known, isUnchanged: isUnchanged, isHead: head.isHead)
    }
    return ready(known, isUnchanged: isUnchanged, isHead: head.isHead, id: id, at: now, &own)
  }

  /// The same for a head that was answered so before, byte for byte. What it says about who asks
  /// and for what was judged then; where requests are counted or logged, none is remembered.
  func readyAnswer(
    repeating head: UnsafeRawBufferPointer, _ own: inout PerReplyFields
  ) -> CachedReply? {
    guard let known = answers.repeated(head) else { return nil }
    let now = turnTime
    // The uncached path drops it.
    guard known.answer.isValid(at: now) else { return nil }
    return ready(
      known.answer, isUnchanged: known.isUnchanged, isHead: known.isHead, id: nil, at: now, &own)
  }

  /// Counts an answer and says what it has of its own this time; `id` is what the client calls its
  /// request.
  private func ready(
    _ known: FinishedAnswer, isUnchanged: Bool, isHead: Bool, id: UnsafeRawBufferPointer?,
    at now: Timestamp, _ own: inout PerReplyFields
  ) -> CachedReply {
    own.append("Age: ")
    own.append(known.age(at: now))
    own.append("\r\nCache-Status: Tsugi; hit; ttl=")
    own.append(known.timeToLive(at: now))
    own.append("\r\nX-Request-Id: ")
    if let id {
      own.append(id)
    } else {
      requestIDs.next { own.append($0) }
    }
    own.append("\r\n")
    if known.isQiitas, let reader = known.origin.reader {
      for (name, value) in reader.callsLeft.qiitaFields(at: now) {
        own.append(name)
        own.append(": ")
        own.append(value)
        own.append("\r\n")
      }
    }
    counter(of: known).count(isUnchanged: isUnchanged, isStale: known.isStale)
    return CachedReply(isUnchanged ? known.unchanged : known.whole, isHead: isHead)
  }

  private func counter(of known: FinishedAnswer) -> HitCounter {
    switch known.origin {
    case .raw: rawHits
    case .item: itemHits
    case .feed: known.isQiitas ? pageHits : hits
    }
  }

  /// Counts a request that is about to be answered. A refused one takes the uncached path, where it
  /// gets its error.
  private func isWithinRate(_ head: PlainHead, at now: Timestamp) -> Bool {
    guard let rate = service.rate else { return true }
    // `Forwarded` has no say in whose request it is, only in whether that is local.
    let client = service.proxies.client(
      behind: head.peer,
      forwardedFor: head[.forwardedFor].map { String(decoding: $0, as: UTF8.self) },
      hasForwarded: false)
    return rate.wait(of: client, at: now) == nil
  }

  /// Whether a response is cached already for the same target: a request that is not plain, or a
  /// HEAD, comes here all the same.
  private func holdsAnswer(to asked: SliceCall) -> Bool {
    let kept = asked.target.withUnsafeBytes { answers.answer(to: $0, as: asked.context.coding) }
    guard let kept, kept.isValid(at: time.now) else { return false }
    return kept.host == asked.host.map { Array($0.utf8) }
  }

  /// Stores a raw response for its target, while it is fresh and its use need not be noted:
  /// one that the target alone decides.
  func store(
    _ response: Response, _ answer: RawAnswer, of raw: RawSource, to target: [UInt8],
    as coding: ContentCoding, version: UInt64, at now: Timestamp
  ) {
    guard response.status == 200, raw.forwards.isSameForAll(answer.head),
      !answer.head.fields.has("cache-status")
    else { return }
    let cache = raw.cache
    let (age, lifetime) = (
      answer.head.age(at: now.milliseconds), answer.head.lifetime(by: cache.rules)
    )
    guard age < lifetime else { return }
    let start = answer.head.respondedAt - 1_000 * answer.head.age(at: answer.head.respondedAt)
    let end = min(
      start + 1_000 * lifetime, (now + cache.useInterval).milliseconds)
    var shared = response
    service.gate.setBrowserHeaders(&shared, origin: nil)
    answers.store(
      FinishedAnswer(
        shared, to: target, as: coding, from: .raw(cache, version),
        age: .init(
          checkedAt: Timestamp(milliseconds: start), freshSeconds: lifetime,
          life: now..<Timestamp(milliseconds: max(end, now.milliseconds)))))
    rawHits.note(bytes: 0)
    turnTime = max(turnTime, now)
  }

  /// Stores the response with an item that the store alone gave, for its target.
  func store(
    _ response: Response, _ item: ItemReading, _ asked: AskedItem, _ moment: FinishedAnswer.Moment
  ) {
    guard asked.context.isPlain, response.status == 200, let version = moment.version else {
      return
    }
    store(
      response, to: asked.target, as: asked.context.coding, item.freshness,
      from: .item(asked.source.reader, version), by: asked.source.reader.policy, at: moment.now,
      isQiitas: asked.context.isQiitas)
  }

  /// Stores the response that the store alone gave, for its target.
  func store(
    _ response: Response, _ slice: Slice, _ asked: SliceCall, _ moment: FinishedAnswer.Moment
  ) {
    guard asked.isKept, response.status == 200, slice.freshness.state != .expired,
      let version = moment.version, !holdsAnswer(to: asked)
    else { return }
    store(
      response, to: asked.target, as: asked.context.coding, slice.freshness,
      from: .feed(asked.source.reader, version), by: asked.source.reader.policy, at: moment.now,
      host: asked.host, isQiitas: asked.context.isQiitas)
  }

  private func store(
    _ response: Response, to target: [UInt8], as coding: ContentCoding, _ freshness: Freshness,
    from origin: FinishedAnswer.Origin, by policy: Policy, at now: Timestamp, host: String? = nil,
    isQiitas: Bool
  ) {
    var shared = response
    service.gate.setBrowserHeaders(&shared, origin: nil)
    answers.store(
      FinishedAnswer(
        shared, to: target, as: coding, freshness: freshness, from: origin, by: policy, at: now,
        host: host, isQiitas: isQiitas))
    hits.note(bytes: answers.bytes)
    turnTime = max(turnTime, now)
  }
}
