import Feed
import Foundation
import Simulator
import Testing

@testable import TsugiClient

/// A list over a merged feed, from the real server: two parts of one source, which have items in
/// common.
@Suite(.serialized) @MainActor struct MergedListOverSocketsTests {
  private typealias HomeItem = MergedItem<Post>

  @Test func showsEachItemOnceAndFollows() async throws {
    let begin = Int64(Date().timeIntervalSince1970) - 1_000
    let world = World(WorldOptions(seed: 3, itemCount: 120, bodyBytes: 60, topSeconds: begin))
    var policy = Policy()
    (policy.refreshSeconds, policy.freshSeconds) = (0, 1)
    let stand = try await ClientStand(world, policy: policy)
    try await ClientStand.run(stand) { stand in
      let list = PagedList(stand.client.feed("home/items", of: HomeItem.self, limit: 50))
      await list.refresh()
      while list.canLoadMore, list.moreState.error == nil {
        list.loadMore()
        while list.moreState.isLoading { try await Task.sleep(for: .milliseconds(5)) }
      }
      let ids = stand.qiita.withQiita { $0.world.ids }
      #expect(list.items.map(\.content.id) == ids)
      // One identity for an item of both, whichever part shows it.
      #expect(list.items.map(\.id) == ids.map { "all/\($0)" })
      #expect(list.endReason == .end && list.missing.isEmpty)

      let new = stand.insert()
      let gone = ids[10]
      stand.qiita.withQiita { qiita in _ = qiita.world.delete(id: gone) }
      for _ in 0..<3 { await list.refresh() }
      #expect(list.items.first?.content.id == new)
      #expect(!list.items.contains { $0.content.id == gone })
      #expect(Set(list.items.map(\.id)).count == list.items.count)
    }
  }
}
