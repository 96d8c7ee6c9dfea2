import HTTP
import Testing

/// What answers show of a recipe while it is served, as the metrics say it.
@Suite(.serialized) struct RecipeSignTests {
  private static let byToken = #""by":"next","at":"t","size":"n","max":20,"next":"nxt""#

  /// A page of 60 elements from a token on, and the token after it as `mark` writes its count.
  private static func page(
    _ call: RuledUpstream.Call, _ mark: (Int) -> String
  ) -> Response {
    let from = Int(call.parameters["t"]?.filter(\.isNumber) ?? "") ?? 0
    let next = from + 20 < 60 ? #""\#(mark(from + 20))""# : "null"
    return Response(json: Response.elements(from..<from + 20, #","nxt":\#(next)"#))
  }

  @Test(arguments: [
    ("", "", ["counting"]), ("offset-", "", ["counting"]), ("k", "", []),
    ("", #","counted":true,"accept":"none""#, []),
  ])
  func aNextThatCountsIsASign(prefix: String, keys: String, signs: [String]) async throws {
    let list = try await ReadList(pages: Self.byToken + keys) { call in
      Self.page(call) { "\(prefix)\($0)" }
    }
    #expect(list.ids == (0..<60).map { "i\($0)" })
    #expect(list.doubts.count == signs.count, "\(list.doubts)")
    for sign in signs { #expect(list.doubts[0].contains("sign=\"\(sign)\"")) }
  }

  /// Kinto's tokens have both.
  @Test func aCountBesideAValueOfTheLastElementIsNoSign() async throws {
    let list = try await ReadList(pages: Self.byToken) { call in
      let from = (call.parameters["t"]?.split(separator: ".").last).flatMap { Int($0) } ?? 0
      let last = 1_700_000_000 - 7 * (from + 19)
      let rest = from < 40 ? #","nxt":"at.\#(last).offset.\#(from + 20)""# : ""
      return Response(json: Response.elements(from..<from + 20, rest))
    }
    #expect(list.ids == (0..<60).map { "i\($0)" })
    #expect(!list.doubts.contains { $0.contains("counting") }, "\(list.doubts)")
  }

  @Test(arguments: [true, false])
  func aPageThatARedirectLedToIsASign(isRedirected: Bool) async throws {
    let list = try await ReadList(pages: #""by":"offset","size":"n","max":20"#) { call in
      if isRedirected, call.path == "/items" {
        let query = call.parameters.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return Response(json: "", status: 301, [("location", "/items/?\(query)")])
      }
      let from = call.number("offset", or: 0)
      return Response(json: Response.elements(min(50, from)..<min(50, from + 20)))
    }
    #expect(list.ids.count == 50)
    #expect(list.doubts.contains { $0.contains(#"sign="redirected""#) } == isRedirected)
  }
}
