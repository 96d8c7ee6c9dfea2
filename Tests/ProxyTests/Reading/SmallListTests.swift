import HTTP
import Testing

/// Lists of a few elements, of which nothing but their size says that they are whole.
@Suite(.serialized) struct SmallListTests {
  @Test(arguments: ["page", "offset"], [1, 3, 4, 5, 7, 8, 9, 10, 11])
  func aSmallListEnds(by: String, count: Int) async throws {
    for order in ["observed", "-at"] {
      let time = order == "-at" ? #","time":"seconds""# : ""
      let list = try await ReadList(
        feed: #""items":"items","order":"\#(order)"\#(time)"#,
        pages: #""by":"\#(by)","size":"size","max":100"#
      ) { call in
        let size = min(100, call.number("size", or: 100))
        let page = (call.number("page", or: 1) - 1) * size
        let from = min(count, call.number("offset", or: page))
        return Response(json: Response.elements(from..<min(count, from + size)))
      }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(order)")
      #expect(list.calls.count <= 6, "\(order)")
    }
  }
}
