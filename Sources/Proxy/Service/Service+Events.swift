import Feed
import HTTP
import Wire

extension Service {
  /// Answers with what changes in a feed, for as long as the client listens. A feed that is not
  /// stored is requested first, so that one that does not exist is a 404.
  func listen(_ asked: VerbCall, _ responder: consuming Responder) {
    waitAside(asked.context, responder.hold()) { [service = self] held in
      let present: SequenceNumber
      do throws(ReadError) {
        let slice = try await asked.source.reader.slice(
          SliceRequest(feed: asked.feed, limit: 1, wait: asked.wait),
          permit: service.permit(for: asked.context))
        present = slice.number
      } catch {
        let response = Response(
          Rejection(error, of: .init(), at: service.time.now), for: asked.context)
        return { held.send(service.finished(response, for: asked.context)) }
      }
      return {
        guard let responder = held.take() else { return }
        await service.events.listen(
          EventHub.Key(feed: asked.feed, fields: asked.fields), of: asked.source,
          after: asked.position(present: present), present: present,
          service.finished(.events, for: asked.context), responder)
      }
    }
  }
}

extension VerbCall {
  /// Where the events begin: after what the client had last, or now. A `Last-Event-ID` that is none
  /// of ours counts as one of another epoch: the client is sent a reset.
  fileprivate func position(present: SequenceNumber) -> SequenceNumber {
    guard let last = context.lastEventID, !last.isEmpty else { return since ?? present }
    return SequenceNumber(last) ?? SequenceNumber(epoch: "", number: 0)
  }
}

extension Response {
  /// The head of an event stream.
  fileprivate static var events: Response {
    var response = Response(status: 200)
    response.fields.append("Content-Type", "text/event-stream")
    response.fields.append("Cache-Control", "no-store")
    // What nginx understands: pass it on as it comes.
    response.fields.append("X-Accel-Buffering", "no")
    return response
  }
}

extension Service {
  /// The reply to `…:changes` where what readers see of the feed shows that there are none; nil
  /// where more has to be done.
  func unchanged(_ asked: VerbCall) -> Response? {
    guard asked.verb == .changes, !asked.refreshes, !asked.learned, let since = asked.since,
      let changes = asked.source.reader.unchanged(asked.feed, since: since)
    else { return nil }
    let rendering = ChangeRendering(
      feed: asked.feed, epoch: since.epoch, lineage: 0, fields: asked.fields, base: links.path)
    var response = Response(state: rendering.body(changes, limit: asked.limit, after: nil))
    response.fields.append("Vary", "Accept-Encoding")
    return response
  }

  /// A reply that says how something stands; not for a loop's thread.
  func response(state body: [UInt8], _ context: RequestContext) -> Response {
    var response = Response(state: body)
    response.fields.append("Vary", "Accept-Encoding")
    return state.encoded(response, for: context)
  }

  /// The body of `…:changes`.
  func changes(_ asked: VerbCall) async throws(Rejection) -> [UInt8] {
    let top: Slice?
    let place: RenderingPlace
    let reading: ChangeReading
    do throws(ReadError) {
      top = try await topLookedAt(by: asked)
      place = await RenderingPlace(forChangesIn: state.backlog)
      reading = try await asked.source.reader.changes(
        of: asked.feed, after: asked.since ?? SequenceNumber(epoch: "", number: 0),
        limit: asked.limit, learned: asked.learned)
    } catch {
      throw Rejection(error, of: .init(), at: time.now)
    }
    place.enter(reading.byteCount)
    switch reading {
    case .expired:
      throw Rejection(
        .sinceExpired, "What changed since then is no longer kept; begin at the top again.",
        parameter: "since")
    case .changes(let changes):
      return ChangeRendering(
        feed: asked.feed, epoch: changes.next.epoch, lineage: changes.lineage,
        trail: changes.trail, told: changes.told, learned: asked.learned,
        fields: asked.fields, base: links.path
      ).body(changes, limit: asked.limit, after: top)
    }
  }

  /// The top of a feed, looked at as for a slice with `refresh=true`; nil where that was not asked
  /// for.
  private func topLookedAt(by asked: VerbCall) async throws(ReadError) -> Slice? {
    guard asked.refreshes else { return nil }
    var request = SliceRequest(feed: asked.feed, limit: 1, wait: asked.wait)
    request.refreshes = true
    return try await asked.source.reader.slice(request, permit: permit(for: asked.context))
  }
}
