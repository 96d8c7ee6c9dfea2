import Testing

@testable import TsugiClient

/// Refreshes, the gaps they leave, and changes.
struct PagedStateRefreshTests {
  @Test(arguments: [
    ("x y a b c", "x y a b c …"),  // What is new comes above.
    ("a b c", "a b c …"),  // Nothing is new.
    ("a b=B c", "a b=B c …"),  // An edit is seen.
    ("x a c", "x a c …"),  // So is a removal,
    ("b c", "b c …"),  // also of the first,
    ("x y", "x y …"),  // and of all that was there.
    ("c x a b", "c x a b …"),  // An item that came to the top again is there once.
  ])
  func takesTheTopAsItIs(top: String, drawing: String) {
    var list = DrawnList("a b c")
    list.send(.refresh)
    #expect(list.asked == ["≤c 6 refresh"])
    list.answer(.drawn(top))
    #expect(list.drawing == drawing)
    #expect(list.asked.isEmpty)
  }

  @Test func coversNoMoreThanTheFirstScreen() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d e f", hasMore: true))
    list.send(.refresh)
    #expect(list.asked == ["≤c 6 refresh"])
    list.answer(.drawn("x a b c"))
    #expect(list.drawing == "x a b c d e f …")
  }

  @Test func takesAnItemFromBelowThatCameToTheTop() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d e f", hasMore: true))
    list.send(.refresh)
    list.answer(.drawn("e=E a b c"))
    #expect(list.drawing == "e=E a b c d f …")
  }

  @Test func knowsWhereTheReaderIsWhenItsLastRowCameToTheTop() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d e f g h", hasMore: true))
    list.see("e f g")
    #expect(list.asked == [">h"])
    list.send(.refresh)
    list.answer(.drawn("g a b c"))
    #expect(list.drawing == "g a b c d e f h …")
    #expect(list.asked == [">h"])
  }

  @Test func goesOnToWhereTheListBegins() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.answer(.drawn("s t u v w x", hasMore: true))
    #expect(list.asked == [">x <a 15"])
    #expect(list.drawing == "a b c …")
    list.answer(.drawn("y z"))
    #expect(list.asked == [">z ≤c 15"])
    list.answer(.drawn("a c"))
    #expect(list.drawing == "s t u v w x y z a c …")
  }

  @Test func leavesAGapWhereItDoesNotReach() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.answer(.drawn("m n o p q r", hasMore: true))
    list.answer(.drawn("s t u", hasMore: true))
    #expect(list.drawing == "m n o p q r s t u ~ a b c …")
    #expect(list.asked.isEmpty)
  }

  @Test func beginsAnewWhereThatIsChosen() {
    var list = DrawnList("a b c", options: PagedOptions(prefetchDistance: 1, gapPolicy: .reset))
    list.see("c")
    list.answer(.drawn("d e f"))
    list.send(.refresh)
    list.answer(.drawn("m n o p q r", hasMore: true))
    list.answer(.drawn("s t u", hasMore: true))
    #expect(list.drawing == "m n o p q r s t u …")
    list.send(.loadMore)
    #expect(list.asked == [">u"])
  }

  @Test func goesFirstAndOutdatesWhatIsLoading() {
    var list = DrawnList("a b c")
    list.see("c")
    let outdated = list.loads[0].number
    list.send(.refresh)
    #expect(list.asked == ["≤c 6 refresh"])
    #expect(list.state.more.state == .idle)
    list.send(.arrived(outdated, .drawn("d e f", hasMore: true)))
    #expect(list.drawing == "a b c …")
    list.answer(.drawn("x a b c"))
    // The reader is still near the end.
    #expect(list.asked == [">c"])
  }

  @Test func keepsAWishForMoreThatItOutdates() {
    var list = DrawnList("a b c d e f")
    list.send(.loadMore)
    list.send(.refresh)
    list.answer(.drawn("a b c d e f"))
    #expect(list.asked == [">f"])
  }

  @Test func joinsARefreshUnderWay() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.send(.refresh)
    list.answer(.drawn("a b c"))
    #expect(list.asked.isEmpty)
  }

  @Test func looksUpstreamAfterAFirstLoadThatDidNot() {
    var list = DrawnList()
    list.send(.start)
    list.send(.refresh)
    list.answer(.drawn("a b c", hasMore: true))
    #expect(list.asked == ["≤c 6 refresh"])
  }

  @Test func findsTheEndOfAFeedThatIsOverNow() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.answer(.drawn("a", endReason: .end))
    #expect(list.drawing == "a")
  }

  @Test func findsThatAFeedGoesOnThatWasOver() {
    var list = DrawnList("a b c", hasMore: false)
    list.send(.refresh)
    list.answer(.drawn("a b c", endReason: .range))
    #expect(list.drawing == "a b c …")
  }

  @Test func goesOnBelowAFirstScreenThatIsGone() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.answer(.drawn(""))
    #expect(list.drawing == "…")
    #expect(list.asked == [">c"])
    list.answer(.drawn("d"))
    #expect(list.drawing == "d")
  }

  @Test func refreshesAnEmptyList() {
    var list = DrawnList("", hasMore: false)
    #expect(list.drawing == "")
    list.send(.refresh)
    #expect(list.asked == ["refresh"])
    list.answer(.drawn("a", hasMore: true))
    #expect(list.drawing == "a …")
  }

  @Test func asksAboveAListThatDoesNotBeginAtTheTop() {
    var list = trimmed()
    list.send(.refresh)
    #expect(list.asked == ["<b0 3 refresh"])
    list.answer(.drawn("x y z", hasMore: true))
    #expect(list.asked == [">z <b0 15"])
    list.answer(.drawn("a0", hasMore: true))
    #expect(list.drawing == "x y z a0 ~ b0 b1 b2 c0 c1 c2 …")
  }

  @Test func isAtTheTopAgainWhereARefreshReachesIt() {
    var list = trimmed()
    list.send(.refresh)
    list.answer(.drawn("x a0"))
    #expect(list.drawing == "x a0 b0 b1 b2 c0 c1 c2 …")
  }

  /// A reader who stays at the top and pulls again and again.
  @Test(arguments: [("see", 30), ("blind", 30), ("see", nil)] as [(String, Int?)])
  func keepsNoMoreThanItMayHowOftenItIsRefreshed(sight: String, maxItems: Int?) {
    var list = DrawnList(
      "a b c", options: PagedOptions(prefetchDistance: 1, maxItems: maxItems), window: 2)
    for number in 0..<40 {
      if sight == "see" { list.see(list.state.content.items[0].id) }
      list.send(.refresh)
      let top = list.state.content.items.prefix(3).map(\.id).joined(separator: " ")
      list.answer(.drawn("x\(number) y\(number) z\(number)", hasMore: true))
      list.answer(.drawn(""))
      list.answer(.drawn(top))
    }
    let count = list.state.content.items.count
    #expect(maxItems.map { count <= $0 } ?? (count == 123))
    #expect(list.state.content.items[0].id == "x39")
    #expect(list.state.hasMore && !list.state.hasPrevious)
  }

  private func trimmed() -> DrawnList {
    var list = DrawnList(
      "a0 a1 a2", options: PagedOptions(prefetchDistance: 1, maxItems: 1), window: 2)
    for letter in "bcd" {
      list.send(.loadMore)
      list.answer(.drawn("\(letter)0 \(letter)1 \(letter)2", hasMore: true))
    }
    return list
  }
}

/// Gap rows: when and from which side they are filled.
struct PagedStateGapTests {
  private func gapped(fillsGaps: Bool = true) -> DrawnList {
    var list = DrawnList("d e f", options: PagedOptions(prefetchDistance: 1, fillsGaps: fillsGaps))
    list.send(.refresh)
    list.answer(.drawn("k l m", hasMore: true))
    list.answer(.drawn("n o p", hasMore: true))
    return list
  }

  @Test func isFilledFromAboveWhenTheReaderComesFromAbove() {
    var list = gapped()
    list.see("k l")
    #expect(list.asked.isEmpty)
    list.see("o")
    #expect(list.asked == [">p <d"])
    list.answer(.drawn("q r s", hasMore: true))
    #expect(list.drawing == "k l m n o p q r s ~ d e f …")
    #expect(list.asked.isEmpty)
    list.see("s")
    list.answer(.drawn("t"))
    #expect(list.drawing == "k l m n o p q r s t d e f …")
  }

  @Test func isFilledFromBelowWhenTheReaderComesFromBelow() {
    var list = gapped()
    list.see("d")
    #expect(list.asked == [">p <d last"])
    list.answer(.drawn("a b c", hasPrevious: true))
    #expect(list.drawing == "k l m n o p ~ a b c d e f …")
    #expect(list.asked.isEmpty)
    list.see("b")
    list.answer(.drawn("z"))
    #expect(list.drawing == "k l m n o p z a b c d e f …")
  }

  @Test func isClosedWhereNothingLiesInIt() {
    var list = gapped()
    list.see("p")
    list.answer(.drawn(""))
    #expect(list.drawing == "k l m n o p d e f …")
  }

  @Test func isLeftAloneWhereThatIsChosenUntilTold() {
    var list = gapped(fillsGaps: false)
    list.see("o p d")
    #expect(list.asked.isEmpty)
    list.send(.fill(list.state.content.gaps[0].id))
    #expect(list.asked == [">p <d"])
    list.answer(.drawn("q r s", hasMore: true))
    #expect(list.asked.isEmpty)
  }

  @Test func showsThatItFailedAndTriesAgain() {
    var list = gapped()
    list.see("p")
    list.fail(.offline)
    #expect(list.state.gap.state.error == .offline)
    #expect(list.drawing == "k l m n o p ~ d e f …")
    list.wake()
    #expect(list.asked == [">p <d"])
  }

  @Test func staysWhereTheServerDoesNotGoOn() {
    var list = gapped()
    list.see("p")
    list.answer(.drawn("o p", hasMore: true))
    #expect(list.state.gap.state.error == .standstill)
    #expect(list.drawing == "k l m n o p ~ d e f …")
  }

  @Test func fillsNothingThatWasLetGo() {
    var list = gapped(fillsGaps: false)
    list.send(.fill(99))
    #expect(list.asked.isEmpty)
    list.send(.fill(list.state.content.gaps[0].id))
    #expect(list.asked == [">p <d"])
  }

  @Test func joinsWhenAllBetweenTwoIsRemoved() {
    var list = gapped(fillsGaps: false)
    list.send(.refresh)
    list.answer(.drawn("u v w", hasMore: true))
    list.answer(.drawn("x y z", hasMore: true))
    #expect(list.drawing == "u v w x y z ~ k l m n o p ~ d e f …")
    list.send(.changed("klmnop".map { FeedChange(.remove, id: "\($0)") }, next: nil))
    #expect(list.drawing == "u v w x y z ~ d e f …")
    list.send(.fill(list.state.content.gaps[0].id))
    #expect(list.asked == [">z <d"])
  }

  @Test(arguments: [0, 1])
  func areNeverMoreThanEight(extra: Int) {
    var list = DrawnList("a0 a1", options: PagedOptions(fillsGaps: false))
    for number in 1...PagedState<Post>.gapsMax + extra {
      list.send(.refresh)
      list.answer(.drawn("b\(number) c\(number)", hasMore: true))
      list.answer(.drawn("d\(number)", hasMore: true))
    }
    #expect(list.state.content.gaps.count == PagedState<Post>.gapsMax)
    #expect(list.state.content.items.count == 3 * PagedState<Post>.gapsMax + 2)
    #expect(list.drawing.hasSuffix("~ a0 a1 …"))
  }
}
