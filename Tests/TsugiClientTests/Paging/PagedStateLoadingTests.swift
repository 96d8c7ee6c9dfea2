import Testing

@testable import TsugiClient

/// The first load, more below, and what is let go above.
struct PagedStateLoadingTests {
  @Test func loadsNothingBeforeItIsStarted() {
    var list = DrawnList()
    list.send(.footer(isVisible: true))
    #expect(list.asked.isEmpty)
    #expect(list.drawing == "…")
  }

  @Test func loadsTheTopOnceHoweverOftenItIsStarted() {
    var list = DrawnList()
    list.send(.start)
    list.send(.start)
    #expect(list.asked == ["top"])
    list.answer(.drawn("a b c", hasMore: true))
    list.send(.start)
    #expect(list.drawing == "a b c …")
    #expect(list.asked.isEmpty)
  }

  @Test func isStartedByAWishForMore() {
    var list = DrawnList()
    list.send(.loadMore)
    #expect(list.asked == ["top"])
  }

  @Test(arguments: [
    (0, "a b", []), (0, "a b c", [">c"]), (1, "a", []), (1, "a b", [">c"]), (2, "a", [">c"]),
    (9, "a", [">c"]),
  ])
  func fetchesMoreWhenARowNearTheEndAppears(distance: Int, seen: String, asked: [String]) {
    var list = DrawnList("a b c", options: PagedOptions(prefetchDistance: distance))
    list.see(seen)
    #expect(list.asked == asked)
  }

  @Test func countsTheLowestRowWhateverAppearsLast() {
    var list = DrawnList("a b c")
    list.see("c b a")
    #expect(list.asked == [">c"])
    list.answer(.drawn("d", hasMore: true))
    #expect(list.asked == [">d"])
  }

  @Test func loadsOnAsLongAsTheEndIsNear() {
    var list = DrawnList("a b c")
    list.see("a b c")
    list.answer(.drawn("d", hasMore: true))
    #expect(list.asked == [">d"])
    list.answer(.drawn("e f", hasMore: true))
    #expect(list.asked.isEmpty)
    #expect(list.drawing == "a b c d e f …")
  }

  @Test func asksOnceForOneEnd() {
    var list = DrawnList("a b c")
    list.see("b c")
    list.send(.loadMore)
    list.send(.footer(isVisible: true))
    #expect(list.asked == [">c"])
  }

  @Test func stopsWhereThereIsNoMore() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d"))
    list.send(.loadMore)
    list.see("d")
    #expect(list.drawing == "a b c d")
    #expect(list.asked.isEmpty)
  }

  @Test func loadsNothingForRowsThatLeft() {
    var list = DrawnList("a b c d e f")
    list.see("a b c d")
    list.send(.disappeared("d"))
    list.send(.changed([FeedChange(.remove, id: "f")], next: nil))
    #expect(list.asked.isEmpty)
    list.send(.changed([FeedChange(.remove, id: "e")], next: nil))
    #expect(list.asked == [">f"])
  }

  @Test func takesARowFarFromANewOneToHaveLeft() {
    let ids = (10..<40).map { "i\($0)" }
    var list = DrawnList(ids.joined(separator: " "), window: 8)
    list.see("i38")
    #expect(list.asked == [">i39"])
    list.see("i12")
    list.answer(.drawn("i40", hasMore: true))
    #expect(list.asked.isEmpty)
  }

  @Test func loadsWhileTheFooterIsVisible() {
    var list = DrawnList("a b c")
    list.send(.footer(isVisible: true))
    list.answer(.drawn("d", hasMore: true))
    #expect(list.asked == [">d"])
    list.send(.footer(isVisible: false))
    list.answer(.drawn("e f", hasMore: true))
    #expect(list.asked.isEmpty)
  }

  @Test func keepsAnItemWhereItStands() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("b=new d c d", hasMore: false))
    #expect(list.drawing == "a b c d")
  }

  @Test func passesSlicesWithoutAGoodItem() {
    var list = DrawnList()
    list.send(.start)
    list.answer(.drawn("", hasMore: true, undecodable: 3))
    #expect(list.asked == [">bad3"])
    list.answer(.drawn("", hasMore: true, undecodable: 2))
    #expect(list.asked == [">bad2"])
    list.answer(.drawn("a"))
    #expect(list.drawing == "a")
  }

  @Test func restsWhenSlicesBringNothing() {
    var list = DrawnList("a b c")
    list.see("c")
    for number in 1..<PagedState<Post>.fruitlessMax {
      list.answer(.drawn("", hasMore: true, undecodable: number))
      #expect(list.asked == [">bad\(number)"])
    }
    list.answer(.drawn("", hasMore: true, undecodable: 9))
    #expect(list.asked.isEmpty)
    #expect(list.state.more.state.error == .decoding(DecodingFailure(reason: "bad")))
    list.wake()
    #expect(list.asked == [">bad9"])
  }

  @Test func restsWhereTheServerDoesNotGoOn() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("b c", hasMore: true))
    #expect(list.asked.isEmpty)
    #expect(list.state.more.state.error == .standstill)
  }

  @Test func letsGoWhatIsFarAboveAndLoadsItAgain() {
    let options = PagedOptions(prefetchDistance: 1, maxItems: 1)
    var list = DrawnList("a0 a1 a2", options: options, window: 2)
    var last = "a2"
    for letter in "bcdef" {
      list.see(last)
      let ids = (0..<3).map { "\(letter)\($0)" }
      list.answer(.drawn(ids.joined(separator: " "), hasMore: true))
      last = "\(letter)2"
    }
    #expect(list.drawing == "… c0 c1 c2 d0 d1 d2 e0 e1 e2 f0 f1 f2 …")
    list.see("e0")
    #expect(list.asked.isEmpty)
    list.see("c1")
    #expect(list.asked == ["<c0 last"])
    list.answer(.drawn("b0 b1 b2", hasPrevious: true))
    #expect(list.drawing == "… b0 b1 b2 c0 c1 c2 d0 d1 d2 e0 e1 e2 …")
    list.see("b0")
    list.answer(.drawn("a0 a1 a2"))
    #expect(list.drawing == "a0 a1 a2 b0 b1 b2 c0 c1 c2 d0 d1 d2 e0 e1 e2 …")
    #expect(list.asked.isEmpty)
  }

  @Test func letsNothingGoWhileTheFooterIsSeen() {
    var list = DrawnList(
      "a0 a1 a2", options: PagedOptions(prefetchDistance: 1, maxItems: 1), window: 2)
    list.see("a0")
    list.send(.footer(isVisible: true))
    for letter in "bcdef" {
      #expect(list.asked.count == 1)
      list.answer(.drawn("\(letter)0 \(letter)1 \(letter)2", hasMore: letter != "f"))
    }
    #expect(list.state.content.items.count == 18)
    #expect(list.asked.isEmpty)
  }

  @Test func dropsAnAnswerThatNoLongerFits() {
    let options = PagedOptions(prefetchDistance: 1, maxItems: 1)
    var list = DrawnList("a0 a1 a2", options: options, window: 2)
    for letter in "bcd" {
      list.send(.loadMore)
      list.answer(.drawn("\(letter)0 \(letter)1 \(letter)2", hasMore: true))
    }
    #expect(list.drawing == "… b0 b1 b2 c0 c1 c2 d0 d1 d2 …")
    list.send(.loadPrevious)
    list.send(.loadMore)
    #expect(list.asked == ["<b0 last", ">d2"])
    // More comes first and has the topmost part let go, to which the other would have been tied.
    list.answer(.drawn("e0 e1 e2", hasMore: true), load: 1)
    #expect(list.drawing == "… c0 c1 c2 d0 d1 d2 e0 e1 e2 …")
    list.answer(.drawn("a0 a1 a2"))
    #expect(list.drawing == "… c0 c1 c2 d0 d1 d2 e0 e1 e2 …")
    #expect(list.asked == ["<c0 last"])
  }

  @Test func goesOnBelowAGapThatCannotBeFilledNow() {
    var list = DrawnList(options: PagedOptions(prefetchDistance: 1, fillsGaps: false))
    list.send(.start)
    list.answer(.drawn("a b c", hasMore: true, skip: "x"))
    list.see("c")
    #expect(list.asked == [">c"])
    list.fail(.answered(.upstreamRateLimited, retryAfter: 600))
    #expect(list.asked == [">x"])
    list.answer(.drawn("y z", hasMore: false))
    #expect(list.drawing == "a b c ~ y z")
    list.send(.fill(list.state.content.gaps[0].id))
    #expect(list.asked == [">c <y"])
  }

  @Test func restsWhereBelowTheGapIsNoMoreToBeHad() {
    var list = DrawnList()
    list.send(.start)
    list.answer(.drawn("a b c", hasMore: true, skip: "x"))
    list.see("c")
    list.fail(.answered(.upstreamUnavailable))
    list.fail(.offline)
    #expect(list.asked.isEmpty)
    #expect(list.drawing == "a b c …")
    list.wake()
    #expect(list.asked == [">c"])
  }
}
