import History
import Support
import Testing

@testable import Feed

/// L1: any order and any repetition of the same answers of a feed by value, below a top that was
/// looked at, or of a whole list, gives the same timeline: at each place the latest answer wins.
@Suite struct AnyOrderTests {
  /// What is proven, and since when; ranges of one instant that touch are one.
  private func proven(_ timeline: Timeline) -> [String] {
    var ranges: [(range: CutRange, at: Timestamp)] = []
    for proof in timeline.proofs where proof.upper > proof.lower {
      if let last = ranges.last, last.range.lower == proof.upper, last.at == proof.provenAt {
        ranges[ranges.count - 1].range.lower = proof.lower
      } else {
        ranges.append((CutRange(upper: proof.upper, lower: proof.lower), proof.provenAt))
      }
    }
    return ranges.map { "\($0.range) \($0.at)" }
  }

  /// Answers of a list that moves between them: of its top, then each from a random place on.
  private func answers(seed: UInt64) -> [Evidence] {
    var random = SeededGenerator(seed: seed)
    var list = (0..<60).map { (id: $0, second: Int64(900 - 7 * $0)) }
    return (0...8).map { number in
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        list.remove(at: Int.random(in: 0..<list.count, using: &random))
        let second = Int64.random(in: 500...900, using: &random)
        let index = list.firstIndex { $0.second < second } ?? list.count
        list.insert((id: 100 * number + list.count, second: second), at: index)
      }
      let first = number == 0 ? 0 : Int.random(in: 1..<50, using: &random)
      let window = Window(offset: first, perPage: Int.random(in: 5...25, using: &random))
      let shown = list.dropFirst(first).prefix(window.perPage)
      let slots = shown.enumerated().map { index, entry in
        Page.Slot(
          index: index,
          item: PageItem(
            id: Identity("i\(entry.id)"), key: entry.second, updatedAt: nil, bytes: []))
      }
      let page = Page(
        items: slots, count: slots.count, hasNext: window.endRank < list.count, total: nil)
      return Evidence(
        page, to: window, sentAt: Timestamp(seconds: 1_000 + Int64(number)), clock: 2_000)
    }
  }

  @Test(arguments: [UInt64](0..<200))
  func byValueTheOrderOfAnswersChangesNothing(seed: UInt64) throws {
    let answers = answers(seed: seed)
    let inOrder = Ledger()
    for answer in answers { try inOrder.lay(answer) }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      let other = Ledger()
      let further = answers.dropFirst() + answers.shuffled(using: &random).prefix(4)
      for answer in answers.prefix(1) + further.shuffled(using: &random) { try other.lay(answer) }
      #expect(proven(other.timeline) == proven(inOrder.timeline))
      #expect(other.timeline.lookedAt == inOrder.timeline.lookedAt)
    }
  }

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
