import HTTP
import Testing
import Wire

@testable import Proxy

/// Items of lists whose recipe names no place of one by itself: `/v1/s/posts/7`.
@Suite(.serialized) struct StoredItemTests {
  /// Runs `body` before a source of 30 posts with the identity `key`, and one list with variables.
  private func run(
    _ body: (Client, RuledUpstream) async throws -> Void
  ) async throws {
    let upstream = try await RuledUpstream { call in
      let size = call.number("n", or: 20)
      let first = min(30, size * (call.number("page", or: 1) - 1))
      let keys = call.path == "/posts" ? Array(first..<min(30, first + size)) : [7, 100]
      return "[\(keys.map { #"{"key":"k\#($0)","n":\#($0)}"# }.joined(separator: ","))]"
    }
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
       "pages":{"by":"page","at":"page","size":"n","max":20},"defaults":{"id":"key"},
       "feeds":{"posts":{},"tags/:tag/posts":{"order":"whole"}}}
      """)
    try await body(stand.client, upstream)
    await stand.stop()
    await upstream.stop()
  }

  @Test func isServedFromWhatIsStoredAndCostsNoCall() async throws {
    try await run { client, upstream in
      #expect(try client.get("/v1/s/posts/k7").status == 404)
      #expect(upstream.calls.isEmpty)
      _ = try client.get("/v1/s/posts?limit=30&fields=n")
      _ = try client.get("/v1/s/tags/a/posts?fields=n")
      let calls = upstream.calls.count
      let item = try client.get("/v1/s/posts/k7")
      #expect(item.status == 200)
      #expect(String(decoding: item.body, as: UTF8.self) == #"{"key":"k7","n":7}"#)
      #expect(item["Cache-Status"]?.hasPrefix("Tsugi; hit") == true)
      #expect(
        try client.get("/v1/s/posts/k7", ["If-None-Match: \(item["ETag"] ?? "")"]).status == 304)
      let cut = try client.get("/v1/s/posts/k7?fields=key")
      #expect(String(decoding: cut.body, as: UTF8.self) == #"{"key":"k7"}"#)
      let inTag = try client.get("/v1/s/tags/a/posts/k100")
      #expect(String(decoding: inTag.body, as: UTF8.self) == #"{"key":"k100","n":100}"#)
      for unknown in ["posts/k31", "posts/k100", "tags/a/posts/k8", "tags/b/posts/k7"] {
        let reply = try client.get("/v1/s/\(unknown)")
        #expect(try reply.problem().code == "item_not_found", "\(unknown)")
        #expect(reply.status == 404, "\(unknown)")
      }
      #expect(try client.get("/v1/s/none/k7").problem().code == "feed_not_found")
      #expect(try client.get("/v1/s/posts/k7?x=1").problem().code == "invalid_parameter")
      #expect(upstream.calls.count == calls)
    }
  }
}
