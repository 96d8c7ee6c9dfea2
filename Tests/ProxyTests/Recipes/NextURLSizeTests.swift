import HTTP
import Testing

/// Next pages whose URL repeats the size that was asked for first.
@Suite(.serialized) struct NextURLSizeTests {
  @Test(arguments: [#""size":"n""#, #""size":"page[n]""#]) func aNextURLBringsFullPages(
    size: String
  ) async throws {
    let list = try await ReadList(
      pages: #""by":"next","next":"next","max":100,\#(size)"#, limit: 20
    ) { call in
      let name = call.parameters["n"] == nil ? "page%5Bn%5D" : "n"
      let (from, size) = (call.number("from", or: 0), call.number(name, or: 10))
      let end = min(600, from + size)
      let next = end < 600 ? #""/items?\#(name)=\#(size)&from=\#(end)""# : "null"
      return Response(json: Response.elements(from..<end, #","next":\#(next)"#))
    }
    #expect(list.ids == (0..<600).map { "i\($0)" })
    #expect(list.calls.count == 6)
    #expect(!list.doubts.contains { $0.contains("short") })
  }
}
