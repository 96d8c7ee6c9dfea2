import Engine
import Feed
import History
import Support
import Synchronization
import Testing

/// What was found out about the size of pages, over a restart.
@Suite struct StoredPageSizeTests {
  /// A list whose larger pages are too large, read twice from its top on with a restart between.
  @Test func aRestartTriesNoPageThatWasTooLarge() throws {
    let rig = try Rig(policy: .unbounded)
    rig.fill(300)
    rig.feed.state.withLock { $0.failures = [.tooLarge(limitBytes: 1), .tooLarge(limitBytes: 1)] }
    let request = rig.request(limit: 60)
    _ = try rig.slice(request).get()
    let before = rig.feed.calls.map(\.window.perPage)
    #expect(before.prefix(3) == [100, 50, 25])
    let reader = try FeedReader(
      source: rig.feed.dialect.lists.source, policy: .unbounded, fetcher: rig.feed,
      store: rig.store, time: rig.time, executor: rig.time)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
    var next = rig.request(limit: 100)
    next.refreshes = true
    let slice = rig.time.run { [next] in try? await reader.slice(next) }
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
    size.adopt(served: served, borne: borne)
    #expect(size.perPageMax == most)
    #expect(size.borne == borne.flatMap { (1..<100).contains($0) ? $0 : nil })
  }

  /// What is smaller than one element has no size.
  @Test func aListOfSinglePagesHasOneSize() {
    var size = PageSize(full: 1)
    size.adopt(served: 1, borne: 1)
    #expect(size.perPageMax == 1)
  }
}
