import Testing
import Wire

/// Feeds whose calls count in a rate limit of their own, as searches at GitHub do.
@Suite(.serialized) struct NamedBudgetTests {
  @Test func aLimitThatIsSpentHoldsUpItsOwnFeedsOnly() async throws {
    // Searches have one call, of which the first leaves none; lists have plenty.
    let upstream = try await RuledUpstream { call in
      let isSearch = call.parameters["of"] == "search"
      let items = (0..<3).map { #"{"id":"\#(call.parameters["of"] ?? "")\#($0)"}"# }
      return #"""
        {"items":[\#(items.joined(separator: ","))],"total":3,
        "most":\#(isSearch ? 1 : 60),"left":\#(isSearch ? 0 : 59)}
        """#
    }
    let source = """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
      "rate":{"calls":60,"seconds":3600,"limit":"most","remaining":"left"},
      "pages":{"by":"page","size":"size","total":"total"},
      "feeds":{"lists":{"items":"items","query":{"of":"lists"}},
        "found":{"items":"items","query":{"of":"search"},"budget":"search"},
        "sought":{"items":"items","query":{"of":"search"},"budget":"search"}}}
      """
    let stand = try await RecipeStand(source)
    #expect(try stand.client.get("/v1/s/found").status == 200)
    let refused = try stand.client.get("/v1/s/sought")
    #expect(refused.status == 503)
    #expect(try refused.problem().code == "upstream_rate_limited")
    #expect(try stand.client.get("/v1/s/lists").status == 200)
    #expect(upstream.calls.map { $0.parameters["of"] } == ["search", "lists"])
    let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
    for line in [
      #"tsugi_upstream_budget_remaining{source="s"} 59"#,
      #"tsugi_upstream_budget_remaining{source="s",budget="search"} 0"#,
    ] { #expect(metrics.contains(line + "\n")) }
    let status = String(decoding: try stand.client.get("/v1/s/found:status").body, as: UTF8.self)
    #expect(status.contains(#""budget":{"limit":1,"remaining":0"#))
    await stand.stop()
    await upstream.stop()
  }
}
