import History
import Support
import Synchronization
import Testing

@testable import Feed

/// Where Qiita shows no more: the 10,000th element.
@Suite struct WallTests {
  /// A feed that goes down beyond the wall, and a request for its first items.
  private func tall(ties: Int) throws -> (rig: Rig, request: SliceRequest) {
    var policy = Policy.unbounded
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
    old.start = .cut(.below(key: 0))
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

  /// News came faster than they were read: what lies between them and what was known is shown no
  /// more. That is said, and passed, and the walk ends where nothing more is shown.
  @Test(arguments: [900, 4_000, 11_000], [true, false])
  func aSunkGapIsSaidAndPassed(news: Int, isObserved: Bool) throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(10_000)
    rig.feed.state.withLock { $0.isUndated = isObserved }
    var request = rig.request(limit: 100)
    if isObserved { request.feed = Dialect.articles.lists.tagged }
    _ = try rig.slice(request).get()
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(30_000)) }
    let now = rig.time.now.seconds
    for number in 0..<news { rig.feed.insert(second: now - 12_000 + Int64(number)) }
    request.refreshes = true
    _ = try rig.slice(request).get()
    request.refreshes = false
    let places = Dictionary(
      uniqueKeysWithValues: rig.feed.entries.enumerated().map { ($1.id, $0) })
    for _ in 1...2 {
      let (reader, asked) = (rig.reader, request)
      let walk = try #require(rig.time.run { await Walk.run(reader, asked) {} })
      #expect(walk.failure == nil && walk.slices.last?.endReason == .upstreamLimit)
      var last = -1
      for (index, slice) in walk.slices.enumerated() {
        let ranks = slice.items.compactMap { places[$0.id] }
        #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 + 1 == $1 })
        let isPassed = index > 0 && walk.slices[index - 1].gap != nil
        #expect(isPassed || ranks.first.map { $0 == last + 1 } ?? true, "\(last)")
        last = ranks.last ?? last
      }
      #expect(walk.slices.contains { $0.gap != nil } == (news == 11_000))
      #expect(walk.ids.count >= 9_500)
    }
  }

  /// A wall that no recipe names: windows beyond show nothing, and no total where others tell one;
  /// the last one in front of it says that more follows, by its total or otherwise. All in front of
  /// it is served, and the list ends there once it stood for longer than any cache keeps answers.
  @Test(arguments: [100, 300, 350], [(true, nil), (false, nil), (true, 0), (false, 0)])
  func aWallWithoutANameEndsTheList(wall: Int, _ world: (stands: Bool, surplus: Int?)) throws {
    let stands = world.stands
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(600)
    rig.feed.state.withLock { ($0.wall, $0.totalSurplus) = (wall, world.surplus) }
    rig.feed.state.withLock { $0.next = world.surplus == nil ? .endless : .right }
    let (reader, request) = (rig.reader, rig.request(limit: 50))
    let begun = rig.time.now
    var walk = try #require(rig.time.run { await Walk.run(reader, request) {} })
    var rests = 0
    while case .unproven(let retryAt, _) = walk.failure, rests < 10 {
      rests += 1
      #expect(walk.ids.count >= wall / 20 * 20 - 1)
      if !stands, rests == 4 { rig.feed.state.withLock { $0.wall = .max } }
      rig.time.run { await rig.time.sleep(retryAt - rig.time.now) }
      walk = try #require(rig.time.run { await Walk.run(reader, request) {} })
    }
    #expect(walk.failure == nil)
    #expect((stands ? 6...7 : 4...4).contains(rests))
    #expect(walk.slices.last?.endReason == (stands ? .upstreamLimit : .end))
    #expect(walk.ids == rig.feed.entries.map(\.id).prefix(walk.ids.count).map { $0 })
    #expect(rig.time.now > begun + .seconds(stands ? 900 : 150))
    #expect(rig.feed.calls.count <= 60)
  }

  /// A wall is where answers show it, not where what came and went, or a total, would have it.
  @Test(arguments: [0, 10_000])
  func whatCameAndWentIsNoWall(surplus: Int) throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(600)
    let entries = rig.feed.entries
    var request = rig.request(limit: 20)
    _ = try rig.slice(request).get()
    // A run of its own further down.
    var sought = request
    sought.start = .cut(.above(key: entries[400].second))
    _ = try rig.slice(sought).get()
    request.refreshes = true
    for _ in 0..<26 {
      let now = rig.time.now.seconds
      let new = (0..<400).map { rig.feed.insert(second: now - 1_000 + 2 * Int64($0)) }
      rig.feed.state.withLock { $0.totalSurplus = surplus }
      for isThere in [true, false] {
        if !isThere { for id in new { rig.feed.delete(id) } }
        rig.time.run { [time = rig.time] in await time.sleep(.seconds(1_200)) }
        _ = try rig.slice(request).get()
        rig.feed.state.withLock { $0.totalSurplus = 0 }
      }
    }
    let (reader, time) = (rig.reader, rig.time)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(7_200)) }
    let played = time.run { [sought] in await Walk.run(reader, sought) {} }
    let walk = try #require(played)
    #expect(walk.failure == nil && walk.slices.last?.endReason == .end)
    #expect(Set(walk.ids) == Set(entries[400...].map(\.id)))
  }
}
