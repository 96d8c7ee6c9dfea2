import Feed
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct ErrorTests {
  @Test func everyWrongParameterNamesItself() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let cursor = try #require(try stand.client.get("/v1/qiita/items").slice().envelope.endCursor)
      let table: [(String, String, String)] = [
        ("limit=0", "invalid_limit", "limit"), ("limit=-1", "invalid_limit", "limit"),
        ("limit=1.5", "invalid_limit", "limit"), ("limit=x", "invalid_limit", "limit"),
        ("limit=%2B5", "invalid_limit", "limit"), ("limit=000", "invalid_limit", "limit"),
        ("limit=", "invalid_parameter", "limit"), ("limit", "invalid_parameter", "limit"),
        ("limit=5&limit=5", "invalid_parameter", "limit"),
        ("Limit=5", "invalid_parameter", "Limit"), ("page=2", "invalid_parameter", "page"),
        ("startAfter=nonsense", "invalid_cursor", "startAfter"),
        ("startAfter=\(cursor)x", "invalid_cursor", "startAfter"),
        ("startAfter=\(cursor.dropLast())", "invalid_cursor", "startAfter"),
        ("startAfter=\(cursor)&startAt=\(cursor)", "invalid_parameter", "startAt"),
        ("endBefore=\(cursor)&endAt=\(cursor)", "invalid_parameter", "endAt"),
        ("limitToLast=true", "invalid_parameter", "limitToLast"),
        ("limitToLast=1", "invalid_parameter", "limitToLast"),
        ("refresh=yes", "invalid_parameter", "refresh"),
        ("refresh=true&startAfter=\(cursor)", "invalid_parameter", "refresh"),
        ("wait=-1", "invalid_parameter", "wait"), ("wait=30001", "invalid_parameter", "wait"),
        ("wait=1e3", "invalid_parameter", "wait"),
        ("startAt=at:2026-13-01T00:00:00Z", "invalid_parameter", "startAt"),
        ("startAt=at:2026-01-01T00:00:00.5Z", "invalid_parameter", "startAt"),
        ("startAt=at:2026-01-01", "invalid_parameter", "startAt"),
        ("startAt=id:", "invalid_parameter", "startAt"),
        ("startAt=id:unknown", "item_not_found", "startAt"),
        ("query=%FF", "invalid_parameter", "query"), ("query=%2", "invalid_parameter", "query"),
        ("query=\(String(repeating: "a", count: 513))", "invalid_parameter", "query"),
      ]
      for (query, code, parameter) in table {
        let problem = try stand.client.get("/v1/qiita/items?\(query)").problem()
        #expect(problem.code == code, "\(query)")
        #expect(problem.parameter == parameter, "\(query)")
        #expect(problem.type == "urn:tsugi:problem:\(code)")
      }
    }
  }

  @Test func everyWrongPathHasItsCode() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      let table: [(String, Int, String)] = [
        ("/v2", 404, "not_found"), ("/v1/other", 404, "source_not_found"),
        ("/v1:status", 404, "not_found"), ("/v1/qiita:calls", 404, "not_found"),
        ("/v1/qiita:feeds", 404, "not_found"), ("/v1/qiita:nothing", 404, "source_not_found"),
        ("/demo/present", 404, "not_found"),
        ("/v1/qiita", 404, "feed_not_found"), ("/v1/qiita/nothing", 404, "feed_not_found"),
        ("/v1/qiita/items//", 400, "bad_request"), ("/v1//items", 400, "bad_request"),
        ("/v1/qiita/..", 400, "bad_request"), ("/v1/qiita/%2e%2e", 400, "bad_request"),
        ("/v1/qiita/users/%00/items", 400, "bad_request"),
        ("/v1/qiita/users/%FF/items", 400, "bad_request"),
        ("/v1/qiita/users/%2/items", 400, "bad_request"),
        ("/v1/qiita/users/\(String(repeating: "a", count: 257))/items", 400, "bad_request"),
        ("/v1/qiita/items/nosuchitem", 404, "item_not_found"),
        ("/v1/qiita/items/\(String(repeating: "a", count: 129))", 404, "item_not_found"),
        ("/v1/qiita/users/no-such-user/items", 404, "feed_not_found"),
      ]
      for (path, status, code) in table {
        let reply = try stand.client.get(path)
        #expect(reply.status == status, "\(path)")
        #expect(try reply.problem().code == code, "\(path)")
        #expect(reply["Content-Type"] == "application/problem+json")
        #expect(reply["Cache-Control"] == (status == 404 ? "max-age=30" : "no-store"))
      }
    }
  }

  @Test func anotherMethodIsNotAllowed() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      for method in ["POST", "PUT", "DELETE", "PATCH"] {
        let reply = try stand.client.get("/v1/qiita/items", method: method)
        #expect(reply.status == 405)
        #expect(reply["Allow"] == "GET, HEAD, OPTIONS")
      }
      let options = try stand.client.get("/v1/qiita/items", method: "OPTIONS")
      #expect(options.status == 204)
      #expect(options["Allow"] == "GET, HEAD, OPTIONS")
      #expect(try stand.client.get("/v1", method: "BREW").status == 501)
    }
  }

  /// Without a key nobody is told which sources and feeds there are.
  @Test func optionsWithoutAKeyAreAnsweredAlike() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      await stand.adopt { $0.gate.apiKeys = [Array("s3cret".utf8)] }
      for target in ["/v1/qiita/items", "/v1/none/items", "/v1/qiita/items:refresh", "/none"] {
        let reply = try stand.client.get(target, method: "OPTIONS")
        #expect(reply.status == 204 && reply["Allow"] == Route.allow, "\(target)")
      }
      let opened = try stand.client.get(
        "/v1/none/items", ["Authorization: Bearer s3cret"], method: "OPTIONS")
      #expect(opened.status == 404)
    }
  }

  @Test(arguments: [
    (Fault.serverError, 503, "upstream_unavailable"), (.badGateway, 503, "upstream_unavailable"),
    (.reset, 503, "upstream_unavailable"), (.cut, 503, "upstream_unavailable"),
    (.notJSON, 502, "upstream_bad_response"), (.tooManyRequests, 503, "upstream_rate_limited"),
    (.forbidden, 403, "forbidden"),
  ])
  func aFailingUpstreamShowsOnlyWhileNothingIsStored(
    fault: Fault, status: Int, code: String
  ) async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      stand.qiita.script(Array(repeating: .fault(fault), count: 8))
      let reply = try stand.client.get("/v1/qiita/items?wait=500")
      #expect(reply.status == status)
      #expect(try reply.problem().code == code)
      if status == 503 { #expect(Int(reply["Retry-After"] ?? "") ?? 0 >= 1) }
    }
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=10")
      stand.qiita.script(Array(repeating: .fault(fault), count: 8))
      let reply = try stand.client.get("/v1/qiita/items?limit=10&refresh=true&wait=500")
      #expect(reply.status == 200)
      #expect(try reply.slice().items.count == 10)
      #expect(try reply.slice().envelope.freshness.state == "stale")
    }
  }

  @Test func withoutWaitingTheUpstreamIsNeverAsked() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      for reply in [
        try stand.client.get("/v1/qiita/items?wait=0"),
        try stand.client.get("/v1/qiita/items", ["Cache-Control: only-if-cached"]),
      ] {
        #expect(reply.status == 504)
        #expect(try reply.problem().code == "upstream_timeout")
      }
      #expect(stand.qiita.callCount == 0)
      _ = try stand.client.get("/v1/qiita/items")
      #expect(try stand.client.get("/v1/qiita/items?wait=0").slice().items.count == 20)
    }
  }

  @Test func theFlightGoesOnWhenNobodyWaitsAnyMore() async throws {
    try await Stand.run(try await Stand(smallWorld(25))) { stand in
      stand.qiita.script([.delayed(milliseconds: 3_000)])
      let reply = try stand.client.get("/v1/qiita/items?wait=20")
      #expect(reply.status == 504)
      #expect(reply["Retry-After"] == "1")
      #expect(try stand.client.get("/v1/qiita/items").slice().items.count == 20)
      #expect(stand.qiita.callCount == 1)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func noMoreThanTheLimitWaitForTheUpstream() async throws {
    var settings = ServerSettings()
    settings.waitingMax = 1
    var policy = Stand.policy
    policy.prefetchItems = 0
    let stand = try await Stand(smallWorld(30), policy: policy, settings: settings)
    try await Stand.run(stand) { stand in
      let client = stand.client
      #expect(try client.get("/v1/qiita/items?limit=5").status == 200)
      stand.qiita.script([.delayed(milliseconds: 1_500)])
      async let slow = onThread { try client.get("/v1/qiita/users/a/items") }
      let flights = "tsugi_upstream_flights{source=\"qiita\"} 1"
      while !String(decoding: try client.get("/metrics").body, as: UTF8.self).contains(flights) {
        try await Task.sleep(for: .milliseconds(5))
      }
      let refused = try client.get("/v1/qiita/users/b/items")
      #expect(refused.status == 503)
      #expect(try refused.problem().code == "overloaded")
      #expect(refused["Retry-After"] == "1")
      #expect(try client.get("/v1/qiita/items/0").status == 503)
      #expect(try client.post("/v1/qiita/items:refresh").status == 503)
      #expect(try client.get("/v1/qiita/items?limit=5").status == 200)
      #expect(try await slow.status == 404)
      #expect(try client.get("/v1/qiita/users/b/items").status == 404)
    }
  }

  @Test func aSpentBudgetIsSaidAndNotPassed() async throws {
    let options = Qiita.Options(budget: 1)
    try await Stand.run(try await Stand(smallWorld(300), options: options)) { stand in
      #expect(try stand.client.get("/v1/qiita/items").slice().items.count == 20)
      let reply = try stand.client.get("/v1/qiita/users/somebody/items")
      #expect(reply.status == 503)
      #expect(try reply.problem().code == "upstream_rate_limited")
      #expect(stand.qiita.callCount == 1)
    }
  }

  @Test func aDeletedItemIsGone() async throws {
    var policy = Policy()
    policy.freshSeconds = 0
    policy.staleSeconds = 0
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      let id = try #require(try stand.client.get("/v1/qiita/items").slice().ids.first)
      stand.qiita.withQiita { qiita in _ = qiita.world.delete(id: id) }
      let reply = try stand.client.get("/v1/qiita/items/\(id)")
      #expect(reply.status == 410)
      #expect(try reply.problem().code == "item_deleted")
      #expect(try stand.client.get("/v1/qiita/items?wait=0").slice().ids.contains(id) == false)
    }
  }
}
