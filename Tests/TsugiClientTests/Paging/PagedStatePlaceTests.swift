import Testing

@testable import TsugiClient

/// Where a list begins, and what is on the screen.
struct PagedStatePlaceTests {
  private func list(at place: String) -> DrawnList {
    var list = DrawnList(at: .element(id: place))
    list.send(.start)
    return list
  }

  @Test func beginsAtAPlace() {
    var list = list(at: "m")
    #expect(list.asked == ["≥id:m"])
    list.answer(.drawn("m n o", hasMore: true, hasPrevious: true))
    #expect(list.drawing == "… m n o …")
    list.see("m")
    #expect(list.asked == ["<m last"])
    list.answer(.drawn("k l", hasMore: true))
    #expect(list.drawing == "k l m n o …")
  }

  /// A pull before it is loaded asks for the place without a look, and then for the top.
  @Test func looksAtTheTopWhenPulled() {
    var list = list(at: "m")
    list.send(.refresh)
    list.answer(.drawn("m n", hasMore: true, hasPrevious: true))
    #expect(list.asked == ["<m 3 refresh"])
    list.answer(.drawn("a b", hasMore: true))
    list.answer(.drawn("c", hasMore: true))
    #expect(list.drawing == "a b c ~ m n …")
  }

  @Test(arguments: [
    TsugiError.answered(.itemNotFound), .answered(.cursorExpired), .answered(.invalidCursor),
  ])
  func beginsAtTheTopWhereThePlaceIsLost(error: TsugiError) {
    var list = list(at: "m")
    list.fail(error)
    #expect(list.asked == ["top"])
    list.answer(.drawn("a b", hasMore: true))
    #expect(list.drawing == "a b …")
  }

  @Test func keepsThePlaceWhereTheServerIsNotThere() {
    var list = list(at: "m")
    list.fail(.offline)
    list.wake()
    #expect(list.asked == ["≥id:m"])
  }

  @Test func tellsOfNoNewsAboveAPlace() {
    var list = list(at: "m")
    list.answer(.drawn("m n", hasMore: true, hasPrevious: true))
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    #expect(list.asked.isEmpty && !list.state.hasNews)
  }

  @Test func showsAnotherFeedInPlace() {
    var list = DrawnList("a b c")
    list.see("c")
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    #expect(list.asked == [">c", "≥a 1"])
    let version = list.state.contentVersion
    list.send(.begin(at: nil, limit: 7))
    #expect(list.drawing == "…" && !list.state.isLoaded)
    #expect(list.state.contentVersion > version)
    // What was under way is not waited for.
    #expect(list.asked == ["top"])
    list.answer(.drawn("p q", hasMore: true))
    #expect(list.drawing == "p q …")
    #expect(list.state.limit == 7)
  }

  @Test func waitsToBeStartedWithAnotherFeedToo() {
    var list = DrawnList()
    list.send(.begin(at: .element(id: "m"), limit: 3))
    #expect(list.asked.isEmpty)
    list.send(.start)
    #expect(list.asked == ["≥id:m"])
  }

  @Test func knowsTheRowsOnTheScreenByTheirRange() {
    var list = DrawnList("a b c d e f")
    list.send(.visible(0..<3))
    #expect(list.asked.isEmpty)
    list.send(.visible(2..<5))
    #expect(list.asked == [">f"])
    list.answer(.drawn("g h i", hasMore: true))
    list.send(.visible(0..<2))
    #expect(list.state.visible.indices(in: list.state.content) == 0...1)
    list.send(.visible(0..<0))
    #expect(list.state.visible.indices(in: list.state.content) == nil)
    // A view may be ahead of the list.
    list.send(.visible(5..<90))
    #expect(list.state.visible.indices(in: list.state.content) == 5...8)
  }
}
