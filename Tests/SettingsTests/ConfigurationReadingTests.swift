import Bytes
import Feed
import HTTP
import JSONBytes
import Testing
import Upstream

@testable import Settings

@Suite struct ConfigurationReadingTests {
  @Test func theExampleSaysTheDefaults() throws {
    var expected = Configuration()
    expected.sources["fruits"] = .file(.init(path: "fruits.json"))
    var read = try configuration(exampleConfiguration)
    #expect(
      read.warnings.map(\.description) == [
        "sources.qiita.token: is null: neither QIITA_TOKEN nor QIITA_TOKEN_FILE is set in the "
          + "environment"
      ])
    read.warnings = []
    #expect(read == expected)
  }

  @Test func everyKeyOfTheExampleIsKnownAndNoOther() throws {
    let file = try JSONTree(json: Array(exampleConfiguration.utf8))
    let sections = try #require(file.members)
    var named: [String] = []
    for section in sections where section.name != "sources" {
      named += try #require(section.value.members).map { "\(section.name).\($0.name)" }
    }
    for source in try #require(sections.last?.value.members) {
      named += try #require(source.value.members).map { "sources.<name>.\($0.name)" }
    }
    let again = try #require(named.lastIndex(of: "sources.<name>.kind"))
    named.remove(at: again)
    #expect(Configuration.keys == named)
  }

  @Test(arguments: [
    "{}", #"{"server": {}, "store": {}, "upstream": {}}"#, #" {"sources":{"qiita":{}}}"#,
  ])
  func leftOutKeysHaveTheirDefaults(json: String) throws {
    #expect(try configuration(json) == Configuration())
  }

  @Test func everySourceMayBeLeftOut() throws {
    #expect(try configuration(#"{"sources": {}}"#).sources.isEmpty)
  }

  @Test func fillsEveryKindOfValue() throws {
    let read = try configuration(
      #"""
      { "server": { "host": "::1", "publicURL": "HTTPS://api.example/tsugi//",
          "apiKeys": ["aaaaaaaa", "b\u0062bbbbbb"],
          "allowedOrigins": ["*", "https://App.example:443"],
          "allowedHosts": ["API.example:8443", "[::1]"], "trustedProxies": ["10.0.0.0/8", "::1"] },
        "sources": { "qiita": { "baseURL": "http://127.0.0.1:9000/", "exposeOwner": true,
          "freshSeconds": 7, "maxInFlight": 2, "newFeedShare": 1 } } }
      """#)
    var server = Configuration.Server()
    server.host = "::1"
    server.publicURL = "HTTPS://api.example/tsugi"
    server.apiKeys = ["aaaaaaaa", "bbbbbbbb"].compactMap { .init($0, length: 8...8) }
    server.allowedOrigins = ["*", "https://app.example"]
    server.allowedHosts = ["api.example:8443", "[::1]"]
    server.trustedProxies = ["10.0.0.0/8", "::1"].compactMap(AddressRange.init)
    #expect(read.server == server)
    var qiita = Configuration.Source.Qiita()
    qiita.baseURL = try #require(BaseURL("http://127.0.0.1:9000/"))
    qiita.exposeOwner = true
    qiita.policy.freshSeconds = 7
    qiita.policy.maxInFlight = 2
    qiita.newFeedShare = 1
    #expect(read.qiita == qiita)
  }

  @Test(arguments: [
    ("", "tsugi.sqlite", "fruits.json"),
    ("/etc/tsugi", "/etc/tsugi/tsugi.sqlite", "/etc/tsugi/fruits.json"),
    ("/", "/tsugi.sqlite", "/fruits.json"),
  ])
  func pathsBeginBesideTheFile(directory: String, store: String, fruits: String) throws {
    let read = try configuration(exampleConfiguration, directory: directory)
    #expect(read.store.path == store)
    #expect(read.sources["fruits"] == .file(.init(path: fruits)))
  }

  @Test func absolutePathsStay() throws {
    let read = try configuration(#"{"store": {"path": "/var/t.db"}}"#, directory: "/etc")
    #expect(read.store.path == "/var/t.db")
  }

  @Test func theEnvironmentWinsOverTheFileAndFlagsOverBoth() throws {
    let file = #"{"server": {"host": "a", "port": 1, "idleSeconds": 1}}"#
    let environment = ["TSUGI_SERVER_HOST": "b", "TSUGI_SERVER_PORT": "2"]
    let read = try configuration(file, environment, overrides: .init(port: 3))
    #expect(read.server.host == "b")
    #expect(read.server.port == 3)
    #expect(read.server.idleSeconds == 1)
    #expect(try configuration("{}", overrides: .init(host: "c")).server.host == "c")
  }

  @Test func everyScalarAndListHasAVariable() {
    #expect(
      Configuration.variables == [
        "TSUGI_SERVER_HOST", "TSUGI_SERVER_PORT", "TSUGI_SERVER_PUBLIC_URL",
        "TSUGI_SERVER_API_KEYS", "TSUGI_SERVER_ALLOWED_ORIGINS", "TSUGI_SERVER_ALLOWED_HOSTS",
        "TSUGI_SERVER_EXPLORER",
        "TSUGI_SERVER_REQUESTS_PER_MINUTE", "TSUGI_SERVER_TRUSTED_PROXIES",
        "TSUGI_SERVER_NEW_FEEDS_PER_MINUTE",
        "TSUGI_SERVER_MAX_CONNECTIONS", "TSUGI_SERVER_HEADER_SECONDS",
        "TSUGI_SERVER_IDLE_SECONDS", "TSUGI_SERVER_DRAIN_SECONDS", "TSUGI_STORE_PATH",
        "TSUGI_STORE_URL", "TSUGI_STORE_LISTEN_URL", "TSUGI_STORE_CONNECTIONS",
        "TSUGI_STORE_LOCAL_MEGABYTES", "TSUGI_STORE_MIGRATE",
        "TSUGI_STORE_MAX_MEGABYTES", "TSUGI_STORE_MAX_FEEDS", "TSUGI_STORE_TOMBSTONE_DAYS",
        "TSUGI_UPSTREAM_WAIT_MILLISECONDS", "TSUGI_UPSTREAM_TIMEOUT_SECONDS",
        "TSUGI_UPSTREAM_MAX_BODY_MEGABYTES",
      ])
  }

  @Test func everyVariableOverridesItsKey() throws {
    var environment: [String: String] = [:]
    for name in Configuration.variables { environment[name] = "17" }
    environment["TSUGI_SERVER_PUBLIC_URL"] = "http://seventeen"
    environment["TSUGI_SERVER_API_KEYS"] = "seventeen, eighteen,"
    environment["TSUGI_SERVER_ALLOWED_ORIGINS"] = "http://a"
    environment["TSUGI_SERVER_ALLOWED_HOSTS"] = "a,b"
    environment["TSUGI_SERVER_EXPLORER"] = "off"
    environment["TSUGI_SERVER_TRUSTED_PROXIES"] = "10.0.0.0/8"
    environment["TSUGI_STORE_MIGRATE"] = "false"
    let read = try configuration("{}", environment)
    var expected = Configuration()
    expected.server.host = "17"
    expected.server.port = 17
    expected.server.publicURL = "http://seventeen"
    #expect(read.server.apiKeys.map(\.text) == ["seventeen", "eighteen"])
    expected.server.apiKeys = read.server.apiKeys
    expected.server.allowedOrigins = ["http://a"]
    expected.server.allowedHosts = ["a", "b"]
    expected.server.explorer = .off
    let proxies = #"{"server": {"trustedProxies": ["10.0.0.0/8"]}}"#
    expected.server.trustedProxies = try configuration(proxies).server.trustedProxies
    expected.server.requestsPerMinute = 17
    expected.server.newFeedsPerMinute = 17
    expected.server.maxConnections = 17
    expected.server.headerSeconds = 17
    expected.server.idleSeconds = 17
    expected.server.drainSeconds = 17
    expected.store.path = "17"
    #expect(read.store.url?.text == "17" && read.store.listenURL?.text == "17")
    (expected.store.url, expected.store.listenURL) = (read.store.url, read.store.listenURL)
    (expected.store.connections, expected.store.localMegabytes) = (17, 17)
    expected.store.migrate = false
    expected.store.maxMegabytes = 17
    expected.store.maxFeeds = 17
    expected.store.tombstoneDays = 17
    expected.upstream.waitMilliseconds = 17
    expected.upstream.timeoutSeconds = 17
    expected.upstream.maxBodyMegabytes = 17
    #expect(read == expected)
  }

  @Test func anEmptyVariableSaysNothing() throws {
    #expect(try configuration("{}", ["TSUGI_SERVER_PORT": ""]) == Configuration())
  }
}
