import HTTP
import Synchronization
import Testing

/// Upstreams that give fewer elements to everyone from some time on, of which nothing but the size
/// of an answer says whether more follows; and lists that become as short.
@Suite struct LoweredSizeTests {
  private static func reads(
    by way: String, order: String, then later: (size: Int, count: Int)
  ) async throws -> [ReadList] {
    let state = Mutex((size: 30, count: 100))
    let upstream = try await RuledUpstream { call in
      let (most, count) = state.withLock { $0 }
      let size = min(most, call.number("size", or: 30))
      let from = min(count, call.first(inPagesOf: size, isShown: false))
      return Response(json: Response.elements(from..<min(count, from + size)))
    }
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)","freshSeconds":1,
      "refreshSeconds":1,"pages":{\(way),"size":"size","max":30},"feeds":{"items":
      {"items":"items","order":"\(order)"\(order == "-at" ? #","time":"seconds""# : "")}}}
      """)
    var reads = [try await ReadList(stand.client, limit: 40)]
    state.withLock { $0 = later }
    for _ in 0..<6 {
      try await Task.sleep(for: .milliseconds(1_100))
      reads.append(try await ReadList(stand.client, limit: 40))
    }
    await stand.stop()
    await upstream.stop()
    return reads
  }

  private static let ways = [
    #""by":"page""#, #""by":"offset""#, #""by":"item","at":"after""#,
  ]

  /// What is known below a page stays where that is shorter than others were.
  @Test(arguments: ways, ["observed", "-at"])
  func whatIsKnownStaysWherePagesBecomeSmaller(way: String, order: String) async throws {
    for read in try await Self.reads(by: way, order: order, then: (size: 15, count: 100)) {
      #expect(read.ids == (0..<100).map { "i\($0)" })
      #expect(read.endReason == "end" && read.refusals.isEmpty)
    }
  }

  /// A list that has become short is seen to be so by what follows on its first page.
  @Test func aListThatBecomesShortEnds() async throws {
    let reads = try await Self.reads(
      by: #""by":"page""#, order: "observed", then: (size: 30, count: 14))
    #expect(reads.first?.ids.count == 100)
    #expect(reads.last?.ids == (0..<14).map { "i\($0)" })
    #expect(reads.last?.endReason == "end")
  }
}
