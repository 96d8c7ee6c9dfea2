import HTTP
import Testing

/// Bodies that a browser or curl takes, over the wire.
@Suite(.serialized) struct OddBodiesTests {
  @Test(arguments: ["\u{FEFF}", "\r\n", "\u{FEFF} "], [nil, "gzip", "none", "utf-8"])
  func whatStandsBeforeTheJSONIsNoPartOfIt(mark: String, coding: String?) async throws {
    let list = try await ReadList(pages: #""size":"size","max":20"#) { call in
      let size = call.number("size", or: 20)
      let from = (call.number("page", or: 1) - 1) * size
      return Response(
        json: mark + Response.elements(min(30, from)..<min(30, from + size)),
        coding.map { [("content-encoding", $0)] } ?? [])
    }
    #expect(list.ids == (0..<30).map { "i\($0)" })
    #expect(list.endReason == "end")
  }
}
