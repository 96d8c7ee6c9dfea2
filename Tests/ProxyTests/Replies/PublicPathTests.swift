import Testing

@testable import Proxy

/// A public URL with a path: what a reply leads to is below it.
@Suite(.serialized) struct PublicPathTests {
  @Test(arguments: [
    ("https://api.example/tsugi", "/tsugi"), ("https://api.example/a/b", "/a/b"),
    ("https://api.example", ""),
  ])
  func urlsLeadBelowIt(_ publicURL: String, _ base: String) async throws {
    var settings = ServerSettings()
    settings.publicURL = publicURL
    try await Stand.run(try await Stand(smallWorld(30), settings: settings)) { stand in
      let first = try stand.client.get("/v1/qiita/items?limit=5")
      let next = try #require(try first.slice().envelope.next)
      #expect(next.hasPrefix("\(base)/v1/qiita/items?limit=5&startAfter="))
      #expect(first["Link"]?.contains("<\(base)/v1/qiita/items?limit=5>; rel=\"first\"") == true)
      #expect(first["Link"]?.contains("<\(next)>; rel=\"next\"") == true)
      // What stands in front takes the path away.
      let second = try stand.client.get(String(next.dropFirst(base.utf8.count)))
      let previous = try #require(try second.slice().envelope.previous)
      #expect(previous.hasPrefix("\(base)/v1/qiita/items?limit=5&endBefore="))
      #expect(second["Link"]?.contains("<\(previous)>; rel=\"prev\"") == true)
    }
  }

  @Test func aReloadMovesThem() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let target = "/v1/qiita/items?limit=5"
      for _ in 0..<2 { _ = try stand.client.hit(target) }
      await stand.adopt { $0.publicURL = "https://api.example/new" }
      let next = try #require(try stand.client.get(target).slice().envelope.next)
      #expect(next.hasPrefix("/new/v1/qiita/items?"))
    }
  }
}
