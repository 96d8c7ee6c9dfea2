import Feed
import HTTP
import Simulator
import Testing
import Wire

@testable import Proxy

/// Errors of Qiita's own paths, in Qiita's own words.
@Suite(.serialized) struct DropInErrorTests {
  private static let notFound = #"{"message":"Not found","type":"not_found"}"#
  private static let limited = #"{"message":"Rate limit exceeded","type":"rate_limit_exceeded"}"#
  private static let failed =
    #"{"message":"Internal server error","type":"internal_server_error"}"#

  private func text(_ reply: Reply) -> String { String(decoding: reply.body, as: UTF8.self) }

  @Test func whatIsNotThereIsNotFound() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      for path in [
        "nowhere", "items/none", "users/none", "tags/none", "comments/none", "users/none/items",
        "tags/none/items", "items/none/comments", "authenticated_user/items",
        "authenticated_user", "templates", "items/none/like", "items/none/comments/none",
      ] {
        let reply = try stand.client.get("/api/v2/\(path)")
        #expect(reply.status == 404, "\(path)")
        #expect(text(reply) == Self.notFound, "\(path)")
        #expect(reply["Content-Type"] == "application/json; charset=utf-8")
        #expect(reply["Rate-Limit"] != nil && reply["X-Request-Id"] != nil)
      }
      // Qiita's API begins with a slash behind it: what is beside it is ours.
      for path in ["/api/v2", "/api/v3/items", "/api"] {
        #expect(try stand.client.get(path).problem().code == "not_found")
      }
    }
  }

  @Test func itIsReadOnly() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      for (method, path) in [
        ("POST", "items"), ("PATCH", "items/\(id)"), ("DELETE", "items/\(id)"),
        ("PUT", "tags/Swift"),
      ] {
        let reply = try stand.client.get("/api/v2/\(path)", method: method)
        #expect(reply.status == 405)
        #expect(text(reply) == #"{"message":"Method not allowed","type":"method_not_allowed"}"#)
        #expect(reply["Allow"] == "GET, HEAD, OPTIONS")
      }
      #expect(stand.qiita.callCount == 0)
    }
  }

  @Test func whoMayNotAskIsTold() async throws {
    var settings = ServerSettings()
    settings.gate.apiKeys = [Array("a-key-of-ours".utf8)]
    settings.gate.allowedHosts = ["localhost"]
    try await Stand.run(try await Stand(smallWorld(30), settings: settings)) { stand in
      let stranger = try stand.client.get("/api/v2/items")
      #expect(stranger.status == 401)
      #expect(text(stranger) == #"{"message":"Unauthorized","type":"unauthorized"}"#)
      #expect(stranger["WWW-Authenticate"] == "Bearer")
      let elsewhere = try stand.client.hit("/api/v2/items", at: "evil.example")
      #expect(elsewhere.status == 403)
      #expect(text(elsewhere) == #"{"message":"Forbidden","type":"forbidden"}"#)
      let known = try stand.client.get("/api/v2/items", ["Authorization: Bearer a-key-of-ours"])
      #expect(known.status == 200)
      #expect(known["Cache-Control"]?.hasPrefix("private, ") == true)
    }
  }

  @Test func whoAsksTooOftenIsTold() async throws {
    var settings = ServerSettings()
    settings.requestsPerMinute = 2
    try await Stand.run(try await Stand(smallWorld(30), settings: settings)) { stand in
      for _ in 0..<2 { #expect(try stand.client.get("/api/v2/items").status == 200) }
      let reply = try stand.client.get("/api/v2/items")
      #expect(reply.status == 429)
      #expect(text(reply) == Self.limited)
      #expect(reply["Retry-After"] != nil)
    }
  }

  @Test(arguments: [
    (Fault.serverError, 503, failed), (.badGateway, 503, failed), (.notJSON, 502, failed),
    (.tooManyRequests, 403, limited),
    (.forbidden, 403, #"{"message":"Forbidden","type":"forbidden"}"#),
  ])
  func aFailingUpstreamShowsOnlyWhileNothingIsStored(
    fault: Fault, status: Int, body: String
  ) async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      stand.qiita.script(Array(repeating: .fault(fault), count: 8))
      let reply = try stand.client.get("/api/v2/items")
      #expect(reply.status == status)
      #expect(text(reply) == body)
      let user = try stand.client.get("/api/v2/users/somebody")
      #expect(user.status == status)
      #expect(text(user) == body)
    }
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      let first = try stand.client.get("/api/v2/items")
      stand.qiita.script(Array(repeating: .fault(fault), count: 8))
      let reply = try stand.client.get("/api/v2/items", ["Cache-Control: no-cache"])
      #expect(reply.status == 200)
      #expect(reply.body == first.body)
    }
  }

  @Test func aShortPageIsNeverTakenForTheLast() async throws {
    var policy = Policy()
    policy.prefetchItems = 0
    try await Stand.run(try await Stand(smallWorld(300), policy: policy)) { stand in
      #expect(try stand.client.get("/api/v2/items").status == 200)
      stand.qiita.script(Array(repeating: .fault(.serverError), count: 8))
      let second = try stand.client.get("/api/v2/items?page=2")
      #expect(second.status == 503)
      #expect(try stand.client.get("/v1/qiita/items?limit=100").slice().items.count < 100)
    }
  }

  @Test func aDeletedArticleIsNotFound() async throws {
    var policy = Policy()
    policy.freshSeconds = 0
    policy.staleSeconds = 0
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      #expect(try stand.client.get("/api/v2/items/\(id)").status == 200)
      stand.qiita.withQiita { qiita in _ = qiita.world.delete(id: id) }
      let reply = try stand.client.get("/api/v2/items/\(id)")
      #expect(reply.status == 404)
      #expect(text(reply) == Self.notFound)
    }
  }

  @Test func theSourceNamedQiitaIsMeantElseTheFirst() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      func binding(_ name: String, isQiitas: Bool) -> SourceBinding {
        SourceBinding(
          name: name, patterns: [], reader: stand.reader, kind: isQiitas ? .qiita : .file)
      }
      func chosen(_ sources: [SourceBinding]) -> String? { SourceBinding.qiita(of: sources)?.name }
      let (a, b) = (binding("a", isQiitas: false), binding("b", isQiitas: true))
      let (c, qiita) = (binding("c", isQiitas: true), binding("qiita", isQiitas: true))
      #expect(chosen([c, a, b, qiita]) == "qiita")
      #expect(chosen([c, a, b]) == "b")
      #expect(chosen([binding("qiita", isQiitas: false), c]) == "c")
      #expect(chosen([a]) == nil)
    }
  }
}
