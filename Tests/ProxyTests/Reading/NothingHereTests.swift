import HTTP
import Testing

/// How an API says that a list, or a page of it, is empty without an empty array.
@Suite(.serialized) struct NothingHereTests {
  /// An answer without elements; where the list stands in it.
  struct Empty: Sendable, CustomTestStringConvertible {
    var body = ""
    var status = 200
    var fields: [(String, String)] = []
    var items = "items"
    var testDescription: String { "\(status) \(body) \(fields) at '\(items)'" }

    var response: Response { Response(json: body, status: Status(status), fields) }
  }

  static let empties: [Empty] = [
    Empty(body: #"{"items":null}"#), Empty(body: #"{"items":null,"total":0}"#),
    Empty(body: #"{"items":{}}"#), Empty(body: #"{"items":""}"#), Empty(body: #"{"items":false}"#),
    Empty(body: #"{"total":0}"#), Empty(body: #"{"total":0,"kind":"x#list"}"#), Empty(body: "{}"),
    Empty(body: #" { } "#), Empty(body: #"{"more":false}"#), Empty(body: #"{"next":null}"#),
    Empty(body: #"{"items":null,"error":null,"success":true,"status":"ok","code":200}"#),
    Empty(body: #"{"data":null}"#, items: "data.items"),
    Empty(body: #"{"data":{}}"#, items: "data.items"),
    Empty(body: #"{"data":{"total":0},"total":0}"#, items: "data.items"),
    Empty(body: #"{"resultSizeEstimate":0}"#), Empty(body: #"{"meta":{"result_count":0},"v":2}"#),
    Empty(body: "null", items: ""), Empty(body: "{}", items: ""), Empty(body: "null"),
    Empty(status: 204), Empty(body: "[]", status: 206, items: ""), Empty(status: 205),
    Empty(body: "[]", fields: [("content-range", "*/0")], items: ""),
    Empty(body: #"{"code":"range"}"#, status: 416, fields: [("content-range", "items */0")]),
    Empty(body: #"{"error":"nothing there"}"#, status: 404),
  ]

  private static let pages =
    #""size":"size","max":20,"total":"total","more":"more","next":"next","beyond":[404]"#

  private static func feed(_ items: String) -> String {
    items.isEmpty ? #""id":"id""# : #""items":"\#(items)""#
  }

  @Test(arguments: empties) func anEmptyListIsEmpty(empty: Empty) async throws {
    let list = try await ReadList(feed: Self.feed(empty.items), pages: Self.pages) { _ in
      empty.response
    }
    #expect(list.ids.isEmpty && list.refusals.isEmpty)
    #expect(list.endReason == "end")
  }

  /// 40 elements on two pages, and the same words for the third.
  @Test(arguments: empties.filter { $0.items == "items" })
  func anEmptyPageEndsAList(empty: Empty) async throws {
    let list = try await ReadList(pages: Self.pages) { call in
      let size = call.number("size", or: 20)
      let from = (call.number("page", or: 1) - 1) * size
      guard from < 40 else { return empty.response }
      return Response(json: Response.elements(from..<min(40, from + size)))
    }
    #expect(list.ids == (0..<40).map { "i\($0)" })
    #expect(list.endReason == "end")
  }

  @Test(arguments: [
    #"{"items":null,"error":"overloaded"}"#, #"{"data":null,"errors":[{"message":"x"}]}"#,
    #"{"status":"error","message":"x","items":null}"#, #"{"success":false,"items":null}"#,
    #"{"code":500,"items":null}"#, #"{"results":[{"id":"a"}],"next":null}"#, #"{"message":"x"}"#,
    #"{"results":[{"id":"a"}],"total":1}"#, #"{"items":7}"#, #"{"items":"x"}"#, "",
    #"{"items":nul}"#, #"{"results":[{"id":"a"}]}"#, #"{"error_count":0,"v":2}"#,
    #"{"meta":{"result_count":7}}"#, #"{"message":"x","retry_count":0,"page":0}"#,
    #"{"error":"x","count":0}"#, #"{"count":0,"results":[{"id":"a"}]}"#,
  ])
  func anErrorOrAnotherShapeIsNoEmptyList(body: String) async throws {
    let list = try await ReadList(pages: Self.pages) { _ in Response(json: body) }
    #expect(list.ids.isEmpty && list.endReason == nil)
    #expect(list.refusals.allSatisfy { $0 == 502 } && !list.refusals.isEmpty)
  }

  /// An API that is read by ranges answers 206 while there is more, and says of how many.
  @Test(
    arguments: ["0-19/@", "items 0-19/@", "posts 0-19/@"],
    [#","total":"header:Content-Range""#, ""])
  func aRangeOfElementsTellsTheTotal(form: String, place: String) async throws {
    let list = try await ReadList(
      feed: #""id":"id""#, pages: #""by":"offset","size":"limit","max":20\#(place)"#
    ) { call in
      let from = min(45, call.number("offset", or: 0))
      let to = min(45, from + min(20, call.number("limit", or: 20)))
      let items = (from..<to).map { #"{"id":"i\#($0)"}"# }.joined(separator: ",")
      return Response(
        json: "[\(items)]", status: to < 45 ? 206 : 200,
        [("content-range", form.replacing("@", with: "45"))])
    }
    #expect(list.ids == (0..<45).map { "i\($0)" })
    #expect(list.endReason == "end" && list.total == 45)
  }
}
