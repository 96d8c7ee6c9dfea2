import Feed
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

/// Single items that the store answers, on the loop and again without a look at the store.
@Suite(.serialized) struct KeptItemTests {
  private static func stand(
    freshSeconds: Int64 = 0
  ) async throws -> (stand: Stand, id: String) {
    var policy = Stand.policy
    (policy.refreshSeconds, policy.freshSeconds, policy.prefetchItems) = (0, freshSeconds, 0)
    let stand = try await Stand(smallWorld(30), policy: policy)
    return (stand, stand.qiita.withQiita { $0.world.ids[3] })
  }

  /// The replies served from the cache of finished answers to requests for single items.
  private func hits(_ stand: Stand) throws -> Int {
    let text = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
    let counts = text.split(separator: "\n").filter {
      $0.hasPrefix("tsugi_http_requests_total{route=\"item\"")
    }
    return counts.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
  }

  @Test func aSecondRequestSaysWhatTheFirstSaid() async throws {
    // Looked at again by no request of the test, however long it takes.
    let (stand, id) = try await Self.stand(freshSeconds: 3_600)
    try await Stand.run(stand) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=20").slice()
      let calls = stand.qiita.callCount
      for target in ["/v1/qiita/items/\(id)", "/v1/qiita/items/\(id)?fields=title"] {
        let replies = try (0..<3).map { _ in try stand.client.get(target) }
        #expect(replies.allSatisfy { $0.status == 200 && $0.body == replies[0].body })
        #expect(Set(replies.map { $0["ETag"] }).count == 1)
        #expect(replies.allSatisfy { $0["Cache-Control"] == replies[0]["Cache-Control"] })
        let tag = try #require(replies[0]["ETag"])
        let known = try stand.client.get(target, ["If-None-Match: \(tag)"])
        #expect(known.status == 304 && known.body.isEmpty && known["ETag"] == tag)
        #expect(try stand.client.get(target, ["If-Match: \"x\""]).status == 412)
      }
      #expect(stand.qiita.callCount == calls)
      #expect(try hits(stand) == 10)
    }
  }

  @Test func anotherContentIsSeenAndADeletionToo() async throws {
    let (stand, id) = try await Self.stand()
    try await Stand.run(stand) { stand in
      let top = "/v1/qiita/items?limit=20&refresh=true"
      let target = "/v1/qiita/items/\(id)"
      _ = try stand.client.get(top).slice()
      let before = try (0..<2).map { _ in try stand.client.get(target) }
      stand.qiita.withQiita { _ = $0.world.touch(id: id) }
      _ = try stand.client.get(top).slice()
      let after = try (0..<2).map { _ in try stand.client.get(target) }
      #expect(before[0].body == before[1].body && after[0].body == after[1].body)
      #expect(before[0].body != after[0].body && before[0]["ETag"] != after[0]["ETag"])
      stand.qiita.withQiita { _ = $0.world.delete(id: id) }
      for _ in 0..<3 { _ = try stand.client.get(top).slice() }
      #expect(try [0, 1].map { _ in try stand.client.get(target).status } == [410, 410])
    }
  }
}
