import History
import Support
import Testing

@testable import Feed

/// The owner's feed is stored apart: neither brings nor takes anything elsewhere.
@Suite struct OwnerFeedTests {
  private static let feed = FeedID(
    source: "qiita",
    pattern: FeedPattern("authenticated_user/items", order: .value, isOwners: true),
    parts: ["authenticated_user", "items"].map { Array($0.utf8) })

  @Test func whatLeavesItIsDeletedNowhere() throws {
    var policy = Policy()
    policy.freshSeconds = 1
    policy.refreshSeconds = 0
    let rig = try Rig(policy: policy)
    rig.fill(20)
    let all = try rig.slice(rig.request(limit: 100)).get()
    var request = SliceRequest(feed: Self.feed, limit: 100, wait: .seconds(10))
    request.refreshes = true
    #expect(try rig.slice(request).get().items.map(\.id) == all.items.map(\.id))
    let left = all.items[4].id
    rig.feed.delete(left)
    for _ in 0..<3 {
      let time = rig.time
      time.run { await time.sleep(.seconds(5)) }
      _ = try rig.slice(request).get()
    }
    #expect(try !rig.slice(request).get().items.contains { $0.id == left })
    var cached = rig.request(limit: 100)
    cached.wait = .zero
    #expect(try rig.slice(cached).get().items.contains { $0.id == left })
    // Nor was it asked for by itself.
    #expect(rig.feed.itemCalls.isEmpty)
  }
}
