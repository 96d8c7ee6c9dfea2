import Testing
import Wire

/// Pages of one size whose total is said to be exact and is not.
@Suite(.serialized) struct InexactTotalTests {
  /// Pages of 20, 15, 14 and 10 elements, which are said to be 80 together.
  private func walk(
    accept: String
  ) async throws -> (proofs: [String], endReason: String?, metrics: String) {
    let upstream = try await RuledUpstream { call in
      let first = (call.number("page", or: 1) - 1) * 20
      let numbers = first..<max(first, first + [20, 15, 14, 10, 0][min(first / 20, 4)])
      let items = numbers.map { #"{"id":"i\#($0)","at":\#(1_700_000_000 - 7 * $0)}"# }
      return #"{"items":[\#(items.joined(separator: ","))],"total":80}"#
    }
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
      "pages":{"by":"page","max":20,"total":"total","exact":true\(accept)},
      "feeds":{"items":{"items":"items","order":"-at","time":"seconds"}}}
      """)
    var (proofs, endReason): ([String], String?) = ([], nil)
    var next: String? = "/v1/s/items?limit=10"
    while let target = next, proofs.count < 20 {
      let reply = try stand.client.get(target)
      guard reply.status == 200 else { break }
      let envelope = try reply.slice().envelope
      endReason = envelope.endReason
      proofs.append(envelope.proof ?? "")
      next = envelope.next
    }
    let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
    await stand.stop()
    await upstream.stop()
    return (proofs, endReason, metrics)
  }

  private let sign = #"tsugi_recipe_doubtful{source="s",sign="inexact"} 1"#

  @Test func joinsNothingOnceItIsRefuted() async throws {
    let walk = try await walk(accept: "")
    // What is proven page by page is served; the walk does not come to an end.
    #expect(walk.endReason == nil && !walk.proofs.isEmpty && !walk.proofs.contains("none"))
    #expect(walk.metrics.contains(sign))
  }

  @Test func isServedAsUnprovenWhereThatIsAccepted() async throws {
    let walk = try await walk(accept: #","accept":"none""#)
    #expect(walk.endReason == "end" && walk.proofs.last == "none")
    #expect(walk.metrics.contains(sign))
  }
}
