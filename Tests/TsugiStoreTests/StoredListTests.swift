import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient
@testable import TsugiStore

/// A list that begins from its file: before a request, with one request, and without any.
@MainActor @Suite(.timeLimit(.minutes(5))) struct StoredListTests {
  private let stand = StoreStand()

  @Test func showsWhatIsKeptBeforeItIsStarted() async throws {
    try await stand.keepSix(stand.store())
    let asked = stand.asked.count
    let list = try stand.list(stand.store())
    #expect(list.ids == "a b c d e f" && list.isLoaded && list.canLoadMore)
    #expect(list.freshness?.isFresh == true)
    let item = PagedItem("d", of: try stand.feed(), in: stand.store())
    #expect(item.item?.id == "d" && item.place == .found)
    #expect(stand.asked.count == asked)
  }

  /// A store goes with its last list, and its file is closed.
  @Test func aStoreGoesWithItsLastList() async throws {
    weak var core: StoreCore?
    do {
      let store = stand.store()
      core = store.core
      let list = try stand.list(store)
      let item = PagedItem("d", of: try stand.feed(), in: store)
      #expect(list.items.isEmpty && item.item == nil && core != nil)
    }
    for _ in 0..<10_000 where core != nil { await Task.yield() }
    #expect(core == nil)
  }

  @Test func asksOnceWhereNothingChanged() async throws {
    try await stand.keepSix(stand.store())
    let list = try stand.list(stand.store())
    let asked = stand.asked.count
    stand.transport.next(.changes([], next: "e.1"))
    list.start()
    await stand.settle(list)
    #expect(stand.asked.dropFirst(asked) == ["notes:changes?since=e.1&refresh=true"])
    #expect(list.refreshState == .idle && list.ids == "a b c d e f")
    #expect(await list.refresh() != .fresh)
  }

  @Test func putsNewsAboveWithOneRequestMore() async throws {
    try await stand.keepSix(stand.store())
    let list = try stand.list(stand.store())
    let asked = stand.asked.count
    stand.transport.next(
      .changes(
        [
          #"{"op":"upsert","seq":"e.2","id":"y","cursor":"y","item":{"id":"y","text":""}}"#,
          #"{"op":"remove","seq":"e.3","id":"b"}"#,
          #"{"op":"upsert","seq":"e.4","id":"z","cursor":"z","item":{"id":"z","text":""}}"#,
        ], next: "e.4"))
    stand.transport.next(stand.slice("z y", seq: "e.4"))
    list.start()
    await stand.until { list.ids == "z y a c d e f" }
    #expect(stand.asked.dropFirst(asked + 1) == ["notes?limit=100&endBefore=a&limitToLast=true"])
    #expect(!list.hasNews)
    list.visible(["z"])
    await list.flushed()
    #expect(try stand.list(stand.store()).ids == "z y a c d e f")
  }

  /// And a pull is over when it is there.
  @Test func putsWhatWasAnnouncedBeforeAbove() async throws {
    do {
      let store = stand.store()
      try await stand.keepSix(store)
      let list = try stand.list(store)
      stand.transport.next(.changes([], next: "e.1"))
      list.start()
      await stand.settle(list)
      stand.transport.next(
        .changes(
          [#"{"op":"upsert","seq":"e.2","id":"z","cursor":"z","item":{"id":"z","text":""}}"#],
          next: "e.2"))
      stand.transport.next(stand.slice("z", seq: "e.2"))
      try await list.catchUp()
      await stand.until { list.hasNews }
      await list.flushed()
    }
    let list = try stand.list(stand.store())
    stand.transport.next(.changes([], next: "e.2"))
    stand.transport.next(stand.slice("z", seq: "e.2"))
    _ = await list.refresh()
    #expect(list.ids == "z a b c d e f" && !list.hasNews)
  }

  /// More is said to follow, and never comes.
  @Test(arguments: [true, false])
  func asksForNoChangesWithoutEnd(isStart: Bool) async throws {
    try await stand.keepSix(stand.store())
    let list = try stand.list(stand.store())
    let asked = stand.asked.count
    for number in 2..<20 {
      stand.transport.next(.changes([], next: "e.\(number)", hasMore: true))
    }
    if isStart {
      list.start()
      await stand.settle(list)
      #expect(list.refreshState.error != nil)
    } else {
      await #expect(throws: TsugiError.self) { try await list.catchUp() }
    }
    #expect(stand.asked.count == asked + 5)
  }

  @Test func beginsAgainWhereTheChangesAreNotKept() async throws {
    try await stand.keepSix(stand.store())
    let list = try stand.list(stand.store())
    stand.transport.next(.problem(.sinceExpired))
    stand.transport.next(stand.slice("x y", seq: "f.1"))
    list.start()
    await stand.until { list.ids == "x y" }
    #expect(stand.asked.last == "notes?limit=3&refresh=true")
  }

  /// One that knows no `refresh` there, and one that does not say how old the top is.
  @Test(arguments: [true, false])
  func refreshesAsBeforeWithAnOlderServer(refuses: Bool) async throws {
    try await stand.keepSix(stand.store())
    let list = try stand.list(stand.store())
    stand.transport.next(
      refuses
        ? .problem(.invalidParameter)
        : .json(#"{"changes":[],"limit":20,"hasMore":false,"nextSince":"e.1","next":null}"#))
    stand.transport.next(stand.slice("z a b c", seq: "e.2"))
    list.start()
    await stand.until { list.ids == "z a b c d e f" }
    #expect(stand.asked.last == "notes?limit=6&endAt=c&refresh=true")
  }

  @Test func readsAllThatIsKeptWithoutANetwork() async throws {
    let store = stand.store()
    let feed = try stand.feed(limit: 100)
    let ids = (0..<1_000).map { String(format: "n%04d", $0) }
    for part in 0..<10 {
      stand.transport.next(
        stand.slice(
          ids[part * 100..<part * 100 + 100].joined(separator: " "), hasMore: part < 9))
    }
    let first = PagedList(feed, in: store)
    first.start()
    while first.items.count < 1_000 {
      await stand.settle(first)
      first.loadMore()
      await stand.settle(first)
    }
    first.visible([ids[450]])
    await store.flush()

    let asked = stand.asked.count
    let list = PagedList(feed, in: stand.store())
    #expect(list.items.count == 100 && list.resumesAt == ids[450])
    list.start()
    await stand.until { list.refreshState.error != nil }
    #expect(list.refreshState.error != nil && list.items.count == 100)
    while list.items.count < 1_000 {
      let count = list.items.count
      list.visible(0..<1)
      await stand.settle(list)
      list.visible(list.items.count - 1..<list.items.count)
      await stand.settle(list)
      #expect(list.items.count > count)
      guard list.items.count > count else { return }
    }
    #expect(list.items.map(\.id) == ids && !list.canLoadMore && list.endReason == .end)
    #expect(stand.asked.count == asked + 1)
    #expect(list.resumesAt == nil)
  }

  /// Starts a list, and reads to its end what comes in these parts.
  private func readToTheEnd(_ list: PagedList<Note>, of parts: [String]) async {
    for (number, part) in parts.enumerated() {
      stand.transport.next(stand.slice(part, hasMore: number < parts.count - 1))
    }
    list.start()
    await stand.settle(list)
    while list.canLoadMore {
      list.visible([list.items.last?.id ?? ""])
      await stand.settle(list)
    }
  }

  @Test func letsGoOfRowsToTheFileOnly() async throws {
    let store = stand.store()
    let feed = try stand.feed(limit: 3)
    let list = PagedList(
      feed, in: store, options: PagedOptions(prefetchDistance: 0, maxItems: 6))
    await readToTheEnd(list, of: ["a b c", "d e f", "g h i", "j k l", "m n o", "p q r"])
    #expect(list.items.first?.id != "a" && list.canLoadPrevious)
    let asked = stand.asked.count
    list.apply([FeedChange(.remove, id: "b")])
    while list.canLoadPrevious {
      list.visible([list.items.first?.id ?? ""])
      await stand.settle(list)
    }
    #expect(list.items.first?.id == "a" && list.ids.hasPrefix("a c d"))
    #expect(stand.asked.count == asked)
    await store.flush()
    #expect(await store.items(of: feed, limit: 100).count == 17)
  }

  /// A row that is in the file alone, and comes again further down, has moved there.
  @Test func whatComesAgainLeavesItsPlaceInTheFile() async throws {
    let list = PagedList(
      try stand.feed(limit: 3), in: stand.store(),
      options: PagedOptions(prefetchDistance: 0, maxItems: 6))
    await readToTheEnd(list, of: ["a b c", "d e f", "g h i", "j k l", "p q r", "m b n"])
    #expect(list.ids.hasSuffix("m b n") && list.items.first?.id != "a")
    var seen = list.items.map(\.id)
    while list.canLoadPrevious {
      list.visible([list.items.first?.id ?? ""])
      await stand.settle(list)
      seen += list.items.map(\.id)
    }
    #expect(list.ids.hasPrefix("a c d") && Set(seen).count == 17)
  }

  @Test func goesOnWhereTheReaderWas() async throws {
    let store = stand.store()
    try await stand.keepSix(store)
    let list = try stand.list(store)
    list.visible(["e", "f"])
    await store.flush()
    let again = try stand.list(stand.store())
    #expect(again.resumesAt == "e")
    again.appeared(again.items[4])
    #expect(again.resumesAt == nil)
  }

  @Test func showsAnotherFeedOfTheStore() async throws {
    let store = stand.store()
    try await stand.keepSix(store)
    let list = try stand.list(store, try stand.feed("shop/other"))
    #expect(list.items.isEmpty)
    list.show(try stand.feed())
    #expect(list.ids == "a b c d e f")
    list.show(try stand.feed("shop/other"))
    #expect(list.items.isEmpty && !list.isLoaded)
  }

  @Test(arguments: [("e", FeedPlace.found), ("x", .looking)])
  func beginsAtAPlaceThatIsKept(id: String, place: FeedPlace) async throws {
    let store = stand.store()
    try await stand.keepSix(store)
    let list = PagedList(try stand.feed(), in: store, at: .element(id: id))
    #expect(list.place == place)
    #expect(list.resumesAt == (place == .found ? "e" : nil))
  }

  /// What the reader of a link sees does not replace the list.
  @Test func keepsTheListBesideOneAtAPlace() async throws {
    let store = stand.store()
    try await stand.keepSix(store)
    let list = PagedList(try stand.feed(), in: store, at: .element(id: "x"))
    stand.transport.next(stand.slice("x y", hasMore: true))
    list.start()
    await stand.until { list.place == .found }
    await store.flush()
    #expect(await store.items(of: try stand.feed()).map(\.id).joined() == "abcdef")
    #expect(await store.item("x", of: try stand.feed())?.id == "x")
  }

  @Test(arguments: [("shop/notes", true), ("shop/other", false), ("", true)])
  func takesASnapshotOfItsFeed(name: String, isTaken: Bool) async throws {
    let source = PagedList(try stand.feed())
    stand.transport.next(stand.slice("a b", hasMore: true))
    source.start()
    await stand.settle(source)
    let data = try JSONEncoder().encode(try #require(source.snapshot()))
    let json = String(decoding: data, as: UTF8.self)
    let other = json.replacingOccurrences(of: #""shop\/notes""#, with: "\"\(name)\"")
    let kept =
      name.isEmpty
      ? other.replacingOccurrences(of: "\"version\":2", with: "\"version\":1") : other
    let snapshot = try JSONDecoder().decode(PagedSnapshot<Note>.self, from: Data(kept.utf8))
    let store = stand.store()
    #expect(await store.keep(snapshot, of: try stand.feed()) == isTaken)
    #expect(try stand.list(store).ids == (isTaken ? "a b" : ""))
    #expect(await store.keep(snapshot, of: try stand.feed()) == false)
  }
}

extension PagedList<Note> {
  func flushed() async { await flush() }
}
