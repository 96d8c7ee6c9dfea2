import Testing

@testable import Feed

/// Pages that are shorter than they were asked for.
@Suite struct HidingTests {
  private var hiding = Hiding()

  /// Notes the page of elements that begins at a rank, of 20 that were asked for.
  private mutating func note(
    _ ids: [Int], from rank: Int, says: EndClaim = .more, isNamed: Bool = false, broken: Int = 0
  ) {
    let items = ids.enumerated().map { index, id in
      Page.Slot(
        index: index,
        item: PageItem(id: Identity("i\(id)"), key: nil, updatedAt: nil, bytes: []))
    }
    let page = Page(items: items, count: ids.count + broken, hasNext: says != .end, total: nil)
    let window =
      isNamed
      ? Window(.mark("m", rank: rank), perPage: 20) : Window(offset: rank, perPage: 20)
    hiding.note(page, to: window, says: says)
  }

  @Test mutating func aLastPageThatNamesANextHidesNothing() {
    note(Array(0..<20), from: 0)
    note(Array(17..<30), from: 17)
    note([29], from: 29)
    note([], from: 30)
    #expect(!hiding.isBelieved)
  }

  @Test mutating func pagesOfTheUpstreamsSizeHideNothing() {
    for rank in stride(from: 0, to: 60, by: 6) { note(Array(rank..<rank + 8), from: rank) }
    note(Array(60..<67), from: 60, broken: 1)
    note(Array(66..<74), from: 66)
    #expect(!hiding.isBelieved && hiding.largest == 8)
  }

  /// In whichever order the two come.
  @Test(arguments: [false, true])
  mutating func whatStandsBelowAShortPageShowsIt(isLast: Bool) {
    if !isLast { note(Array(20..<40), from: 20) }
    note(Array(0..<12), from: 0)
    #expect(hiding.isBelieved != isLast)
    if isLast { note(Array(20..<40), from: 20) }
    #expect(hiding.isBelieved)
  }

  /// What a page shows that reaches no further, or ends with the same element, is no sign; nor is
  /// one whose place has a name.
  @Test mutating func whatDoesNotReachFurtherIsNoSign() {
    note(Array(0..<20), from: 0)
    note(Array(20..<32), from: 20)
    note(Array(12..<32), from: 28)
    note(Array(60..<80), from: 60, isNamed: true)
    #expect(!hiding.isBelieved)
  }

  /// A page that says it is the last may be followed by what came since; one that contradicts what
  /// was seen before is no last one.
  @Test mutating func anEndIsNoSign() {
    note(Array(0..<20), from: 0)
    note(Array(20..<32), from: 20, says: .end)
    note(Array(32..<52), from: 32)
    #expect(!hiding.isBelieved)
    note(Array(20..<30), from: 20, says: .contested)
    #expect(hiding.isBelieved)
  }

  /// One answer may be empty by a fault; where a page says that more follows, it is a page.
  @Test mutating func nothingIsASignWhereMoreFollows() {
    note(Array(40..<60), from: 40)
    note([], from: 20, says: .contested)
    note([], from: 0)
    #expect(!hiding.isBelieved)
    note([], from: 20)
    #expect(hiding.isBelieved)
  }

  /// Eight short pages in a row that are as large as any have the upstream's size.
  @Test mutating func itIsForgottenWherePagesHaveOneSize() {
    note(Array(20..<32), from: 20)
    note(Array(0..<11), from: 0)
    for rank in 1...7 { note(Array(rank..<rank + 12), from: rank) }
    #expect(hiding.isBelieved)
    note(Array(8..<20), from: 8)
    #expect(!hiding.isBelieved)
  }

  /// Each of the two is remembered for 64 answers, and what they show for 64 more.
  @Test mutating func itIsForgotten() {
    note(Array(0..<12), from: 0)
    for _ in 0..<126 { note(Array(20..<40), from: 20) }
    #expect(hiding.isBelieved)
    note(Array(20..<40), from: 20)
    #expect(!hiding.isBelieved)
    note(Array(40..<60), from: 40)
    #expect(!hiding.isBelieved)
  }
}
