import HTTP
import Testing

/// That a list is asked for by the path that its recipe gives, and a whole one by nothing more.
@Suite(.serialized) struct PathAsGivenTests {
  @Test(arguments: [
    (#""path":"posts/""#, "/api", "/api/posts/"), (#""path":"posts""#, "/api/", "/api/posts"),
    (#""path":"""#, "/api", "/api"), (#""path":"""#, "/api/", "/api/"),
    (#""path":"/""#, "/api", "/api/"), (#""path":"""#, "", "/"),
  ])
  func aPathIsAskedAsItWasGiven(path: String, base: String, asked: String) async throws {
    let list = try await ReadList(
      feed: #""items":"items",\#(path)"#, pages: #""size":"n","max":20"#, base: base
    ) { call in
      guard call.path == asked else { return Response(status: 404) }
      let size = call.number("n", or: 20)
      let from = (call.number("page", or: 1) - 1) * size
      return Response(json: Response.elements(min(50, from)..<min(50, from + size)))
    }
    #expect(list.ids == (0..<50).map { "i\($0)" })
    #expect(list.calls.allSatisfy { $0.path == asked })
  }

  /// To many APIs a parameter that they do not know is an error, or a filter.
  @Test(arguments: [#""size":"n","max":20"#, #""accept":"none""#, #""by":"offset","size":"n""#])
  func aWholeListIsAskedForWithoutParametersOfPaging(pages: String) async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"whole","path":"","query":{"rest_route":"/posts"}"#,
      pages: pages, base: "/index.php"
    ) { call in
      guard call.parameters == ["rest_route": "%2Fposts"] else { return Response(status: 400) }
      return Response(json: Response.elements(0..<150))
    }
    #expect(list.ids == (0..<150).map { "i\($0)" })
    #expect(list.proof == "whole")
  }
}
