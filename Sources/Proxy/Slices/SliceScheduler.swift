import Feed
import HTTP
import Logging

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

/// Answers one loop's requests for slices: out of the store where that suffices, else when the
/// upstream was asked. A small slice is rendered on the loop, a large one off it, once for all who
/// wait for the same; where there is no room for it, it waits in line.
final class SliceScheduler {
  private let service: Service
  private let time: any TimeSource
  /// What the loop answered before.
  private let answers: LoopAnswers
  /// The loop's own connection; nil when it could not be opened, then every slice takes the
  /// way through the reader.
  private let storeReader: (any TimelineReader)?
  /// What `fields` leaves of items that were read before.
  private let cutItems = ProjectedItems()
  /// Who waits for what is rendered off the loop.
  private var rendered: [SliceKey: [SliceWaiter]] = [:]
  /// Slices of this loop that are rendered beside it.
  private var asideCount = 0
  /// Who waits for room among those.
  private var delayed = DelayedSlices()
  private var gzip = Gzip()

  /// A scheduler of one loop; after a reload it takes over the connection of `former`.
  init(_ service: Service, answers: LoopAnswers, after former: SliceScheduler? = nil) {
    self.service = service
    self.answers = answers
    time = service.time
    if let former {
      storeReader = former.storeReader
      return
    }
    do throws(StoreError) {
      storeReader = try service.store.makeReader()
    } catch {
      service.logger.error(
        "a loop reads without a store connection of its own",
        metadata: error.logged)
      storeReader = nil
    }
  }

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

  /// Answers with a single item: from the store where that suffices and the item is small.
  func answer(_ asked: AskedItem, _ responder: consuming Responder) {
    let (reader, context) = (asked.source.reader, asked.context)
    // Both before anything is read, as for a slice.
    let moment = FinishedAnswer.Moment(now: time.now, version: reader.contentVersion)
    guard case .named(let name) = asked.subject, let storeReader,
      let item = reader.stored(name, from: storeReader),
      item.bytes.count <= SliceScheduler.bytesOnLoopMax
    else { return service.answer(asked, responder) }
    let response = service.response(asked.cut(item), asked)
      .encoded(as: context.coding, with: &gzip)
    answers.store(response, item, asked, moment)
    responder.send(service.finished(response, for: context))
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
      now: time.now, version: asked.source.reader.version(of: asked.request.feed))
    let slice: Slice?
    do throws(ReadError) {
      slice = try storeReader.flatMap { (reader) throws(ReadError) in
        guard let fields = asked.fields else { return try asked.stored(from: reader) }
        let source = asked.source
        return try asked.stored(
          from: cutItems.reader(
            over: reader, of: source.name, cutTo: fields, version: source.reader.version,
            settledVersion: { source.reader.settledVersion }))
      }
    } catch {
      return .reply(service.response(error, asked))
    }
    guard let slice else { return .wait }
    guard let response = renderOnLoop(slice, asked) else { return .renderAside(slice, moment) }
    service.metrics.countStoredSlice()
    answers.store(response, slice, asked, moment)
    return .reply(response)
  }

  /// Renders a slice here, for one reply; nil where it is too large for that.
  private func renderOnLoop(_ slice: Slice, _ asked: SliceCall) -> Response? {
    let cut = slice.items.byteCount <= ProjectedItems.bytesOnLoopMax ? asked.cut(slice) : slice
    guard cut.items.byteCount <= SliceScheduler.bytesOnLoopMax else { return nil }
    service.metrics.count(slice.freshness, replies: 1)
    return service.response(cut, asked).encoded(as: asked.context.coding, with: &gzip)
  }

  private var hasRoomAside: Bool { service.state.backlog.hasRoom(beside: asideCount) }

  /// Renders a large slice on another thread; further requests for the same get it too. One
  /// of the store, which has its `moment`, is dropped where there is no room, and read again later;
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
    nonisolated(unsafe) let scheduler = self
    Task(executorPreference: service.executor) { [service] in
      let response = service.state.encoded(
        service.response(asked.cut(slice), asked), for: asked.context)
      loop.run {
        let waiters = asked.isShared ? scheduler.rendered.removeValue(forKey: key) ?? [] : first
        if let moment { scheduler.answers.store(response, slice, asked, moment) }
        service.metrics.count(slice.freshness, replies: waiters.count)
        scheduler.send(response, to: waiters)
        scheduler.asideCount -= 1
        place.leave()
        service.state.trimmer.note(freed: bytes)
        scheduler.answerDelayed()
      }
    }
  }

  /// Waits for the upstream. Those who waited for one call come back to the loop together, and
  /// what they get is rendered once.
  private func wait(for asked: SliceCall, _ responder: HeldResponder) {
    // Safe because only the loop's thread, which runs the work given to the loop, uses it.
    nonisolated(unsafe) let scheduler = self
    service.waitAside(asked.context, responder) { [service] held in
      do throws(ReadError) {
        let place = RenderingPlace(in: service.state.backlog)
        let slice = try await asked.slice(permit: service.permit(for: asked.context), in: place)
        return { held.loop.run { scheduler.deliver(slice, asked, held, in: place) } }
      } catch {
        var failure = error
        if error == .reordered {
          let served = asked.source.reader.served(asked.request.feed)
          if let again = SliceCall(asked, in: served) {
            return { held.loop.run { scheduler.wait(for: again, held) } }
          }
          failure = .positionExpired(isStart: asked.request.start != nil)
        }
        let response = service.response(failure, asked)
        return { held.send(service.finished(response, for: asked.context)) }
      }
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
}
