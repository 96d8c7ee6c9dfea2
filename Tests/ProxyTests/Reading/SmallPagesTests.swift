import HTTP
import Testing

/// Upstreams whose pages have so few elements that some do not meet, whatever their size.
@Suite struct SmallPagesTests {
  private static let count = 94

  /// So many elements fall on each second in turn, from one to `ties`.
  private static func answer(_ call: RuledUpstream.Call, _ max: Int, ties: Int) -> Response {
    let size = min(call.number("size", or: max), max)
    let from = min(call.first(inPagesOf: size), count)
    var seconds: [Int] = []
    for group in 0..<count {
      let second = 1_700_000_000 - 5 * group
      seconds += Array(repeating: second, count: (7 * group + 3) % ties + 1)
    }
    let shown = from..<min(from + size, count)
    let items = shown.map { index in #"{"id":"i\#(index)","at":\#(seconds[index])}"# }
    return Response(json: #"{"items":[\#(items.joined(separator: ","))],"total":\#(count)}"#)
  }

  private static func list(
    _ max: Int, ties: Int = 1, order: String = "", pages: String = ""
  ) async throws -> ReadList {
    try await ReadList(
      feed: #""items":"items""# + order,
      pages: #""by":"page","size":"size","max":\#(max)"# + pages, limit: 40,
      rest: #","rate":{"calls":6000,"seconds":60}"#
    ) { answer($0, max, ties: ties) }
  }

  private static let orders = ["", #","order":"-at","time":"seconds""#]

  /// Where such joins are served as pages of one size have, nothing is left out.
  @Test(arguments: [2, 5, 10, 15], [#","accept":"none""#, #","total":"total","exact":true"#])
  func allIsServedWherePagesAreJoined(max: Int, pages: String) async throws {
    for order in Self.orders {
      let list = try await Self.list(max, order: order, pages: pages)
      #expect(list.ids == (0..<Self.count).map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.gapCount == 0, "\(order)")
      #expect(list.calls.count <= Self.count / max + 3, "\(order)")
    }
  }

  /// Where they are not, what may be left out is a gap that is said, or the list stops; it never
  /// ends as if the upstream showed no more.
  @Test(arguments: [2, 5, 8, 10, 12], [1, 3, 6])
  func nothingIsLeftOutInSilence(max: Int, ties: Int) async throws {
    for order in Self.orders {
      let list = try await Self.list(max, ties: ties, order: order)
      #expect(Set(list.ids).count == list.ids.count, "\(order)")
      let isAll = list.ids.count == Self.count
      #expect(isAll || list.gapCount > 0 || !list.refusals.isEmpty, "\(order)")
      #expect(list.endReason != "upstreamLimit" && (!isAll || list.endReason == "end"), "\(order)")
    }
  }

  /// In an order of its own each page that shows no end of another stands below a gap.
  @Test(arguments: [4, 5, 8, 10, 12]) func whatDoesNotMeetStandsBelowAGap(max: Int) async throws {
    let list = try await Self.list(max)
    let places = list.ids.compactMap { Int($0.dropFirst()) }
    #expect(places == Array(Set(places)).sorted(), "each once, in order")
    #expect(list.endReason == "end" && list.refusals.isEmpty)
    #expect(Self.count - places.count <= list.gapCount)
  }

  /// Such a gap is named before what lies below it was requested; then it can be asked for.
  @Test func aGapIsNamedBeforeWhatLiesBelowIsKnown() async throws {
    let upstream = try await RuledUpstream(answering: { Self.answer($0, 8, ties: 1) })
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)","prefetchItems":0,
      "pages":{"by":"page","size":"size","max":8},"feeds":{"items":{"items":"items"}}}
      """)
    let slice = try stand.client.get("/v1/s/items?limit=8").slice()
    let gap = try #require(slice.envelope.gap)
    #expect(slice.ids == (0..<7).map { "i\($0)" } && gap.sunk == true)
    let status = try stand.client.get("/v1/s/items:status")
    #expect(String(decoding: status.body, as: UTF8.self).contains(gap.id))
    let filled = try stand.client.post("/v1/s/items:fill?gap=\(gap.id)&wait=2")
    #expect(filled.status == 200, "\(String(decoding: filled.body, as: UTF8.self))")
    let next = try stand.client.get(try #require(slice.envelope.next)).slice()
    #expect(next.ids.first == "i8")
    await stand.stop()
    await upstream.stop()
  }

  /// A second of six elements, gone down by pages of its own that are too small to be laid beside
  /// each other: it is not asked for without end.
  @Test(arguments: 4...6) func aSecondThatIsNotCountedIsLeftAlone(max: Int) async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages:
        #""by":"time","at":"until","includes":true,"inside":"page","size":"size","max":\#(max)"#,
      limit: 40, rest: #","rate":{"calls":6000,"seconds":60}"#
    ) { call in
      let until = call.number("until", or: .max)
      let seconds = (0..<45).map { 1_700_000_000 - min($0, 10) - Swift.max(0, $0 - 15) }
      let shown = seconds.indices.filter { seconds[$0] <= until }
        .dropFirst((call.number("page", or: 1) - 1) * max).prefix(max)
      let items = shown.map { #"{"id":"i\#($0)","at":\#(seconds[$0])}"# }
      return Response(json: #"{"items":[\#(items.joined(separator: ","))]}"#)
    }
    #expect(Set(list.ids).count == list.ids.count && list.calls.count <= 40)
    #expect(list.ids.count == 45 || list.refusals.last == 503)
  }
}
