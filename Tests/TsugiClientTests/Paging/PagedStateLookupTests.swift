import Testing

@testable import TsugiClient

/// Where items stand that changes told of without a row, and the place of a link.
struct PagedStateLookupTests {
  private func upsert(_ id: String, moved: Bool = false, seq: String? = nil) -> FeedChange<Post> {
    FeedChange(
      .upsert, item: Post(id: id, title: nil), seq: seq.map(SequenceNumber.init),
      cursor: FeedCursor(rawValue: id), hasMoved: moved)
  }

  @Test func leavesItsRowWhenItMoves() {
    var list = DrawnList("a b c d")
    list.send(.changed([upsert("b", moved: true)], next: nil))
    #expect(list.drawing == "a c d …")
    #expect(list.asked == ["<a last 100"])
  }

  @Test func leavesItsRowAlsoWhereItIsEditedThen() {
    var list = DrawnList("a b c d")
    list.send(.changed([upsert("b", moved: true), upsert("b")], next: nil))
    #expect(list.drawing == "a c d …")
    list.send(.changed([FeedChange(.remove, id: "c"), upsert("c")], next: nil))
    #expect(list.drawing == "a d …")
  }

  @Test func announcesWhatLiesAboveTheTop() {
    var list = DrawnList("a b c")
    list.send(.changed([upsert("x"), upsert("c", moved: true)], next: nil))
    list.answer(.drawn("c x"))
    #expect(list.state.hasNews && list.drawing == "a b …")
    #expect(list.asked.isEmpty)
  }

  @Test func waitsForTheLastOfTheChanges() {
    var list = DrawnList("a b c")
    list.send(.changed([upsert("x")], next: nil, goesOn: true))
    #expect(list.asked.isEmpty)
    list.send(.changed([], next: nil))
    #expect(list.asked == ["<a last 100"])
  }

  @Test func putsWhatStandsFurtherDownBelowItsNeighbour() {
    var list = DrawnList("a b c d")
    list.send(.changed([upsert("d", moved: true), upsert("x")], next: nil))
    list.answer(.drawn(""))
    #expect(list.asked == ["≤d last 2"])
    list.answer(.drawn("a d", hasPrevious: true))
    #expect(list.asked == ["≤x last 2"])
    list.answer(.drawn("c x", hasPrevious: true))
    #expect(list.drawing == "a d b c x …")
    #expect(list.state.content.segments[0].end.rawValue == "x")
    #expect(!list.state.hasNews && list.asked.isEmpty)
  }

  @Test func leavesOutWhatStandsOutside() {
    var list = DrawnList("a b c")
    list.send(.changed([upsert("x")], next: nil))
    list.answer(.drawn(""))
    list.answer(.drawn("w x", hasPrevious: true))
    #expect(list.drawing == "a b c …" && list.asked.isEmpty)
  }

  /// Another was removed, or has moved on, meanwhile.
  @Test(arguments: ["", "b", "x b"])
  func passesOverWhatIsNotThere(answer: String) {
    var list = DrawnList("a b c")
    list.send(.changed([upsert("x")], next: nil))
    list.answer(.drawn(""))
    list.answer(.drawn(answer, hasPrevious: true))
    #expect(list.drawing == "a b c …" && list.asked.isEmpty)
  }

  @Test(arguments: [4, 5])
  func asksOnceForMany(count: Int) {
    var list = DrawnList("a b c")
    list.send(.changed((0..<count).map { upsert("x\($0)") }, next: nil))
    list.answer(.drawn(""))
    #expect(list.asked == [count == 4 ? "≤x0 last 2" : "≤c 6 refresh"])
  }

  @Test func beginsAgainAtTheReadersRow() {
    var list = DrawnList("a b c d e f g h i j")
    list.see("g")
    list.send(.changed((0..<5).map { upsert("x\($0)") }, next: nil))
    list.answer(.drawn(""))
    #expect(list.asked == ["≥id:g"])
    list.answer(.drawn("g x1 h", hasMore: true, hasPrevious: true))
    #expect(list.drawing == "… g x1 h …")
    #expect(list.state.place == nil)
  }

  @Test func catchesUpFirstWithWhatTheAnswerKnows() {
    var list = DrawnList("a b c d")
    list.send(.changed([upsert("x")], next: SequenceNumber(rawValue: "e.2")))
    list.answer(.drawn("", seq: "e.2"))
    list.answer(.drawn("b x", hasPrevious: true, seq: "e.4"))
    #expect(list.others == [.catchUp] && list.drawing == "a b c d …")
    list.send(
      .changed(
        [FeedChange(.remove, id: "c", seq: SequenceNumber(rawValue: "e.4"))],
        next: SequenceNumber(rawValue: "e.4")))
    #expect(list.drawing == "a b x d …")
  }

  @Test func announcesWhatItCannotLookUp() {
    var list = DrawnList("a b c")
    list.send(.changed([upsert("x")], next: nil))
    list.fail(.offline)
    #expect(list.state.hasNews && list.asked.isEmpty)
  }

  @Test(arguments: [
    ("id:c", "c d", FeedPlace.found), ("id:c", "d e", .gone), ("c", "c d", .found),
    ("c", "d", .gone), ("at:2026-11-21T00:00:00Z", "d", .found), ("id:c", "", .gone),
  ])
  func saysWhatBecameOfItsPlace(place: String, items: String, outcome: FeedPlace) {
    var list = DrawnList(at: FeedPosition(text: place))
    #expect(list.state.place == .looking)
    list.send(.start)
    list.answer(.drawn(items, hasPrevious: true))
    #expect(list.state.place == outcome)
  }

  @Test(arguments: [ProblemCode.itemNotFound, .itemDeleted, .cursorExpired])
  func saysThatItShowsTheTopInstead(code: ProblemCode) {
    var list = DrawnList(at: .element(id: "c"))
    list.send(.start)
    list.fail(.answered(code))
    list.answer(.drawn("a b"))
    #expect(list.drawing == "a b" && list.state.place == .notKnown)
  }

  @Test func saysThatItBeganAgainAtTheTop() {
    var list = DrawnList(at: .element(id: "c"))
    list.send(.start)
    list.answer(.drawn("c d", hasPrevious: true))
    list.send(.changesExpired)
    list.answer(.drawn("a b", hasMore: true))
    #expect(list.state.place == .notKnown)
  }

  /// Before the first load, and while it is under way.
  @Test(arguments: [true, false])
  func loadsMoreAfterTheFirstLoad(isStarted: Bool) {
    var list = DrawnList()
    if isStarted { list.send(.start) }
    list.send(.loadMore)
    #expect(list.asked == ["top"])
    list.answer(.drawn("a b c d e f", hasMore: true))
    #expect(list.asked == [">f"])
  }
}
