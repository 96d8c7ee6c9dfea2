import History
import Synchronization
import Testing

@testable import Feed

/// Where Qiita shows no more: the 10,000th element.
@Suite struct WallTests {
  @Test(arguments: [0, 30, 60, 90])
  func aWalkEndsAtTheWallWithWhatIsProven(ties: Int) throws {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(10_400, ties: ties)
    var request = rig.request(limit: 100)
    request.wait = .seconds(30)
    let (reader, first) = (rig.reader, request)
    let walk = try #require(rig.time.run { await Walk.run(reader, first) {} })
    #expect(walk.failure == nil)
    #expect(walk.slices.last?.hasMore == false)
    #expect(walk.slices.last?.endReason == .upstreamLimit)
    let truth = rig.feed.entries.map(\.id)
    #expect(Set(walk.ids) == Set(truth.prefix(walk.ids.count)))
    // The last second that is shown whole ends above rank 9,800; the longest here has 90 items.
    #expect(walk.ids.count >= 9_500)
    #expect(rig.feed.calls.count <= 150)
  }
}
