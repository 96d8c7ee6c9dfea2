import Foundation
import Simulator
import Testing
import TsugiStore

@testable import TsugiClient

/// A list in a store, over sockets, with the real server over an upstream that moves.
@Suite(.serialized, .timeLimit(.minutes(10))) @MainActor struct StoreOverSocketsTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tsugi-store-\(UUID().uuidString)")

  private func store() -> FeedStore { FeedStore(at: folder.appending(path: "store.sqlite")) }

  private func settle(_ list: PagedList<Post>) async {
    while list.refreshState.isLoading || list.moreState.isLoading || list.state.lookup.number != nil
    {
      await Task.yield()
    }
  }

  /// A list of the first ten, in a store.
  private func keep(_ stand: ClientStand) async throws -> [String] {
    let list = PagedList(stand.client.feed("qiita/items", of: Post.self, limit: 5), in: store())
    list.start()
    await settle(list)
    list.loadMore()
    await settle(list)
    await list.flush()
    return list.items.map(\.id)
  }

  @Test func comesBackToWhatHappenedMeanwhile() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }  // It lies in a temporary folder.
    try await ClientStand.run(try await ChangesOverSocketsTests.stand()) { stand in
      let kept = try await keep(stand)
      #expect(kept.count == 10)
      let new = stand.insert()
      stand.qiita.withQiita { qiita in
        qiita.world.touch(id: kept[2])
        qiita.world.delete(id: kept[1])
      }
      let feed = stand.client.feed("qiita/items", of: Post.self, limit: 5)
      let list = PagedList(feed, in: store())
      #expect(list.items.map(\.id) == kept && !list.refreshState.isLoading)
      let title = list.item(kept[2])?.title
      list.start()
      await settle(list)
      try await stand.look(3)
      await list.refresh()
      try await list.catchUp()
      await settle(list)
      #expect(list.items.map(\.id) == [new, kept[0]] + kept.dropFirst(2))
      #expect(list.item(kept[2])?.title != title)
    }
  }

  @Test func readsAllThatIsKeptWhileTheServerIsGone() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }  // It lies in a temporary folder.
    let stand = try await ChangesOverSocketsTests.stand()
    let kept = try await keep(stand)
    let feed = stand.client.feed("qiita/items", of: Post.self, limit: 5)
    await stand.stop()
    let list = PagedList(feed, in: store())
    list.start()
    await settle(list)
    #expect(list.items.map(\.id) == kept && list.refreshState.error != nil)
  }

  @Test func agreesWithAnItemByItself() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }  // It lies in a temporary folder.
    try await ClientStand.run(try await ChangesOverSocketsTests.stand()) { stand in
      let kept = try await keep(stand)
      let store = store()
      let feed = stand.client.feed("qiita/items", of: Post.self, limit: 5)
      let item = PagedItem(kept[3], of: feed, in: store)
      #expect(item.item?.id == kept[3] && item.place == .found)
      await item.load()
      #expect(item.place == .found && item.state == .idle)
      let link = PagedList(feed, in: store, at: .element(id: kept[3]))
      #expect(link.place == .found && link.resumesAt == kept[3])
      let unknown = PagedItem("ffffffffffffffffffff", of: feed, in: store)
      await unknown.load()
      #expect(unknown.place == .notKnown && unknown.item == nil)
    }
  }
}
