import Feed
import HTTP

extension Gateway {
  /// The answer to a plain request for a slice that was answered before and has not changed.
  ///
  /// Reads a clock and the source's version, and nothing else that other threads share.
  func readyBody(for head: PlainHead, _ answer: borrowing ReadyAnswer) -> [UInt8]? {
    guard service.gate.admits(head), let known = answers.answer(to: head.target) else {
      return nil
    }
    let now = service.time.now
    guard known.isValid(at: now) else {
      answers.drop(known)
      return nil
    }
    let isUnchanged: Bool
    if let tags = head[.ifNoneMatch] {
      // Lists, `*` and tags of other answers go the long way.
      guard tags.elementsEqual(known.entityTag) else { return nil }
      isUnchanged = true
    } else {
      isUnchanged = false
    }
    answer.begin(isUnchanged ? known.headUnchanged : known.head)
    answer.append("Age: ")
    answer.append(known.age(at: now))
    answer.append("\r\nCache-Status: Tsugi; hit; ttl=")
    answer.append(known.timeToLive(at: now))
    answer.append("\r\nX-Request-Id: ")
    if let id = head[.requestID], RequestID.isGood(id) {
      answer.append(id)
    } else {
      requestIDs.next { answer.append($0) }
    }
    answer.append("\r\n")
    return isUnchanged || head.isHead ? [] : known.body
  }

  /// Keeps the answer that the store alone gave, for whoever asks the same.
  func keep(
    _ response: Response, to request: Request, _ query: SliceQuery, _ slice: Slice,
    of source: SourceBinding, at moment: FinishedAnswer.Moment, _ context: RequestContext
  ) {
    guard response.status == 200, !query.request.refreshes, slice.freshness.state != .expired,
      !context.isOnlyIfCached
    else { return }
    var shared = response
    service.gate.stamp(&shared, origin: nil)
    answers.keep(
      FinishedAnswer(
        shared, to: Array((request.path + (request.query.map { "?\($0)" } ?? "")).utf8),
        freshness: slice.freshness, from: source.reader, at: moment))
  }
}
