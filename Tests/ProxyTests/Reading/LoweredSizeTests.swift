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
    var reads = [try await ReadList(stand, limit: 40)]
    state.withLock { $0 = later }
    for _ in 0..<6 {
      try await stand.wait(for: .milliseconds(1_100))
      reads.append(try await ReadList(stand, limit: 40))
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

  /// Pages out of which elements are left end no list, however few these are.
  @Test(arguments: ways + [#""by":"time","at":"until""#], [7, 41])
  func pagesOutOfWhichElementsAreLeftEndNothing(way: String, apart: Int) async throws {
    for order in way.contains("time") ? ["-at"] : ["observed", "-at"] {
      let unit = order == "-at" ? #","time":"seconds""# : ""
      let read = try await ReadList(
        feed: #""items":"items","order":"\#(order)"\#(unit)"#,
        pages: #"\#(way),"size":"size","max":30"#, limit: 20
      ) { call in
        let size = min(30, call.number("size", or: 30))
        let from = min(100, call.first(inPagesOf: size))
        return Response(
          json: Response.elements((from..<min(100, from + size)).filter { $0 % apart != 5 }))
      }
      #expect(read.ids == (0..<100).filter { $0 % apart != 5 }.map { "i\($0)" }, "\(order)")
      #expect(read.endReason == "end" && read.gapCount == 0 && read.refusals.isEmpty)
    }
  }

  /// The page after a short one is asked for while it is not known that short ones are the last.
  @Test(arguments: [404, 200]) func shortPagesAreLearntToBeTheLast(past: Int) async throws {
    let upstream = try await RuledUpstream { call in
      let from = call.first(inPagesOf: 30)
      let count = 40 + (Int(call.path.split(separator: "/").first ?? "") ?? 0)
      let isPast = from >= count && past != 200
      return Response(
        json: isPast ? "{}" : Response.elements(from..<max(from, min(count, from + 30))),
        status: isPast ? 404 : 200)
    }
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
      "pages":{"by":"offset","size":"size","max":30},"feeds":{":id/list":{"items":"items"}}}
      """)
    var calls: [Int] = []
    for list in 0..<5 {
      var next: String? = "/v1/s/\(list)/list?limit=30"
      let before = upstream.calls.count
      var count = 0
      while let target = next {
        let slice = try stand.client.get(target).slice()
        (count, next) = (count + slice.ids.count, slice.envelope.next)
      }
      #expect(count == 40 + list)
      calls.append(upstream.calls.count - before)
    }
    #expect(calls == [3, 3, 3, 2, 2])
    await stand.stop()
    await upstream.stop()
  }
}
