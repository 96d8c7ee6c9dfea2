import History
import Support
import Testing

@testable import Feed

/// What pages show of a list whose order is the upstream's own.
@Suite struct OrderMatchTests {
  private static let feed = FeedID(
    source: "s", pattern: FeedPattern("stocks", order: .observed), parts: [Array("stocks".utf8)])

  private func page(_ drawing: String) -> Page {
    let marks = drawing.split(separator: " ")
    let slots = marks.enumerated().map { index, mark in
      let id = Identity(String(mark))
      return Page.Slot(
        index: index, item: PageItem(id: id, key: nil, updatedAt: nil, bytes: Array(mark.utf8)))
    }
    return Page(items: slots, count: slots.count, hasNext: true, total: nil)
  }

  private func window(at rank: Int, of count: Int) -> Window {
    Window(offset: rank, perPage: count)
  }

  /// The last element of a page proves nothing by itself, since what follows on it is not shown.
  /// Where it is known it stands where it stood, and what is in it is as new as the page.
  @Test func theContentOfAPagesLastElementIsTaken() throws {
    let ledger = Ledger(of: Self.feed)
    let top = page("a b c d e f")
    try ledger.lay(top, to: window(at: 0, of: 6), sentAt: Timestamp(seconds: 1))
    try ledger.lay(
      page("c d e f g h"), to: window(at: 2, of: 6), sentAt: Timestamp(seconds: 2))
    #expect(ledger.drawing == "a b c d e f g")
    try ledger.lay(top, to: window(at: 0, of: 6), sentAt: Timestamp(seconds: 3))
    #expect(ledger.lastMerge?.seen.map(\.item.id.text) == ["a", "b", "c", "d", "e", "f"])
  }

  /// `x` and `y` lack in a page that is believed to follow on `c`: where it does not, they are
  /// still there, above what it shows.
  @Test(arguments: [(3, ["n", "m"]), (4, ["m"]), (.max, ["m"])])
  func whatIsBelievedToFollowIsLaidBelowWhatItDoesNotShow(believed: Int, below: [String]) throws {
    let known = "a b c x y m".split(separator: " ").enumerated().map { index, mark in
      KnownElement(
        position: Position(order: Int64(100 - index), tie: []), id: Identity(String(mark)),
        updatedAt: nil, state: .live)
    }
    var timeline = Timeline()
    timeline.proofs = [
      Proof(
        upper: .above(known[0].position), lower: .below(known[5].position),
        provenAt: Timestamp(seconds: 1), count: 6, rankBelow: 6)
    ]
    let match = OrderMatch(
      page("a b c n m o"), to: window(at: 0, of: 6), sentAt: Timestamp(seconds: 2),
      known: Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) }), timeline: timeline,
      believed: believed)
    let evidence = try #require(match.evidence(among: known))
    let shown = evidence.elements.filter { $0.position < known[4].position }.map(\.item.id.text)
    #expect(shown == below)
  }
}
