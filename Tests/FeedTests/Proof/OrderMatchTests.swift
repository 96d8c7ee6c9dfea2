import History
import Support
import Testing

@testable import Feed

/// What pages show of a list whose order is the upstream's own.
@Suite struct OrderMatchTests {
  private static let feed = FeedID(
    source: "s", pattern: FeedPattern("stocks", order: .observed), parts: [Array("stocks".utf8)])

  private func page(_ drawing: String, isLast: Bool = false) -> Page {
    let marks = drawing.split(separator: " ")
    let slots = marks.enumerated().map { index, mark in
      let id = Identity(String(mark))
      return Page.Slot(
        index: index, item: PageItem(id: id, key: nil, updatedAt: nil, bytes: Array(mark.utf8)))
    }
    return Page(items: slots, count: slots.count, hasNext: !isLast, total: nil)
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

  /// Above what ties a page to what is known only a few lack between one known element and the
  /// next: all of them stay where they were, however many lack in sum.
  @Test func whatLacksIsCountedFromOneKnownElementToTheNext() throws {
    let ledger = Ledger(of: Self.feed)
    let known = (0..<40).map { "k\($0)" }
    try ledger.lay(
      page(known.joined(separator: " ")), to: window(at: 0, of: 40), sentAt: Timestamp(seconds: 1))
    let stay = ([9, 11, 13, 15, 17, 19, 21] + Array(25..<39)).map { known[$0] }
    let ids = stay.map { Identity($0) }
    let before = try ledger.store.known(in: Self.feed, ids: ids)
    let shown = (0..<9).map { "n\($0)" } + stay
    try ledger.lay(
      page(shown.joined(separator: " ")), to: window(at: 0, of: 100),
      sentAt: Timestamp(seconds: 2))
    let after = try ledger.store.known(in: Self.feed, ids: ids)
    #expect(after.filter { $0.state == .live }.map(\.position) == before.map(\.position))
  }

  /// All that is known below the last element that ties a page to a run lacks, and others come
  /// there: a few may have gone, more were pushed down.
  @Test(arguments: [6, 7])
  func whatIsNotShownBelowAnAnchorIsGoneOnlyWhereItIsFew(known: Int) throws {
    let ledger = Ledger(of: Self.feed)
    let rest = (0..<known).map { "k\($0)" }.joined(separator: " ")
    try ledger.lay(
      page("a b c \(rest) z"), to: window(at: 0, of: known + 4), sentAt: Timestamp(seconds: 1))
    let new = (0..<9).map { "n\($0)" }.joined(separator: " ")
    try ledger.lay(page("a b c \(new)"), to: window(at: 0, of: 12), sentAt: Timestamp(seconds: 2))
    let runs = ledger.timeline.runs
    #expect(runs.count == (known == 6 ? 1 : 2))
    let shown = try ledger.store.known(in: Self.feed, ids: [Identity("n0")])
    #expect(shown.map(\.state) == (known == 6 ? [.live] : []))
  }

  /// One that went past all others below it has moved, and not they: a reader who has come to it is
  /// given them.
  @Test(arguments: [7, 12, 19]) func whatGoesToTheEndMovesAlone(place: Int) throws {
    let ledger = Ledger(of: Self.feed)
    var names = (0..<22).map { "k\($0)" }
    let ids = names.map { Identity($0) }
    let lay = { (names: [String], second: Int64) in
      try ledger.lay(
        page(names.joined(separator: " "), isLast: true), to: window(at: 0, of: 30),
        sentAt: Timestamp(seconds: second))
    }
    let places = {
      Dictionary(
        uniqueKeysWithValues: try ledger.store.known(in: Self.feed, ids: ids)
          .filter { $0.state == .live }.map { ($0.id, $0.position) })
    }
    try lay(names, 1)
    let before = try places()
    let moved = names.remove(at: place)
    try lay(names + [moved], 2)
    let after = try places()
    #expect(ids.filter { before[$0] != after[$0] } == [Identity(moved)])
    #expect(after[Identity(moved)] == after.values.min())
    #expect(ledger.timeline.moves.map(\.id) == [Identity(moved)])
  }

  /// Six that stand side by side at the end of a list's top, in their old order, have hardly moved
  /// there one by one: it is not known what became of all that stood above them.
  @Test(arguments: [5, 6])
  func whatComesSideBySideInItsOldOrderMayHaveStayed(count: Int) throws {
    let ledger = Ledger(of: Self.feed)
    let known = (0..<30).map { "k\($0)" }
    try ledger.lay(
      page(known.joined(separator: " ")), to: window(at: 0, of: 30), sentAt: Timestamp(seconds: 1))
    let shown = ["k28"] + (0..<9).map { "n\($0)" } + known[20..<20 + count] + ["m"]
    try ledger.lay(
      page(shown.joined(separator: " ")), to: window(at: 0, of: shown.count),
      sentAt: Timestamp(seconds: 2))
    #expect(ledger.timeline.runs.count == (count == 5 ? 2 : 1))
  }
}
