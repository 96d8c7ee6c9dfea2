import Feed
import HTTP
import Logging
import Wire

/// Answers the requests of one event loop: route, parameters, slice, reply.
///
/// What was answered before is answered by ``LoopAnswers``, a slice by ``SliceScheduler``, on the
/// loop's thread. Everything else waits off the loop and comes back through the responder.
///
/// It is of one configuration; ``GatewaySlot`` puts another in its place when that changes.
final class Gateway: Handler {
  let service: Service
  /// Its clock.
  let time: any TimeSource
  /// What was read of `fields` before.
  let fields = FieldsMemo()
  /// What targets ask for that came before and were answered with slices.
  let slices = SliceQueryMemo()
  private let answers: LoopAnswers
  private let scheduler: SliceScheduler
  private let raw: RawAnswering

  /// A gateway of one loop, in the place of `former` where there was one.
  init(_ service: Service, after former: Gateway? = nil) {
    self.service = service
    time = service.time
    answers = LoopAnswers(service, after: former?.answers)
    scheduler = SliceScheduler(service, answers: answers, after: former?.scheduler)
    raw = RawAnswering(service, answers: answers)
  }

  func beginTurn() { answers.beginTurn() }

  func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply? {
    answers.readyAnswer(to: head, &own)
  }

  func readyAnswer(
    repeating head: UnsafeRawBufferPointer, _ own: inout PerReplyFields
  ) -> CachedReply? {
    answers.readyAnswer(repeating: head, &own)
  }

  func handle(_ request: Request, _ responder: consuming Responder) {
    let context = RequestContext(request, through: service.proxies)
    let work: Work
    do throws(Rejection) {
      work = try decide(request, context)
    } catch {
      let response = Response(error, for: context)
      return responder.send(service.finished(response, for: context))
    }
    switch consume work {
    case .reply(let response): responder.send(service.finished(response, for: context))
    case .readiness: service.answerReadiness(context, responder)
    case .metrics: service.answerMetrics(context, responder.hold())
    case .document: service.answerDocument(context, responder.hold())
    case .page(let page): service.answerPage(page, context, responder.hold())
    case .list(let body): service.answerOperator(context, responder.hold(), body)
    case .slice(let asked): scheduler.answer(asked, responder)
    case .verb(let asked):
      guard let response = service.unchanged(asked) else {
        return service.answer(asked, responder)
      }
      responder.send(service.finished(response, for: context))
    case .events(let asked): service.listen(asked, responder)
    case .item(let asked): scheduler.answer(asked, responder)
    case .raw(let call): raw.answer(call, responder)
    }
  }

  /// What a request asks to be done.
  enum Work {
    case reply(Response)
    case readiness
    case metrics
    case document
    case page(@Sendable () -> ExplorerPage)
    case list(@Sendable (Service) async throws(Rejection) -> [UInt8])
    case slice(SliceCall)
    case verb(VerbCall)
    case events(VerbCall)
    case item(AskedItem)
    case raw(RawCall)
  }

  private func decide(
    _ request: Request, _ context: RequestContext
  ) throws(Rejection) -> Work {
    let isProbe = request.path == "/healthz" || request.path == "/readyz"
    if !isProbe { try count(context) }
    let isPage = request.path == "/" && service.page != nil
    try service.gate.check(request, isProbe: isProbe, isPage: isPage)
    if request.path == "*" { return .reply(Gateway.allowed(Route.allow)) }
    let target = request.target
    if request.method == .get || request.method == .head, let known = slices[target] {
      if known.source.reader.isServed(known.query.request.feed) {
        context.route = .slice
        return .slice(SliceCall(known, at: target, context))
      }
      // It was read when the feed had another order.
      slices.forget(target)
    }
    // Without a key a client does not learn which sources there are; a preflight needs no more than
    // this.
    if request.method == .options, !service.gate.isOpen(to: request) {
      return .reply(Gateway.allowed(Route.allow))
    }
    let route = try Route(request.path, sources: service.sources, qiita: service.qiita)
    context.route = route.name
    guard route.methods.contains(request.method) else {
      throw Rejection(.methodNotAllowed, "Allowed here: \(route.allow).", allow: route.allow)
    }
    if request.method == .options { return .reply(Gateway.allowed(route.allow)) }
    return try work(for: route, request, context)
  }

  /// What is to be done for a route, by the parameters of the request.
  private func work(
    for route: Route, _ request: Request, _ context: RequestContext
  ) throws(Rejection) -> Work {
    switch route {
    case .healthz:
      return .reply(Response(state: Array(#"{"status":"ok"}"#.utf8)))
    case .readyz:
      return .readiness
    case .metrics:
      return .metrics
    case .openapi:
      return .document
    case .explorer, .demo, .server, .calls, .storedFeeds:
      return try explorerWork(route, request)
    case .index:
      return .reply(Response(state: service.index))
    case .raw(let raw, let parts):
      let endsInSlash = request.path.hasSuffix("/")
      let target = try RawTarget(parts, endsInSlash: endsInSlash, query: request.query, of: raw)
      return .raw(RawCall(raw, at: target, request, context))
    case .purge(let raw):
      guard !service.gate.apiKeys.isEmpty || context.client.isLocal else {
        throw Rejection(.forbidden, "Without API keys only this machine may purge answers.")
      }
      var items = try QueryItems(request.query)
      let selection = try RawTarget.selection(&items)
      return .list { service throws(Rejection) in try service.purge(selection, of: raw) }
    case .item(let source, let name):
      return .item(try item(.named(name), source, request, context))
    case .element(let source, let feed, let id):
      return .item(try item(.stored(id, feed), source, request, context))
    case .single(let source, let name):
      return .item(
        AskedItem(
          .named(name), source: source, wait: service.waitDefault, target: request.target,
          context: context))
    case .feed(let source, let feed):
      let asked = try slices.entry(at: request.target) { () throws(Rejection) in
        var items = try QueryItems(request.query)
        let searched = source.reader.served(try items.feed(in: feed))
        let query = try SliceQuery(
          items, feed: searched, waitDefault: service.waitDefault, known: fields,
          base: service.links.path)
        return SliceQueryMemo.Entry(query, of: source)
      }
      return .slice(SliceCall(asked, at: request.target, context))
    case .page(let source, let feed):
      return .slice(try page(of: feed, source, request, context))
    case .verb(let verb, let source, let feed):
      var items = try QueryItems(request.query)
      let searched = source.reader.served(try items.feed(in: feed))
      let asked = try VerbCall(
        verb, of: searched, source, items, waitDefault: service.waitDefault, context: context)
      return verb == .events ? .events(asked) : .verb(asked)
    }
  }

  /// A request for an item, by its parameters; one of a feed also takes those of the feed's name.
  private func item(
    _ subject: AskedItem.Subject, _ source: SourceBinding, _ request: Request,
    _ context: RequestContext
  ) throws(Rejection) -> AskedItem {
    var subject = subject
    var identityPaths = [["id"]]
    var items = try QueryItems(request.query)
    if case .stored(let id, let feed) = subject {
      identityPaths = feed.pattern.identityPaths
      subject = .stored(id, source.reader.served(try items.feed(in: feed)))
    }
    let wait = try SliceQuery.wait(items.take("wait")) ?? service.waitDefault
    let fields = try items.take("fields").map { value throws(Rejection) in
      try FieldSelection(value, identityPaths: identityPaths)
    }
    try items.requireEmpty()
    return AskedItem(
      subject, source: source, wait: wait, fields: fields, target: request.target,
      context: context)
  }

  private func page(
    of feed: FeedID, _ source: SourceBinding, _ request: Request, _ context: RequestContext
  ) throws(Rejection) -> SliceCall {
    var page = try QiitaPage(
      QiitaParameters(request.query), of: feed, origin: service.links.text(for: request))
    if !source.reader.isServed(page.feed) {
      page = page.served(as: source.reader.served(page.feed))
    }
    let wait = context.isOnlyIfCached ? .zero : service.waitDefault
    return SliceCall(
      page, of: source, at: request.target, host: service.links.host(of: request),
      request: page.request(waiting: wait, isNoCache: context.isNoCache),
      fallback: page.after == nil ? nil : page.byNumber(waiting: wait),
      isShared: service.links.hangsOnHostOnly, context)
  }

  /// Counts a request of its address, before anything that could be tried out by asking often.
  private func count(_ context: RequestContext) throws(Rejection) {
    guard let wait = service.rate?.wait(of: context.client, at: time.now) else { return }
    throw Rejection(
      .tooManyRequests, "This address sends more requests than server.requestsPerMinute allows.",
      retryAfterSeconds: max(1, Int((wait + .milliseconds(999)).components.seconds)))
  }

  /// What `OPTIONS` is answered.
  private static func allowed(_ methods: String) -> Response {
    Response(status: 204, fields: ["Allow": methods])
  }
}

extension Request {
  /// The target as it was sent, without scheme and host.
  var target: [UInt8] {
    guard let query else { return Array(path.utf8) }
    var target: [UInt8] = []
    target.reserveCapacity(path.utf8.count + 1 + query.utf8.count)
    target.append(contentsOf: path.utf8)
    target.append(UInt8(ascii: "?"))
    target.append(contentsOf: query.utf8)
    return target
  }
}

extension QueryItems {
  /// The feed that is asked for: the one that a path names, with those of its parameters that
  /// stand among these.
  fileprivate mutating func feed(in feed: FeedID) throws(Rejection) -> FeedID {
    var parameters: [(name: String, value: [UInt8])] = []
    for name in feed.pattern.parameters {
      guard let value = take(name) else { continue }
      guard value.count <= SliceQuery.queryBytesMax else {
        throw .parameter(name, "\(name) is at most \(SliceQuery.queryBytesMax) bytes.")
      }
      if let rule = feed.pattern.rules[name], !rule.takes(value) {
        throw .parameter(name, "\(name) is \(rule.expectation).")
      }
      parameters.append((name, value))
    }
    return parameters.isEmpty ? feed : feed.with(parameters)
  }
}
