import HTTP
import Testing

/// Upstreams that show no more than 100 elements, and say of the last that more follows.
@Suite struct UnnamedWallTests {
  private static let ways = [
    #""by":"page","size":"size","max":20,"more":"more""#,
    #""by":"offset","size":"size","max":20,"more":"more""#,
  ]
  private static let orders = ["", #","order":"-at","time":"seconds""#]

  /// Below 100 it refuses, or shows nothing, or refuses pages after the fifth of any size.
  private static func answer(_ call: RuledUpstream.Call, _ wall: String) -> Response {
    let size = call.number("size", or: 20)
    let from = call.first(inPagesOf: size)
    let isBelow = wall == "has five pages" && call.number("page", or: 1) > 5
    guard !isBelow, from + size <= 100 else {
      return wall == "shows nothing"
        ? Response(json: #"{"items":null}"#)
        : Response(json: #"{"error":"too deep"}"#, status: 400)
    }
    return Response(json: Response.elements(from..<from + size, #","more":true"#))
  }

  /// All that is shown is served; the last one stays open, for more is said to follow.
  @Test(arguments: ways, ["refuses", "shows nothing", "has five pages"])
  func allInFrontOfAWallIsServed(way: String, wall: String) async throws {
    for order in Self.orders {
      let list = try await ReadList(
        feed: #""items":"items""# + order, pages: way + #","beyond":[400]"#, limit: 20
      ) { Self.answer($0, wall) }
      #expect(list.ids == (0..<99).map { "i\($0)" }, "\(order)")
      #expect(list.refusals.allSatisfy { $0 == 503 } && list.calls.count <= 18, "\(order)")
    }
  }
}
