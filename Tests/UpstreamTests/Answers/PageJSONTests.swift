import Feed
import Testing

@testable import Upstream

struct PageJSONTests {
  private static let date = #""created_at":"2025-12-09T14:21:53+09:00""#

  private func page(_ body: String, _ pattern: String = "items") throws(FetchError) -> Page {
    try Page(qiita: pattern, Array(body.utf8))
  }

  @Test func keepsBytesAsTheyCame() throws {
    let element = #"{ "title" :"\u003c日本語\ud83d\ude00>", "id":"a", \#(Self.date)  }"#
    let page = try page(" [ \(element) ,\n\(element.replacing("\"a\"", with: "\"b\"")) ] \n")
    #expect(page.items[0].item.bytes == Array(element.utf8))
    #expect(page.ids == "a b")
  }

  @Test func readsTimesAsSeconds() throws {
    let page = try page(#"[{"id":"a",\#(Self.date),"updated_at":"2025-12-09T05:21:54Z"}]"#)
    #expect(page.items[0].item.key == 1_765_257_713)
    #expect(page.items[0].item.updatedAt == 1_765_257_714)
  }

  @Test(arguments: [
    #"null"#, #"1"#, #""text""#, #"[]"#, #"{}"#, #"{"id":"x"}"#, #"{\#(Self.date)}"#,
    #"{"id":"",\#(Self.date)}"#, #"{"id":null,\#(Self.date)}"#, #"{"id":1.5,\#(Self.date)}"#,
    #"{"id":["x"],\#(Self.date)}"#, #"{"id":"x","created_at":"2025-02-29T00:00:00Z"}"#,
    #"{"id":"x","created_at":1765257713}"#, #"{"id":"x",\#(Self.date),"a":tru}"#,
    #"{"id":"x",\#(Self.date),}"#, #"{"id":"\ud800",\#(Self.date)}"#,
    #"{"id":"x",\#(Self.date),"a":"\q"}"#, #"{"id":"x" \#(Self.date)}"#,
    #"{"id":"\#(String(repeating: "i", count: 129))",\#(Self.date)}"#,
    #"{"id":"a","again":true,\#(Self.date)}"#,
  ])
  func leavesOutBadElement(element: String) throws {
    let page = try page(
      #"[{"id":"a",\#(Self.date)},\#(element),{"id":"b",\#(Self.date)}]"#)
    #expect(page.ids == "a b")
    #expect(page.items.map(\.index) == [0, 2])
    #expect(page.count == 3)
  }

  @Test func leavesOutElementThatIsNotUTF8() throws {
    let bytes =
      Array(#"[{"id":"a","t":""#.utf8) + [0xFF] + Array(#"",\#(Self.date)},"#.utf8)
      + Array(#"{"id":"b",\#(Self.date)}]"#.utf8)
    let page = try Page(qiita: "items", bytes)
    #expect(page.ids == "b")
    #expect(page.count == 2)
  }

  @Test(
    arguments: [
      ("1", .broken), ("[]", .broken), (#"{"id":"x",\#(Self.date),"a":tru}"#, .broken),
      (#"{"id":"x","created_at":"\q"}"#, .broken), (#"{\#(Self.date)}"#, .nameless),
      (#"{"id":null,\#(Self.date)}"#, .nameless), (#"{"id":"x"}"#, .undated),
      (#"{"id":"x","created_at":"soon"}"#, .undated), (#"{"id":"a",\#(Self.date)}"#, .repeated),
    ] as [(String, ElementFault)])
  func tellsWhatIsWrong(element: String, fault: ElementFault) throws {
    let page = try page(#"[{"id":"a",\#(Self.date)},\#(element),\#(element)]"#)
    #expect(page.ids == "a")
    #expect(page.faults == [fault: 2])
  }

  /// One element that comes twice is none that lacks; of two with one identity the second does.
  @Test func whatHasTheIdentityOfAnotherLacks() throws {
    let page = try page(
      #"[{"id":"a",\#(Self.date)},{"id":"a",\#(Self.date)},{"id":"a","t":2,\#(Self.date)}]"#)
    #expect(page.faults == [.repeated: 2] && page.omitted == [2])
  }

  @Test func takesIdentityOfExactly128Bytes() throws {
    let id = String(repeating: "i", count: 128)
    #expect(try page(#"[{"id":"\#(id)",\#(Self.date)}]"#).ids == id)
  }

  @Test func takesWholeNumberAsIdentity() throws {
    #expect(try page(#"[{"id":42},{"id":-7}]"#, "tags").ids == "42 -7")
  }

  @Test(arguments: [19, 20, 39, 128])
  func takesAWholeNumberOfAnyLengthAsIdentity(digits: Int) throws {
    let id = String(repeating: "9", count: digits)
    let page = try page(#"[{"id":\#(id)},{"id":-\#(id.dropLast())}]"#, "tags")
    #expect(page.ids == "\(id) -\(id.dropLast())")
    #expect(page.items.map(\.item.id.isNumber) == [true, true])
    #expect(
      page.items.first.map { String(decoding: $0.item.bytes, as: UTF8.self) } == #"{"id":\#(id)}"#)
  }

  @Test func leavesOutANumberOf129Digits() throws {
    let page = try page(#"[{"id":\#(String(repeating: "9", count: 129))}]"#, "tags")
    #expect(page.ids.isEmpty && page.faults == [.nameless: 1] && page.omitted == [0])
  }

  @Test func ofEqualKeysTheLastNamesTheItem() throws {
    let page = try page(#"[{"id":"a","id":"b"},{"id":"a"},{"id":1,"id":null}]"#, "tags")
    #expect(page.ids == "b a")
    #expect(page.faults == [.nameless: 1])
  }

  @Test func aLoneSurrogateStaysAsItCame() throws {
    let element = #"{"id":"a",\#(Self.date),"t":"cut \ud83d"}"#
    let page = try page("[\(element)]")
    #expect(page.items.map { String(decoding: $0.item.bytes, as: UTF8.self) } == [element])
  }

  @Test func aLoneSurrogateIsReplacedWhereThatIsConfigured() throws {
    var list = ListRecipe(path: "items")
    (list.order, list.surrogates) = (.observed, .replace)
    let element = #"{"id":"a","t":"\ud83d\ude42 cut \uD83D"}"#
    let item = try ElementReader(list, key: nil, unit: .number).item(in: Array(element.utf8)[...])
    #expect(
      String(decoding: item.bytes, as: UTF8.self) == #"{"id":"a","t":"\ud83d\ude42 cut \ufffd"}"#)
  }

  /// What is hidden, or there already, readers do not lack.
  @Test func tellsWhatReadersLack() throws {
    let page = try page(#"[{"id":"a",\#(Self.date)},1,{"id":"a",\#(Self.date)},{"id":"b"},{}]"#)
    #expect(page.omitted == [1, 3, 4])
  }

  @Test func takesEscapedIdentityAsItsText() throws {
    #expect(try page(#"[{"id":"\u0043#"}]"#, "tags").ids == "C#")
  }

  @Test func needsNoTimeInObservedFeed() throws {
    let page = try page(#"[{"id":"a"},{"id":"b","created_at":"soon"}]"#, "tags")
    #expect(page.ids == "a b")
    #expect(page.items.map(\.item.key) == [nil, nil])
  }

  @Test func findsLikersIdentity() throws {
    let page = try page(
      #"[{\#(Self.date),"user":{"name":"","id":"a"}},{"id":"b"},{"user":"c"},{"user":{"id":"d"}}]"#,
      "items/:id/likes")
    #expect(page.ids == "a d")
    #expect(page.count == 4)
  }

  @Test(arguments: [" [ ] ", "{}", "null"]) func takesEmptyArray(body: String) throws {
    #expect(try page(body) == Page(items: [], count: 0, hasNext: false, total: nil))
  }

  @Test(arguments: ["[", #"[{"id":"a""#, "[{}", "[{},", #"[{"id":"a"#])
  func saysCutWhenArrayDoesNotEnd(body: String) {
    #expect(throws: FetchError.cut) { try page(body) }
  }

  @Test(arguments: ["", "<html>", #"{"a":1}"#, "7", "[]]", "[] x", "[{}}]", "[,]", "[{} {}]"])
  func refusesWhatIsNoArray(body: String) {
    #expect {
      try page(body)
    } throws: { error in
      if case .malformed? = error as? FetchError { true } else { false }
    }
  }
}
