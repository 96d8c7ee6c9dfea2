import Testing

@testable import TsugiClient

/// What is shown of edits while the server learns of them and tells otherwise.
struct PagedEditsTests {
  /// A list `a b c`, and edits of it.
  private struct Stand {
    var edits = PagedEdits<Post>()
    var content = PagedItems<Post>()

    init() {
      content.replace(
        0..<0,
        with: [
          PagedItems.Piece(
            items: ["a", "b", "c"].map { Post(id: $0, title: nil) },
            start: FeedCursor(rawValue: "a"), end: FeedCursor(rawValue: "c"))
        ])
    }

    /// Sets the title of an item.
    mutating func set(_ id: String, _ title: String) -> Int {
      let edited = content.index(of: id).map { content.items[$0] }
      return edits.begin(
        id, .change({ $0.title = title }, alters: { $0.title != title }),
        differs: { $0 != edited })
    }

    /// The server tells of an item, in an answer asked for now or earlier.
    mutating func tell(_ id: String, _ title: String?, asked tick: Int?) {
      content.update(Post(id: id, title: title))
      edits.receive([Post(id: id, title: title)], asked: tick)
    }

    var drawing: String {
      edits.shown(content, of: "f").items.map { post in
        post.title.map { "\(post.id)=\($0)" } ?? post.id
      }.joined(separator: " ")
    }
  }

  @Test func showsAnEditImmediatelyAndTakesItBack() {
    var stand = Stand()
    let (first, second) = (stand.set("b", "1"), stand.set("b", "2"))
    #expect(stand.drawing == "a b=2 c" && stand.edits.isPending("b", stand.content.items[1]))
    stand.edits.end(second)
    #expect(stand.drawing == "a b=1 c")
    stand.edits.end(first)
    #expect(stand.drawing == "a b c" && !stand.edits.isPending("b", stand.content.items[1]))
  }

  @Test func staysOnTopOfWhatTheServerTells() {
    var stand = Stand()
    let edit = stand.edits.begin(
      "b",
      .change({ $0.title = ($0.title ?? "").prefix(1) + "!" }, alters: { $0.title?.last != "!" }))
    stand.tell("b", "xyz", asked: nil)
    #expect(stand.drawing == "a b=x! c")
    stand.edits.end(edit)
    #expect(stand.drawing == "a b=xyz c")
  }

  /// Until it is sent nothing ends it; then the server's item does, or an answer asked for later.
  @Test(arguments: [
    ("2", false, "over"), ("2", true, "over"), ("other", false, "edited"), ("other", true, "other"),
    (nil, true, "edited"), (nil, false, "edited"),
  ])
  func isOverWhenTheServerHasIt(title: String?, isAskedLater: Bool, outcome: String) {
    var stand = Stand()
    let early = stand.edits.tick
    let edit = stand.set("b", "2")
    stand.tell("b", "2", asked: early)
    #expect(stand.edits.all.count == 1)
    stand.tell("b", nil, asked: early)
    stand.edits.sent(edit, now: stand.content.items[1])
    stand.tell("b", title, asked: isAskedLater ? stand.edits.tick : early)
    let drawn = ["over": "a b=2 c", "edited": "a b=2 c", "other": "a b=other c"]
    #expect(stand.drawing == drawn[outcome])
    #expect(stand.edits.all.isEmpty == (outcome != "edited"))
  }

  @Test func isOverWhereTheServerHadItBeforeItWasSent() {
    var stand = Stand()
    let edit = stand.set("b", "2")
    stand.tell("b", "2", asked: nil)
    stand.edits.sent(edit, now: stand.content.items[1])
    #expect(stand.edits.all.isEmpty)
  }

  /// The first is no more undone by what the second set than it is shown again without it.
  @Test func endsWithALaterOneOfTheSameItem() {
    var stand = Stand()
    let (first, second) = (stand.set("b", "on"), stand.set("b", "off"))
    stand.edits.sent(first)
    stand.edits.sent(second)
    stand.tell("b", "off", asked: stand.edits.tick)
    #expect(stand.drawing == "a b=off c" && stand.edits.all.isEmpty)
  }

  @Test func putsAnInsertFirstUntilTheListHasIt() {
    var stand = Stand()
    let edit = stand.edits.begin("draft", .insertion(Post(id: "draft", title: nil), feed: "f"))
    #expect(stand.drawing == "draft a b c")
    #expect(stand.edits.shown(stand.content, of: "other").inserted == 0)
    stand.edits.sent(edit, form: Post(id: "z", title: "Z"))
    #expect(stand.drawing == "z=Z a b c" && stand.edits.isPending("z", nil))
    stand.content.insert(
      Post(id: "z", title: "Z"), below: "b", at: FeedCursor(rawValue: "z"))
    #expect(stand.drawing == "a b z=Z c")
    stand.edits.landed(in: "f") { stand.content.index(of: $0) != nil }
    #expect(stand.edits.all.isEmpty)
  }

  @Test func takesAnInsertBackThatCannotBeSent() {
    var stand = Stand()
    let edit = stand.edits.begin("d", .insertion(Post(id: "d", title: nil), feed: "f"))
    stand.edits.end(edit)
    #expect(stand.drawing == "a b c")
  }

  @Test func putsARemovedRowBackInItsPlace() {
    var stand = Stand()
    let edit = stand.edits.begin("b", .removal)
    let shown = stand.edits.shown(stand.content, of: "f")
    #expect(shown.items.map(\.id) == ["a", "c"])
    #expect([0, 2, 3].map(shown.index) == [0, 1, 2])
    stand.edits.end(edit)
    #expect(stand.drawing == "a b c")
  }

  @Test func forgetsWhatIsGone() {
    var stand = Stand()
    stand.edits.sent(stand.edits.begin("b", .removal))
    stand.content.remove(["b"])
    stand.edits.gone(["b"])
    #expect(stand.edits.all.isEmpty)
  }
}
