import Feed
import HTTP
import Wire

/// What a request's path names.
enum Route {
  /// The process answers.
  case healthz
  /// The store works, and nothing drains.
  case readyz
  /// What is counted, for Prometheus.
  case metrics
  /// The sources and their feed patterns.
  case index
  /// A slice of a feed; `takesQuery` feeds get their search text from the parameters.
  case feed(SourceBinding, FeedPattern, parts: [[UInt8]])
  /// A single item.
  case item(SourceBinding, Identity)

  /// Finds the route of a path among the sources.
  init(_ path: String, sources: [String: SourceBinding]) throws(Rejection) {
    switch path {
    case "/healthz": self = .healthz
    case "/readyz": self = .readyz
    case "/metrics": self = .metrics
    case "/v1": self = .index
    default: self = try Route.resource(path, sources)
    }
  }

  private static func resource(
    _ path: String, _ sources: [String: SourceBinding]
  ) throws(Rejection) -> Route {
    guard path.hasPrefix("/v1/") else {
      throw Rejection(.notFound, "There is nothing at this path.")
    }
    let parts = try PathParts(path).parts.dropFirst()
    let name = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    guard let source = sources[name] else {
      throw Rejection(.sourceNotFound, "No source has this name; GET /v1 lists them.")
    }
    let rest = Array(parts.dropFirst())
    if let pattern = source.patterns.first(where: { $0.matches(rest) }) {
      return .feed(source, pattern, parts: rest)
    }
    if rest.count == 2, rest[0] == Array("items".utf8),
      rest[1].count <= Identity.bytesMax
    {
      return .item(source, Identity(bytes: rest[1]))
    }
    throw Rejection(.feedNotFound, "The source has no such feed; GET /v1 lists them.")
  }

  /// Its name in metrics.
  var name: Name {
    switch self {
    case .healthz: .healthz
    case .readyz: .readyz
    case .metrics: .metrics
    case .index: .index
    case .feed: .slice
    case .item: .item
    }
  }

  /// A route's name in metrics.
  enum Name: String {
    case slice
    case item
    case index
    case metrics
    case healthz
    case readyz
    /// The request was refused before it had a route.
    case none
  }

  /// The methods every route takes.
  static let allow = "GET, HEAD, OPTIONS"
}
