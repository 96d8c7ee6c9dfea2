import Dispatch
import Feed
import HTTP
import JSONBytes
import Logging
import Wire

/// What the loops share by one configuration: sources, and how requests are judged and answered.
/// Nothing here changes: another configuration makes another service, of the same ``ServerState``,
/// and a request is answered to its end by the one it came to.
final class Service: Sendable {
  /// What stays when the configuration changes.
  let state: ServerState
  let sources: [String: SourceBinding]
  /// How long a request waits for the upstream by default.
  let waitDefault: Duration
  let gate: Gate
  /// Who may name the client of a request.
  let proxies: TrustedProxies
  /// What absolute links begin with.
  let links: LinkOrigin
  /// What `/api/v2` stands for; nil when there is none.
  let qiita: SourceBinding?
  /// How much one address may ask; nil for no limit.
  let rate: RequestRate?
  /// How many feeds one address may open; nil for no limit.
  let openingRate: RequestRate?
  /// See ``ServerSettings/sharedOpenings``.
  let sharedOpenings: (@Sendable (_ site: String, _ perMinute: Int) -> Duration?)?
  /// The program's version.
  let version: String
  /// How much may be stored.
  let storeLimits: ServerSettings.StoreLimits
  /// The page at `/`; nil where there is none.
  let page: (@Sendable () -> ExplorerPage)?
  /// Whether what only an operator needs is sent.
  let tellsOperator: Bool
  /// What only a demo answers; nil where this is none.
  let demo: (@Sendable (Request) -> Response)?
  /// The body of `GET /v1`.
  let index: [UInt8]
  /// The body of `GET /openapi.json`.
  let document: OpenAPIDocument

  var store: any FeedStore { state.store }
  var time: any TimeSource { state.time }
  var logger: Logger { state.logger }
  var executor: any TaskExecutor { state.executor }
  var metrics: Metrics { state.metrics }
  var events: EventHub { state.events }

  /// A service by settings. What `former` knows of addresses that asked stays known where their
  /// limit stays the same.
  init(
    _ settings: ServerSettings, sources: [SourceBinding], _ state: ServerState,
    after former: Service? = nil
  ) {
    self.state = state
    self.sources = Dictionary(
      sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    qiita = SourceBinding.qiita(of: sources)
    index = Service.index(of: sources, settings)
    version = settings.version
    storeLimits = settings.storeLimits
    tellsOperator = settings.tellsOperator
    demo = settings.demo
    page = settings.page
    document = OpenAPIDocument(
      APIOperation.all(
        of: sources, qiita: qiita, servesPage: settings.page != nil,
        tellsOperator: settings.tellsOperator), publicURL: settings.publicURL,
      asksForKey: !settings.gate.apiKeys.isEmpty)
    waitDefault = settings.wait
    gate = settings.gate
    proxies = TrustedProxies(settings.trustedProxies)
    links = LinkOrigin(publicURL: settings.publicURL, proxies: proxies)
    rate = RequestRate.following(former?.rate, settings.requestsPerMinute)
    openingRate = RequestRate.following(former?.openingRate, settings.newFeedsPerMinute)
    sharedOpenings = settings.sharedOpenings
  }

  /// Answers whether the store works and nothing drains: on the loop where the store was found to
  /// work within the last second, else off it, since that writes.
  func answerReadiness(_ context: RequestContext, _ responder: consuming Responder) {
    if state.hasJustWorked, !store.isHolding, !store.isDamaged {
      return responder.send(readiness(context) { () throws(Rejection) in })
    }
    let held = responder.hold()
    state.checks.async { [self] in
      held.send(readiness(context) { () throws(Rejection) in try checkStore() })
    }
  }

  private func readiness(
    _ context: RequestContext, _ check: () throws(Rejection) -> Void
  ) -> Response {
    let response: Response
    do throws(Rejection) {
      try checkStanding()
      try check()
      // The local copy is served without the others: a balancer need not remove this server.
      let isAlone = store.sharing.map { !$0.isUp } ?? false
      let state = isAlone ? #"{"status":"ready","store":"unreachable"}"# : #"{"status":"ready"}"#
      response = Response(state: Array(state.utf8))
    } catch {
      response = Response(error, for: context)
    }
    return finished(response, for: context)
  }

  private func checkStanding() throws(Rejection) {
    guard !state.drains else {
      throw Rejection(.overloaded, "The server is shutting down.", retryAfterSeconds: 1)
    }
    if let sharing = store.sharing, sharing.reachedAt == nil, store.load.feeds == 0 {
      throw Rejection(
        .overloaded, "The shared store was not reached yet, and the copy here is empty.",
        retryAfterSeconds: 1)
    }
  }

  private func checkStore() throws(Rejection) {
    do throws(StoreError) {
      try store.check()
      state.noteWorking()
    } catch {
      logger.error("the store does not work", metadata: error.logged)
      throw Rejection(
        .overloaded, "Nothing can be stored. \(Rejection.words(for: error))",
        retryAfterSeconds: Rejection.storeSeconds)
    }
  }

  /// What lets the client behind a request open a feed, or has it wait.
  func permit(for context: RequestContext) -> OpeningPermit? {
    guard let openingRate else { return nil }
    let (time, sharedOpenings) = (time, sharedOpenings)
    return {
      // What this server refuses by itself is not asked of the others.
      openingRate.wait(of: context.client, at: time.now)
        ?? sharedOpenings?(context.client.peer.site.description, openingRate.perMinute)
    }
  }

  /// A reply with what every reply carries: the request's id, and what CORS asks for. Counts it,
  /// so it is called once for each.
  func finished(_ response: Response, for context: RequestContext) -> Response {
    // What is passed on has been judged by what its upstream says of it.
    let isRaw = context.route == .raw
    var response = isRaw ? response : response.applyingPreconditions(of: context)
    if response.status == 404, !isRaw, !gate.apiKeys.isEmpty {
      response.fields.set("Cache-Control", "private, \(Response.notFoundAge)")
    }
    response.fields.append("X-Request-Id", context.requestID)
    if context.isQiitas, let qiita { response.append(qiita.reader.callsLeft, at: time.now) }
    gate.setBrowserHeaders(
      &response, origin: context.origin, isPage: context.route == .explorer)
    metrics.count(response.status, of: context)
    log(response, for: context)
    return response
  }

  /// How replies of a source are kept, now.
  func replyPolicy(of source: SourceBinding) -> ReplyPolicy {
    ReplyPolicy(policy: source.reader.policy, isPrivate: !gate.apiKeys.isEmpty, now: time.now)
  }

  private static func identity(at path: [String]) -> String? {
    path.isEmpty ? nil : JSON.text(ofPath: path)
  }

  /// `{"sources":{"qiita":{"feeds":[{"pattern":"items","order":"value","query":true,`
  /// `"identity":"id","variables":[],"parameters":["query"],"one":true}]}},`
  /// `"explorer":"feeds","demo":false}`
  private static func index(of sources: [SourceBinding], _ settings: ServerSettings) -> [UInt8] {
    let sources = sources.sorted { $0.name < $1.name }.map { source in
      let feeds = source.patterns.map { pattern -> JSONObject in
        let paths = pattern.identityPaths
        let feed: JSONObject = [
          "pattern": pattern.path, "order": pattern.order.rawValue,
          "query": pattern.parameters.contains("query"),
          "identity": paths.count > 1 ? nil : identity(at: paths.first ?? []),
          "variables": pattern.variables, "parameters": pattern.parameters,
          "one": pattern.one != nil,
        ]
        let parts = pattern.parts.map { part -> JSONObject in
          ["part": part.name, "feed": part.feed, "identity": identity(at: part.identityPath)]
        }
        return parts.isEmpty ? feed : feed.with("parts", parts)
      }
      return (name: source.name, value: ["feeds": feeds] as JSONObject as any JSONWritable)
    }
    let index: JSONObject = [
      "sources": JSONObject(sources),
      "explorer": settings.tellsOperator ? "all" : settings.page != nil ? "feeds" : "off",
      "demo": settings.demo != nil,
    ]
    return index.bytes() + "\n".utf8
  }
}
