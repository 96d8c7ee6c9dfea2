import Testing

@testable import TsugiClient

/// A list that saw the end, and what comes below it afterwards.
struct PagedStateEndTests {
  @Test(arguments: [FeedEndReason.end, .upstreamLimit])
  func saysWhyThereIsNoMore(reason: FeedEndReason) {
    var list = DrawnList("a b c")
    #expect(list.state.endReason == nil)
    list.see("c")
    list.answer(.drawn("d", endReason: reason))
    #expect(list.drawing == "a b c d")
    #expect(list.state.endReason == reason)
  }

  @Test func goesOnBelowAnEndWhenAChangeTellsOfMore() {
    var list = DrawnList("a b c", hasMore: false)
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    #expect(list.asked == ["≥a 1", ">c 1"])
    list.answer(.drawn("a"))
    #expect(!list.state.hasNews && !list.state.hasMore)
    list.answer(.drawn("x", endReason: .end))
    #expect(list.drawing == "a b c …")
    #expect(list.state.endReason == nil)
    list.see("c")
    #expect(list.asked == [">c"])
  }

  @Test func keepsAnEndThatStillIsOne() {
    var list = DrawnList("a b c", hasMore: false)
    let reason = list.state.endReason
    list.send(.changed([FeedChange(.upsert, id: "x"), FeedChange(.upsert, id: "y")], next: nil))
    list.answer(.drawn("a", hasPrevious: true))
    list.answer(.drawn("", endReason: .end))
    #expect(list.state.hasNews && !list.state.hasMore)
    #expect(list.state.endReason == reason)
    #expect(list.asked.isEmpty)
  }

  /// What a refresh covers ends above the end of a long list.
  @Test func looksBelowTheEndAfterARefresh() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d e", endReason: .end))
    list.send(.refresh)
    #expect(list.asked == ["≤c 6 refresh"])
    list.answer(.drawn("a b c"))
    #expect(list.asked == [">e 1"])
    list.answer(.drawn("f", endReason: .end))
    #expect(list.drawing == "a b c d e …")
  }

  @Test func asksNothingBelowAnEndThatTheRefreshTold() {
    var list = DrawnList("a b c", hasMore: false)
    list.send(.refresh)
    list.answer(.drawn("a b c", endReason: .end))
    #expect(list.asked.isEmpty && !list.state.hasMore)
    list.send(.refresh)
    list.answer(.drawn("a b c", endReason: .range))
    #expect(list.asked.isEmpty && list.state.hasMore)
  }

  @Test func goesOnWhereItCannotLookBelowTheEnd() {
    var list = DrawnList("a b c", hasMore: false)
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    list.answer(.drawn("a"))
    list.fail(.offline)
    #expect(list.drawing == "a b c …")
    #expect(list.state.more.state == .idle)
  }

  @Test func keepsWhatCannotBeDecodedWithItsPlace() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d e", hasMore: true, undecodable: 2))
    #expect(list.state.content.segments.map(\.undecodable.count) == [0, 2])
    list.send(.changed([FeedChange(.remove, id: "d"), FeedChange(.remove, id: "e")], next: nil))
    #expect(list.state.content.segments.map(\.undecodable.count) == [2])
    list.send(.refresh)
    list.answer(.drawn("a b c", hasMore: false))
    #expect(list.state.content.segments.flatMap(\.undecodable).isEmpty)
  }
}
