import Bytes
import Feed
import JSONBytes
import Upstream

/// The tables: every key of the contract's `config.json`, in its order, with what it may be.
///
/// The same rows read a value, override it from the environment, print it again, and say whether a
/// running server can take another.
extension Configuration {
  /// The largest file taken, in bytes.
  package static let bytesMax = 1024 * 1024
  /// Sources, and elements of one array.
  static let countMax = 1000
  /// The characters of an API key.
  static let apiKeyLength = 8...256
  /// The length of the shared store's URL, in characters.
  static let storeURLLength = 1...2048
  /// An hour, for what a connection may wait. Seconds.
  private static let hourSeconds = 3600
  /// 366 days, for what a copy may be old. Seconds.
  static let yearSeconds: Int64 = 31_622_400

  static let sections = ["server", "store", "upstream", "sources"]

  static let serverFields: [ConfigurationField<Server>] = [
    .init("host", \.host, .host, .atRestart),
    .init("port", \.port, .whole(0...65535), .atRestart),
    .init("publicURL", \.publicURL, .optional(.url)),
    .init("apiKeys", \.apiKeys, .list(of: .secret(apiKeyLength), countMax: countMax)),
    .init("allowedOrigins", \.allowedOrigins, .list(of: .origin, countMax: countMax)),
    .init("allowedHosts", \.allowedHosts, .list(of: .hostField, countMax: countMax)),
    .init("explorer", \.explorer, .word()),
    .init("requestsPerMinute", \.requestsPerMinute, .whole(0...1_000_000)),
    .init("trustedProxies", \.trustedProxies, .list(of: .network, countMax: countMax)),
    .init("newFeedsPerMinute", \.newFeedsPerMinute, .whole(0...1_000_000)),
    .init("maxConnections", \.maxConnections, .whole(1...1_000_000), .atRestart),
    .init("headerSeconds", \.headerSeconds, .whole(1...hourSeconds)),
    .init("idleSeconds", \.idleSeconds, .whole(1...hourSeconds)),
    .init("drainSeconds", \.drainSeconds, .whole(0...hourSeconds)),
  ]

  static let storeFields: [ConfigurationField<Store>] = [
    .init("path", \.path, .path, .atRestart),
    .init("url", \.url, .optional(.secret(storeURLLength)), .atRestart),
    .init("listenURL", \.listenURL, .optional(.secret(storeURLLength)), .atRestart),
    .init("connections", \.connections, .whole(1...100), .atRestart),
    .init("localMegabytes", \.localMegabytes, .whole(1...16_777_216), .atRestart),
    .init("migrate", \.migrate, .flag, .atRestart),
    .init("maxMegabytes", \.maxMegabytes, .whole(1...16_777_216), .atRestart),
    .init("maxFeeds", \.maxFeeds, .whole(1...10_000_000), .atRestart),
    .init("tombstoneDays", \.tombstoneDays, .whole(1...3660), .atRestart),
  ]

  static let upstreamFields: [ConfigurationField<Upstream>] = [
    .init("waitMilliseconds", \.waitMilliseconds, .whole(0...30_000)),
    .init("timeoutSeconds", \.timeoutSeconds, .whole(1...600)),
    .init("maxBodyMegabytes", \.maxBodyMegabytes, .whole(1...1024)),
  ]

  static let qiitaFields: [ConfigurationField<Source.Qiita>] =
    [
      .init("baseURL", \.baseURL, .baseURL),
      .init("token", \.token, .token(Secret.tokenLength)),
      .init("exposeOwner", \.exposeOwner, .flag),
    ] + policyFields()

  /// The rules of freshness and thrift, of whatever asks an API.
  static func policyFields<Section: ThriftySection>() -> [ConfigurationField<Section>] {
    [
      .init("freshSeconds", \.policy.freshSeconds, .whole(1...yearSeconds)),
      .init("staleSeconds", \.policy.staleSeconds, .whole(1...yearSeconds)),
      .init("recheckSeconds", \.policy.recheckSeconds, .whole(1...yearSeconds)),
      .init(
        "refreshSeconds", \.policy.refreshSeconds, .whole(0...Int64(hourSeconds))),
      .init("prefetchItems", \.policy.prefetchItems, .whole(0...10_000)),
      .init("reserveCalls", \.policy.reserveCalls, .whole(0...1000)),
      .init("maxInFlight", \.policy.maxInFlight, .whole(1...64)),
      .init("newFeedShare", \.newFeedShare, .share(0...1)),
      .init("raw", \.raw, .optional(.object(rawFields, .init()))),
    ]
  }

  static let fileFields: [ConfigurationField<Source.File>] = [
    .init("path", \.path, .path), .init("id", \.list.id, .fieldPath),
    .init("order", \.list.order, .order), .init("time", \.list.time, .word()),
  ]

  /// The path of every key, in the contract's order: `server.host`, `sources.<name>.baseURL`. A key
  /// that several kinds of source have stands once.
  package static let keys: [String] =
    serverFields.map { "server.\($0.name)" } + storeFields.map { "store.\($0.name)" }
    + upstreamFields.map { "upstream.\($0.name)" }
    + (["kind"] + qiitaFields.map(\.name) + fileFields.map(\.name)).map { "sources.<name>.\($0)" }

  /// The environment variables that override keys, in the order of `keys`.
  package static let variables: [String] =
    variables("SERVER", serverFields) + variables("STORE", storeFields)
    + variables("UPSTREAM", upstreamFields)

  private static func variables<Section>(
    _ section: String, _ fields: [ConfigurationField<Section>]
  ) -> [String] {
    fields.filter { $0.variable != nil }.map { variable(section, $0.name) }
  }

  /// The variable that overrides a key: `TSUGI_SERVER_PUBLIC_URL` for `publicURL` of `server`.
  static func variable(_ section: String, _ key: String) -> String {
    var words = ""
    for (before, letter) in zip(" " + key, key) {
      if before.isLowercase && letter.isUppercase { words += "_" }
      words.append(letter)
    }
    return "TSUGI_\(section)_\(words)".uppercased()
  }
}

/// The settings of a source that asks an API.
protocol ThriftySection: Sendable {
  var policy: Policy { get set }
  var newFeedShare: Double { get set }
  var raw: Configuration.Source.Raw? { get set }
}

extension Configuration.Source.Qiita: ThriftySection {}
extension Configuration.Source.HTTP: ThriftySection {}

extension Configuration {
  /// The configuration as its operator would write it in full, secrets hidden: JSON, in the
  /// contract's order, sources by name, a line feed at the end.
  package func resolved() -> String {
    let sources = sources.sorted { $0.key < $1.key }
    let sections: [JSONTree] = [
      .init(server, Configuration.serverFields), .init(store, Configuration.storeFields),
      .init(upstream, Configuration.upstreamFields),
      .object(sources.map { .init($0.key, .init($0.value)) }),
    ]
    let members = zip(Configuration.sections, sections).map(JSONTree.Member.init)
    return JSONTree.object(members).pretty() + "\n"
  }
}

extension JSONTree {
  fileprivate init<Section>(_ section: Section, _ fields: [ConfigurationField<Section>]) {
    self = .object(fields.map { Member($0.name, $0.value(section)) })
  }

  fileprivate init(_ source: Configuration.Source) {
    let (kind, settings): (String, JSONTree) =
      switch source {
      case .qiita(let qiita): ("qiita", .init(qiita, Configuration.qiitaFields))
      case .file(let file): ("file", .init(file, Configuration.fileFields))
      case .http(let http): ("http", http.written)
      case .merged(let merged): ("merged", .init(merged, Configuration.mergedFields))
      }
    self = .object([Member("kind", .text(kind))] + (settings.members ?? []))
  }
}
