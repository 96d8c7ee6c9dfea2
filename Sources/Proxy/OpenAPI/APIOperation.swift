import Feed
import Freshness
import Wire

/// One operation of the API in `/openapi.json`.
struct APIOperation {
  /// `get` or `post`.
  var method = "get"
  /// The path, its variable parts in braces: `/v1/qiita/tags/{id}/items`.
  var path: String
  /// The route it takes, which is its tag too.
  var route: Route.Name
  /// What it does, in a few words.
  var summary: String
  /// The parameters it takes.
  var parameters: [APIParameter] = []
  /// The answer when all is well, by its name in the document's components.
  var answer: String

  /// The statuses of errors that it may be answered with.
  var errors: [Int] {
    // What the HTTP server itself may refuse, whatever is asked for.
    var statuses: Set = [400, 405, 408, 413, 414, 417, 431, 500, 501, 503, 505]
    guard route != .healthz, route != .readyz else { return statuses.sorted() }
    statuses.formUnion([401, 403, 429])
    if hasValidator { statuses.insert(412) }
    guard ![.index, .metrics, .openapi, .explorer, .server].contains(route) else {
      return statuses.sorted()
    }
    return statuses.union([404, 410, 502, 504]).sorted()
  }

  /// Whether its answer has a tag, and may be 304.
  var hasValidator: Bool {
    switch route {
    case .slice, .item, .page, .single, .openapi, .explorer, .raw: true
    case .status, .refresh, .fill, .changes, .events, .index, .metrics, .healthz, .readyz, .none,
      .server, .calls, .feeds, .demo, .purge:
      false
    }
  }

  /// Whether it is of Qiita's own paths, whose clients know Qiita's errors.
  var isQiitas: Bool { route == .page || route == .single }

  /// All that a server offers over sources, of which `qiita` has Qiita's own paths.
  static func all(
    of sources: [SourceBinding], qiita: SourceBinding?, servesPage: Bool = true,
    tellsOperator: Bool = false
  ) -> [APIOperation] {
    var operations = [
      APIOperation(
        path: "/healthz", route: .healthz, summary: "The process answers", answer: "State"),
      APIOperation(
        path: "/readyz", route: .readyz, summary: "The store works and nothing drains",
        answer: "State"),
      APIOperation(
        path: "/metrics", route: .metrics, summary: "What is counted, as Prometheus reads it",
        answer: "Metrics"),
      APIOperation(
        path: "/openapi.json", route: .openapi, summary: "This document",
        parameters: ["If-None-Match"], answer: "Document"),
      APIOperation(
        path: "/v1", route: .index, summary: "The sources and their feed patterns",
        answer: "Index"),
    ]
    if servesPage {
      operations.append(
        APIOperation(
          path: "/", route: .explorer, summary: "A page that shows the feeds",
          parameters: ["If-None-Match"], answer: "Explorer"))
    }
    if tellsOperator {
      operations.append(
        APIOperation(
          path: "/v1:status", route: .server, summary: "The server's status",
          answer: "Server"))
    }
    for source in sources.sorted(by: { $0.name < $1.name }) {
      if tellsOperator { operations += lists(of: source.name) }
      for pattern in source.patterns { operations += feed(pattern, of: source.name) }
      operations += source.kinds.map { kind in
        APIOperation(
          path: "/v1/\(source.name)/\(kind.word)/{id}", route: .item,
          summary: "One item, byte for byte",
          parameters: ["id", "fields", "wait", "If-None-Match"],
          answer: "Item")
      }
      // An item of a merged feed is read at its own source.
      operations += source.patterns.filter { source.hasPlainElements($0) && !$0.isMerged }
        .map { element($0, of: source.name) }
      operations += raw(of: source)
    }
    if let qiita { operations += drops(of: qiita) }
    return operations
  }

  private static func lists(of source: String) -> [APIOperation] {
    [
      APIOperation(
        path: "/v1/\(source):calls", route: .calls, summary: "The last upstream calls",
        parameters: ["sinceCall", "limit"], answer: "Calls"),
      APIOperation(
        path: "/v1/\(source):feeds", route: .feeds,
        summary: "The feeds that are stored, the last read first",
        parameters: ["limit", "startAfterFeed"], answer: "StoredFeeds"),
    ]
  }

  /// What else of its upstream a source shows.
  private static func raw(of source: SourceBinding) -> [APIOperation] {
    guard let raw = source.raw else { return [] }
    let purge = APIOperation(
      method: "post", path: "/v1/\(source.name):purge", route: .purge,
      summary: "Purge kept answers: one target, a prefix, or all",
      parameters: [.own("path"), .own("prefix"), .own("all")], answer: "Purge")
    return raw.paths.map { pattern in
      let words = pattern.words + (pattern.isOpen ? [":path"] : [])
      let names = words.filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
      let path = words.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }
      return APIOperation(
        path: "/v1/\(source.name)/raw/\(path.joined(separator: "/"))", route: .raw,
        summary: "What the upstream has at \(pattern.text), kept by RFC 9111",
        parameters: names.map { $0 == "id" ? "id" : .variable($0) }
          + (pattern.names ?? []).sorted().map { .own($0) }
          + ["If-None-Match", "If-Modified-Since", "Range"], answer: "Raw")
    } + [purge]
  }

  private static func feed(_ pattern: FeedPattern, of source: String) -> [APIOperation] {
    let path = "/v1/\(source)/\(template(pattern))"
    let name = APIParameter.naming(pattern)
    let slice = SliceParameter.allCases.filter { $0 != .query }
      .map { APIParameter.component($0.rawValue) }
    return [
      APIOperation(
        path: path, route: .slice, summary: "A slice of \(pattern.path)",
        parameters: name + slice + ["If-None-Match"], answer: "Slice")
    ]
      + FeedVerb.allCases.map { verb in
        APIOperation(
          method: verb.isAction ? "post" : "get", path: "\(path):\(verb.rawValue)",
          route: Route.Name(verb), summary: summary(of: verb),
          parameters: name + parameters(of: verb, isMerged: pattern.isMerged),
          answer: answer(to: verb))
      }
  }

  /// An item of a feed, of what is stored.
  private static func element(_ pattern: FeedPattern, of source: String) -> APIOperation {
    APIOperation(
      path: "/v1/\(source)/\(template(pattern))/{item}", route: .item,
      summary: "A stored item of \(pattern.path); never calls the upstream",
      parameters: APIParameter.naming(pattern)
        + [.variable("item"), "fields", "wait", "If-None-Match"], answer: "Item")
  }

  private static func drops(of source: SourceBinding) -> [APIOperation] {
    source.patterns.map { pattern in
      APIOperation(
        path: QiitaPage.path + template(pattern), route: .page,
        summary: "A page of \(pattern.path), as Qiita has it",
        parameters: APIParameter.variables(of: pattern)
          + (pattern.parameters.contains("query") ? ["anyQuery"] : [])
          + ["page", "per_page", "cursor", "If-None-Match"], answer: "Page")
    }
      + QiitaPage.kinds.map { kind in
        APIOperation(
          path: "\(QiitaPage.path)\(kind.word)/{id}", route: .single,
          summary: "One of \(kind.word), as Qiita has it", parameters: ["id", "If-None-Match"],
          answer: "Single")
      }
  }

  private static func parameters(of verb: FeedVerb, isMerged: Bool) -> [APIParameter] {
    let since: APIParameter = isMerged ? "sinceMerged" : "since"
    let orNow: APIParameter = isMerged ? "sinceMergedOrNow" : "sinceOrNow"
    return switch verb {
    case .status: []
    case .refresh: ["wait"]
    case .fill: ["gap", "wait"]
    case .changes: [since, "limit", "fields", "learned", "refresh", "wait"]
    case .events: [orNow, "fields", "wait", "Last-Event-ID"]
    }
  }

  private static func summary(of verb: FeedVerb) -> String {
    switch verb {
    case .status: "The feed's status; never calls the upstream"
    case .refresh: "Look at the feed's top now"
    case .fill: "Fill a gap, from above"
    case .changes: "What changed after a number, in order"
    case .events: "Changes as server-sent events"
    }
  }

  private static func answer(to verb: FeedVerb) -> String {
    switch verb {
    case .status, .refresh: "Status"
    case .fill: "Filling"
    case .changes: "Changes"
    case .events: "Events"
    }
  }

  /// `tags/{id}/items` for `tags/:id/items`.
  private static func template(_ pattern: FeedPattern) -> String {
    pattern.words.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }.joined(separator: "/")
  }
}
