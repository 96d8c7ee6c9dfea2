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

  @Test(arguments: [#"{"id":"a"}"#, #"{"id":"a","title":5,"created_at":null}"#])
  func marksWhatAnItemLacks(_ item: String) {
    let columns = ["a", "-", "-"]
    #expect(
      line(.table, item).split(separator: " ", omittingEmptySubsequences: true)
        .map { $0.filter { $0 != "\n" } } == columns)
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
