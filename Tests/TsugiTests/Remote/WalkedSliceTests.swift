import JSONBytes
import Testing

@testable import tsugi

@Suite struct WalkedSliceTests {
  @Test func readsItemsAndWhereToGoOn() throws {
    let slice = try WalkedSlice(
      envelope: Array(
        """
        {"items": [ {"id": "a",\n "n": 1.0} , {"id":"b"}], "limit": 2, "hasMore": true,
         "next": "/v1/qiita/items?limit=2&startAfter=c\\u0061", "endReason": null, "new": [1],
         "freshness": {"state": "stale", "checkedAt": "2026-11-21T00:00:00Z"}}
        """.utf8))
    #expect(
      slice.items.map { String(decoding: $0, as: UTF8.self) } == [
        "{\"id\": \"a\",\n \"n\": 1.0}", "{\"id\":\"b\"}",
      ])
    #expect(slice.next == "/v1/qiita/items?limit=2&startAfter=ca")
    #expect(slice.endReason == nil)
    #expect(slice.freshness == "stale")
  }

  @Test func readsTheEnd() throws {
    let slice = try WalkedSlice(
      envelope: Array(#"{"items":[],"next":null,"endReason":"end"}"#.utf8))
    #expect(slice.items.isEmpty)
    #expect(slice.next == nil)
    #expect(slice.endReason == "end")
    #expect(slice.freshness == nil)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"items":{}}"#, #"{"items":[1,2}"#, #"{"items":[],"next":5}"#,
    "<html></html>",
  ])
  func refusesWhatIsNoSlice(_ body: String) {
    #expect(throws: JSONError.self) { try WalkedSlice(envelope: Array(body.utf8)) }
  }
}
