import Settings
import Support
import Testing
import Wire

@testable import Proxy

/// Nothing is shown that is not named, nothing sent that is not named, and nothing leads elsewhere.
@Suite(.timeLimit(.minutes(10))) struct RawSafetyTests {
  private static let kept: @Sendable (RawUpstream.Call) -> RawUpstream.Script = { _ in
    .answer(200, ["Cache-Control: max-age=60", "Content-Type: application/json"], "{}")
  }

  @Test func showsWhatIsNamed() async throws {
    let raw = #""paths":["users/:id","search?q&page","images/**","any?*"]"#
    let stand = try await RawStand(raw, source: #""newFeedShare":1,"#, Self.kept)
    for (target, status, asked) in [
      ("/users/1", 200, "/base/users/1"), ("/users/1/", 200, "/base/users/1/"),
      ("/users/a%2Fb", 404, nil), ("/users/1%2Fsecrets", 404, nil),
      ("/users/1%5Csecrets", 404, nil), ("/users/1%255Cb", 200, "/base/users/1%255Cb"),
      ("/images/a/b%2Fc", 404, nil), ("/images/a%5cb/c", 404, nil),
      ("/users/%61", 200, "/base/users/a"),
      ("/users/@x", 200, "/base/users/%40x"), ("/users", 404, nil), ("/users/1/2", 404, nil),
      ("/users/1?x=1", 400, nil), ("/search?q=a+b&page=2", 200, "/base/search?q=a+b&page=2"),
      ("/search?page=2&q=%61&q=1", 200, "/base/search?page=2&q=%61&q=1"),
      ("/search?q=1&r=1", 400, nil), ("/search", 200, "/base/search"), ("/other", 404, nil),
      ("/images/a/b.png", 200, "/base/images/a/b.png"), ("/images", 200, "/base/images"),
      ("/any?x[]=1", 400, nil), ("/any?x%5B%5D=1", 200, "/base/any?x%5B%5D=1"),
      ("/any?%zz", 400, nil), ("/any?a\"b", 400, nil), ("", 404, nil),
      ("/any?" + String(repeating: "a", count: 2043), 200, nil),
      ("/any?" + String(repeating: "a", count: 2044), 414, nil),
      (
        "/images" + String(repeating: "/" + String(repeating: "a", count: 204), count: 10), 414, nil
      ),
      ("/images/" + String(repeating: "%20", count: 250), 200, nil),
    ] as [(String, Int, String?)] {
      let reply = try await stand.get(target)
      #expect(reply.status == status, "\(target.prefix(40))")
      if let asked { #expect(stand.upstream.calls.last?.target == asked, "\(target)") }
      if status >= 400 {
        let codes = ["not_found", "invalid_parameter", "bad_request", "uri_too_long"]
        #expect(codes.contains(try reply.problem().code), "\(target)")
        if target == "/search?q=1&r=1" { #expect(try reply.problem().parameter == "r") }
      }
    }
    await stand.stop()
  }

  @Test func isNotThereUnlessAsked() async throws {
    let stand = try await RawStand(#""paths":[]"#, Self.kept)
    #expect(try await stand.get("/users/1").status == 404)
    #expect(stand.upstream.calls.isEmpty)
    await stand.stop()
  }

  /// Whatever a client writes, the authority is the configured one.
  @Test func reachesNoOtherAuthority() async throws {
    let other = try await RawUpstream(Self.kept)
    let stand = try await RawStand(RawStand.open, source: #""newFeedShare":1,"#, Self.kept)
    let evil = "127.0.0.1:\(other.port)"
    let client = stand.client
    for target in [
      "/v1/s/raw//\(evil)/a", "/v1/s/raw/http://\(evil)/a", "/v1/s/raw/%2F%2F\(evil)/a",
      "/v1/s/raw/@\(evil)/a", "/v1/s/raw/%40\(evil)/a", "/v1/s/raw/..//\(evil)/a",
      "/v1/s/raw/%2e%2e/a", "/v1/s/raw/a/%2e%2e/%2e%2e/a", "/v1/s/raw/.%2e/a",
      "/v1/s/raw/a%5C..%5Cb", "/v1/s/raw/a%2F..%2Fb", "/v1/s/raw/a%00b",
      "/v1/s/raw/a?x=%0d%0aHost:%20\(evil)", "/v1/s/raw/a%0d%0aHost:%20\(evil)",
      "http://\(evil)/v1/s/raw/a", "/v1/s/raw/a?@\(evil)/", "/v1/s/raw/\\\(evil)",
      "/v1/s/raw/a%3F@\(evil)", "/v1/s/raw/a%23@\(evil)", "/v1/s/raw/:@\(evil)",
    ] {
      _ = try await onThread {
        try client.exchange(
          "GET \(target) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: \(evil)\r\n"
            + "Forwarded: host=\(evil)\r\nConnection: close\r\n\r\n")
      }
    }
    #expect(other.calls.isEmpty)
    for call in stand.upstream.calls {
      #expect(call["Host"] == "127.0.0.1:\(stand.upstream.port)")
      #expect(call.target.hasPrefix("/base/") && !call.target.contains(".."))
      #expect(call["X-Forwarded-Host"] == nil && call["Forwarded"] == nil)
      #expect(call.fields.count { $0.name.lowercased() == "host" } == 1)
    }
    // A foreign name is refused where only this machine can connect.
    let foreign = try await onThread { try client.hit("/v1/s/raw/a", at: "evil.example") }
    #expect(foreign.status == 403)
    await other.stop()
    await stand.stop()
  }

  @Test func sendsWhatIsNamed() async throws {
    let lines = [
      "Accept: a/b", "Accept-Language: de", "X-A: 1", "Cookie: c=1", "Authorization: Bearer x",
      "X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "Connection: close, X-Hop",
      "X-Hop: 1", "TE: trailers", "If-None-Match: \"a\"", "Range: bytes=0-1", "User-Agent: me",
      "X-Original-URL: /b",
    ]
    for (forwards, sent) in [
      (#""Accept","Accept-Language""#, ["accept", "accept-language"]),
      ("", []), (#""*""#, ["accept", "accept-language", "user-agent", "x-a"]),
      (
        #""*","X-Original-URL""#,
        ["accept", "accept-language", "user-agent", "x-a", "x-original-url"]
      ),
      (
        #""*","Cookie","X-Forwarded-For","Authorization""#,
        [
          "accept", "accept-language", "authorization", "cookie", "user-agent", "x-a",
          "x-forwarded-for",
        ]
      ),
    ] {
      let stand = try await RawStand(#""paths":["**"],"forwards":[\#(forwards)]"#, Self.kept)
      _ = try await onThread { try stand.client.hit("/v1/s/raw/a", lines) }
      let call = try #require(stand.upstream.calls.last)
      var names = Set(call.fields.map { $0.name.lowercased() }).subtracting(["host", "via"])
      if !sent.contains("user-agent") {
        #expect(call["User-Agent"] == "Tsugi/test")
        names.remove("user-agent")
      }
      #expect(names == Set(sent), "\(forwards)")
      #expect(call["Via"] == "1.1 tsugi")
      await stand.stop()
    }
  }

  @Test(
    "refused at the start",
    arguments: [
      (#""raw":{"forwards":["Host"]}"#, ""), (#""raw":{"forwards":["If-Match"]}"#, ""),
      (#""raw":{"forwards":["range"]}"#, ""), (#""raw":{"forwards":["a b"]}"#, ""),
      (#""raw":{"forwards":["Authorization"]}"#, #""apiKeys":["0123456789"]"#),
      (#""raw":{"sendsToken":true},"auth":{"bearer":"tokentoken"},"public":true"#, ""),
      (#""raw":{"sendsToken":true}"#, #""apiKeys":["0123456789"]"#),
      (#""raw":{"paths":[""]}"#, ""), (#""raw":{"paths":["a//b"]}"#, ""),
      (#""raw":{"paths":["a/**/b"]}"#, ""), (#""raw":{"paths":["a/.."]}"#, ""),
      (#""raw":{"paths":["a?"]}"#, ""), (#""raw":{"cookies":"share"}"#, ""),
      (#""raw":{"ignores":["max-age"]}"#, ""), (#""raw":{"maxBodyKilobytes":32769}"#, ""),
      (#""raw":{"types":["json"]}"#, ""), (#""raw":{"targets":["a b"]}"#, ""),
      (#""raw":{"path":["a"]}"#, ""),
    ])
  func refuses(_ source: String, _ server: String) {
    let json = """
      {"server":{\(server)},"sources":
      {"s":{"kind":"http","baseURL":"http://127.0.0.1:1",\(source)}}}
      """
    #expect(throws: Configuration.Problems.self) {
      try Configuration.read(Array(json.utf8))
    }
  }

  @Test func sendsItsTokenToWhoHasAKey() async throws {
    let stand = try await RawStand(
      #""paths":["**"],"sendsToken":true"#, source: #""auth":{"bearer":"tokentoken"},"#,
      server: #""apiKeys":["0123456789"]"#, Self.kept)
    #expect(try await stand.get("/a").status == 401 && stand.upstream.calls.isEmpty)
    for _ in 0..<2 {
      let reply = try await stand.hit("/a", ["Authorization: Bearer 0123456789"])
      #expect(reply.status == 200)
      let controls = reply.fields.filter { $0.name == "Cache-Control" }.map(\.value)
      #expect(controls == ["max-age=60", "private"])
    }
    #expect(stand.upstream.calls.map { $0["Authorization"] } == ["Bearer tokentoken"])
    await stand.stop()
  }

  @Test func isInTheDocument() async throws {
    let stand = try await RawStand(
      #""paths":["users/:id?full","images/:set/**","any?*"]"#, Self.kept)
    let client = stand.client
    let reply = try await onThread { try client.get("/openapi.json") }
    let document = try OpenAPITests.Document(reply.body)
    let told = document.told.filter { ["raw", "purge"].contains($0.tag) }
    let paths = told.map { "\($0.method) \($0.path)" }.sorted()
    #expect(
      paths == [
        "get /v1/s/raw/any", "get /v1/s/raw/images/{set}/{path}", "get /v1/s/raw/users/{id}",
        "post /v1/s:purge",
      ])
    let user = try #require(told.first { $0.path.hasSuffix("users/{id}") })
    let fields: Set = ["If-None-Match", "If-Modified-Since", "Range"]
    #expect(Set(user.parameters.keys) == fields.union(["id", "full"]))
    #expect(
      user.answers == [
        "200": "Raw", "206": "RawPart", "304": "Unchanged", "default": "RawOther",
      ])
    for reference in Set(document.references(in: document.root)) {
      _ = try document.resolved(["$ref": reference])
    }
    await stand.stop()
  }

  @Test func cookiesAreAsConfigured() async throws {
    for (cookies, isKept) in [("drop", false), ("keep", true)] {
      let stand = try await RawStand(#""paths":["a"],"cookies":"\#(cookies)""#) { _ in
        .answer(200, ["Cache-Control: max-age=60", "Set-Cookie: a=1", "Set-Cookie: b=1"], "{}")
      }
      for _ in 0..<2 {
        let reply = try await stand.get("/a")
        let values = reply.fields.filter { $0.name == "Set-Cookie" }.map(\.value)
        #expect(values == (isKept ? ["a=1", "b=1"] : []))
      }
      #expect(stand.upstream.calls.count == 1)
      await stand.stop()
    }
  }
}
