import Testing

@testable import TsugiClient

/// What changes elsewhere while the reader reads.
struct PagedStateChangeTests {
  @Test func appliesEditsAndRemovalsInPlace() {
    var list = DrawnList("a b c d")
    list.send(
      .changed(
        [
          FeedChange(.upsert, item: Post(id: "b", title: "B")), FeedChange(.remove, id: "c"),
          FeedChange(.delete, id: "a"),
        ], next: SequenceNumber(rawValue: "e.9")))
    #expect(list.drawing == "b=B d …")
    #expect(list.state.since == SequenceNumber(rawValue: "e.9"))
    #expect(!list.state.hasNews)
  }

  @Test func tellsOfNewItemsUntilARefreshShowsThem() {
    var list = DrawnList("a b c")
    list.send(.changed([FeedChange(.upsert, item: Post(id: "x"))], next: nil))
    #expect(list.asked == ["≥a 1"])
    list.answer(.drawn("a", hasMore: true, hasPrevious: true))
    #expect(list.drawing == "a b c …")
    #expect(list.state.hasNews)
    list.send(.refresh)
    list.answer(.drawn("x a b c"))
    #expect(!list.state.hasNews)
  }

  /// It may as well be one that the server read ahead.
  @Test func tellsOfNoItemBelow() {
    var list = DrawnList("a b c")
    list.send(.changed([FeedChange(.upsert, id: "x"), FeedChange(.upsert, id: "y")], next: nil))
    #expect(list.asked == ["≥a 1"])
    list.answer(.drawn("a", hasMore: true))
    #expect(!list.state.hasNews)
    #expect(list.asked.isEmpty)
  }

  @Test func looksOnceMoreForWhatCameMeanwhile() {
    var list = DrawnList("a b c")
    for id in ["x", "y", "z"] { list.send(.changed([FeedChange(.upsert, id: id)], next: nil)) }
    #expect(list.asked == ["≥a 1"])
    list.answer(.drawn("a", hasMore: true))
    #expect(list.asked == ["≥a 1"])
    list.answer(.drawn("a", hasMore: true, hasPrevious: true))
    #expect(list.state.hasNews)
    list.send(.changed([FeedChange(.upsert, id: "w")], next: nil))
    #expect(list.asked.isEmpty)
  }

  @Test func tellsOfNewsWhereItCannotLook() {
    var list = DrawnList("a b c")
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    list.fail(.offline)
    #expect(list.state.hasNews)
    #expect(list.asked.isEmpty && list.rests.isEmpty)
  }

  @Test func looksAgainAfterARefreshThatFails() {
    var list = DrawnList("a b c")
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    list.send(.refresh)
    #expect(!list.asked.contains("≥a 1"))
    list.fail(.offline)
    #expect(list.asked == ["≥a 1"])
  }

  @Test func tellsOfNewsOfAListThatWasEmpty() {
    var list = DrawnList("", hasMore: false)
    list.send(.changed([FeedChange(.upsert, id: "x")], next: nil))
    #expect(list.state.hasNews)
  }

  /// The top stays where it was when what stood there goes, or is let go for `maxItems`.
  @Test func looksAboveTheTopOnly() {
    var list = DrawnList("a b c")
    list.send(.changed([FeedChange(.remove, id: "a"), FeedChange(.upsert, id: "x")], next: nil))
    #expect(list.asked == ["≥a 1"])
  }

  @Test func takesNoEditThatIsOlderThanWhatItShows() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d=new", hasMore: true, seq: "e.7"))
    let edit = { (seq: String) in
      FeedChange(
        .upsert, item: Post(id: "d", title: seq), seq: SequenceNumber(rawValue: seq))
    }
    list.send(.changed([edit("e.7")], next: nil))
    #expect(list.drawing == "a b c d=new …")
    list.send(.changed([edit("e.8")], next: nil))
    #expect(list.drawing == "a b c d=e.8 …")
  }

  @Test func looksAgainWhatIsNeededAfterARemoval() {
    var list = DrawnList("a b c d e")
    list.see("a b c")
    #expect(list.asked.isEmpty)
    list.send(.changed([FeedChange(.remove, id: "d")], next: nil))
    #expect(list.asked == [">e"])
  }

  @Test func staysWhereTheReaderWasWhenItsRowGoes() {
    var list = DrawnList("a b c d e f")
    list.see("c")
    list.send(.changed([FeedChange(.remove, id: "c")], next: nil))
    #expect(list.state.visible.indices(in: list.state.content) == 2...2)
    list.send(.changed([FeedChange(.remove, id: "d"), FeedChange(.remove, id: "e")], next: nil))
    #expect(list.asked == [">f"])
  }

  @Test func goesOnBelowAListOfWhichAllIsRemoved() {
    var list = DrawnList("a b c")
    list.send(.changed(["a", "b", "c"].map { FeedChange(.remove, id: $0) }, next: nil))
    #expect(list.drawing == "…")
    #expect(list.asked == [">c"])
  }

  @Test func takesNoRemovedItemFromAnOlderAnswer() {
    var list = DrawnList("a b c")
    list.see("c")
    list.send(
      .changed([FeedChange(.delete, id: "d", seq: SequenceNumber(rawValue: "e.5"))], next: nil))
    list.answer(.drawn("d e", hasMore: true, seq: "e.4"))
    #expect(list.drawing == "a b c e …")
  }

  @Test(arguments: ["e.5", "f.1"])
  func takesAnItemThatCameBack(seq: String) {
    var list = DrawnList("a b c")
    list.see("c")
    list.send(
      .changed([FeedChange(.remove, id: "d", seq: SequenceNumber(rawValue: "e.5"))], next: nil))
    list.answer(.drawn("d e", hasMore: true, seq: seq))
    #expect(list.drawing == "a b c d e …")
  }

  /// An edit too is newer than an answer that was given before it.
  @Test(arguments: [("e.4", "edited"), ("e.5", "read"), ("f.1", "read")])
  func takesNoItemAsItWasBefore(seq: String, title: String) {
    var list = DrawnList("a b c")
    list.see("c")
    let edited = Post(id: "d", title: "edited")
    list.send(
      .changed([FeedChange(.upsert, item: edited, seq: SequenceNumber(rawValue: "e.5"))], next: nil)
    )
    list.answer(.drawn("d=read e", hasMore: true, seq: seq))
    #expect(list.drawing == "a b c d=\(title) e …")
  }

  @Test(arguments: [true, false])
  func remembersWhatWasToldOfAThousand(leaves: Bool) {
    var list = DrawnList("a b c")
    for number in 0...PagedState<Post>.toldMax {
      let seq = SequenceNumber(rawValue: "e.\(number)")
      let change: FeedChange<Post> =
        leaves
        ? FeedChange(.remove, id: "i\(number)", seq: seq)
        : FeedChange(.upsert, item: Post(id: "i\(number)"), seq: seq)
      list.send(.changed([change], next: nil))
      #expect(list.state.told.count == min(number + 1, PagedState<Post>.toldMax))
    }
    #expect(list.state.told["i0"] == nil)
    #expect(list.state.told["i1"] != nil)
  }

  @Test(arguments: [true, false])
  func beginsAnewWhereChangesAreLost(byReset: Bool) {
    var list = DrawnList("a b c")
    list.see("c")
    list.send(byReset ? .changed([FeedChange(.reset)], next: nil) : .changesExpired)
    #expect(list.asked == ["refresh"])
    list.answer(.drawn("x y", hasMore: true, seq: "f.3"))
    #expect(list.drawing == "x y …")
    #expect(list.state.since == SequenceNumber(rawValue: "f.3"))
    #expect(list.asked.isEmpty)
  }

  @Test func asksAgainWhenItMustBeginAnewDuringARefresh() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.send(.changed([FeedChange(.reset)], next: nil))
    #expect(list.asked == ["refresh"])
    list.answer(.drawn("x", hasMore: false))
    #expect(list.drawing == "x")
    #expect(list.asked.isEmpty)
  }

  @Test func keepsAskingFromTheFirstSlicesNumber() {
    var list = DrawnList("a b c")
    list.see("c")
    list.answer(.drawn("d e f", hasMore: true, seq: "e.7"))
    list.send(.refresh)
    list.answer(.drawn("x a b c", seq: "e.8"))
    #expect(list.state.since == SequenceNumber(rawValue: "e.1"))
  }
}
