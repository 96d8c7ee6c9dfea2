import Feed
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

/// §6 of the contract: what a path may mean, and what never leaves.
@Suite(.serialized) struct SafetyTests {
  /// Two tags whose names Unicode takes for the same text, one after the other on one loop.
  @Test func namesThatAreEqualTextsAreTwoFeeds() async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      for _ in 1...2 {
        for name in ["caf\u{e9}", "cafe\u{301}"] {
          _ = try stand.client.get("/v1/qiita/tags/\(name)/items")
        }
      }
      let calls = Set(stand.qiita.calls.map(\.call.path))
      #expect(calls == ["/api/v2/tags/caf%C3%A9/items", "/api/v2/tags/cafe%CC%81/items"])
    }
  }

  @Test(arguments: [
    ("tags/CI%2FCD/items", "tags/CI%2FCD/items"), ("tags/C%23/items", "tags/C%23/items"),
    ("tags/C#/items", nil), ("tags/.NET/items", "tags/.NET/items"),
    ("tags/%2ENET/items", "tags/.NET/items"), ("tags/R&D/items", "tags/R%26D/items"),
    ("tags/a+b/items", "tags/a%2Bb/items"),
    ("users/%E5%90%8D%E5%89%8D@github/items", "users/%E5%90%8D%E5%89%8D%40github/items"),
    ("users/名前@github/items", "users/%E5%90%8D%E5%89%8D%40github/items"),
    ("tags/%2e%2e/items", nil), ("tags/../items", nil), ("tags/./items", nil),
    ("tags/..%2F..%2Fusers/items", nil), ("tags/..%5Cusers/items", nil),
    ("tags/a%2F..%2Fb/items", nil), ("tags/a%2F./items", nil), ("tags/a%5C%2e%2E/items", nil),
    ("tags/%2F.%2F/items", nil), ("tags/CI%2FCD/items", "tags/CI%2FCD/items"),
    ("tags/a..%2F.b/items", "tags/a..%2F.b/items"), ("tags/..NET/items", "tags/..NET/items"),
    ("tags//items", nil), ("tags/%00/items", nil), ("tags/%7f/items", nil),
    ("tags/%FF/items", nil), ("tags/%C0%AF/items", nil),
    ("tags/a?b/items", nil), ("tags/%3Fpage=2/items", "tags/%3Fpage%3D2/items"),
    (
      "tags/\(String(repeating: "a", count: 256))/items",
      "tags/\(String(repeating: "a", count: 256))/items"
    ),
    ("tags/\(String(repeating: "a", count: 257))/items", nil),
  ])
  func onlyOnePartEverBecomesOnePart(path: String, asked: String?) async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      let reply = try stand.client.get("/v1/qiita/\(path)")
      let calls = stand.qiita.calls.map(\.call.path)
      if let asked {
        #expect(Set(calls) == ["/api/v2/\(asked)"])
      } else {
        #expect(calls.isEmpty)
        #expect(reply.status == 400 || reply.status == 404)
      }
    }
  }

  @Test(arguments: [nil, "token-of-ours"])
  func aClientsOwnTokenIsNeverForwarded(token: String?) async throws {
    try await Stand.run(try await Stand(smallWorld(30), token: token)) { stand in
      let lines = ["Authorization: Bearer token-of-a-client", "Cookie: session=1"]
      for path in ["/v1/qiita/items", "/api/v2/users", "/api/v2/tags/none"] {
        _ = try stand.client.get(path, lines)
      }
      #expect(stand.qiita.calls.count >= 3)
      #expect(stand.qiita.calls.allSatisfy { $0.call.token == token })
    }
  }

  @Test func whatIsNotThereIsRememberedForAWhile() async throws {
    let clock = HandClock()
    try await Stand.run(try await Stand(smallWorld(3), time: clock)) { stand in
      for _ in 0..<3 {
        for path in ["/v1/qiita/users/nobody/items", "/v1/qiita/items/nothing"] {
          #expect(try stand.client.get(path).status == 404)
        }
        #expect(try stand.client.get("/api/v2/users/nobody").status == 404)
      }
      #expect(stand.qiita.callCount == 3)
      clock.advance(.seconds(60))
      let again = try stand.client.get("/v1/qiita/users/nobody/items")
      #expect(again.status == 404)
      #expect(stand.qiita.callCount == 4)
    }
  }

  @Test func aFeedWithoutItemsLeavesNoRow() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let empty = try stand.client.get("/v1/qiita/items?query=title:nothing+is+called+so").slice()
      #expect(empty.items.isEmpty)
      #expect(try stand.client.get("/v1/qiita/users/nobody/items").status == 404)
      let feeds = [
        FeedID(
          source: "qiita", pattern: FeedPattern("items", order: .value, takesQuery: true),
          parts: [Array("items".utf8)], query: Array("title:nothing is called so".utf8)),
        FeedID(
          source: "qiita", pattern: FeedPattern("users/:id/items", order: .value),
          parts: ["users", "nobody", "items"].map { Array($0.utf8) }),
      ]
      for feed in feeds { #expect(try stand.timeline(of: feed) == nil, "\(feed.name)") }
      _ = try stand.client.get("/v1/qiita/items")
      let all = FeedID(
        source: "qiita", pattern: FeedPattern("items", order: .value), parts: [Array("items".utf8)])
      #expect(try stand.timeline(of: all) != nil)
    }
  }
}
