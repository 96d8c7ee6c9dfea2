import Foundation
import Testing
import TsugiClient
import TsugiClientTesting
import TsugiStore

/// What lists and items of one store learn of each other, and do not.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SharedItemsTests {
  private let stand = StoreStand()
  private let store = FeedStore.inMemory()

  private func loaded(_ store: FeedStore, _ feed: Feed<Note>) async -> PagedList<Note> {
    stand.transport.next(stand.slice("a b c"))
    let list = PagedList(feed, in: store)
    list.start()
    await stand.settle(list)
    return list
  }

  @Test func agreesInListsAndItems() async throws {
    let first = await loaded(store, try stand.feed())
    let second = await loaded(store, try stand.feed("shop/search"))
    let item = PagedItem("b", of: try stand.feed(), at: "shop/notes/b", in: store)
    stand.transport.next(.json(Note.json("b", "new")))
    await item.load()
    #expect(first.item("b")?.text == "new" && second.item("b")?.text == "new")
    second.apply([FeedChange(.upsert, item: Note(id: "b", text: "newer"))])
    #expect(first.item("b")?.text == "newer" && item.item?.text == "newer")
    second.apply([FeedChange(.remove, id: "a")])
    #expect(first.ids == "a b c" && second.ids == "b c")
    first.apply([FeedChange(.delete, id: "b")])
    #expect(second.ids == "c" && item.item == nil && item.place == .gone)
    await store.flush()
    #expect(await store.item("b", of: try stand.feed()) == nil)
  }

  /// What was asked for before, and answered after, what another list learned.
  @Test(arguments: [false, true], [false, true])
  func anOlderAnswerUndoesNothing(ofItem: Bool, isGone: Bool) async throws {
    let first = await loaded(store, try stand.feed())
    let second = await loaded(store, try stand.feed("shop/search"))
    let item = PagedItem("b", of: try stand.feed(), at: "shop/notes/b", in: store)
    let asked = stand.asked.count
    stand.transport.hold()
    let older = Task { if ofItem { await item.load() } else { _ = await first.refresh() } }
    await stand.transport.requests(asked + 1)
    let change =
      isGone
      ? #"{"op":"delete","seq":"e.2","id":"b"}"#
      : #"{"op":"upsert","seq":"e.2","id":"b","cursor":"b","item":{"id":"b","text":"new"}}"#
    // Answered in this order.
    stand.transport.next(.changes([change], next: "e.2"))
    stand.transport.next(ofItem ? .json(Note.json("b", "old")) : stand.slice("a b c"))
    stand.transport.release(asked + 1)
    try await second.catchUp()
    #expect(first.item("b")?.text == (isGone ? nil : "new"))
    stand.transport.release()
    await older.value
    #expect(first.item("b")?.text == (isGone ? nil : "new"))
    #expect(second.item("b")?.text == (isGone ? nil : "new"))
    #expect(item.item?.text == (isGone ? nil : "new") && !item.isOutdated)
    await store.flush()
    #expect(await store.item("b", of: try stand.feed())?.text == (isGone ? nil : "new"))
  }

  /// The whole item always differs from one that was cut, so that tells nothing of an edit.
  @Test func theWholeItemTakesBackNoEditOfACutOne() async throws {
    let feed = try stand.feed(fields: ["id", "text"])
    let list = await loaded(store, feed)
    try await list.edit("b") {
      $0.text = "mine"
    } sending: {
    }
    let item = PagedItem("b", of: feed, at: "shop/notes/b", in: store)
    stand.transport.next(.json(Note.json("b", "as before")))
    await item.load()
    #expect(list.item("b")?.text == "mine" && item.item?.text == "mine" && item.isPending)
    stand.transport.next(.json(Note.json("b", "mine")))
    await item.load()
    #expect(list.item("b")?.text == "mine" && !item.isPending)
  }

  @Test func showsAnEditWhereverItsItemIs() async throws {
    let first = await loaded(store, try stand.feed())
    let (opened, open) = AsyncStream<Void>.makeStream()
    let sending = Task {
      try await first.edit("b") {
        $0.text = "mine"
      } sending: {
        for await _ in opened {}
      }
    }
    await stand.until { first.isPending("b") }
    let item = PagedItem("b", of: try stand.feed(), in: store)
    let second = await loaded(store, try stand.feed("shop/search"))
    #expect(second.item("b")?.text == "mine" && item.item?.text == "mine" && item.isPending)
    #expect(second.items[1].text == "mine")
    await store.flush()
    #expect(await store.item("b", of: try stand.feed())?.text == "")
    open.finish()
    try await sending.value
    #expect(second.isPending("b"))
    second.apply([FeedChange(.upsert, item: Note(id: "b", text: "mine"))])
    #expect(!first.isPending("b") && first.item("b")?.text == "mine")
  }

  @Test func takesBackWhatCannotBeSent() async throws {
    let list = await loaded(store, try stand.feed())
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await list.remove("b") { throw Refused() }
    }
    await #expect(throws: Refused.self) {
      try await list.insert(Note(id: "z", text: "")) { throw Refused() }
    }
    let cancelled = Task {
      try await list.edit("a") {
        $0.text = "x"
      } sending: {
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    await stand.until { list.isPending("a") }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(list.ids == "a b c" && list.item("a")?.text == "" && !list.isPending("a"))
  }

  @Test func letsAnEditGoThatTheServerNeverTells() async throws {
    let list = await loaded(store, try stand.feed())
    try await list.edit("a") {
      $0.text = "x"
    } sending: {
    }
    await stand.clock.sleepers(1, dueWithin: .seconds(300))
    stand.clock.advance(by: .seconds(299))
    #expect(list.item("a")?.text == "x")
    stand.clock.advance(by: .seconds(1))
    await stand.until { list.item("a")?.text == "" }
  }

  @Test func keepsIndicesOfRowsRight() async throws {
    let list = await loaded(store, try stand.feed())
    let removing = Task {
      try await list.remove("a") { try await Task.sleep(for: .seconds(3_600)) }
    }
    let inserting = Task {
      try await list.insert(Note(id: "y", text: "")) {
        try await Task.sleep(for: .seconds(3_600))
        return nil
      }
    }
    await stand.until { list.isPending("a") && list.isPending("y") }
    #expect(list.ids == "y b c" && list.item("y") != nil)
    #expect(list.isLastItem(Note(id: "c", text: "")) && !list.isLastItem(Note(id: "b", text: "")))
    list.visible(1..<2)
    #expect(list.snapshot()?.place == "b")
    removing.cancel()
    inserting.cancel()
    _ = await (removing.result, inserting.result)
    #expect(list.ids == "a b c")
  }

  @Test func saysWhatIsOutdated() async throws {
    let rows = await loaded(store, try stand.feed(fields: ["text"]))
    let item = PagedItem("b", of: try stand.feed(), at: "shop/notes/b", in: store)
    stand.transport.next(.json(Note.json("b", "whole")))
    await item.load()
    #expect(!item.isOutdated)
    rows.apply([FeedChange(.upsert, item: Note(id: "b", text: "cut"))])
    #expect(item.isOutdated && item.item?.text == "whole")
    stand.transport.next(.json(Note.json("b", "newer")))
    await item.load()
    #expect(!item.isOutdated && item.item?.text == "newer" && rows.item("b")?.text == "cut")
    rows.apply([FeedChange(.delete, id: "b")])
    #expect(item.place == .gone)
  }

  @Test(arguments: [
    (ProblemCode.itemNotFound, FeedPlace.notKnown), (.itemDeleted, .gone),
  ])
  func saysThatAnItemIsNotThere(code: ProblemCode, place: FeedPlace) async throws {
    let item = PagedItem("b", of: try stand.feed(), at: "shop/notes/b")
    #expect(item.place == .looking)
    stand.transport.next(.problem(code))
    await item.load()
    #expect(item.place == place && item.item == nil && item.state == .idle)
  }

  @Test func asksTheFeedForAnItemWithoutAPath() async throws {
    let item = PagedItem("b", of: try stand.feed())
    stand.transport.next(stand.slice("b"))
    await item.load()
    #expect(item.place == .found && stand.asked == ["notes?limit=1&startAt=id%3Ab"])
    stand.transport.next(stand.slice("c"))
    await item.load()
    #expect(item.place == .gone && item.item == nil)
    stand.transport.next(TransportFailure(.offline, ""))
    await item.load()
    #expect(item.state.error != nil)
  }

  @Test func sharesNothingBetweenAccounts() async throws {
    let ada = await loaded(store.account("ada"), try stand.feed())
    let bob = await loaded(store.account("bob"), try stand.feed())
    ada.apply([FeedChange(.upsert, item: Note(id: "b", text: "ada's"))])
    #expect(bob.item("b")?.text == "")
    await store.account("ada").removeAll()
    #expect(await store.account("ada").items(of: try stand.feed()).isEmpty)
    #expect(await store.account("bob").items(of: try stand.feed()).count == 3)
    ada.apply([FeedChange(.upsert, item: Note(id: "c", text: "ada's"))])
    await store.flush()
    #expect(await store.account("ada").item("c", of: try stand.feed()) == nil)
  }

  @Test func asksNothingSoonAfterAnAnswer() async throws {
    let list = await loaded(store, try stand.feed())
    let asked = stand.asked.count
    stand.clock.advance(by: .seconds(29))
    await list.cameBack()
    #expect(stand.asked.count == asked)
    stand.clock.advance(by: .seconds(1))
    stand.transport.next(.changes([], next: "e.1"))
    await list.cameBack()
    #expect(stand.asked.count == asked + 1)
  }
}
