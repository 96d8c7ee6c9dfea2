import History
import Support
import Testing

@testable import Feed

/// L1: any order and any repetition of the same answers of a whole list give the same timeline.
@Suite struct AnyOrderTests {
  @Test(arguments: [UInt64](0..<50))
  func ofAWholeListTheLatestAnswerWins(seed: UInt64) throws {
    let feed = FeedID(
      source: "s", pattern: FeedPattern("all", order: .whole), parts: [Array("all".utf8)])
    var random = SeededGenerator(seed: seed)
    let window = Window(page: 1, perPage: 100)
    let pages = (1...6).map { number in
      let letters = "abcdefgh".filter { _ in random.chance(70) }.shuffled(using: &random)
      let drawing = letters.map { "0\($0)" }.joined(separator: " ")
      return (
        page: page(drawing, hasNext: false), at: Timestamp(seconds: 1_000 + Int64(number))
      )
    }
    for _ in 0..<6 {
      let ledger = Ledger(of: feed)
      for (page, at) in (pages + pages).shuffled(using: &random) {
        let rows = try ledger.store.known(in: feed, below: .top, above: .bottom)
        let evidence = Replacement(page, rows: rows, timeline: ledger.timeline)
          .evidence(window: window, sentAt: at)
        try ledger.lay(evidence)
      }
      #expect(ledger.timeline.lookedAt == pages.last?.at)
      #expect(ledger.timeline.proofs.map(\.provenAt) == [pages.last?.at])
      let latest = pages.last?.page.items.map(\.item.id.text).joined(separator: " ")
      #expect(ledger.drawing == latest)
    }
  }
}
