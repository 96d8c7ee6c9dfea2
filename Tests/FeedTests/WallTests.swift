import History
import Synchronization
import Testing

@testable import Feed

/// Where Qiita shows no more: the 10,000th element.
@Suite struct WallTests {
  /// A feed that goes down beyond the wall, and a request for its first items.
  private func tall(ties: Int) throws -> (rig: Rig, request: SliceRequest) {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(10_400, ties: ties)
    var request = rig.request(limit: 100)
    request.wait = .seconds(30)
    return (rig, request)
  }

  @Test(arguments: [0, 30, 60, 90])
  func aWalkEndsAtTheWallWithWhatIsProven(ties: Int) throws {
    let (rig, request) = try tall(ties: ties)
    let reader = rig.reader
    let walk = try #require(rig.time.run { await Walk.run(reader, request) {} })
    #expect(walk.failure == nil)
    #expect(walk.slices.last?.hasMore == false)
    #expect(walk.slices.last?.endReason == .upstreamLimit)
    let truth = rig.feed.entries.map(\.id)
    #expect(Set(walk.ids) == Set(truth.prefix(walk.ids.count)))
    // The last second that is shown whole ends above rank 9,800; the longest here has 90 items.
    #expect(walk.ids.count >= 9_500)
    #expect(rig.feed.calls.count <= 150)
  }

  /// A range below the wall that was looked for by time lies right under the last run, in its open
  /// second or not: the walk goes on there, and ends.
  @Test(arguments: [0, 30, 90], [true, false])
  func aWalkGoesOnBelowTheWallWhereThatIsKnown(ties: Int, walksFirst: Bool) throws {
    let (rig, request) = try tall(ties: ties)
    var old = request
    old.start = .cut(.below(second: 0))
    let (reader, sought) = (rig.reader, old)
    if walksFirst { _ = rig.time.run { await Walk.run(reader, request) {} } }
    let end = try #require(rig.time.run { try? await reader.slice(sought) } ?? nil)
    #expect(end.endReason == .upstreamLimit)
    let seconds = Dictionary(uniqueKeysWithValues: rig.feed.entries.map { ($0.id, $0.second) })
    for _ in 1...2 {
      let walk = try #require(rig.time.run { await Walk.run(reader, request) {} })
      #expect(walk.failure == nil)
      #expect(walk.slices.last?.endReason == .upstreamLimit)
      #expect(Set(walk.ids).count == walk.ids.count)
      let walked = walk.ids.compactMap { seconds[$0] }
      #expect(walked.count == walk.ids.count)
      #expect(zip(walked, walked.dropFirst()).allSatisfy { $0 >= $1 })
      #expect(walk.ids.count >= 9_500)
    }
  }
}
