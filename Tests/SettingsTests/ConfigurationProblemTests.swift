import Testing

@testable import Settings

@Suite struct ConfigurationProblemTests {
  /// No key but `raw` takes an object; a text with a space, a number or an array each suit few.
  @Test(arguments: Configuration.keys)
  func everyKeyRefusesAnotherType(key: String) {
    let objects = key.hasSuffix(".raw") ? [] : ["{}"]
    for wrong in objects + ["[[]]", "-1", "1.5", #"" \u0000""#] {
      let place = key.replacing("<name>", with: "s")
      let found = problems(document(key, wrong))
      #expect(found.count == 1, "\(wrong): \(found)")
      let first = found.first ?? ""
      #expect(
        first.hasPrefix("\(place): must be") || first.hasPrefix("\(place)[0]: must be"), "\(found)")
    }
  }

  @Test(arguments: Configuration.keys)
  func nullIsForWhatMayBeLackingOnly(key: String) {
    let mayBeNull = [
      "server.publicURL", "store.url", "store.listenURL", "sources.<name>.token",
      "sources.<name>.raw",
    ].contains(key)
    #expect(problems(document(key, "null")).isEmpty == mayBeNull)
  }

  @Test(arguments: [
    ("server.port", 0, 65535), ("server.requestsPerMinute", 0, 1_000_000),
    ("server.newFeedsPerMinute", 0, 1_000_000), ("server.maxConnections", 1, 1_000_000),
    ("server.headerSeconds", 1, 3600), ("server.idleSeconds", 1, 3600),
    ("server.drainSeconds", 0, 3600), ("store.maxMegabytes", 1, 16_777_216),
    ("store.localMegabytes", 1, 16_777_216), ("store.connections", 1, 100),
    ("store.maxFeeds", 1, 10_000_000), ("store.tombstoneDays", 1, 3660),
    ("upstream.waitMilliseconds", 0, 30_000), ("upstream.timeoutSeconds", 1, 600),
    ("upstream.maxBodyMegabytes", 1, 1024), ("sources.s.freshSeconds", 1, 86_400),
    ("sources.s.staleSeconds", 60, 31_622_400), ("sources.s.recheckSeconds", 1, 31_622_400),
    ("sources.s.refreshSeconds", 0, 3600), ("sources.s.prefetchItems", 0, 10_000),
    ("sources.s.reserveCalls", 0, 1000), ("sources.s.maxInFlight", 1, 64),
  ])
  func wholeNumbersHaveTwoEnds(key: String, lowest: Int, highest: Int) {
    for sound in [lowest, highest] { #expect(problems(document(key, "\(sound)")).isEmpty) }
    for wrong in ["\(lowest - 1)", "\(highest + 1)", "\(lowest).0", "1e1", "\(Int.max)0"] {
      #expect(problems(document(key, wrong)).count == 1, "\(wrong)")
    }
  }

  @Test(arguments: [
    ("0", true), ("0.0", true), ("1", true), ("5e-1", true), ("1.01", false), ("-0.1", false),
    ("1e999", false),
  ])
  func shareLiesBetweenNothingAndAll(share: String, isSound: Bool) {
    #expect(problems(document("sources.s.newFeedShare", share)).isEmpty == isSound)
  }

  @Test(arguments: [
    ("server.host", "localhost", true), ("server.host", "0.0.0.0", true),
    ("server.host", "::", true),
    ("server.host", "fe80::1%eth0", true), ("server.host", "[::1]", false),
    ("server.host", "", false),
    ("server.host", String(repeating: "a", count: 253), true),
    ("server.host", String(repeating: "a", count: 254), false),
    ("server.publicURL", "https://a.example", true), ("server.publicURL", "a.example", false),
    ("server.publicURL", "ftp://a.example", false), ("server.publicURL", "https://", false),
    ("server.publicURL", "https:///x", false), ("server.publicURL", "https://u@a.example", false),
    ("server.publicURL", "https://a.example?x", false),
    ("server.publicURL", "https://a.example/#x", false),
    ("server.publicURL", "https://a.example:0", false),
    ("server.publicURL", "https://a.example:65536", false),
    ("server.publicURL", "https://[::1]:8080/x", true),
    ("server.publicURL", "https://[::g]", false),
    ("server.publicURL", "https://a/" + String(repeating: "b", count: 2038), true),
    ("server.publicURL", "https://a/" + String(repeating: "b", count: 2039), false),
    ("store.path", String(repeating: "a", count: 4096), true),
    ("store.path", String(repeating: "a", count: 4097), false), ("store.path", "", false),
    ("sources.s.token", String(repeating: "a", count: 512), true),
    ("sources.s.token", String(repeating: "a", count: 513), false),
    ("sources.s.token", "a b", false),
    ("sources.s.token", "é", false), ("sources.s.token", "<hidden>", false),
  ])
  func textsHaveTheirForm(key: String, text: String, isSound: Bool) {
    #expect(problems(document(key, #""\#(text)""#)).isEmpty == isSound)
  }

  @Test(arguments: [
    ("apiKeys", String(repeating: "a", count: 7), false),
    ("apiKeys", String(repeating: "a", count: 8), true),
    ("apiKeys", String(repeating: "~", count: 256), true),
    ("apiKeys", String(repeating: "a", count: 257), false),
    ("apiKeys", "with a space", false), ("apiKeys", "<hidden>", false),
    ("allowedOrigins", "*", true), ("allowedOrigins", "http://localhost:3000", true),
    ("allowedOrigins", "https://a.example/", false), ("allowedOrigins", "https://*.example", false),
    ("allowedOrigins", "null", false), ("allowedHosts", "a.example:80", true),
    ("allowedHosts", "a.example:", false), ("allowedHosts", "a.example:080", false),
    ("allowedHosts", "::1", false), ("allowedHosts", "\u{212A}.example", false),
    ("trustedProxies", "10.0.0.0/8", true),
    ("trustedProxies", "10.0.0.1/8", false), ("trustedProxies", "10.0.0.0/33", false),
    ("trustedProxies", "10.0.0.0/", false), ("trustedProxies", "10.0.0.0/08", false),
    ("trustedProxies", "10.0.0.0/8/8", false), ("trustedProxies", "10.0.0", false),
    ("trustedProxies", "::/0", true), ("trustedProxies", "2001:db8::/129", false),
  ])
  func elementsHaveTheirForm(key: String, text: String, isSound: Bool) {
    let found = problems(document("server.\(key)", #"["\#(text)"]"#))
    #expect(found.isEmpty == isSound)
    #expect(found.allSatisfy { $0.hasPrefix("server.\(key)[0]: must be") })
  }

  @Test func arraysHaveALargestCount() {
    func hosts(_ count: Int) -> String {
      document(
        "server.allowedHosts", "[\(Array(repeating: #""a""#, count: count).joined(separator: ","))]"
      )
    }
    #expect(problems(hosts(1000)).isEmpty)
    #expect(problems(hosts(1001)) == ["server.allowedHosts: must be an array of at most 1000"])
  }

  @Test func sourcesHaveALargestCount() {
    func sources(_ count: Int) -> String {
      #"{"sources": {\#((0..<count).map { #""s\#($0)": {}"# }.joined(separator: ","))}}"#
    }
    #expect(problems(sources(1000)).isEmpty)
    #expect(problems(sources(1001)) == ["sources: must be at most 1000"])
  }

  @Test func fileHasALargestSize() {
    let spaces = String(repeating: " ", count: Configuration.bytesMax - 2)
    #expect(problems("{}" + spaces).isEmpty)
    #expect(problems("{}" + spaces + " ") == ["file: must be at most 1048576 bytes"])
  }

  @Test(arguments: [
    ("a", true), ("_-0z", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false), ("", false), ("Qiita", false), ("a.b", false),
    ("é", false),
  ])
  func sourceNamesArePlain(name: String, isSound: Bool) {
    let found = problems(#"{"sources": {"\#(name)": {}}}"#)
    #expect(found.isEmpty == isSound)
    #expect(found.allSatisfy { $0.hasSuffix("a source's name is 1 to 64 of a-z, 0-9, _ and -") })
  }

  @Test func namesAllThatIsWrongAtOnce() {
    let json = #"""
      { "server": { "port": "x", "prot": 1, "port": 2, "apiKeys": ["short", 1] },
        "stor": {}, "a b\n": 1,
        "sources": { "qiita": { "freshSecond": 1, "exposeOwner": true, "staleSeconds": 59 },
          "f": { "kind": "file", "baseURL": "x" }, "g": { "kind": "sql" }, "h": [] } }
      """#
    #expect(
      problems(json, ["TSUGI_STORE_PATHS": "x"], overrides: .init(port: 65536)) == [
        #"stor: unknown key; did you mean store? allowed are server, store, upstream, sources"#,
        #""a b\n": unknown key; allowed are server, store, upstream, sources"#,
        "server.prot: unknown key; did you mean port? allowed are "
          + Configuration.serverFields.map(\.name).joined(separator: ", "),
        "server.port: stands twice",
        "server.port: must be a whole number from 0 to 65535",
        "server.apiKeys[0]: must be 8 to 256 characters of visible ASCII, and not <hidden>",
        "server.apiKeys[1]: must be 8 to 256 characters of visible ASCII, and not <hidden>",
        "sources.qiita.freshSecond: unknown key; did you mean freshSeconds? allowed are kind, "
          + Configuration.qiitaFields.map(\.name).joined(separator: ", "),
        "sources.f.baseURL: unknown key; allowed are kind, path, id, order, time",
        "sources.f.path: is missing: a file source is read from it",
        "sources.g.kind: must be qiita, http, file or merged",
        "sources.h: must be an object",
        "--port: must be a whole number from 0 to 65535",
        "sources.qiita.freshSeconds: must be at most staleSeconds",
      ])
  }

  /// A source of one's own API is easily written without its kind, which is qiita then.
  @Test(arguments: [("feeds", "{}", "http"), ("path", #""x""#, "file"), ("parts", "{}", "merged")])
  func aKeyOfAnotherKindAsksForTheKind(key: String, value: String, kind: String) {
    #expect(
      problems(#"{"sources": {"a": {"baseURL": "https://a.example", "\#(key)": \#(value)}}}"#)
        == ["sources.a.kind: is missing: it is qiita then, and \(key) is a key of kind \(kind)"])
  }

  @Test(arguments: [
    ("127.0.0.1", false), ("127.8.0.1", false), ("localhost", false), ("::1", false),
    ("LocalHost", false), ("0:0:0:0:0:0:0:1", false), ("::ffff:127.0.0.1", false), ("::", true),
    ("0.0.0.0", true), ("10.0.0.7", true), ("127.example", true), ("127.0.0.1.example", true),
  ])
  func whatOthersAskForIsNotShownToEveryone(host: String, isRefused: Bool) {
    let server = #""host": "\#(host)", "explorer": "all""#
    let message =
      "server.explorer: all needs server.apiKeys where server.host is no loopback address or "
      + "server.trustedProxies is not empty: else everyone reads what others ask for"
    #expect(problems("{\"server\": {\(server)}}") == (isRefused ? [message] : []))
    let behind = "{\"server\": {\(server), \"trustedProxies\": [\"127.0.0.1\"]}}"
    #expect(problems(behind) == [message])
    #expect(problems("{\"server\": {\(server), \"apiKeys\": [\"12345678\"]}}").isEmpty)
  }

  @Test func ownerIsNotShownToEveryone() {
    let owner = #""sources": {"qiita": {"exposeOwner": true}}"#
    #expect(
      problems("{\(owner)}") == [
        "sources.qiita.exposeOwner: needs server.apiKeys: else everyone reads the owner's feeds"
      ])
    #expect(problems(#"{"server": {"apiKeys": ["12345678"]}, \#(owner)}"#).isEmpty)
  }

  @Test(arguments: [
    ("", "line 1, column 1: the file ends before its JSON does"),
    ("{\n  \"server\": tru }", "line 2, column 16: this character cannot stand here in JSON"),
    ("{\r\n\"é🙂\": [1}", "line 2, column 9: this bracket closes what is not open"),
    ("{}\n{}", "line 2, column 1: nothing may follow the end of the JSON"),
    (#"{"a": "\x"}"#, "line 1, column 8: this is no escape of JSON"),
    ("// no comments\n{}", "line 1, column 1: a comment; JSON has none"),
    ("{} /* none */", "line 1, column 4: nothing may follow the end of the JSON"),
    ("{\"a\": /* none */ 1}", "line 1, column 7: a comment; JSON has none"),
    ("{\n# none\n}", "line 2, column 1: a comment; JSON has none"),
    ("{\"a\": [1,\n ]}", "line 2, column 2: a trailing comma before this bracket; JSON has none"),
    ("{\"a\": 1, }", "line 1, column 10: a trailing comma before this bracket; JSON has none"),
    ("[,]", "line 1, column 2: this character cannot stand here in JSON"),
    ("\u{FEFF}{}", "line 1, column 1: a byte order mark; the file must be UTF-8 without one"),
    ("{'a': 1}", "line 1, column 2: a single quote; texts stand in double quotes"),
    ("[]", "file: must be an object"), ("null", "file: must be an object"),
  ])
  func saysWhereTheFileIsBroken(json: String, problem: String) {
    #expect(problems(json) == [problem])
  }

  @Test func namesTheFileThatIsBroken() {
    let error = #expect(throws: Configuration.Problems.self) {
      try Configuration.read(Array("{".utf8), named: "etc/config.json")
    }
    #expect(
      error?.description
        == "etc/config.json, line 1, column 2: the file ends before its JSON does")
  }

  @Test(arguments: [
    ("port", "port"), ("prot", "port"), ("por", "port"), ("ports", "port"), ("Port", "port"),
    ("max_connections", "maxConnections"), ("max-Connections", "maxConnections"),
    ("maxConnetcions", "maxConnections"), ("maxCnnctions", "maxConnections"), ("", nil),
    ("xy", nil), ("connections", nil), ("hots", "host"),
    (String(repeating: "port", count: 1_000), nil),
  ])
  func asksBackWhatWasMeant(word: String, meant: String?) {
    #expect(["host", "port", "maxConnections"].closest(to: word) == meant)
  }

  @Test func saysWhereBytesAreNotUTF8() {
    let error = #expect(throws: Configuration.Problems.self) {
      try Configuration.read(Array("{\"".utf8) + [0xFF] + Array("\": 1}".utf8))
    }
    #expect(error?.description == "line 1, column 3: these bytes are not UTF-8")
  }

  @Test func nestsUpToALimitOnly() {
    func nested(_ depth: Int) -> String {
      let inner = depth - 1
      return "{\"x\": " + String(repeating: "[", count: inner)
        + String(repeating: "]", count: inner) + "}"
    }
    let unknown = "x: unknown key; allowed are server, store, upstream, sources"
    #expect(problems(nested(500)) == [unknown])
    #expect(
      problems(nested(501)) == ["line 1, column 506: too many brackets inside one another"])
  }

  @Test(arguments: [
    (
      #"{"server": {"apiKeys": ["short"]}, "sources": {"s": {"exposeOwner": true}}}"#,
      "server.apiKeys[0]"
    ),
    (
      #"{"sources": {"s": {"freshSeconds": 90000, "staleSeconds": "x"}}}"#, "sources.s.staleSeconds"
    ),
  ])
  func judgesNothingTogetherWithAWrongValue(json: String, place: String) {
    let found = problems(json)
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasPrefix("\(place): ") })
  }

  @Test func neverShowsAValue() {
    let secret = "s3cr3t s3cr3t"
    let json = #"""
      {"server": {"apiKeys": ["\#(secret)"], "host": "\#(secret)", "port": "\#(secret)"},
       "sources": {"qiita": {"kind": "qiita", "token": "\#(secret)"}, "x": {"kind": "\#(secret)"}}}
      """#
    let found = problems(json, ["TSUGI_SERVER_PORT": secret])
    #expect(found.count == 6)
    #expect(!found.joined().contains("s3cr3t"))
  }
}
