import Engine
import Feed
import History
import Support
import Synchronization
import Testing

/// What was found out about the size of pages, over a restart.
@Suite struct StoredPageSizeTests {
  /// An upstream whose pages of more than 50 elements are too large.
  private struct Bounded: PageFetcher {
    let base: ScriptedFeed

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      var answer = await base.page(window, of: feed)
      if window.perPage > 50 { answer.result = .failure(.tooLarge(limitBytes: 1)) }
      return answer
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> { await base.item(name) }
  }

  /// Pages that were too large twice are not tried again by a restart; by chance once may be.
  @Test func aRestartTriesNoPageThatWasTooLargeTwice() throws {
    let rig = try Rig(policy: .unbounded)
    rig.fill(3_000)
    let reader = {
      try FeedReader(
        source: rig.feed.dialect.lists.source, policy: .unbounded,
        fetcher: Bounded(base: rig.feed), store: rig.store, time: rig.time, executor: rig.time)
    }
    let request = rig.request(limit: 100)
    let first = try reader()
    let walk = rig.time.run { await Walk.run(first, request) {} }
    #expect(walk?.ids == rig.feed.entries.map(\.id))
    let before = rig.feed.calls.map(\.window.perPage)
    #expect(before.count { $0 > 50 } >= 2)
    var next = request
    next.refreshes = true
    let second = try reader()
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
    let slice = rig.time.run { [next] in try? await second.slice(next) }
    #expect((slice ?? nil)?.items.count == 100)
    let after = rig.feed.calls.map(\.window.perPage).dropFirst(before.count)
    #expect(!after.isEmpty && after.allSatisfy { $0 <= 50 })
  }

  /// A stored size that is none, as after a change of the recipe, is not taken.
  @Test(arguments: [
    (nil, nil, 100), (20, nil, 20), (nil, 30, 30), (20, 30, 20), (0, 0, 100), (-5, -5, 100),
    (100, 100, 100), (Int.max, Int.max, 100), (1, nil, 1), (nil, 1, 1),
  ]) func aStoredSizeIsTakenWithinBounds(served: Int?, borne: Int?, most: Int) {
    var size = PageSize(full: 100)
    size.adopt(served: served, borne: borne, least: nil)
    #expect(size.perPageMax == most)
    #expect(size.borne == borne.flatMap { (1..<100).contains($0) ? $0 : nil })
  }

  /// Nor is a least one.
  @Test(arguments: [(nil, 1), (50, 50), (100, 100), (101, 1), (0, 1), (Int.min, 1), (Int.max, 1)])
  func aStoredLeastSizeIsTakenWithinBounds(stored: Int?, least: Int) {
    var size = PageSize(full: 100)
    size.adopt(served: nil, borne: nil, least: stored)
    #expect(size.least == least)
  }

  /// A plan is made before that, of what is stored.
  @Test(arguments: [Int.min, -1, 0, 1, 30, 100, Int.max], [Int.min, 0, 1, 99, 100, Int.max])
  func aPlanIsMadeOfAnyStoredSizes(served: Int, least: Int) {
    let paging = Paging(.page(max: 7), perPageMax: 100).keeping(to: least, served: served)
    #expect((1...100).contains(paging.perPageMax) && (1...100).contains(paging.perPageMin))
    #expect(paging.reachMax == 7 * paging.perPageMax)
    #expect((paging.addressing == .pages) == (least >= 100))
  }

  /// What is smaller than one element has no size.
  @Test func aListOfSinglePagesHasOneSize() {
    var size = PageSize(full: 1)
    size.adopt(served: 1, borne: 1, least: nil)
    #expect(size.perPageMax == 1)
  }
}
