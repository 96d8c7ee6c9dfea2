import Feed
import JSONBytes
import Testing
import Wire

@testable import Proxy
@testable import Simulator

/// What only the token's owner may see: §6 of the contract.
@Suite(.serialized) struct OwnerTests {
  private static let path = "/v1/qiita/authenticated_user/items"
  private static let key = "Authorization: Bearer a-key-of-ours"

  private func stand(exposesOwner: Bool = true) async throws -> Stand {
    var settings = ServerSettings()
    settings.gate.apiKeys = [Array("a-key-of-ours".utf8)]
    var policy = Policy()
    policy.prefetchItems = 0
    return try await Stand(
      smallWorld(400), policy: policy, settings: settings, token: "0123456789",
      exposesOwner: exposesOwner)
  }

  private func views(_ item: [UInt8]) throws -> String {
    let range = try #require(try JSON.member("page_views_count", of: item[...]))
    return String(decoding: item[range], as: UTF8.self)
  }

  @Test func isNotThereUnlessExposed() async throws {
    try await Stand.run(try stand(exposesOwner: false)) { stand in
      let reply = try stand.client.get(Self.path, [Self.key])
      #expect(reply.status == 404)
      #expect(try reply.problem().code == "feed_not_found")
      for path in ["/authenticated_user", "/authenticated_user/stocks"] {
        #expect(try stand.client.get("/v1/qiita\(path)", [Self.key]).status == 404)
      }
      #expect(try stand.client.get("/api/v2/authenticated_user/items", [Self.key]).status == 404)
      #expect(try stand.client.get("/api/v2/authenticated_user", [Self.key]).status == 404)
      let index = try stand.client.get("/v1", [Self.key])
      #expect(!String(decoding: index.body, as: UTF8.self).contains("authenticated_user"))
      #expect(stand.qiita.callCount == 0)
    }
  }

  @Test func isShownToWhoeverHasAKeyOnly() async throws {
    try await Stand.run(try stand()) { stand in
      for path in [Self.path, "/api/v2/authenticated_user/items"] {
        #expect(try stand.client.get(path).status == 401)
        let reply = try stand.client.get(path, [Self.key])
        #expect(reply.status == 200)
        #expect(reply["Cache-Control"]?.hasPrefix("private, ") == true)
        // A finished answer is behind the key as well.
        for _ in 0..<3 {
          #expect(try stand.client.hit(path, [Self.key]).status == 200)
          #expect(try stand.client.hit(path).status == 401)
        }
      }
      let slice = try stand.client.get(Self.path, [Self.key]).slice()
      #expect(!slice.items.isEmpty)
      for item in slice.items { #expect(try views(item) != "null") }
    }
  }

  @Test func itsItemsReachNoOtherRoute() async throws {
    try await Stand.run(try stand()) { stand in
      let own = try stand.client.get("\(Self.path)?limit=100", [Self.key]).slice()
      let id = try #require(own.ids.first)
      // None of these was read yet, and none has what the owner's feed brought.
      let cached = ["Cache-Control: only-if-cached", Self.key]
      for path in ["/v1/qiita/items/\(id)", "/v1/qiita/items", "/api/v2/items/\(id)"] {
        #expect(try stand.client.get(path, cached).status == 504, "\(path)")
      }
      let single = try stand.client.get("/v1/qiita/items/\(id)", [Self.key])
      #expect(try views(single.body) == "null")
      let all = try stand.client.get("/v1/qiita/items?limit=100", [Self.key]).slice()
      for item in all.items { #expect(try views(item) == "null") }
      // Nor does theirs reach the owner's feed.
      let again = try stand.client.get("\(Self.path)?limit=100", [Self.key]).slice()
      #expect(again.items == own.items)
    }
  }

  private static let hidden =
    #"{"id":"00112233445566778899","created_at":"2025-01-01T00:00:00+09:00","#
    + #""updated_at":"2025-01-01T00:00:00+09:00","private":true,"title":"draft"}"#

  private func hiddenItem() -> Answer {
    Answer(status: 200, fields: [], body: Array(Self.hidden.utf8))
  }

  @Test func aPrivateItemIsNotFoundElsewhere() async throws {
    try await Stand.run(try stand()) { stand in
      let listed = Answer(
        status: 200, fields: [("Total-Count", "1")], body: Array("[\(Self.hidden)]".utf8))
      stand.qiita.script([.answer(listed), .answer(hiddenItem())])
      let own = try stand.client.get(Self.path, [Self.key]).slice()
      #expect(own.items == [Array(Self.hidden.utf8)])
      // The upstream shows it to its owner, whose token it is asked with.
      for path in ["/v1/qiita/items/", "/api/v2/items/"] {
        let reply = try stand.client.get(path + "00112233445566778899", [Self.key])
        #expect(reply.status == 404, "\(path)")
        #expect(!String(decoding: reply.body, as: UTF8.self).contains("draft"))
      }
      let others = "[\(Self.hidden),\(Self.hidden.replacing("true", with: "false"))]"
        .replacing("[{\"id\":\"00", with: "[{\"id\":\"11")
      let answer = Answer(
        status: 200, fields: [("Total-Count", "2")], body: Array(others.utf8))
      stand.qiita.script([.answer(answer)])
      let all = try stand.client.get("/v1/qiita/items", [Self.key])
      #expect(try all.slice().ids == ["00112233445566778899"])
    }
  }

  @Test func anItemThatBecamePrivateIsGone() async throws {
    var policy = Policy()
    policy.freshSeconds = 0
    policy.staleSeconds = 0
    try await Stand.run(try await Stand(smallWorld(3), policy: policy, token: "t")) { stand in
      let visible = Self.hidden.replacing("true", with: "false")
      stand.qiita.script([
        .answer(Answer(status: 200, fields: [], body: Array(visible.utf8))),
        .answer(hiddenItem()),
      ])
      let path = "/v1/qiita/items/00112233445566778899"
      let before = try stand.client.get(path)
      #expect(before.status == 200)
      #expect(try stand.client.get(path).problem().code == "item_deleted")
    }
  }

  /// Comments, likes and stockers of an item that only the token's owner may see.
  @Test(arguments: ["comments", "likes", "stockers"])
  func whatHangsOnAPrivateItemIsPrivate(word: String) async throws {
    try await Stand.run(try await Stand(smallWorld(3), token: "t")) { stand in
      stand.qiita.script([.answer(hiddenItem())])
      for path in ["/v1/qiita", "/api/v2"] {
        let reply = try stand.client.get("\(path)/items/00112233445566778899/\(word)")
        #expect(reply.status == 404, "\(path)")
      }
      // It was asked for, and nothing that hangs on it.
      #expect(stand.qiita.callCount == 1)
      // Of an item that everybody sees they are there, for one call more.
      let id = try #require(stand.qiita.withQiita { $0.world.ids }.first)
      #expect(try stand.client.get("/v1/qiita/items/\(id)/\(word)").status == 200)
    }
  }
}
