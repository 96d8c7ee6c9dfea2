import Feed
import HTTP
import Wire

/// A request for a verb of a feed, such as `:status`.
struct VerbCall {
  var verb: FeedVerb
  var feed: FeedID
  var source: SourceBinding
  /// How long the upstream is waited for.
  var wait: Duration
  /// The gap to fill, as it was named.
  var gap: String?
  /// The number after which changes are sent; of events nil is from now on.
  var since: SequenceNumber?
  /// How many changes are asked for.
  var limit = SliceQuery.limitDefault
  /// Whether what was merely learnt is sent as well.
  var learned = false
  /// Whether the top is looked at before changes are sent.
  var refreshes = false
  /// What the items of changes are cut to.
  var fields: FieldSelection?
  var context: RequestContext

  /// Reads the parameters of a verb, all but those that are part of the feed's name.
  init(
    _ verb: FeedVerb, of feed: FeedID, _ source: SourceBinding, _ items: QueryItems,
    waitDefault: Duration, context: RequestContext
  ) throws(Rejection) {
    var items = items
    self.verb = verb
    self.feed = feed
    self.source = source
    self.context = context
    if verb == .changes { refreshes = try SliceQuery.flag("refresh", from: &items) }
    let takesWait = verb.isAction || verb == .events || verb == .changes
    wait = takesWait ? try SliceQuery.wait(items.take("wait")) ?? waitDefault : .zero
    if verb == .fill {
      gap = items.take("gap").map { String(decoding: $0, as: UTF8.self) }
      guard gap != nil else { throw .parameter("gap", "The gap to fill is to be named.") }
    }
    if verb == .changes || verb == .events { try takeChanges(&items) }
    try items.requireEmpty()
  }

  /// Reads the parameters of the verbs for changes.
  private mutating func takeChanges(_ items: inout QueryItems) throws(Rejection) {
    fields = try items.take("fields").map { value throws(Rejection) in
      try FieldSelection(value, identityPaths: feed.pattern.identityPaths)
    }
    if let value = items.take("since") {
      since = SequenceNumber(String(decoding: value, as: UTF8.self))
      guard since != nil else {
        throw .parameter("since", "since is the seq of a slice or of a change.")
      }
    }
    if context.isOnlyIfCached { wait = .zero }
    guard verb == .changes else { return }
    learned = try SliceQuery.flag("learned", from: &items)
    limit = try SliceQuery.limit(items.take("limit"))
    guard since != nil else {
      throw .parameter("since", "The number to begin after is to be named.")
    }
  }
}

extension Service {
  /// Answers how a feed stands, or does what is asked and answers what became of it.
  func answer(_ asked: VerbCall, _ responder: consuming Responder) {
    waitAside(asked.context, responder.hold()) { [service = self] held in
      var response: Response
      do throws(Rejection) {
        // Before anything is done (RFC 9110 §13.2.1).
        if asked.verb.isAction, asked.context.failsIfMatch { throw .preconditionFailed }
        response = service.response(state: try await service.body(asked), asked.context)
      } catch {
        response = Response(error, requestID: asked.context.requestID)
      }
      return { [response] in held.send(service.finished(response, for: asked.context)) }
    }
  }
}

extension Service {
  /// Does what a verb asks and says what became of it.
  fileprivate func body(_ asked: VerbCall) async throws(Rejection) -> [UInt8] {
    let rendering = StatusRendering(
      epoch: store.epoch, now: time.now, sharing: store.sharing)
    let (reader, feed) = (asked.source.reader, asked.feed)
    if asked.verb == .changes { return try await changes(asked) }
    do throws(ReadError) {
      switch asked.verb {
      case .changes, .events:
        break
      case .status, .refresh:
        let calls =
          asked.verb == .status
          ? nil
          : try await reader.refresh(
            feed, wait: asked.wait, permit: permit(for: asked.context))
        let listeners = await events.count(of: feed)
        return rendering.body(
          try await reader.status(of: feed), listeners: listeners, calls: calls)
      case .fill:
        if let upper = asked.gap.flatMap({
          Slice.Gap.upper(named: $0, in: feed)
        }
        ), let filling = try await reader.fill(upper, of: feed, wait: asked.wait) {
          return rendering.body(filling, of: feed)
        }
      }
    } catch {
      throw Rejection(error, of: .init(), at: time.now)
    }
    throw Rejection(.gapNotFound, "The gap is not there, or filled by now.", parameter: "gap")
  }
}
