import Testing

@testable import TsugiClient

/// What changes while something is loading.
struct PagedStateOverlapTests {
  /// A list of four slices, the first of them `first`; a refresh of it covers the first two.
  private func list(_ first: String) -> DrawnList {
    var list = DrawnList(first)
    for items in ["b c d", "e f g", "h i j"] {
      list.send(.loadMore)
      list.answer(.drawn(items, hasMore: true))
    }
    return list
  }

  private func remove(_ ids: String, from list: inout DrawnList) {
    list.send(.changed(ids.map { FeedChange(.remove, id: "\($0)") }, next: nil))
  }

  @Test func keepsWhatARefreshTellsWhenItsFirstSliceGoes() {
    var list = list("a")
    list.send(.refresh)
    #expect(list.asked == ["≤d 7 refresh"])
    remove("a", from: &list)
    #expect(list.asked == ["≤d 7 refresh"])
    list.answer(.drawn("x b c d"))
    #expect(list.drawing == "x b c d e f g h i j …")
  }

  /// Where a refresh was to end the list hangs together otherwise now: it is asked anew.
  @Test func asksAnewWhenTheLastSliceOfARefreshGoes() {
    var list = list("a b0 c0")
    list.send(.refresh)
    #expect(list.asked == ["≤c0 6 refresh"])
    let outdated = list.loads[0].number
    list.send(.changed(["a", "b0", "c0"].map { FeedChange(.remove, id: $0) }, next: nil))
    #expect(list.asked == ["≤d 6 refresh"])
    #expect(list.state.top.state == .loading)
    list.send(.arrived(outdated, .drawn("x")))
    #expect(list.drawing == "b c d e f g h i j …")
    list.answer(.drawn("x b c d"))
    #expect(list.drawing == "x b c d e f g h i j …")
    #expect(list.asked.isEmpty)
  }

  @Test func survivesThatAllOfItGoesDuringARefresh() {
    var list = list("a")
    list.send(.refresh)
    remove("abcdefghij", from: &list)
    #expect(list.asked == ["≤j 3 refresh"])
    list.answer(.drawn("x", endReason: .end))
    #expect(list.drawing == "x")
  }
}
