import Feed
import HTTP

/// The key of requests for the same slice, which wait while it is rendered off the loop.
struct SliceKey: Hashable {
  var asked: SliceCall.Key
  var version: UInt64
  /// What else the answer says: whether the upstream was waited for, and what came of that.
  var isMiss: Bool
  var state: Freshness.State
  var count: Int
}

/// A request that waits for a slice.
struct SliceWaiter {
  let context: RequestContext
  let responder: HeldResponder

  init(_ asked: SliceCall, _ responder: HeldResponder) {
    context = asked.context
    self.responder = responder
  }
}

extension Gateway {
  /// Items of more bytes than this are rendered and compressed off the loop, which has better
  /// to do: 32 KB take 0.4 ms.
  static let bytesOnLoopMax = 32 << 10

  /// What answers a request for a slice.
  private enum SliceStep {
    /// This does.
    case reply(Response)
    /// This slice of the store, which is rendered off the loop.
    case renderAside(Slice, FinishedAnswer.Moment)
    /// The upstream.
    case wait
  }

  /// Answers with a slice: from the store if that suffices, else when the upstream was asked.
  func answer(_ asked: SliceCall, _ responder: consuming Responder) {
    switch step(for: asked) {
    case .reply(let response): responder.send(service.finished(response, for: asked.context))
    case .renderAside(let slice, let moment):
      renderAside(slice, asked, moment, [SliceWaiter(asked, responder.hold())])
    case .wait: wait(for: asked, responder.hold())
    }
  }

  /// Takes up who waited for room, two for each slice that was rendered, since reading takes the
  /// loop's time; and as many as it takes to have one rendered, which takes up the next.
  private func answerDelayed() {
    var count = 0
    while count < 2 || asideCount == 0 {
      guard hasRoomAside, let (asked, waiters) = delayed.takeNext() else { return }
      count += 1
      switch step(for: asked) {
      case .reply(let response): send(response, to: waiters)
      case .renderAside(let slice, let moment): renderAside(slice, asked, moment, waiters)
      case .wait:
        for waiter in waiters { wait(for: SliceCall(asked, by: waiter.context), waiter.responder) }
      }
    }
  }

  private func send(_ response: Response, to waiters: [SliceWaiter]) {
    for waiter in waiters {
      waiter.responder.send(service.finished(response, for: waiter.context))
    }
  }

  private func step(for asked: SliceCall) -> SliceStep {
    // Both before anything is read: what is written meanwhile, or grows stale, makes the answer
    // one that is not given again.
    let moment = FinishedAnswer.Moment(
      now: time.now, version: asked.source.reader.version)
    let slice: Slice?
    do throws(ReadError) {
      slice = try storeReader.flatMap { (reader) throws(ReadError) in
        guard let fields = asked.fields else { return try asked.stored(from: reader) }
        let source = asked.source
        return try asked.stored(
          from: cutItems.reader(
            over: reader, of: source.name, cutTo: fields, version: moment.version,
            settledVersion: { source.reader.settledVersion }))
      }
    } catch {
      return .reply(service.response(error, asked))
    }
    guard let slice else { return .wait }
    guard let response = renderOnLoop(slice, asked) else { return .renderAside(slice, moment) }
    service.metrics.countStoredSlice()
    keep(response, slice, asked, moment)
    return .reply(response)
  }

  /// Renders a slice here, for one reply; nil where it is too large for that.
  private func renderOnLoop(_ slice: Slice, _ asked: SliceCall) -> Response? {
    let cut = slice.items.byteCount <= ProjectedItems.bytesOnLoopMax ? asked.cut(slice) : slice
    guard cut.items.byteCount <= Gateway.bytesOnLoopMax else { return nil }
    service.metrics.count(slice.freshness, replies: 1)
    return service.response(cut, asked).encoded(as: asked.context.coding, with: &gzip)
  }

  private var hasRoomAside: Bool { service.state.backlog.hasRoom(beside: asideCount) }

  /// Renders a large slice on another thread; whoever asks for the same meanwhile gets it too. One
  /// of the store, which has its `moment`, is let go where there is no room, and read again later;
  /// one that was waited for has its `place`.
  private func renderAside(
    _ slice: Slice, _ asked: SliceCall, _ moment: FinishedAnswer.Moment?,
    _ first: [SliceWaiter], in place: RenderingPlace? = nil
  ) {
    let key = SliceKey(
      asked: asked.key, version: slice.version, isMiss: slice.calls > 0,
      state: slice.freshness.state, count: slice.items.count)
    if asked.isShared {
      guard rendered[key] == nil else {
        rendered[key]? += first
        return
      }
    }
    let bytes = slice.items.byteCount
    guard moment == nil || hasRoomAside else {
      return delayed.add(asked, first, bytes: bytes)
    }
    if moment != nil { service.metrics.countStoredSlice() }
    if asked.isShared { rendered[key] = first }
    let loop = first[0].responder.loop
    let place = place ?? RenderingPlace(in: service.state.backlog)
    place.enter(bytes)
    asideCount += 1
    // Safe because only the loop's thread, which runs the work given to the loop, uses it.
    nonisolated(unsafe) let gateway = self
    Task(executorPreference: service.executor) { [service] in
      let response = service.state.encoded(
        service.response(asked.cut(slice), asked), for: asked.context)
      loop.run {
        let waiters = asked.isShared ? gateway.rendered.removeValue(forKey: key) ?? [] : first
        if let moment { gateway.keep(response, slice, asked, moment) }
        service.metrics.count(slice.freshness, replies: waiters.count)
        gateway.send(response, to: waiters)
        gateway.asideCount -= 1
        place.leave()
        service.state.trimmer.note(freed: bytes)
        gateway.answerDelayed()
      }
    }
  }

  /// Waits for the upstream. Those who waited for one call come back to the loop together, and
  /// what they get is rendered once.
  private func wait(for asked: SliceCall, _ responder: HeldResponder) {
    // Safe because only the loop's thread, which runs the work given to the loop, uses it.
    nonisolated(unsafe) let gateway = self
    waitAside(asked.context, responder) { [service] held in
      do throws(ReadError) {
        let place = RenderingPlace(in: service.state.backlog)
        let slice = try await asked.slice(permit: service.permit(for: asked.context), in: place)
        return { held.loop.run { gateway.deliver(slice, asked, held, in: place) } }
      } catch {
        var failure = error
        if error == .reordered {
          let served = asked.source.reader.served(asked.request.feed)
          if let again = SliceCall(asked, in: served) {
            return { held.loop.run { gateway.wait(for: again, held) } }
          }
          failure = .positionExpired(isStart: asked.request.start != nil)
        }
        let response = service.response(failure, asked)
        return { held.send(service.finished(response, for: asked.context)) }
      }
    }
  }

  /// Has `body` wait off the loop, as one of the requests that may wait for the upstream at
  /// once; refuses one more. What it gives sends the answer, when the place is free again: a client
  /// that has its answer may ask the next.
  func waitAside(
    _ context: RequestContext, _ held: HeldResponder,
    _ body: @escaping @Sendable (HeldResponder) async -> @Sendable () async -> Void
  ) {
    guard service.state.beginWaiting() else {
      let response = Response(.tooManyWaiting, for: context)
      return held.send(service.finished(response, for: context))
    }
    Task(executorPreference: service.executor) { [state = service.state] in
      let reply = await body(held)
      state.endWaiting()
      await reply()
    }
  }

  /// Answers with a slice that was waited for.
  private func deliver(
    _ slice: Slice, _ asked: SliceCall, _ responder: HeldResponder, in place: RenderingPlace
  ) {
    guard let response = renderOnLoop(slice, asked) else {
      return renderAside(slice, asked, nil, [SliceWaiter(asked, responder)], in: place)
    }
    place.leave()
    responder.send(service.finished(response, for: asked.context))
  }

  /// Whether an answer is kept already for whoever asks the same: a request that is not plain, or a
  /// HEAD, comes here all the same.
  private func holdsAnswer(to asked: SliceCall) -> Bool {
    let kept = asked.target.withUnsafeBytes { answers.answer(to: $0, as: asked.context.coding) }
    guard let kept, kept.isValid(at: time.now) else { return false }
    return kept.host == asked.host.map { Array($0.utf8) }
  }

  /// Keeps the answer that the store alone gave, for whoever asks the same.
  private func keep(
    _ response: Response, _ slice: Slice, _ asked: SliceCall, _ moment: FinishedAnswer.Moment
  ) {
    guard asked.isKept, response.status == 200, slice.freshness.state != .expired,
      !holdsAnswer(to: asked)
    else { return }
    var shared = response
    service.gate.setCORSHeaders(&shared, origin: nil)
    answers.keep(
      FinishedAnswer(
        shared, to: asked.target, as: asked.context.coding, freshness: slice.freshness,
        from: asked.source.reader, at: moment, host: asked.host,
        isQiitas: asked.context.isQiitas))
    hits.note(bytes: answers.bytes)
    turnTime = max(turnTime, moment.now)
  }
}
