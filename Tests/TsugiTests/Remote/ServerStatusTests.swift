import Testing

@testable import tsugi

@Suite struct ServerStatusTests {
  @Test func isTwoTablesAndALine() {
    var status = ServerStatus()
    status.feeds = [
      .init(name: "qiita/items", items: 2000, gaps: 1, checkedAt: "2026-11-21T00:00:00Z"),
      .init(name: "fruits/items", items: 3, gaps: 0, checkedAt: nil),
    ]
    status.sources = [
      .init(name: "qiita", left: 978, calls: 22, failed: 1), .init(name: "qiita search", left: 30),
    ]
    status.bytes = 5 << 20
    #expect(
      status.text == """
        ITEMS  GAPS  CHECKED               FEED
        2000   1     2026-11-21T00:00:00Z  qiita/items
        3      0     -                     fruits/items

        LEFT  CALLS  FAILED  BUDGET
        978   22     1       qiita
        30    -      -       qiita search

        1 server, 5 MB stored

        """)
  }

  @Test func readsMetrics() {
    let metrics = MetricLines(
      """
      # HELP a_total What a is.
      a_total{source="x",outcome="ok"} 5
      a_total{source="x",outcome="cut"} 2
      b 1.5e3
      c NaN
      d +Inf
      broken{
      """)
    #expect(metrics.sum("a_total") == 7)
    #expect(metrics.sum("a_total") { $0["outcome"] == "cut" } == 2)
    #expect(metrics.sum("b") == 1500)
    #expect(metrics.sum("c") == 0)
    #expect(metrics.sum("d") == 1_000_000_000_000_000)
  }

  @Test(arguments: [
    ([], "0 items in 0 slices"), (["null"], "1 item in 1 slice"),
    ([#"{"id":"g","sunk":false}"#], "1 item in 1 slice"),
    ([#"{"id":"g","sunk":true}"#, "null"], "2 items in 2 slices with 1 sunk gap"),
  ])
  func countsInWords(_ gaps: [String], _ words: String) throws {
    var tally = WalkTally()
    for gap in gaps {
      let slice = #"{"items":[{"id":1}],"next":null,"gap":\#(gap)}"#
      tally.add(try WalkedSlice(envelope: Array(slice.utf8)))
    }
    #expect(tally.counts == words)
  }
}
