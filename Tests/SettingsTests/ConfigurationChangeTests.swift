import Testing

@testable import Settings

/// What another configuration means to a server that runs.
@Suite struct ConfigurationChangeTests {
  private static let base = """
    {"server": {"apiKeys": ["key-number-one"]},
     "sources": {"qiita": {"token": "first"}, "fruits": {"kind": "file", "path": "a.json"}}}
    """

  /// A key, another value for it, and whether that needs a restart.
  private static let rows: [(key: String, value: String, needsRestart: Bool)] = [
    ("server.host", #""127.0.0.2""#, true),
    ("server.port", "8081", true),
    ("server.publicURL", #""https://a.example""#, false),
    ("server.apiKeys", #"["key-number-two"]"#, false),
    ("server.allowedOrigins", #"["https://a.example"]"#, false),
    ("server.allowedHosts", #"["a.example"]"#, false),
    ("server.explorer", #""off""#, false),
    ("server.requestsPerMinute", "7", false),
    ("server.trustedProxies", #"["10.0.0.0/8"]"#, false),
    ("server.newFeedsPerMinute", "7", false),
    ("server.maxConnections", "7", true),
    ("server.headerSeconds", "7", false),
    ("server.idleSeconds", "7", false),
    ("server.drainSeconds", "7", false),
    ("store.path", #""other.sqlite""#, true),
    ("store.url", #""postgresql://a/b""#, true), ("store.listenURL", #""postgresql://a/b""#, true),
    ("store.connections", "7", true), ("store.localMegabytes", "7", true),
    ("store.migrate", "false", true), ("store.maxMegabytes", "7", true),
    ("store.maxFeeds", "7", true),
    ("store.tombstoneDays", "7", true),
    ("upstream.waitMilliseconds", "7", false),
    ("upstream.timeoutSeconds", "7", false),
    ("upstream.maxBodyMegabytes", "7", false),
    ("sources.qiita.kind", #""file", "path": "b.json""#, true),
    ("sources.qiita.baseURL", #""http://127.0.0.1:1/api""#, false),
    ("sources.qiita.token", #""second""#, false),
    ("sources.qiita.exposeOwner", "true", false),
    ("sources.qiita.freshSeconds", "7", false),
    ("sources.qiita.staleSeconds", "700", false),
    ("sources.qiita.recheckSeconds", "7", false),
    ("sources.qiita.refreshSeconds", "7", false),
    ("sources.qiita.prefetchItems", "7", false),
    ("sources.qiita.reserveCalls", "7", false),
    ("sources.qiita.maxInFlight", "7", false),
    ("sources.qiita.newFeedShare", "0.25", false),
    ("sources.qiita.raw", #"{"paths": ["users/:id"]}"#, false),
    ("sources.fruits.path", #""b.json""#, false),
    ("sources.fruits.id", #""key""#, false),
    ("sources.fruits.order", #""-at""#, false),
    ("sources.fruits.time", #""seconds""#, false),
  ]

  /// The base with one key set to another value.
  private static func changed(_ key: String, _ value: String) -> String {
    let parts = key.split(separator: ".").map(String.init)
    let (server, qiita, fruits) = (
      #""apiKeys": ["key-number-one"]"#, #""token": "first""#, #""kind": "file", "path": "a.json""#
    )
    func members(_ place: String, _ own: String) -> String {
      guard parts.dropLast().joined(separator: ".") == place else { return own }
      let name = parts[parts.count - 1]
      let replaced = own.contains("\"\(name)\":") || name == "kind"
      let kept = replaced ? (place == "sources.fruits" ? #""kind": "file""# : "") : own
      return kept + (kept.isEmpty ? "" : ", ") + "\"\(name)\": \(value)"
    }
    return """
      {"server": {\(members("server", server))}, "store": {\(members("store", ""))},
       "upstream": {\(members("upstream", ""))},
       "sources": {"qiita": {\(members("sources.qiita", qiita))},
                   "fruits": {\(members("sources.fruits", fruits))}}}
      """
  }

  @Test(arguments: rows.indices)
  func namesTheKeyAndKeepsWhatNeedsARestart(_ index: Int) throws {
    let row = Self.rows[index]
    let old = try configuration(Self.base)
    let new = try configuration(Self.changed(row.key, row.value))
    #expect(old != new)
    let change = try Configuration.Change(from: old, to: new)
    #expect(change.applied == (row.needsRestart ? [] : [row.key]))
    #expect(change.awaitingRestart == (row.needsRestart ? [row.key] : []))
    #expect(change.result == (row.needsRestart ? old : new))
  }

  @Test func knowsEveryKey() {
    let known = Self.rows.map { row in
      row.key.replacing("sources.qiita", with: "sources.<name>")
        .replacing("sources.fruits", with: "sources.<name>")
    }
    #expect(Set(known) == Set(Configuration.keys))
  }

  @Test func theSameIsNoChange() throws {
    let change = try Configuration.Change(
      from: configuration(Self.base), to: configuration(Self.base))
    #expect(change.applied.isEmpty && change.awaitingRestart.isEmpty)
  }

  @Test func sourcesComeAndGo() throws {
    let old = try configuration(#"{"sources": {"a": {}, "b": {}}}"#)
    let new = try configuration(#"{"sources": {"b": {}, "c": {}}}"#)
    let change = try Configuration.Change(from: old, to: new)
    #expect(change.applied == ["sources.a", "sources.c"])
    #expect(change.result == new)
  }

  @Test func whatNeedsARestartIsNamedUntilThen() throws {
    let old = try configuration("{}")
    let new = try configuration(#"{"server": {"port": 1}}"#)
    let first = try Configuration.Change(from: old, to: new)
    let second = try Configuration.Change(from: first.result, to: new)
    #expect(second.awaitingRestart == ["server.port"])
  }

  /// The source that shows its owner's feeds would stay, and the keys would go.
  @Test func refusesWhatWouldOpenTheOwnersFeeds() throws {
    let old = try configuration(
      #"{"server": {"apiKeys": ["key-number-one"]}, "sources": {"a": {"exposeOwner": true}}}"#)
    let new = try configuration(#"{"sources": {"a": {"kind": "file", "path": "a.json"}}}"#)
    let problems = #expect(throws: Configuration.Problems.self) {
      try Configuration.Change(from: old, to: new)
    }
    #expect(problems?.all.map(\.place) == ["sources.a.exposeOwner"])
  }
}
