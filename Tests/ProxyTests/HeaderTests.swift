import Feed
import Simulator
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct HeaderTests {
  @Test func aReplyCanBeKeptAndComparedByItsHeaders() async throws {
    try await Stand.run(try Stand(smallWorld(50))) { stand in
      let first = try stand.client.get("/v1/qiita/items")
      #expect(first["Content-Type"] == "application/json")
      #expect(
        first["Cache-Control"]
          == "max-age=60, stale-while-revalidate=86400, stale-if-error=86400")
      #expect(first["Cache-Status"] == "Tsugi; fwd=miss; stored")
      #expect(first["Vary"] == "Accept-Encoding")
      #expect(first["Date"] != nil)
      #expect(Int(first["Age"] ?? "") ?? 99 < 60)
      let next = try #require(try first.slice().envelope.next)
      #expect(
        first["Link"]
          == "</v1/qiita/items?limit=20>; rel=\"first\", <\(next)>; rel=\"next\"")
      let second = try stand.client.get(next)
      let previous = try #require(try second.slice().envelope.previous)
      #expect(second["Link"]?.hasSuffix("<\(previous)>; rel=\"prev\"") == true)
      let hit = try stand.client.get("/v1/qiita/items")
      #expect(hit["Cache-Status"]?.hasPrefix("Tsugi; hit; ttl=") == true)
      #expect(hit["ETag"] == first["ETag"])
    }
  }

  @Test func aKnownSliceIsNotSentAgain() async throws {
    try await Stand.run(try Stand(smallWorld(50))) { stand in
      let tag = try #require(try stand.client.get("/v1/qiita/items")["ETag"])
      let strong = String(tag.dropFirst(2))
      for known in [tag, strong, "\"other\", \(tag)", "*", "W/\"a,b\" , \(strong)"] {
        let reply = try stand.client.get("/v1/qiita/items", ["If-None-Match: \(known)"])
        #expect(reply.status == 304, "\(known)")
        #expect(reply.body.isEmpty)
        for name in ["ETag", "Cache-Control", "Vary", "Date"] { #expect(reply[name] != nil) }
      }
      for other in ["\"other\"", "W/\"\"", tag.replacing("\"", with: ""), "\(strong.dropLast())"] {
        let reply = try stand.client.get("/v1/qiita/items", ["If-None-Match: \(other)"])
        #expect(reply.status == 200, "\(other)")
      }
    }
  }

  @Test func theEntityTagFollowsTheItemsAlone() async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 0
    try await Stand.run(try Stand(smallWorld(50), policy: policy)) { stand in
      let target = "/v1/qiita/items?limit=5"
      let tag = try stand.client.get(target)["ETag"]
      #expect(try stand.client.get(target + "&refresh=true")["ETag"] == tag)
      let id = try #require(try stand.client.get(target).slice().ids.first)
      stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
      #expect(try stand.client.get(target + "&refresh=true")["ETag"] != tag)
    }
  }

  @Test func headAnswersLikeGetWithoutTheBody() async throws {
    try await Stand.run(try Stand(smallWorld(50))) { stand in
      _ = try stand.client.get("/v1/qiita/items")
      let get = try stand.client.get("/v1/qiita/items")
      let head = try stand.client.get("/v1/qiita/items", method: "HEAD")
      #expect(head.status == 200)
      #expect(head.body.isEmpty)
      #expect(head["Content-Length"] == "\(get.body.count)")
      #expect(head["ETag"] == get["ETag"])
    }
  }

  @Test func aGoodRequestIDIsKeptAndABadOneReplaced() async throws {
    try await Stand.run(try Stand(smallWorld(3))) { stand in
      let good = "a.B_9-" + String(repeating: "x", count: 58)
      #expect(try stand.client.get("/v1", ["X-Request-Id: \(good)"])["X-Request-Id"] == good)
      for bad in [good + "y", "a b", "ä", "a/b"] {
        let id = try #require(
          try stand.client.get("/v1", ["X-Request-Id: \(bad)"])["X-Request-Id"])
        #expect(id != bad && !id.isEmpty)
      }
      let reply = try stand.client.get("/nowhere", ["X-Request-Id: abc"])
      #expect(try reply.problem().requestId == "abc")
    }
  }

  @Test func theServerTellsOfItself() async throws {
    try await Stand.run(try Stand(smallWorld(3))) { stand in
      let health = try stand.client.get("/healthz")
      #expect(String(decoding: health.body, as: UTF8.self) == #"{"status":"ok"}"#)
      let ready = try stand.client.get("/readyz")
      #expect(String(decoding: ready.body, as: UTF8.self) == #"{"status":"ready"}"#)
      let index = String(decoding: try stand.client.get("/v1").body, as: UTF8.self)
      #expect(index.contains(#"{"pattern":"items","order":"value","query":true}"#))
      #expect(stand.qiita.callCount == 0)
    }
  }
}
