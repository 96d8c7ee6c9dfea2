import Feed
import HTTP

/// Requests for the same slice that wait while it is rendered beside the loop.
struct SliceKey: Hashable {
  var target: [UInt8]
  var coding: ContentCoding
  var version: UInt64
}

/// One of them.
struct SliceWaiter {
  var context: RequestContext
  var responder: HeldResponder
}

/// A slice that was asked for.
struct AskedSlice {
  var query: SliceQuery
  var source: SourceBinding
  /// The target as it was sent, without scheme and host.
  var target: [UInt8]
  var context: RequestContext

  /// Whether the same is answered to whoever sends the same target and takes the same coding.
  var isShared: Bool {
    !query.request.refreshes && !context.isOnlyIfCached && context.ifNoneMatch == nil
      && context.ifMatch == nil
  }
}

extension Gateway {
  /// Items of more bytes than this are rendered and compressed beside the loop, which has better
  /// to do: 32 KB take 0.4 ms.
  static let bytesOnLoopMax = 32 << 10

  /// Answers with a slice: from the store if that suffices, else when the upstream was asked.
  func answer(_ asked: AskedSlice, _ responder: consuming Responder) {
    // Both before anything is read: what is written meanwhile, or grows stale, makes the answer
    // one that is not given again.
    let moment = FinishedAnswer.Moment(
      now: service.time.now, version: asked.source.reader.version)
    let slice: Slice?
    do throws(ReadError) {
      slice = try storeReader.flatMap { (reader) throws(ReadError) in
        try asked.source.reader.stored(asked.query.request, from: reader)
      }
    } catch {
      let response = service.response(error, asked.query, asked.context)
      return responder.send(service.finished(response, for: asked.context))
    }
    guard let slice else { return wait(for: asked, responder) }
    service.metrics.countStoredSlice()
    guard slice.items.reduce(0, { $0 + $1.bytes.count }) <= Gateway.bytesOnLoopMax else {
      return renderAside(slice, asked, moment, responder)
    }
    let response = service.response(slice, asked.query, of: asked.source, asked.context)
      .encoded(as: asked.context.coding, with: &gzip)
    keep(response, slice, asked, moment)
    responder.send(service.finished(response, for: asked.context))
  }

  /// Renders a large slice on another thread; whoever asks for the same meanwhile gets it too.
  private func renderAside(
    _ slice: Slice, _ asked: AskedSlice, _ moment: FinishedAnswer.Moment,
    _ responder: consuming Responder
  ) {
    let loop = responder.loop
    let waiter = SliceWaiter(context: asked.context, responder: responder.hold())
    let key = SliceKey(
      target: asked.target, coding: asked.context.coding, version: moment.version)
    if asked.isShared {
      guard waiting[key] == nil else {
        waiting[key]?.append(waiter)
        return
      }
      waiting[key] = [waiter]
    }
    // Safe because only the loop's thread, which runs the work given to the loop, uses it.
    nonisolated(unsafe) let gateway = self
    Task(executorPreference: service.executor) { [service] in
      let response = service.encoded(
        service.response(slice, asked.query, of: asked.source, asked.context), for: asked.context)
      loop.run {
        let waiters = asked.isShared ? gateway.waiting.removeValue(forKey: key) ?? [] : [waiter]
        gateway.keep(response, slice, asked, moment)
        for waiter in waiters {
          waiter.responder.send(service.finished(response, for: waiter.context))
        }
      }
    }
  }

  private func wait(for asked: AskedSlice, _ responder: consuming Responder) {
    let held = responder.hold()
    Task(executorPreference: service.executor) { [service] in
      let response: Response
      do throws(ReadError) {
        let slice = try await asked.source.reader.slice(
          asked.query.request, permit: service.permit(for: asked.context))
        response = service.encoded(
          service.response(slice, asked.query, of: asked.source, asked.context),
          for: asked.context)
      } catch {
        response = service.response(error, asked.query, asked.context)
      }
      held.send(service.finished(response, for: asked.context))
    }
  }

  /// Keeps the answer that the store alone gave, for whoever asks the same.
  private func keep(
    _ response: Response, _ slice: Slice, _ asked: AskedSlice, _ moment: FinishedAnswer.Moment
  ) {
    guard asked.isShared, response.status == 200, slice.freshness.state != .expired else { return }
    var shared = response
    service.gate.stamp(&shared, origin: nil)
    answers.keep(
      FinishedAnswer(
        shared, to: asked.target, as: asked.context.coding, freshness: slice.freshness,
        from: asked.source.reader, at: moment))
    hits.note(bytes: answers.bytes)
  }
}
