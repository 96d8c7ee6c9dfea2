import HTTP
import Testing

/// What an API writes on its last page where other pages name the next, and in a flag.
@Suite(.serialized) struct NothingMoreTests {
  private static let count = 45

  /// 20 elements from the one that `token` names on, and what is said of the next page.
  private static func page(
    _ call: RuledUpstream.Call, _ rest: (_ next: Int, _ isLast: Bool) -> String
  ) -> Response {
    let from = min(count, call.number("token", or: 0))
    let next = min(count, from + 20)
    return Response(json: Response.elements(from..<next, rest(next, next == count)))
  }

  private func expectWhole(
    _ pages: String, _ rest: @escaping @Sendable (Int, Bool) -> String
  ) async throws {
    let list = try await ReadList(pages: #""by":"next","at":"token","max":20,\#(pages)"#) {
      Self.page($0, rest)
    }
    #expect(list.ids == (0..<Self.count).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
    #expect(list.calls.count <= 4)
  }

  @Test(arguments: [
    #","next":null"#, #","next":"""#, #","next":0"#, #","next":"0""#, #","next":false"#,
    #","next":"false""#, #","next":"null""#, #","next":"None""#, #","next":[]"#, #","next":{}"#,
    #","next":-1"#, #","next":"-1""#, #","next":"undefined""#, #","next":" ""#, #","next":"nil""#,
    "",
  ])
  func aNextThatMeansNothingEndsTheList(last: String) async throws {
    try await expectWhole(#""next":"next""#) { $1 ? last : #","next":"\#($0)""# }
  }

  @Test(arguments: [
    "false", #""false""#, "0", #""0""#, #""no""#, #""N""#, "[]", "{}", #""""#, #""off""#,
    #""False""#,
  ])
  func aFlagThatSaysNoEndsTheListBesideAToken(flag: String) async throws {
    try await expectWhole(#""next":"next","more":"more""#) {
      #","next":"\#($0)","more":\#($1 ? flag : "true")"#
    }
  }

  @Test(arguments: [("true", "false"), ("1", "0"), (#""yes""#, #""no""#)])
  func aFlagOfTheLastPageEndsTheListBesideAToken(yes: String, no: String) async throws {
    try await expectWhole(#""next":"next","more":"!last""#) {
      #","next":"\#($0)","last":\#($1 ? yes : no)"#
    }
  }

  /// What says neither yes nor no is not heard above a token.
  @Test(arguments: ["", #","more":null"#])
  func aFlagThatIsMissingDoesNotEndTheList(flag: String) async throws {
    try await expectWhole(#""next":"next","more":"more""#) {
      $1 ? #","next":null,"more":false"# : #","next":"\#($0)"\#(flag)"#
    }
  }

  /// By numbered pages, a link or a number names the next one up to the last page.
  @Test(arguments: ["null", "0", "-1", "false", #""none""#, #""""#])
  func aNumberOfNoPageEndsANumberedList(last: String) async throws {
    let list = try await ReadList(pages: #""size":"size","max":20,"next":"next""#) { call in
      let size = call.number("size", or: 20)
      let page = call.number("page", or: 1)
      let numbers = min(Self.count, (page - 1) * size)..<min(Self.count, page * size)
      let next = numbers.upperBound == Self.count ? last : "\(page + 1)"
      return Response(json: Response.elements(numbers, #","next":\#(next)"#))
    }
    #expect(list.ids == (0..<Self.count).map { "i\($0)" })
    #expect(list.endReason == "end")
  }
}
