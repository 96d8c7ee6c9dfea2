import HTTP
import Testing
import Wire

@testable import Proxy

/// `id:` of an item that its feed has not shown, where the recipe says how one is read by itself.
@Suite(.serialized) struct PlacedItemTests {
  /// Runs `body` before a source of 300 posts, `p300` the newest, of which one is read at
  /// `posts/ID`; a feed of the upstream's own order shows the same.
  private func run(
    _ body: (Client, RuledUpstream) async throws -> Void
  ) async throws {
    @Sendable func post(_ number: Int) -> String { #"{"id":"p\#(number)","n":\#(number)}"# }
    let upstream = try await RuledUpstream(answering: { call in
      var fields = Fields()
      fields.append(named: "content-type", "application/json")
      let body: String
      if let number = call.path.wholeMatch(of: /\/posts\/p(\d+)/).flatMap({ Int($0.output.1) }) {
        guard (1...300).contains(number) else { return Response(status: 404) }
        body = post(number)
      } else {
        let size = call.number("n", or: 20)
        let first = 300 - size * (call.number("page", or: 1) - 1)
        let numbers = stride(from: first, to: max(0, first - size), by: -1)
        body = "[\(numbers.map(post).joined(separator: ","))]"
      }
      return Response(fields: fields, body: Array(body.utf8))
    })
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
       "pages":{"by":"page","at":"page","size":"n","max":20},
       "feeds":{"posts":{"order":"-n","time":"number","one":"posts/{id}"},
        "top":{"path":"posts","order":"observed","one":"posts/{id}"},
        "all":{"path":"posts","order":"-n","time":"number"}}}
      """)
    try await body(stand.client, upstream)
    await stand.stop()
    await upstream.stop()
  }

  @Test func isThePlaceOfItsOwnKey() async throws {
    try await run { client, upstream in
      let read = try client.get("/v1/s/posts?startAt=id:p255&limit=3")
      #expect(read.status == 200)
      #expect(try read.slice().ids == ["p255", "p254", "p253"])
      #expect(upstream.calls.filter { $0.path == "/posts/p255" }.count == 1)
      let after = try client.get("/v1/s/posts?startAfter=id:p255&limit=2")
      #expect(try after.slice().ids == ["p254", "p253"])
      // Read by itself before: it costs no call of its own.
      #expect(try client.get("/v1/s/posts/p40").status == 200)
      let stored = try client.get("/v1/s/posts?startAt=id:p40&endAt=id:p39&limit=5")
      #expect(try stored.slice().ids == ["p40", "p39"])
      #expect(upstream.calls.filter { $0.path == "/posts/p40" }.count == 1)
      #expect(upstream.calls.filter { $0.path == "/posts/p39" }.count == 1)
    }
  }

  @Test func isUnknownWhereThereIsNoSuchItemOrNoSuchPlace() async throws {
    try await run { client, upstream in
      for target in ["posts?startAt=id:p301", "posts?endBefore=id:p0&startAt=id:p9"] {
        let problem = try client.get("/v1/s/\(target)&limit=3").problem()
        #expect(problem.code == "item_not_found", "\(target)")
        #expect(problem.parameter == String(target.dropFirst(6).prefix { $0 != "=" }), "\(target)")
      }
      let calls = upstream.calls.count
      // Not asked for, not by its own key, not to be read by itself.
      for target in ["posts?startAt=id:p8&wait=0", "top?startAt=id:p9", "all?startAt=id:p9"] {
        #expect(
          try client.get("/v1/s/\(target)").problem().code == "item_not_found", "\(target)")
      }
      #expect(upstream.calls.count == calls)
    }
  }
}
