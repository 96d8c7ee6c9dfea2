import HTTP
import Support
import Testing

/// Lists of texts or numbers, each of which is its own identity.
@Suite struct NameListsTests {
  /// Names as a registry of container images pages them, by the last one of the page above.
  private static func registry(_ call: RuledUpstream.Call) -> Response {
    let names = (0..<230).map { #""team.image-\#(1_000 + $0)""# }
    let last = call.parameters["last"].flatMap { last in names.firstIndex(of: #""\#(last)""#) }
    let from = last.map { $0 + 1 } ?? 0
    let page = names[from..<min(names.count, from + min(100, call.number("n", or: 100)))]
    return Response(json: #"{"repositories":[\#(page.joined(separator: ","))]}"#)
  }

  @Test(arguments: [7, 100]) func namesAreItemsAndPlaces(limit: Int) async throws {
    let list = try await ReadList(
      feed: #""items":"repositories","id":"""#,
      pages: #""by":"item","at":"last","size":"n","max":100"#, limit: limit,
      answering: Self.registry)
    #expect(list.ids == (0..<230).map { "team.image-\(1_000 + $0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty && list.gapCount == 0)
  }

  /// Texts and numbers in one answer, one of them twice, and what is neither text nor number.
  @Test func whatNamesNothingIsLeftOut() async throws {
    let list = try await ReadList(
      feed: #""id":"","order":"whole""#, pages: #""by":"page","max":100"#
    ) { _ in Response(json: #"[17,4,-0,17,{"id":3},null,"",1.5,"4","é\u00e9"]"#) }
    #expect(list.ids == ["17", "4", "-0", "éé"])
    #expect(list.endReason == "end" && list.refusals.isEmpty)
  }

  /// An element is handed out as an object, which can be named and cut as any other.
  @Test func namesAreHandedOutAsObjects() async throws {
    let upstream = try await RuledUpstream(answering: Self.registry)
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
      "pages":{"by":"item","at":"last","size":"n","max":100},
      "feeds":{"items":{"items":"repositories","id":""}}}
      """)
    let client = stand.client
    _ = try client.get("/v1/s/items?limit=50")
    let slice = try client.get(
      "/v1/s/items?limit=1&fields=id,name&startAfter=id:team.image-1001")
    let body = String(decoding: slice.body, as: UTF8.self)
    #expect(body.hasPrefix(#"{"items":[{"id":"team.image-1002"}]"#), "\(body)")
    let one = try client.get("/v1/s/items/team.image-1003")
    #expect(String(decoding: one.body, as: UTF8.self).contains(#"{"id":"team.image-1003"}"#))
    let feeds = try client.get("/v1")
    #expect(String(decoding: feeds.body, as: UTF8.self).contains(#""identity":"id""#))
    await stand.stop()
    await upstream.stop()
  }
}
