import HTTP
import Testing

/// In what forms an API names its next page.
@Suite(.serialized) struct NextFormsTests {
  private static let count = 45

  /// 20 elements from the one that the query names on, of `/api/items`; `PORT` is the port in a
  /// form, and `@` the number of the next element.
  private static func page(_ call: RuledUpstream.Call, form: String, inLink: Bool) -> Response {
    guard call.path == "/api/items" else { return Response(status: 404) }
    let from = min(count, call.number("from", or: 0))
    let next = min(count, from + 20)
    let url = form.replacing("PORT", with: call.port).replacing("@", with: "\(next)")
    let isLast = next == count
    let text = isLast ? "null" : "\"\(url)\""
    return Response(
      json: Response.elements(from..<next, inLink ? "" : #","next":\#(text)"#),
      inLink && !isLast ? [("link", "<\(url)>; rel=\"next\"")] : [])
  }

  static let forms = [
    "http://127.0.0.1:PORT/api/items?from=@", "/api/items?from=@", "?from=@", "items?from=@",
    "./items?from=@", "../api/items?from=@", "//127.0.0.1:PORT/api/items?from=@",
    "HTTP://127.0.0.1:PORT/api/items?from=@", "https://127.0.0.1:PORT/api/items?from=@",
    "http://127.0.0.1:PORT/api/x/%2e%2E/items?from=@", "http://127.0.0.1:PORT/%61pi/items?from=@",
    "http://%3127.0.0.1:PORT/api/items?from=@", "http://127.0.0.1:PORT/api/items?from=@#top",
    " /api/items?from=@ ", "/api/items?from=@&q=日本 語",
  ]

  @Test(arguments: forms, [false, true])
  func everyFormOfAURLLeadsToTheNextPage(form: String, inLink: Bool) async throws {
    let place = inLink ? "" : #","next":"next""#
    let list = try await ReadList(pages: #""by":"next","max":20\#(place)"#, base: "/api") {
      Self.page($0, form: form, inLink: inLink)
    }
    #expect(list.ids == (0..<Self.count).map { "i\($0)" })
    #expect(list.endReason == "end")
  }

  /// Below the base path, and at the own port.
  @Test(arguments: [
    "/items?from=@", "../items?from=@", "http://127.0.0.1:1/api/items?from=@",
    "http://localhost:PORT/api/items?from=@", "/api/x/..%2f../items?from=@",
    "http://x@127.0.0.1:PORT/api/items?from=@", "mailto:items?from=@",
  ])
  func whatLeadsElsewhereIsNotFollowed(form: String) async throws {
    let list = try await ReadList(pages: #""by":"next","next":"next","max":20"#, base: "/api") {
      Self.page($0, form: form, inLink: false)
    }
    #expect(list.ids.count <= 20)
    #expect(list.refusals.allSatisfy { $0 == 502 } && !list.refusals.isEmpty)
    #expect(list.calls.allSatisfy { $0.path == "/api/items" && $0.parameters["from"] == nil })
  }

  /// A key in the query goes with each call, whatever the next says of it.
  @Test func aKeyInTheQueryGoesWithARelativeNext() async throws {
    let list = try await ReadList(
      pages: #""by":"next","next":"next","max":20"#, base: "/api",
      rest: #","public":true,"auth":{"query":"key","value":"s3cret-of-a-test"}"#
    ) { Self.page($0, form: "?from=@&monkey=1", inLink: false) }
    #expect(list.ids.count == Self.count)
    #expect(list.calls.allSatisfy { $0.parameters["key"] == "s3cret-of-a-test" })
  }

  /// A relative next is resolved against what a redirect led to.
  @Test func aRedirectMovesWhatANextIsRelativeTo() async throws {
    let list = try await ReadList(pages: #""by":"next","next":"next","max":20"#, base: "/api") {
      call in
      if call.path == "/api/items" {
        return Response(status: 301, fields: ["location": "/api/items/"])
      }
      let from =
        call.path == "/api/items/" ? 0 : Int(call.path.split(separator: "/").last ?? "") ?? 0
      let next = from < 60 ? #","next":"\#(from + 20)""# : #","next":null"#
      return Response(json: Response.elements(from..<from + 20, next))
    }
    #expect(list.ids.count == 80)
    #expect(list.calls.map(\.path).filter { $0 == "/api/items/20" }.count == 1)
  }
}
