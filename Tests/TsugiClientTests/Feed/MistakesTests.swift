import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// Mistakes that code of this kind makes in the wild, one test each.
@MainActor @Suite(.timeLimit(.minutes(10))) struct MistakesTests {
  /// A list that shows `a b c` and has more.
  private func shown() async throws -> ListStand {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", "c", hasMore: true))
    stand.list.start()
    await stand.settle()
    return stand
  }

  @Test func pageCounterRaisedTwice() async throws {
    // Two rows near the end appear, one load fails and is tried again: a page is skipped where a
    // counter is raised for each.
    let stand = try await shown()
    stand.transport.next(TransportFailure(.interrupted, ""))
    stand.transport.next(.posts("d", "e", "f", hasMore: false))
    stand.see("b", "c")
    await stand.settle()
    stand.list.retry()
    await stand.settle()
    #expect(stand.ids == ["a", "b", "c", "d", "e", "f"])
    #expect(stand.asked.dropFirst() == ["limit=3&startAfter=%3Ec", "limit=3&startAfter=%3Ec"])
  }

  @Test func errorResetsToPageOne() async throws {
    let stand = try await shown()
    stand.transport.next(.problem(.upstreamUnavailable))
    stand.see("c")
    await stand.settle()
    #expect(stand.list.moreState.error?.code == .upstreamUnavailable)
    #expect(stand.ids == ["a", "b", "c"])
    stand.transport.next(.posts("d", hasMore: false))
    stand.list.retry()
    await stand.settle()
    #expect(stand.asked.last == "limit=3&startAfter=%3Ec")
    #expect(stand.ids == ["a", "b", "c", "d"])
  }

  @Test func noInFlightGuard() async throws {
    let stand = try await shown()
    stand.transport.hold()
    for _ in 0..<5 {
      stand.see("a", "b", "c")
      stand.list.loadMore()
      stand.list.footerAppeared()
    }
    await stand.transport.requests(2)
    stand.list.footerDisappeared()
    stand.transport.next(.posts("d", "e", "f", "g", hasMore: true))
    stand.transport.release()
    await stand.settle()
    #expect(stand.ids == ["a", "b", "c", "d", "e", "f", "g"])
    #expect(stand.transport.requests.count == 2)
  }

  @Test func reloadOnEveryAppearance() async throws {
    let stand = try await shown()
    for _ in 0..<3 { stand.list.start() }
    await stand.settle()
    #expect(stand.transport.requests.count == 1)
    #expect(stand.ids == ["a", "b", "c"])
  }

  @Test(arguments: [
    (["a", "b", "c"], false), (["a", "b", "c"], true), (["a"], true), (["a", "b"], false),
  ])
  func endGuessedFromTheCount(ids: [String], hasMore: Bool) async throws {
    let stand = try ListStand()
    stand.transport.next(
      .slice(of: ids.map { Post.json($0) }, hasMore: hasMore, end: ids.last))
    stand.transport.next(.posts("z", hasMore: false))
    stand.list.start()
    await stand.settle()
    #expect(stand.list.canLoadMore == hasMore)
    stand.see(ids[ids.count - 1])
    await stand.settle()
    #expect(stand.ids == (hasMore ? ids + ["z"] : ids))
    #expect(stand.transport.requests.count == (hasMore ? 2 : 1))
  }

  @Test func refreshAppendedAtTheBottom() async throws {
    let stand = try await shown()
    stand.transport.next(.posts("x", "y", "a", "b", "c", hasMore: false))
    await stand.list.refresh()
    #expect(stand.ids == ["x", "y", "a", "b", "c"])
  }

  @Test func thresholdByExactEqualityOnly() async throws {
    let stand = try ListStand(options: PagedOptions(prefetchDistance: 2), limit: 9)
    stand.transport.next(.posts("a", "b", "c", "d", "e", "f", hasMore: true))
    stand.transport.next(.posts("g", hasMore: false))
    stand.list.start()
    await stand.settle()
    // A fast flick: the row exactly two from the end never appeared.
    stand.see("a", "e")
    await stand.settle()
    #expect(stand.ids.last == "g")
  }

  @Test func comparisonByHashValue() async throws {
    /// Ids that differ and have the same hash, as any two may.
    struct Clash: Hashable, Decodable, Sendable {
      var text: String

      init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
      }

      func hash(into hasher: inout Hasher) {}
    }
    struct Clashing: Identifiable, Decodable, Sendable { var id: Clash }
    let transport = ScriptedTransport()
    transport.next(.posts("a", "b", "c", hasMore: false))
    let list = PagedList(
      try FeedClient.scripted(transport).feed("qiita/items", of: Clashing.self))
    await list.refresh()
    #expect(list.items.map(\.id.text) == ["a", "b", "c"])
    #expect(list.isLastItem(list.items[2]))
    #expect(!list.isLastItem(list.items[0]))
    #expect(list.items.isThresholdItem(offset: 1, item: list.items[1]))
    #expect(!list.items.isLastItem(list.items[1]))
  }

  @Test func dateOfWholeSecondsAsACursor() async throws {
    // Three of one second, and a cursor that no date could hold: it comes back as it was sent.
    let second = "2025-12-09T14:21:53+09:00"
    let cursor = "AUz_3FHd3p8uAAAAAGsBFTM0ODlkZjEz.~-_"
    let transport = ScriptedTransport()
    let items = ["a", "b", "c"].map { #"{"id":"\#($0)","created_at":"\#(second)"}"# }
    transport.next(.slice(of: Array(items[..<2]), hasMore: true, start: "s", end: cursor))
    transport.next(.slice(of: [items[2]], hasMore: false, start: "t", end: "t"))
    let feed = try FeedClient.scripted(transport).feed("qiita/items", of: QiitaItem.self)
    let list = PagedList(feed)
    await list.refresh()
    list.appeared(list.items[1])
    while list.moreState.isLoading { await Task.yield() }
    #expect(list.items.map(\.id) == ["a", "b", "c"])
    #expect(Set(list.items.map(\.createdAt)).count == 1)
    #expect(transport.requests.last?["startAfter"] == cursor)
  }

  @Test func footerThatFiresOnceAndNeverAgain() async throws {
    let stand = try await shown()
    for ids in [["d"], ["e"], ["f"]] {
      stand.transport.next(
        .slice(of: ids.map { Post.json($0) }, hasMore: true, start: ids[0], end: ids[0]))
    }
    stand.transport.next(.posts("g", hasMore: false))
    // The slices are short, the footer never leaves the screen, and so never appears again.
    stand.list.footerAppeared()
    await stand.until { !stand.list.canLoadMore }
    #expect(stand.ids == ["a", "b", "c", "d", "e", "f", "g"])
  }

  @Test func oneUndecodableElementBlocksTheRest() async throws {
    let stand = try ListStand()
    stand.transport.next(
      .slice(of: [Post.json("a"), #"{"id":"b","title":7}"#, "[]"], hasMore: true, end: "c"))
    stand.transport.next(.slice(of: [#"{"title":"no id"}"#], hasMore: true, end: "d"))
    stand.transport.next(.posts("e", hasMore: false))
    stand.list.start()
    await stand.settle()
    stand.see("a")
    await stand.until { !stand.list.canLoadMore }
    #expect(stand.ids == ["a", "e"])
    #expect(stand.list.moreState == .idle)
  }
}
