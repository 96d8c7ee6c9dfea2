import Testing

@testable import tsugi

@Suite struct WalkFormatTests {
  @Test(arguments: [
    (#"{"id":"a","n":1.50,"t":"x\ny"}"#, #"{"id":"a","n":1.50,"t":"x\ny"}"#),
    ("{\"id\":\r\n  \"a\",\n\t\"b\": 1}", "{\"id\":    \"a\", \t\"b\": 1}"),
  ])
  func keepsBytesButLineEnds(_ item: String, _ expected: String) {
    #expect(line(.ndjson, item) == expected + "\n")
  }

  @Test func showsThreeColumns() {
    let item =
      #"{"title":"次へ","created_at":"2025-12-09T15:24:45+09:00","id":"0123456789abcdef0123"}"#
    #expect(
      line(.table, item) == "0123456789abcdef0123  2025-12-09T15:24:45+09:00  次へ\n")
  }

  @Test(arguments: [
    // A fruit, a tag, a like, a comment: what each feed of the server has.
    (#"{ "id": 1, "name": "りんご", "price": 200 }"#, "1", "りんご"),
    (#"{"followers_count":3,"icon_url":"https://a/b","id":"Swift","items_count":5}"#, "Swift", "-"),
    (#"{"created_at":null,"user":{"id":"alice","name":"Alice"}}"#, "alice", "-"),
    (#"{"body":"Well said.","id":"c1","rendered_body":"<p>"}"#, "c1", "Well said."),
    (#"{"icon":"https://a","state":"open","id":-7}"#, "-7", "open"),
    (#"{"id":null,"user":{"id":"bob"},"title":5,"name":"n"}"#, "bob", "n"),
    (#"{"id":"a","title":5}"#, "a", "-"), ("[1]", "-", "-"), ("{}", "-", "-"), ("7", "-", "-"),
    (#"{"id":"a","title":"t","x":}"#, "-", "-"),
  ])
  func showsAnyFeed(item: String, identity: String, text: String) {
    let padding = String(repeating: " ", count: 20 - identity.count)
    #expect(line(.table, item) == "\(identity)\(padding)  \(text)\n")
  }

  @Test(arguments: [
    // Hacker News, a commit of GitHub, an item with a key and an epoch time.
    (
      #"{"objectID":"8863","created_at_i":1175714200,"points":111,"title":"My YC app"}"#,
      "8863                  2007-04-04T19:16:40Z       My YC app"
    ),
    (
      #"{"sha":"c0ffee","node_id":"C_1","url":"https://a/b","commit":{"author":{"name":"Ann","#
        + #""date":"2011-04-14T16:00:49Z"},"message":"Fix all the bugs"}}"#,
      "c0ffee                2011-04-14T16:00:49Z       Fix all the bugs"
    ),
    (
      #"{"key":"k7","publishedAt":1700000000123,"size":5,"headline":"Rain"}"#,
      "k7                    2023-11-14T22:13:20Z       Rain"
    ),
    (#"{"key":"k7","count":1700000000,"body":"Rain"}"#, "k7                    Rain"),
    (
      #"{"id":"a","when":"2025-12-09T15:24:45+09:00","body":"x"}"#,
      "a                     2025-12-09T15:24:45+09:00  x"
    ),
  ])
  func findsATimeAndAText(_ item: String, _ row: String) {
    #expect(line(.table, item) == row + "\n")
  }

  @Test(arguments: [(120, "\n"), (121, "…\n")])
  func cutsALongText(count: Int, end: String) {
    let title = String(repeating: "次", count: count)
    let shown = line(.table, #"{"id":"a","title":"\#(title)"}"#)
    #expect(shown.hasSuffix(end) && shown.count == 20 + 2 + 120 + 1)
  }

  @Test func neverLetsAnItemMoveTheCursor() {
    let item = #"{"id":"a","created_at":"b","title":"x\u001b[2J\n\u0007y\u009b"}"#
    let shown = line(.table, item).dropLast()
    #expect(shown.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    #expect(shown.hasSuffix("x [2J  y "))
  }

  private func line(_ format: WalkFormat, _ item: String) -> String {
    String(decoding: format.line(for: Array(item.utf8)[...]), as: UTF8.self)
  }
}
