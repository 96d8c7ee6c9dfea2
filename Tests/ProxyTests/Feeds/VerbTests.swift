import Feed
import Foundation
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct VerbTests {
  private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: Reply) throws -> Value {
    try JSONDecoder().decode(type, from: Data(reply.body))
  }

  private func status(_ stand: Stand, _ feed: String = "items") throws -> StatusEnvelope {
    let reply = try stand.client.get("/v1/qiita/\(feed):status")
    #expect(reply.status == 200)
    #expect(reply["Cache-Control"] == "no-store")
    return try Self.decode(StatusEnvelope.self, reply)
  }

  /// A stand whose feed of 150 is known whole and grew by `count` since.
  static func standWithGap(of count: Int) async throws -> Stand {
    var policy = Policy()
    policy.prefetchItems = 0
    policy.refreshSeconds = 0
    let stand = try await Stand(smallWorld(150), policy: policy)
    _ = try stand.client.walk("/v1/qiita/items?limit=100")
    stand.qiita.withQiita { qiita in
      // Newer than all that was there at the first look, which the simulator dates by real time.
      let second = Int64(Date().timeIntervalSince1970) + 100
      for index in 0..<count { _ = qiita.world.insert(at: second + Int64(index) % 400) }
    }
    return stand
  }

  @Test func statusTellsHowAFeedStandsWithoutAskingTheUpstream() async throws {
    try await Stand.run(try await Stand(smallWorld(50), options: .init(budget: 100))) { stand in
      let before = try status(stand)
      #expect(before.feed == "qiita/items" && before.order == "value")
      #expect(before.items == 0 && before.runs.isEmpty && before.freshness == nil)
      #expect(before.budget.limit == nil && before.budget.remaining == 60)
      #expect(stand.qiita.callCount == 0)
      let slice = try stand.client.get("/v1/qiita/items?limit=50").slice().envelope
      let after = try status(stand)
      #expect(after.items == 50)
      #expect(after.runs.map(\.items) == [50] && after.runs.map(\.reachesEnd) == [true])
      #expect(after.gaps.isEmpty && after.flight == nil)
      #expect(after.seq == slice.seq && after.total == slice.total)
      #expect(after.freshness == slice.freshness)
      #expect(after.budget.limit == 100 && after.budget.remaining == 99)
      #expect(after.budget.resetAt != nil)
      #expect(stand.qiita.callCount == 1)
    }
  }

  @Test func aGapIsFilledByTheNameTheSliceGivesIt() async throws {
    let stand = try await Self.standWithGap(of: 300)
    try await Stand.run(stand) { stand in
      let refreshed = try Self.decode(
        StatusEnvelope.self, try stand.client.post("/v1/qiita/items:refresh"))
      #expect(refreshed.calls == 1)
      let slice = try stand.client.get("/v1/qiita/items?limit=100&wait=0").slice().envelope
      let gap = try #require(slice.gap)
      #expect(refreshed.gaps.map(\.id) == [gap.id])
      #expect(try status(stand).gaps == refreshed.gaps)
      #expect(refreshed.gaps.first?.estimatedItems ?? 0 >= 200)
      let reply = try stand.client.post("/v1/qiita/items:fill?gap=\(gap.id)")
      #expect(reply.status == 200)
      let filling = try Self.decode(FillEnvelope.self, reply)
      #expect(filling.filled && filling.gap == nil)
      #expect((2...4).contains(filling.calls))
      #expect(try status(stand).runs.map(\.items) == [450])
      let again = try stand.client.post("/v1/qiita/items:fill?gap=\(gap.id)")
      #expect(again.status == 404)
      #expect(try again.problem().code == "gap_not_found")
      let walk = try stand.client.walk("/v1/qiita/items?limit=100").flatMap(\.ids)
      #expect(walk == stand.qiita.withQiita { $0.world.ids })
    }
  }

  @Test func whatIsLeftOfAGapHasItsOwnName() async throws {
    let stand = try await Self.standWithGap(of: 300)
    try await Stand.run(stand) { stand in
      _ = try stand.client.post("/v1/qiita/items:refresh")
      let gap = try #require(try status(stand).gaps.first)
      stand.qiita.script([.ordinary, .delayed(milliseconds: 3_000)])
      let reply = try stand.client.post("/v1/qiita/items:fill?gap=\(gap.id)&wait=1000")
      let part = try Self.decode(FillEnvelope.self, reply)
      #expect(!part.filled && part.calls == 1)
      let rest = try #require(part.gap)
      #expect(rest.id != gap.id && rest.estimatedItems < gap.estimatedItems)
      let whole = try stand.client.post("/v1/qiita/items:fill?gap=\(rest.id)")
      #expect(try Self.decode(FillEnvelope.self, whole).filled)
    }
  }

  @Test func refreshFollowsTheRulesOfARefreshedSlice() async throws {
    let clock = HandClock()
    try await Stand.run(try await Stand(smallWorld(50), time: clock)) { stand in
      func calls(_ target: String = "/v1/qiita/items:refresh") throws -> Int? {
        try Self.decode(StatusEnvelope.self, try stand.client.post(target)).calls
      }
      #expect(try calls() == 1)
      #expect(try calls() == 0)
      _ = try stand.client.get("/v1/qiita/items?refresh=true")
      #expect(stand.qiita.callCount == 1)
      clock.advance(.seconds(10))
      #expect(try calls() == 1)
      #expect(try calls("/v1/qiita/items:refresh?query=swift&wait=5000") == 1)
      #expect(stand.qiita.callCount == 3)
      clock.advance(.seconds(10))
      stand.qiita.script([.fault(.unavailable)])
      let failed = try stand.client.post("/v1/qiita/items:refresh")
      #expect(failed.status == 503)
      #expect(failed["Retry-After"] == "1")
      #expect(try stand.client.get("/v1/qiita/items").status == 200)
      clock.advance(.seconds(10))
      let never = try stand.client.post("/v1/qiita/items:refresh?wait=0")
      #expect(never.status == 504)
    }
  }

  /// What stands behind a colon is a verb after a feed's last word only.
  @Test func aVerbIsReadAfterTheLastFixedWordOnly() async throws {
    try await Stand.run(try await Stand(smallWorld(5))) { stand in
      let table: [(String, String, Int, String?)] = [
        ("GET", "/v1/qiita/users/a:b/items:status", 200, nil),
        ("GET", "/v1/qiita/users/x:status/items:status", 200, nil),
        ("GET", "/v1/qiita/users/x:status/items", 404, "feed_not_found"),
        ("GET", "/v1/qiita/users/x:status/items:", 404, "not_found"),
        ("GET", "/v1/qiita/tags:status", 200, nil),
        ("GET", "/v1/qiita/items/x/comments:status", 200, nil),
        ("GET", "/v1/qiita/items%3Astatus", 200, nil),
        ("GET", "/v1/qiita/items/x:status", 404, "item_not_found"),
        ("GET", "/v1/qiita/items:Status", 404, "not_found"),
        ("GET", "/v1/qiita/items:nothing", 404, "not_found"),
        ("GET", "/v1/qiita/items:status:status", 404, "not_found"),
        ("GET", "/v1/qiita/nothing:status", 404, "feed_not_found"),
        ("GET", "/v1/qiita/users/x:status", 404, "item_not_found"),
        ("GET", "/v1/qiita:status", 404, "source_not_found"),
        ("GET", "/v1/qiita/authenticated_user/items:status", 404, "feed_not_found"),
        ("GET", "/v1/qiita/items:status?wait=1", 400, "invalid_parameter"),
        ("GET", "/v1/qiita/items:status?limit=1", 400, "invalid_parameter"),
        ("GET", "/v1/qiita/tags:status?query=a", 400, "invalid_parameter"),
        ("POST", "/v1/qiita/items:refresh?gap=a", 400, "invalid_parameter"),
        ("POST", "/v1/qiita/items:refresh?wait=-1", 400, "invalid_parameter"),
        ("POST", "/v1/qiita/items:fill", 400, "invalid_parameter"),
        ("POST", "/v1/qiita/items:fill?gap=", 400, "invalid_parameter"),
        ("POST", "/v1/qiita/items:fill?gap=nonsense", 404, "gap_not_found"),
        ("POST", "/v1/qiita/items:nothing", 404, "not_found"),
      ]
      for (method, target, status, code) in table {
        let reply = try stand.client.get(target, method: method)
        #expect(reply.status == status, "\(method) \(target)")
        if let code { #expect(try reply.problem().code == code, "\(method) \(target)") }
      }
    }
  }

  @Test func eachVerbHasItsMethod() async throws {
    let stand = try await Self.standWithGap(of: 300)
    try await Stand.run(stand) { stand in
      _ = try stand.client.post("/v1/qiita/items:refresh")
      let gap = try #require(try status(stand).gaps.first?.id)
      let calls = stand.qiita.callCount
      for (method, verb, allow) in [
        ("POST", "status", "GET, HEAD, OPTIONS"), ("DELETE", "status", "GET, HEAD, OPTIONS"),
        ("GET", "refresh", "POST, OPTIONS"), ("HEAD", "refresh", "POST, OPTIONS"),
        ("GET", "fill?gap=\(gap)", "POST, OPTIONS"), ("PUT", "fill?gap=\(gap)", "POST, OPTIONS"),
      ] {
        let reply = try stand.client.get("/v1/qiita/items:\(verb)", method: method)
        #expect(reply.status == 405, "\(method) \(verb)")
        #expect(reply["Allow"] == allow)
        let options = try stand.client.get("/v1/qiita/items:\(verb)", method: "OPTIONS")
        #expect(options.status == 204)
        #expect(options["Allow"] == allow)
      }
      #expect(try status(stand).gaps.first?.id == gap)
      #expect(stand.qiita.callCount == calls)
      let head = try stand.client.get("/v1/qiita/items:status", method: "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
    }
  }

  @Test(arguments: [
    (nil, 200), ("http://localhost", 200), ("HTTP://LOCALHOST", 200), ("https://app.example", 200),
    ("http://app.example", 403), ("https://app.example.evil.example", 403), ("null", 403),
    ("localhost", 403), ("http://localhost:8081", 403), ("", 403),
  ])
  func pagesOfOtherOriginsMayNotAct(origin: String?, status: Int) async throws {
    var settings = ServerSettings()
    settings.gate.allowedOrigins = ["https://app.example"]
    try await Stand.run(try await Stand(smallWorld(5), settings: settings)) { stand in
      let lines = origin.map { ["Origin: \($0)"] } ?? []
      let reply = try stand.client.post("/v1/qiita/items:refresh", lines)
      #expect(reply.status == status)
      #expect(stand.qiita.callCount == (status == 200 ? 1 : 0))
      let read = try stand.client.get("/v1/qiita/items:status", lines)
      #expect(read.status == 200)
    }
  }

  @Test func aPreflightTellsTheVerbsMethods() async throws {
    var settings = ServerSettings()
    settings.gate.allowedOrigins = ["https://app.example"]
    try await Stand.run(try await Stand(smallWorld(5), settings: settings)) { stand in
      let preflight = try stand.client.get(
        "/v1/qiita/items:refresh", ["Origin: https://app.example"], method: "OPTIONS")
      #expect(preflight["Access-Control-Allow-Methods"] == "POST, OPTIONS")
    }
  }

  @Test(arguments: [(0, 200), (1, 200), (64 << 10, 200), (64 << 10 + 1, 413)])
  func aBodyIsReadAndDropped(bytes: Int, status: Int) async throws {
    try await Stand.run(try await Stand(smallWorld(5))) { stand in
      let body = String(repeating: "x", count: bytes)
      let reply = try stand.client.post("/v1/qiita/items:refresh", body: body)
      #expect(reply.status == status)
    }
  }

  @Test func aVerbNeedsAKeyLikeAnyRoute() async throws {
    var settings = ServerSettings()
    settings.gate.apiKeys = [Array("secret".utf8)]
    try await Stand.run(try await Stand(smallWorld(3), settings: settings)) { stand in
      #expect(try stand.client.get("/v1/qiita/items:status").status == 401)
      #expect(try stand.client.post("/v1/qiita/items:refresh").status == 401)
      let known = try stand.client.post(
        "/v1/qiita/items:refresh", ["Authorization: Bearer secret"])
      #expect(known.status == 200)
    }
  }
}
