import Feed
import HTTP

extension Gateway {
  /// The answer to a plain request for a slice that was answered before and has not changed.
  ///
  /// Reads the source's version, and nothing else that other threads share. While an access log is
  /// kept no request is served from the cache, so that each is logged.
  func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply? {
    guard service.state.accessLog == nil, service.gate.admits(head) else { return nil }
    let coding = head[.acceptEncoding].map { ContentCoding(accepted: $0) } ?? .identity
    guard let known = answers.answer(to: head.target, as: coding) else { return nil }
    if let host = known.host {
      guard let named = head[.host], named.elementsEqual(host) else { return nil }
    }
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
    if known.isQiitas {
      for (name, value) in known.reader.callsLeft.qiitaFields(at: now) {
        own.append(name)
        own.append(": ")
        own.append(value)
        own.append("\r\n")
      }
    }
    (known.isQiitas ? pageHits : hits).count(isUnchanged: isUnchanged, isStale: known.isStale)
    return CachedReply(isUnchanged ? known.unchanged : known.whole, isHead: isHead)
  }

  /// Counts a request that is about to be answered. A refused one takes the uncached path, where it
  /// gets its error.
  private func isWithinRate(_ head: PlainHead, at now: Timestamp) -> Bool {
    guard let rate = service.rate else { return true }
    let forwarded = head[.forwardedFor]
    return rate.wait(
      of: head.peer, forwardedFor: forwarded.map { String(decoding: $0, as: UTF8.self) }, at: now)
      == nil
  }
}
