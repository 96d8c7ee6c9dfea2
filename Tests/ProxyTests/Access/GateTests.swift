import HTTP
import Simulator
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct GateTests {
  private func stand(_ change: (inout Gate) -> Void) async throws -> Stand {
    var settings = ServerSettings()
    change(&settings.gate)
    return try await Stand(smallWorld(3), settings: settings)
  }

  @Test func onlyAKnownKeyOpens() async throws {
    let keys = ["first-secret-key", "second-secret-key"]
    let stand = try await stand { $0.apiKeys = keys.map { Array($0.utf8) } }
    try await Stand.run(stand) { stand in
      for key in keys {
        let reply = try stand.client.get("/v1/qiita/items", ["Authorization: bearer \(key)"])
        #expect(reply.status == 200)
        #expect(reply["Cache-Control"]?.hasPrefix("private, max-age=") == true)
      }
      for line in [
        "Authorization: Bearer first-secret-ke", "Authorization: Bearer first-secret-keyy",
        "Authorization: Basic first-secret-key", "Authorization: Bearer", "Accept: */*",
      ] {
        let reply = try stand.client.get("/v1/qiita/items", [line])
        #expect(reply.status == 401, "\(line)")
        #expect(reply["WWW-Authenticate"] == "Bearer")
        #expect(try reply.problem().code == "unauthorized")
      }
      #expect(try stand.client.get("/healthz").status == 200)
      #expect(try stand.client.get("/readyz").status == 200)
    }
  }

  @Test func onlyAllowedHostsAreServed() async throws {
    try await Stand.run(try stand { $0.allowedHosts = ["localhost", "api.example:81"] }) { stand in
      let table = [
        ("/v1", 200), ("http://LOCALHOST:99/v1", 200), ("http://api.example:81/v1", 200),
        ("http://api.example/v1", 403), ("http://evil.example/v1", 403),
        ("http://10.0.0.7/healthz", 200), ("http://10.0.0.7/readyz", 200),
      ]
      for (target, status) in table {
        let reply = try stand.client.get(target)
        #expect(reply.status == status, "\(target)")
      }
    }
  }

  /// A browser names a host in each request, so a page of another host cannot ask without.
  @Test(arguments: [
    ("GET /v1 HTTP/1.0\r\n\r\n", "200"), ("GET /v1 HTTP/1.0\r\nHost: evil.example\r\n\r\n", "403"),
    ("GET http://evil.example/v1 HTTP/1.0\r\n\r\n", "403"), ("GET /v1 HTTP/1.1\r\n\r\n", "400"),
  ])
  func aRequestOfHTTP10NeedsNoHost(request: String, status: String) async throws {
    try await Stand.run(try stand { $0.allowedHosts = ["localhost"] }) { stand in
      let reply = String(decoding: try stand.client.exchange(request), as: UTF8.self)
      #expect(reply.dropFirst(9).hasPrefix(status), "\(reply.prefix(40))")
    }
  }

  /// Nothing of this origin is taken for a script or a page by a browser that guesses.
  @Test func everyReplyIsWhatItSays() async throws {
    try await Stand.run(try stand { _ in }) { stand in
      let targets = [
        "/v1", "/healthz", "/readyz", "/metrics", "/openapi.json", "/nothing", "/v1/qiita/items",
        "/v1/qiita/items", "/v1/qiita/items:status", "/api/v2/items", "/api/v2/nothing", "/v1?%",
      ]
      for method in ["GET", "OPTIONS", "BREW"] {
        for target in targets {
          let reply = try stand.client.get(target, method: method)
          #expect(reply["X-Content-Type-Options"] == "nosniff", "\(method) \(target)")
        }
      }
    }
  }

  @Test func aPageOfAnAllowedOriginMayRead() async throws {
    try await Stand.run(try stand { $0.allowedOrigins = ["https://app.example"] }) { stand in
      let allowed = try stand.client.get("/v1", ["Origin: https://app.example"])
      #expect(allowed["Access-Control-Allow-Origin"] == "https://app.example")
      #expect(allowed["Vary"] == "Origin")
      let other = try stand.client.get("/v1", ["Origin: https://evil.example"])
      #expect(other["Access-Control-Allow-Origin"] == nil)
      let preflight = try stand.client.get(
        "/v1/qiita/items",
        ["Origin: https://app.example", "Access-Control-Request-Method: GET"], method: "OPTIONS")
      #expect(preflight.status == 204)
      #expect(preflight["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
    }
  }

  /// A proxy in front may pass on another host than the one at which browsers find the server.
  @Test func aPageOfThePublicAddressMayAsk() async throws {
    var settings = ServerSettings()
    settings.gate.publicOrigin = "https://api.example"
    try await Stand.run(try await Stand(smallWorld(5), settings: settings)) { stand in
      for (origin, status) in [
        ("https://api.example", 200), ("https://API.example", 200), ("http://api.example", 403),
        ("https://api.example.evil", 403), ("null", 403),
      ] {
        let reply = try stand.client.get(
          "/v1/qiita/items:refresh", ["Origin: \(origin)"], method: "POST")
        #expect(reply.status == status, "\(origin)")
      }
    }
  }
}
