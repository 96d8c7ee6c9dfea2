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

  /// Two late ones side by side, the lower of which is looked up first.
  @Test func putsAnItemBelowOneThatIsLookedUpAfterIt() {
    var list = DrawnList("a b c d")
    list.send(.changed([upsert("y"), upsert("x"), upsert("w")], next: nil))
    list.answer(.drawn(""))
    list.answer(.drawn("x y", hasPrevious: true))
    list.answer(.drawn("w x", hasPrevious: true))
    #expect(list.drawing == "a b c d …")
    list.answer(.drawn("b w", hasPrevious: true))
    #expect(list.drawing == "a b w x y c d …" && list.asked.isEmpty)
  }

  /// Whatever goes wrong, and should the list end meanwhile.
  @Test(arguments: [TsugiError?.none, .offline, .answered(.upstreamUnavailable)])
  func waitsWithWhatItCannotLookUp(error: TsugiError?) {
    var list = DrawnList("a b c d")
    list.send(.changed([upsert("d", moved: true)], next: SequenceNumber(rawValue: "e.2")))
    list.fail(error)
    #expect(list.state.hasNews && list.asked.isEmpty && list.drawing == "a b c …")
    #expect(list.state.kept?.since == "e.1")
    list.send(.changed([], next: SequenceNumber(rawValue: "e.3")))
    list.answer(.drawn("", seq: "e.3"))
    list.fail(error)
    #expect(list.state.kept?.since == "e.1")
    list.send(.changed([], next: SequenceNumber(rawValue: "e.3")))
    list.answer(.drawn("", seq: "e.3"))
    list.answer(.drawn("a d", hasPrevious: true, seq: "e.3"))
    #expect(list.drawing == "a d b c …" && list.state.kept?.since == "e.3")
  }

  @Test func beginsAgainWhereAskingIsOfNoUse() {
    var list = DrawnList("a b c d e f g h")
    list.see("d")
    list.send(.changed([upsert("h", moved: true)], next: nil))
    list.answer(.drawn(""))
    list.fail(.answered(.invalidParameter))
    #expect(list.asked == ["≥id:d"] && list.state.kept == nil)
  }

  /// A refresh reads the first screen, and these stood further down.
  @Test func beginsAgainWhereManyMovedBelowTheFirstScreen() {
    var list = DrawnList("a b c")
    list.send(.loadMore)
    list.answer(.drawn("d e f g h i j", hasMore: true))
    list.see("a")
    list.send(.changed("fghij".map { upsert(String($0), moved: true) }, next: nil))
    list.answer(.drawn(""))
    #expect(list.asked == ["refresh"])
    list.answer(.drawn("a f b", hasMore: true))
    #expect(list.drawing == "a f b …")
  }

  @Test(arguments: [false, true])
  func looksFurtherUpWhereMoreCame(moved: Bool) {
    var list = DrawnList("a b c d e f g h")
    list.see("e")
    list.send(.changed([upsert("w"), upsert("h", moved: moved), upsert("x")], next: nil))
    list.answer(.drawn("w", hasPrevious: true))
    #expect(list.asked == ["<w last 100"] && list.state.hasNews)
    list.answer(.drawn("v", hasPrevious: true))
    // What is not above the top is not looked for any longer, unless it had a row.
    #expect(list.asked == (moved ? ["≥id:e"] : []))
  }

  /// The first slice of a refresh waits for the next, and others learn something meanwhile.
  @Test(arguments: [false, true])
  func aRefreshThatGoesOnLearnsToo(isGone: Bool) {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.answer(.drawn("x=old y", hasMore: true))
    list.send(isGone ? .deleted(["x"]) : .learned([Post(id: "x", title: "new")]))
    list.answer(.drawn(""))
    list.answer(.drawn("a b c"))
    #expect(list.drawing.hasPrefix(isGone ? "y a b c" : "x=new y a b c"))
  }

  /// What a refresh did not reach lies in the gap that it leaves.
  @Test func looksForNothingInAGap() {
    var list = DrawnList("a b c")
    list.send(.loadMore)
    list.answer(.drawn("d e f g h", hasMore: true))
    list.send(.changed("uvwxy".map { upsert(String($0)) }, next: nil, goesOn: true))
    list.send(.refresh)
    list.answer(.drawn("w x y", hasMore: true))
    list.answer(.drawn("v", hasMore: true))
    #expect(list.drawing == "w x y v ~ a b c d e f g h …" && list.asked.isEmpty)
  }

  /// An answer from before a move has the item where it was.
  @Test func asksOnceMoreForWhatIsOlderThanAMove() {
    var list = DrawnList("a b c")
    list.send(.loadMore)
    list.send(
      .changed([upsert("e", moved: true, seq: "e.5")], next: SequenceNumber(rawValue: "e.5")))
    #expect(list.asked == [">c", "<a last 100"])
    list.answer(.drawn("d e f", hasMore: true, seq: "e.4"))
    #expect(list.drawing == "a b c …" && list.asked == ["<a last 100", ">c"])
    list.answer(.drawn("", seq: "e.5"))
    list.answer(.drawn("d f e", hasMore: true, seq: "e.4"))
    #expect(list.drawing == "a b c d f e …")
  }

  /// Also what somebody asked for by name.
  @Test func asksOnceMoreForAGap() throws {
    var list = DrawnList(
      "a b c", options: PagedOptions(prefetchDistance: 0, fillsGaps: false))
    list.send(.refresh)
    list.answer(.drawn("x y", hasMore: true))
    list.answer(.drawn("w", hasMore: true))
    #expect(list.drawing == "x y w ~ a b c …")
    list.send(.fill(try #require(list.state.content.gaps.first).id))
    list.send(
      .changed([upsert("e", moved: true, seq: "e.5")], next: SequenceNumber(rawValue: "e.5")))
    #expect(list.asked == [">w <a", "<x last 100"])
    list.answer(.drawn("v e", seq: "e.4"))
    #expect(list.drawing == "x y w ~ a b c …" && list.asked == ["<x last 100", ">w <a"])
  }

  /// An item that waits for its neighbour is edited, or goes, as another list learns.
  @Test(arguments: [false, true])
  func whatWaitsForItsNeighbourLearnsToo(isGone: Bool) {
    var list = DrawnList("a b c")
    list.send(.changed([upsert("y"), upsert("x")], next: nil))
    list.answer(.drawn(""))
    list.answer(.drawn("x y", hasPrevious: true))
    list.send(isGone ? .deleted(["y"]) : .learned([Post(id: "y", title: "new")]))
    list.answer(.drawn("b x", hasPrevious: true))
    #expect(list.drawing == (isGone ? "a b x c …" : "a b x y=new c …"))
  }

  /// News from above what the list has let go.
  @Test(arguments: [PagedOptions.GapPolicy.mark, .reset])
  func leavesAGapBelowNewsWhereTheTopWasLetGo(policy: PagedOptions.GapPolicy) throws {
    var list = DrawnList(
      "d e f", options: PagedOptions(prefetchDistance: 0, gapPolicy: policy, fillsGaps: false))
    list.state.hasPrevious = true
    (list.state.topPlace, list.state.opensByChanges) = (FeedCursor(rawValue: "a"), true)
    list.send(.refresh)
    guard case .changes(let number, _)? = list.others.last else {
      return #expect(Bool(false), "\(list.others)")
    }
    list.send(
      .caughtUp(
        number,
        FeedChangePage(
          changes: [upsert("z")], nextSince: SequenceNumber(rawValue: "e.2"), hasMore: false,
          undecodable: [], freshness: FeedSlice.drawn("").freshness)))
    #expect(list.asked == ["<a last 100"])
    list.answer(.drawn("z", seq: "e.2"))
    #expect(list.drawing == (policy == .mark ? "z ~ d e f …" : "… d e f …"))
    #expect(list.asked.count == (policy == .mark ? 0 : 1))
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
