import Feed
import Simulator
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct HeaderTests {
  /// A terminal shows the prompt on a line of its own.
  @Test func aSliceEndsWithALine() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      for target in ["/v1/qiita/items?limit=2", "/v1/qiita/items?limit=2&fields=title"] {
        // The second is out of a loop's memory.
        let replies = try (0..<2).map { _ in try stand.client.hit(target) }
        for reply in replies {
          #expect(reply.body.suffix(2) == Array("}\n".utf8)[...])
          #expect(reply["Content-Length"] == "\(reply.body.count)")
          #expect(reply["ETag"] == replies[0]["ETag"])
        }
      }
    }
  }

  @Test func aReplyCanBeKeptAndComparedByItsHeaders() async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
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
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
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
    try await Stand.run(try await Stand(smallWorld(50), policy: policy)) { stand in
      let target = "/v1/qiita/items?limit=5"
      let tag = try stand.client.get(target)["ETag"]
      #expect(try stand.client.get(target + "&refresh=true")["ETag"] == tag)
      let id = try #require(try stand.client.get(target).slice().ids.first)
      stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
      #expect(try stand.client.get(target + "&refresh=true")["ETag"] != tag)
    }
  }

  @Test func headAnswersLikeGetWithoutTheBody() async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
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
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
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

  /// What the server itself refuses knows its client too, once the head was whole.
  @Test func aRefusalSaysTheClientsIDAndItsOrigin() async throws {
    var settings = ServerSettings()
    settings.gate.allowedOrigins = ["https://app.example"]
    try await Stand.run(try await Stand(smallWorld(3), settings: settings)) { stand in
      let lines = ["X-Request-Id: mine-1", "Origin: https://app.example"]
      for (method, more) in [
        ("BREW", []), ("GET", ["Content-Length: 70000"]), ("GET", ["Expect: x"]),
        ("POST", ["Transfer-Encoding: br"]),
      ] {
        let reply = try stand.client.get("/healthz", lines + more, method: method)
        #expect(reply.status >= 400)
        #expect(reply["X-Request-Id"] == "mine-1")
        #expect(try reply.problem().requestId == "mine-1")
        #expect(reply["Access-Control-Allow-Origin"] == "https://app.example")
      }
      let reply = try stand.client.get("/healthz", ["no field"] + lines)
      #expect(reply.status == 400)
      #expect(reply["X-Request-Id"]?.isEmpty == false)
    }
  }

  @Test(arguments: [
    "max-age=0,\tno-cache", "no-cache\t, x", "x,\t no-cache \t", "NO-CACHE",
  ])
  func directivesStandBetweenBlanksOfAnyKind(_ value: String) async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(3), policy: policy)) { stand in
      _ = try stand.client.get("/v1/qiita/items")
      let calls = stand.qiita.callCount
      let reply = try stand.client.get("/v1/qiita/items", ["Cache-Control: \(value)"])
      #expect(reply["Cache-Control"] == "no-cache")
      #expect(stand.qiita.callCount == calls + 1)
      let only = value.replacing(/no-cache/.ignoresCase(), with: "only-if-cached")
      _ = try stand.client.get("/v1/qiita/items?query=a", ["Cache-Control: \(only)"])
      #expect(stand.qiita.callCount == calls + 1)
    }
  }

  @Test func anItemSaysWhetherTheUpstreamWasAsked() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      for prefix in ["/v1/qiita", "/api/v2"] {
        let target = "\(prefix)/items/\(id)"
        let isFirst = stand.qiita.callCount == 0
        let status = try #require(try stand.client.get(target)["Cache-Status"])
        #expect(
          isFirst ? status == "Tsugi; fwd=miss; stored" : status.hasPrefix("Tsugi; hit; ttl="))
        #expect(stand.qiita.callCount == 1)
      }
    }
  }

  @Test(arguments: ["/healthz", "/readyz", "/metrics", "/v1", "/v1/qiita/items:status"])
  func whatHasNoValidatorMeetsNoCondition(_ target: String) async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      _ = try stand.client.get("/v1/qiita/items")
      let known = try stand.client.get(target, ["If-None-Match: \"a\", *"])
      #expect(known.status == 304 && known.body.isEmpty)
      #expect(try stand.client.get(target, ["If-None-Match: \"a\""]).status == 200)
      #expect(try stand.client.get(target, ["If-Match: \"a\""]).status == 412)
      #expect(try stand.client.get(target, ["If-Match: *"]).status == 200)
    }
  }

  @Test func aConditionThatFailsLeavesTheFeedAlone() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      let target = "/v1/qiita/items:refresh"
      let refused = try stand.client.post(target, ["If-Match: \"a\""])
      #expect(refused.status == 412)
      #expect(stand.qiita.callCount == 0)
      let done = try stand.client.post(target, ["If-Match: *"])
      #expect(done.status == 200)
      #expect(stand.qiita.callCount == 1)
    }
  }

  @Test func whatIsNotThereIsPrivateWhereKeysAreSet() async throws {
    for keys in [[], [Array("key".utf8)]] {
      var settings = ServerSettings()
      settings.gate.apiKeys = keys
      try await Stand.run(try await Stand(smallWorld(3), settings: settings)) { stand in
        for target in ["/v1/qiita/items/none", "/nowhere", "/api/v2/none"] {
          let reply = try stand.client.get(target, ["Authorization: Bearer key"])
          #expect(reply.status == 404)
          #expect(reply["Cache-Control"] == (keys.isEmpty ? "max-age=30" : "private, max-age=30"))
        }
      }
    }
  }

  @Test func whatMayBeCompressedVariesByThat() async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
      let sequence = try stand.client.get("/v1/qiita/items").slice().envelope.seq
      for target in ["items:changes?since=\(sequence)", "items:status", "items"] {
        #expect(try stand.client.get("/v1/qiita/\(target)")["Vary"] == "Accept-Encoding")
      }
    }
  }

  @Test func theServerTellsOfItself() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      let health = try stand.client.get("/healthz")
      #expect(String(decoding: health.body, as: UTF8.self) == #"{"status":"ok"}"#)
      let ready = try stand.client.get("/readyz")
      #expect(String(decoding: ready.body, as: UTF8.self) == #"{"status":"ready"}"#)
      let index = String(decoding: try stand.client.get("/v1").body, as: UTF8.self)
      #expect(index.contains(#"{"pattern":"items","order":"value","query":true,"identity":"id","#))
      #expect(stand.qiita.callCount == 0)
    }
  }
}
