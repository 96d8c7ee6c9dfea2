import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// A list that is kept and begun from.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PagedSnapshotTests {
  private func kept(_ list: PagedList<Post>, maxItems: Int = 200) throws -> PagedSnapshot<Post> {
    let snapshot = try #require(list.snapshot(maxItems: maxItems))
    return try JSONDecoder().decode(
      PagedSnapshot<Post>.self, from: try JSONEncoder().encode(snapshot))
  }

  /// A list of `a b c` and `d e`, the reader at d.
  private func shown() async throws -> ListStand {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", "c", hasMore: true, seq: "e.1"))
    stand.transport.next(.posts("d", "e", hasMore: false, seq: "e.1"))
    #expect(stand.list.snapshot() == nil)
    stand.list.start()
    await stand.settle()
    stand.list.loadMore()
    await stand.settle()
    stand.list.visible(3..<5)
    return stand
  }

  @Test func showsWhatWasKeptWithoutANetwork() async throws {
    let stand = try await shown()
    let snapshot = try kept(stand.list)
    #expect(snapshot.place == "d")
    let list = PagedList(stand.list.feed, from: snapshot)
    #expect(list.items.map(\.id) == ["a", "b", "c", "d", "e"])
    #expect(list.isLoaded && !list.canLoadMore && list.endReason == .end)
    #expect(list.freshness == stand.list.freshness && list.freshness != nil)
    stand.transport.next(TransportFailure(.offline, "no network"))
    list.start()
    await stand.until { list.refreshState.error != nil }
    #expect(list.items.count == 5)
  }

  @Test func goesOnFromWhatWasKept() async throws {
    let stand = try await shown()
    let list = PagedList(stand.list.feed, from: try kept(stand.list))
    stand.transport.next(.posts("z", "a", "b", "c", hasMore: false, seq: "e.2"))
    list.start()
    await stand.until { list.items.map(\.id) == ["z", "a", "b", "c", "d", "e"] }
    #expect(stand.asked.contains("limit=6&endAt=%3Ec&refresh=true"))
  }

  @Test func keepsWhatIsNearTheReader() async throws {
    let stand = try await shown()
    let snapshot = try kept(stand.list, maxItems: 2)
    #expect(snapshot.items.map(\.id) == ["d", "e"])
    let list = PagedList(stand.list.feed, from: snapshot)
    #expect(list.canLoadPrevious && !list.canLoadMore)
    stand.list.visible(0..<2)
    #expect(try kept(stand.list, maxItems: 0).items.map(\.id) == ["a", "b", "c"])
  }

  @Test(arguments: [
    ("\"version\":2", "\"version\":3"), ("\"count\":3", "\"count\":4"),
    ("\"count\":3", "\"count\":-3"),
    ("\"id\":\"b\"", "\"id\":\"a\""), ("{", "["),
  ])
  func refusesWhatDoesNotFit(old: String, new: String) async throws {
    let stand = try await shown()
    let snapshot = try #require(stand.list.snapshot())
    let text = String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
    let other = text.replacingOccurrences(of: old, with: new)
    try #require(other != text)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PagedSnapshot<Post>.self, from: Data(other.utf8))
    }
  }
}
