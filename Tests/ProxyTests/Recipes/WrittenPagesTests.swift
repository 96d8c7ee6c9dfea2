import Foundation
import HTTP
import Testing

/// Lists whose page and size stand in one parameter.
@Suite struct WrittenPagesTests {
  /// Rison, as Flask-AppBuilder has it, and JSON, as LoopBack has.
  @Test(arguments: [
    (#""by":"page","first":0"#, "(order:id,page:{},page_size:{size})"),
    (#""by":"offset""#, #"{\"limit\":{size},\"skip\":{}}"#),
  ])
  func pageAndSizeAreWrittenTogether(way: String, write: String) async throws {
    let isPage = way.contains("page")
    let list = try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages: way + #","at":"q","write":"\#(write)","max":100,"total":"total""#, limit: 30
    ) { call in
      let text = call.parameters["q"]?.removingPercentEncoding ?? ""
      let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
      guard numbers.count == 2 else { return Response(status: 400, text: text) }
      let (size, from) =
        isPage ? (numbers[1], numbers[0] * numbers[1]) : (numbers[0], numbers[1])
      guard isPage ? text.hasPrefix("(order:id,page:") : text.hasPrefix(#"{"limit":"#) else {
        return Response(status: 400, text: text)
      }
      let begin = min(240, from)
      return Response(
        json: Response.elements(begin..<min(240, begin + size), #","total":240"#))
    }
    #expect(list.ids == (0..<240).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty && list.gapCount == 0)
    #expect(list.proof == "value" && list.calls.count <= 5)
  }
}
