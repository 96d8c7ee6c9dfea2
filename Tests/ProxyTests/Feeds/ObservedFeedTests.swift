import Bytes
import Feed
import Foundation
import JSONBytes
import Settings
import Simulator
import Testing
import Upstream
import Wire

@testable import Proxy

/// Feeds in the upstream's own order, and feeds that come whole, over sockets.
@Suite(.serialized) struct ObservedFeedTests {
  /// The elements of a list as the upstream pages it while nothing moves.
  private func truth(_ path: String, _ stand: Stand) throws -> [[UInt8]] {
    let upstream = Client(port: stand.qiita.port ?? 0)
    var elements: [[UInt8]] = []
    for page in 1...100 {
      let body = try upstream.get("/api/v2/\(path)?page=\(page)&per_page=100").body
      let some = try JSON.elements(of: body).map { Array(body[$0]) }
      elements += some
      if some.count < 100 { break }
    }
    return elements
  }

  /// A path of each kind that has something in it.
  private func paths(_ stand: Stand) throws -> [String] {
    let upstream = Client(port: stand.qiita.port ?? 0)
    let first = try #require(stand.qiita.withQiita { $0.world.ids.first })
    let item = try upstream.get("/api/v2/items/\(first)").body
    let user = try #require(try JSON.member(at: ["user", "id"], of: item[...]))
    let name = percentEncoded(try JSON.text(item[user]))
    let tags = try #require(try JSON.member("tags", of: item[...]))
    let tag = try #require(try JSON.elements(of: item[tags]).first)
    let tagName = try #require(try JSON.member("name", of: item[tag]))
    let encoded = percentEncoded(try JSON.text(item[tagName]))
    return [
      "tags/\(encoded)/items", "users/\(name)/stocks", "users/\(name)/followers",
      "users/\(name)/followees", "users/\(name)/following_tags", "items/\(first)/stockers",
      "tags", "users", "items/\(first)/comments", "items/\(first)/likes",
    ]
  }

  @Test func everyListComesWholeAndInOrder() async throws {
    try await Stand.run(try await Stand(smallWorld(700))) { stand in
      var seen = 0
      for path in try paths(stand) {
        let expected = try truth(path, stand)
        let slices = try stand.client.walk("/v1/qiita/\(path)?limit=13")
        #expect(slices.flatMap(\.items) == expected, "\(path)")
        #expect(slices.last?.envelope.endReason == "end", "\(path)")
        seen += expected.count
      }
      #expect(seen > 300)
    }
  }

  /// A feed that is taken to be ordered by time, and is not, is served as it comes: already the
  /// first who asks is given it so.
  @Test(arguments: ["?limit=13", "?limit=100&fields=id"])
  func aListThatIsNotOrderedByTimeIsServedAsItComes(query: String) async throws {
    try await Stand.run(try await Stand(smallWorld(700))) { stand in
      let path = try #require(try paths(stand).first { $0.hasSuffix("/stocks") })
      var byTime = try #require(Presets.qiita.patterns.first { $0.words.last == "stocks" })
      byTime.order = .value
      await stand.adopt(sources: [stand.binding.serving([byTime])])
      let expected = try truth(path, stand)
      #expect(expected.count > 20)
      let slices = try stand.client.walk("/v1/qiita/\(path)\(query)")
      #expect(
        slices.flatMap(\.ids)
          == (try expected.map { item in
            String(
              decoding: try JSON.text(item[try #require(try JSON.member("id", of: item[...]))]),
              as: UTF8.self)
          }))
      let status = try stand.client.get("/v1/qiita/\(path):status").body
      #expect(String(decoding: status, as: UTF8.self).contains("\"order\":\"observed\""))
      let target = "/v1/qiita/\(path)?startAfter=at:2026-01-01T00:00:00Z"
      #expect(try stand.client.get(target).status == 400)
    }
  }

  @Test func aTaggedArticleGoesToTheTopAndTheWalkGoesOn() async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(500), policy: policy)) { stand in
      let path = try #require(try paths(stand).first)
      let tag = try #require(String(path.split(separator: "/")[1]).removingPercentEncoding)
      let before = try stand.client.walk("/v1/qiita/\(path)?limit=10").map(\.ids)
      let list = before.flatMap { $0 }
      let old = try #require(list.dropFirst(25).first)
      stand.qiita.withQiita { qiita in
        _ = qiita.world.untag(item: old, from: tag)
        _ = qiita.world.tag(item: old, with: tag)
      }
      let target = "/v1/qiita/\(path)?limit=10"
      let top = try stand.client.get(target + "&refresh=true").slice()
      #expect(top.ids == [old] + list.prefix(9))
      let rest = try stand.client.walk(try #require(top.envelope.next)).flatMap(\.ids)
      #expect(top.ids + rest == [old] + list.filter { $0 != old })
    }
  }

  @Test func aPositionOfAnotherStoreHasExpired() async throws {
    let first = try await Stand(smallWorld(300))
    let cursor = try first.client.get("/v1/qiita/users?limit=5").slice().envelope.endCursor
    await first.stop()
    try await Stand.run(try await Stand(smallWorld(300))) { stand in
      let target = "/v1/qiita/users?limit=5&startAfter=\(try #require(cursor))"
      let reply = try stand.client.get(target)
      #expect(reply.status == 410)
      #expect(try reply.problem().code == "cursor_expired")
      #expect(try stand.client.get("/v1/qiita/users?startAt=at:2026-01-01T00:00:00Z").status == 400)
    }
  }
}
