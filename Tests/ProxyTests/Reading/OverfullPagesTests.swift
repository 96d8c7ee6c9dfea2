import HTTP
import Testing

/// Servers that send more elements than were asked for.
@Suite(.serialized) struct OverfullPagesTests {
  /// A list of so many, of which an answer has as many elements as `given` makes of what is asked.
  private static func read(
    _ count: Int, by way: String, order: String, given: @escaping @Sendable (Int) -> Int
  ) async throws -> ReadList {
    let time = order == "-at" ? #","time":"seconds""# : ""
    return try await ReadList(
      feed: #""items":"items","order":"\#(order)"\#(time)"#,
      pages: way + #","size":"size","max":100,"more":"more""#, limit: 40
    ) { call in
      let size = call.number("size", or: 100)
      let from = min(count, call.first(inPagesOf: size, isShown: way.contains("includes")))
      let end = min(count, from + given(size))
      return Response(json: Response.elements(from..<end, #","more":\#(end < count)"#))
    }
  }

  /// The one that shows whether more follows is left in.
  @Test(arguments: SmallListTests.ways, ["observed", "-at"])
  func oneMoreIsTheFirstOfTheNextPage(way: String, order: String) async throws {
    guard order == "-at" || !way.contains("time") else { return }
    for count in [1, 29, 30, 31, 130, 131] {
      let list = try await Self.read(count, by: way, order: order) { $0 + 1 }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(count)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(count)")
    }
  }

  /// Where an element, a time or an offset names the place, it is no other place.
  @Test(arguments: SmallListTests.ways.dropFirst(), ["observed", "-at"])
  func sizesAreRoundedUp(way: String, order: String) async throws {
    guard order == "-at" || !way.contains("time") else { return }
    let list = try await Self.read(230, by: way, order: order) { asked in
      [10, 20, 50, 100].first { $0 >= asked } ?? 100
    }
    #expect(list.ids == (0..<230).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
  }

  /// Elements that stand on top of the first page, or of each, beside those that were asked for.
  @Test(arguments: ["page", "offset", "item", "next"], [1, 2, 4])
  func pinnedElementsStandBesideThoseThatWereAskedFor(way: String, pinned: Int) async throws {
    let isNamed = way == "next" || way == "item"
    let at = #""by":"\#(way)""# + (isNamed ? #","at":"after","next":"after""# : "")
    for (count, isEverywhere) in [
      (25, false), (30, false), (230, false), (25, true), (30, true), (230, true),
    ] {
      let list = try await ReadList(
        feed: #""items":"items""#, pages: at + #","size":"size","max":50"#, limit: 40
      ) { call in
        let size = call.number("size", or: 50)
        let first = call.first(inPagesOf: size)
        let from = min(count, call.parameters["after"] == nil ? pinned + first : first)
        let end = min(count, from + size)
        let indices = from == pinned || isEverywhere ? Array(0..<pinned) : []
        let next = #","after":\#(end < count ? "\"i\(end - 1)\"" : "null")"#
        return Response(json: Response.elements(indices + Array(from..<end), next))
      }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(count)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(count)")
    }
  }

  /// Pages of one size, which no request names, are counted with them.
  @Test(arguments: [#""by":"page","accept":"none""#, #""by":"next","at":"after","next":"after""#])
  func pinnedElementsAreCountedInPagesOfTheirOwnSize(way: String) async throws {
    for pinned in [1, 2, 4] {
      let list = try await ReadList(
        feed: #""items":"items""#, pages: way + #","max":\#(pinned + 20)"#, limit: 40
      ) { call in
        let first = call.first(inPagesOf: 20)
        let from = min(230, call.parameters["after"] == nil ? pinned + first : first)
        let end = min(230, from + 20)
        let next = #","after":\#(end < 230 ? "\"i\(end - 1)\"" : "null")"#
        return Response(json: Response.elements(Array(0..<pinned) + Array(from..<end), next))
      }
      #expect(list.ids == (0..<230).map { "i\($0)" }, "\(pinned)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(pinned)")
    }
  }
}
