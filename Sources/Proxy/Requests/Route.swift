import Bytes
import Feed
import HTTP
import Wire

/// The route of a request's path.
enum Route {
  /// The process answers.
  case healthz
  /// The store works, and nothing drains.
  case readyz
  /// What is counted, for Prometheus.
  case metrics
  /// The API, in OpenAPI's words.
  case openapi
  /// The page that shows it.
  case explorer
  /// How the server stands, for its operator.
  case server
  /// A source's last upstream calls, for its operator.
  case calls(SourceBinding)
  /// The feeds that are stored of a source, for its operator.
  case storedFeeds(SourceBinding)
  /// What else a source's upstream has, by the parts of its path.
  case raw(RawSource, [[UInt8]])
  /// Purges what is stored of that.
  case purge(RawSource)
  /// What only a demo has, past `/demo/`.
  case demo
  /// The sources and their feed patterns.
  case index
  /// A slice of a feed; the parameters say the rest of its name.
  case feed(SourceBinding, FeedID)
  /// Something else that is asked of a feed.
  case verb(FeedVerb, SourceBinding, FeedID)
  /// A single item.
  case item(SourceBinding, ItemName)
  /// An item of a feed by its identity, of what is stored.
  case element(SourceBinding, FeedID, Identity)
  /// A page of a feed, as Qiita's API has it.
  case page(SourceBinding, FeedID)
  /// Something by itself, as Qiita's API has it.
  case single(SourceBinding, ItemName)

  /// Finds the route of a path among the sources; `qiita` is what Qiita's own paths stand for.
  /// A slash at the end, and percent-encoding that need not be, change nothing.
  init(
    _ path: String, sources: [String: SourceBinding], qiita: SourceBinding?
  ) throws(Rejection) {
    let path = PercentCoding.normalized(path)
    switch path {
    case "/healthz": self = .healthz
    case "/readyz": self = .readyz
    case "/metrics": self = .metrics
    case "/openapi.json": self = .openapi
    case "/": self = .explorer
    case "/v1": self = .index
    case "/v1:status": self = .server
    case _ where path.hasPrefix("/demo/"): self = .demo
    case _ where path.hasPrefix(QiitaPage.path): self = try Route.qiita(path, qiita)
    default: self = try Route.resource(path, sources)
    }
  }

  /// What Qiita's API has at a path: `/api/v2/items`, `/api/v2/users/name@github`.
  private static func qiita(_ path: String, _ source: SourceBinding?) throws(Rejection) -> Route {
    let parts = Array(try PathParts(path).parts.dropFirst(2))
    if let source {
      if let pattern = source.patterns.first(where: { $0.matches(parts) }) {
        return .page(source, FeedID(source: source.name, pattern: pattern, parts: parts))
      }
      if let name = item(at: parts, of: QiitaPage.kinds) { return .single(source, name) }
    }
    throw .nothingHere
  }

  private static func resource(
    _ path: String, _ sources: [String: SourceBinding]
  ) throws(Rejection) -> Route {
    guard path.hasPrefix("/v1/") else {
      throw .nothingHere
    }
    let parts = try PathParts(path).parts.dropFirst()
    let name = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    if parts.count == 1, let route = operatorList(at: name, sources) { return route }
    guard let source = sources[name] else {
      throw Rejection(.sourceNotFound, "No source has this name; GET /v1 lists them.")
    }
    let rest = Array(parts.dropFirst())
    if let raw = source.raw, rest.first?.elementsEqual("raw".utf8) == true {
      return .raw(raw, Array(rest.dropFirst()))
    }
    if let pattern = source.patterns.first(where: { $0.matches(rest) }) {
      return .feed(source, FeedID(source: source.name, pattern: pattern, parts: rest))
    }
    if let name = item(at: rest, of: source.kinds) { return .item(source, name) }
    if let route = try verb(of: rest, source) { return route }
    if let route = try element(at: rest, of: source) { return route }
    throw Rejection(.feedNotFound, "The source has no such feed; GET /v1 lists them.")
  }

  /// The route of `qiita:calls`, `qiita:feeds` and `qiita:purge`. No source has a colon in its
  /// name.
  private static func operatorList(
    at word: String, _ sources: [String: SourceBinding]
  ) -> Route? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let source = sources[String(parts[0])] else { return nil }
    switch parts[1] {
    case "calls": return .calls(source)
    case "feeds": return .storedFeeds(source)
    case "purge": return source.raw.map { .purge($0) }
    default: return nil
    }
  }

  /// What a path such as `items/c0ffee` names, where it is of one of these kinds.
  private static func item(at parts: [[UInt8]], of kinds: [ItemKind]) -> ItemName? {
    guard parts.count == 2, parts[1].count <= Identity.bytesMax,
      let kind = kinds.first(where: { $0.word.utf8.elementsEqual(parts[0]) })
    else { return nil }
    return ItemName(Identity(bytes: parts[1]), kind: kind)
  }

  /// The route of a feed's path with an identity behind it: `posts/7`.
  private static func element(
    at parts: [[UInt8]], of source: SourceBinding
  ) throws(Rejection) -> Route? {
    guard let id = parts.last else { return nil }
    let feed = Array(parts.dropLast())
    guard let pattern = source.patterns.first(where: { $0.matches(feed) }) else { return nil }
    guard (1...Identity.bytesMax).contains(id.count) else {
      throw Rejection(.itemNotFound, "An identity is 1 to \(Identity.bytesMax) bytes.")
    }
    return .element(
      source, FeedID(source: source.name, pattern: pattern, parts: feed), Identity(bytes: id))
  }

  /// The route of a path that ends in a verb: `items:status`. Only a feed's last word, which is
  /// fixed, can carry one, so no part that a client chooses is ever taken for one.
  private static func verb(
    of parts: [[UInt8]], _ source: SourceBinding
  ) throws(Rejection) -> Route? {
    guard let last = parts.last, let colon = last.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    let feed = Array(parts.dropLast()) + [Array(last[..<colon])]
    let pattern = source.patterns.first { pattern in
      pattern.matches(feed) && pattern.words.last?.hasPrefix(":") == false
    }
    guard let pattern else { return nil }
    let name = String(decoding: last[(colon + 1)...], as: UTF8.self)
    guard let verb = FeedVerb(rawValue: name) else {
      throw Rejection(.notFound, "Feeds have no such verb.")
    }
    return .verb(
      verb, source, FeedID(source: source.name, pattern: pattern, parts: feed))
  }

  /// The methods it takes.
  var methods: Set<Method> {
    if case .verb(let verb, _, _) = self, verb.isAction { return Route.actionMethods }
    if case .purge = self { return Route.actionMethods }
    if case .demo = self { return Set(Method.allCases).subtracting([.put, .delete, .patch]) }
    return Route.readMethods
  }

  private static let actionMethods: Set<Method> = [.post, .options]
  private static let readMethods: Set<Method> = [.get, .head, .options]

  /// The methods it takes, as `Allow` names them.
  var allow: String {
    Method.allCases.filter(methods.contains).map(\.rawValue).joined(separator: ", ")
  }

  /// Its name in metrics.
  var name: Name {
    switch self {
    case .healthz: .healthz
    case .readyz: .readyz
    case .metrics: .metrics
    case .openapi: .openapi
    case .explorer: .explorer
    case .server: .server
    case .calls: .calls
    case .storedFeeds: .feeds
    case .raw: .raw
    case .purge: .purge
    case .demo: .demo
    case .index: .index
    case .feed: .slice
    case .verb(let verb, _, _): Name(verb)
    case .item, .element: .item
    case .page: .page
    case .single: .single
    }
  }

  /// A route's name in metrics.
  enum Name: String, CaseIterable {
    case slice
    case status
    case refresh
    case fill
    case changes
    case events
    case item
    case page
    case single
    case explorer
    case server
    case calls
    case feeds
    case raw
    case purge
    case demo
    case index
    case openapi
    case metrics
    case healthz
    case readyz
    /// The request was refused before it had a route.
    case none

    /// The name of a verb's route.
    init(_ verb: FeedVerb) {
      self =
        switch verb {
        case .status: .status
        case .refresh: .refresh
        case .fill: .fill
        case .changes: .changes
        case .events: .events
        }
    }
  }

  /// The methods of the server as a whole.
  static let allow = "GET, HEAD, POST, OPTIONS"
}
