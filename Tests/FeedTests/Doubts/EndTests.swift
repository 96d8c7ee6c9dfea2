import Testing

@testable import Feed

/// An end that is claimed against what is known is believed when a second answer agrees.
@Suite struct ClaimedEndTests {
  /// Two claims: where each puts the end, and its total; whether the second is believed.
  @Test(
    arguments: [
      (40, 100, 40, 100, true), (40, nil, 40, nil, true), (40, nil, 38, nil, true),
      (40, 100, 37, 100, false), (40, nil, 42, nil, true), (40, nil, 43, nil, false),
      // The page after it, or a short one, of a list that stands still.
      (2, 100, 4, 100, false), (40, 100, 38, 100, false),
      // The list has moved, and its end with it.
      (40, 100, 50, 110, true), (40, 100, 53, 110, false), (40, 100, 30, 90, true),
      // The other way, or as far as a total that came or went.
      (40, 100, 30, 110, false), (80, nil, 8, 170, false), (80, 97, 8, 170, false),
      (8, 170, 80, nil, false),
    ] as [(Int, Int?, Int, Int?, Bool)])
  func twoClaimsAgreeWhereTheListMayHaveMovedSo(
    end: Int, total: Int?, secondEnd: Int, secondTotal: Int?, isBelieved: Bool
  ) {
    var doubts = Doubts()
    let isFirstDoubted = doubts.doubts(end: end, total: total, of: 100, at: 10)
    #expect(isFirstDoubted)
    let isDoubted = doubts.doubts(end: secondEnd, total: secondTotal, of: 99, at: 20)
    #expect(isDoubted == !isBelieved)
  }

  /// The upstream counts elements that it does not show.
  @Test func anEndAgainstItsTotalSaysHowManyLack() {
    var doubts = Doubts()
    _ = doubts.doubts(end: 40, total: 50, of: 100, at: 10)
    #expect(doubts.hiddenCount == 0)
    _ = doubts.doubts(end: 40, total: 50, of: 99, at: 20)
    #expect(doubts.hiddenCount == 10)
    let isDoubted = doubts.doubts(end: 40, total: 40, of: 99, at: 30)
    #expect(!isDoubted && doubts.hiddenCount == 0)
  }

  /// The page below the last one is empty: that neither repeats the claim nor denies it, so that
  /// the last one, asked for once more, is believed.
  @Test(arguments: [58, 60, 80])
  func anEmptyPageSaysNothingOfWhereTheListEnds(rank: Int) {
    var doubts = Doubts()
    let isFirstDoubted = doubts.doubts(end: 58, total: nil, of: 100, at: 10)
    let empty = Page(items: [], count: 0, hasNext: false, total: nil)
    let hasMore = doubts.hasMore(
      after: empty, to: Window(offset: rank, perPage: 20), sentAt: Timestamp(seconds: 12),
      known: 50, total: nil)
    #expect(isFirstDoubted && !hasMore)
    let isDoubted = doubts.doubts(end: 58, total: nil, of: 99, at: 14)
    #expect(!isDoubted)
  }

  /// A page of 40 that is asked for in the same size again may be one of an upstream whose pages
  /// are no larger.
  @Test(arguments: [(100, true, true), (99, true, false), (100, false, false)])
  func theSameAnswerIsBelievedWhereNoOtherCanBeAskedFor(
    perPage: Int, isSized: Bool, isDoubted: Bool
  ) {
    var doubts = Doubts()
    let isFirstDoubted = doubts.doubts(end: 40, total: 330, of: 100, at: 10, isSized: isSized)
    #expect(isFirstDoubted)
    #expect(doubts.perPageMax(below: 39) == 40 && doubts.perPageMax(below: 101) == nil)
    let isAsked = doubts.doubts(end: 40, total: 330, of: perPage, at: 20, isSized: isSized)
    #expect(isAsked == isDoubted)
  }
}

extension Doubts {
  /// Whether the end that a first page claims is asked for once more.
  fileprivate mutating func doubts(
    end: Int, total: Int?, of perPage: Int, at seconds: Int64, isSized: Bool = true
  ) -> Bool {
    hasMore(
      after: Page(items: [], count: end, hasNext: false, total: total),
      to: Window(page: 1, perPage: perPage), sentAt: Timestamp(seconds: seconds),
      known: total == nil ? 50 : 0, total: nil, isSized: isSized)
  }
}

/// What a page says of the end, by all that it tells.
@Suite struct EndClaimTests {
  /// A window of so many from rank 60 on: how many come, whether a next page is named, the total.
  @Test(
    arguments: [
      (100, 40, false, nil, .end), (100, 40, false, 100, .end), (100, 40, false, 99, .end),
      (100, 40, false, 101, .contested), (100, 40, true, nil, .more), (100, 40, true, 330, .more),
      (100, 40, true, 99, .more), (100, 40, true, 100, .contested), (40, 40, false, 100, .more),
      (40, 40, false, 330, .more), (40, 40, true, 100, .more), (100, 0, true, 60, .contested),
    ] as [(Int, Int, Bool, Int?, EndClaim)])
  func allThatItTellsMustAgree(
    perPage: Int, count: Int, hasNext: Bool, total: Int?, says: EndClaim
  ) {
    let page = Page(items: [], count: count, hasNext: hasNext, total: total)
    #expect(page.endClaim(in: Window(offset: 60, perPage: perPage)) == says)
  }
}
