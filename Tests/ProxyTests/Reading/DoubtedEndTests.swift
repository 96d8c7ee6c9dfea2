import HTTP
import Testing

/// Answers after which nothing can be asked for, and which are not the end of their list.
@Suite(.serialized) struct DoubtedEndTests {
  static let furtherPages: [(String, [(String, String)])] = [
    ("", [("link", #"</items?page=2>; rel="next""#)]), (#","next":"/items?page=2""#, []),
    (#","nextPageToken":"abc""#, []), (#","next_cursor":20"#, []), (#","has_more":true"#, []),
    (#","@odata.nextLink":"https://x.example/items?$skip=20""#, []),
    (#","paging":{"next":"abc"}"#, []), (#","meta":{"page":{"hasNextPage":true}}"#, []),
    (#","_links":{"next":{"href":"/items?page=2"}}"#, []),
    (#","links":[{"rel":"self","href":"/items"},{"rel":"next","href":"/items?page=2"}]"#, []),
    (#","continue":{"offset":20}"#, []), ("", [("x-next-page", "2")]),
    (#","isTruncated":"true""#, []), (#","total":173"#, []), (#","last":false"#, []),
    (#","meta":{"total_count":173,"pages":9}"#, []), (#","total_pages":9"#, []),
    ("", [("x-total-count", "173")]),
  ]

  @Test(arguments: furtherPages)
  func aWholeListThatNamesANextPageIsNotWhole(
    rest: String, fields: [(String, String)]
  ) async throws {
    let list = try await ReadList(feed: #""items":"items","order":"whole""#, pages: "") { _ in
      Response(json: Response.elements(0..<20, rest), fields)
    }
    #expect(list.ids.count == 20)
    #expect(list.endReason == "upstreamLimit" && list.proof == "none")
    #expect(list.doubts.contains { $0.contains(#"sign="partial""#) })
  }

  @Test(arguments: [
    "", #","next":null"#, #","has_more":false"#, #","nextPageToken":"""#, #","hasNext":0"#,
    #","links":{"next":null,"self":"/items"}"#, #","links":[{"rel":"self","href":"/x"}]"#,
    #","pagination":{"next_page":0,"more":"no"}"#, #","_links":{"self":{"href":"/x"}}"#,
    #","text":"next","nextElection":"2027","continue":{}"#,
    #","total":20,"totalPages":1,"last":true"#, #","page":{"totalElements":20,"last":"i19"}"#,
  ])
  func aWholeListThatNamesNoneIsWhole(rest: String) async throws {
    let list = try await ReadList(feed: #""items":"items","order":"whole""#, pages: "") { _ in
      Response(json: Response.elements(0..<20, rest))
    }
    #expect(list.ids.count == 20)
    #expect(list.endReason == "end" && list.proof == "whole" && list.doubts.isEmpty)
  }

  private static let byNext = #""by":"next","at":"token","size":"size","max":20,"next":"nxt""#

  /// The recipe looks for the next page at a place that no answer has.
  @Test(
    arguments: [#""items":"items""#, #""items":"items","order":"-at","time":"seconds""#], [7, 30])
  func aFullPageWithoutThePlaceOfTheNextIsNoProvenEnd(feed: String, limit: Int) async throws {
    let list = try await ReadList(feed: feed, pages: Self.byNext, limit: limit) {
      let from = $0.number("token", or: 0)
      return Response(json: Response.elements(from..<from + 20, #","next":"\#(from + 20)""#))
    }
    #expect(list.ids.count == 20 && list.refusals.isEmpty)
    #expect(list.endReason == "upstreamLimit" && list.proof == "none")
    #expect(list.doubts.contains { $0.contains(#"sign="silent""#) })
  }

  /// What an only page of 20 elements says, and of 17.
  @Test(arguments: [
    (20, #","nxt":null"#), (20, #","nxt":"""#), (20, #","total":20"#), (20, #","more":false"#),
    (17, ""),
  ])
  func anOnlyPageThatSaysSoIsTheEnd(count: Int, rest: String) async throws {
    let list = try await ReadList(
      pages: Self.byNext + #","total":"total","more":"more""#
    ) { _ in Response(json: Response.elements(0..<count, rest)) }
    #expect(list.ids.count == count && list.endReason == "end")
    #expect(list.proof == "sight" && list.doubts.isEmpty)
  }

  /// Many APIs leave the place out on the last page.
  @Test func aFullLastPageWithoutThePlaceIsTheEnd() async throws {
    let list = try await ReadList(pages: Self.byNext) {
      let from = $0.number("token", or: 0)
      let rest = from == 0 ? #","nxt":"20""# : ""
      return Response(json: Response.elements(from..<from + 20, rest))
    }
    #expect(list.ids.count == 40 && list.endReason == "end")
    #expect(!list.doubts.contains { $0.contains("silent") })
  }
}
