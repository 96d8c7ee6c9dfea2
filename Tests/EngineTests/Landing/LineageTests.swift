import History
import Testing

@testable import Feed

/// Which cuts of a feed in the upstream's own order are still found.
@Suite struct LineageTests {
  private func cut(_ order: Int64) -> Cut { Cut(position: Position(order: order, tie: [])) }

  private func timeline(_ lineages: [(UInt64, Int64)], lower: Int64 = 0) -> Timeline {
    var timeline = Timeline()
    timeline.proofs = [
      Proof(
        upper: cut(100), lower: cut(lower), provenAt: Timestamp(seconds: 1), count: 9, rankBelow: 9)
    ]
    timeline.lineages = lineages.map { Lineage(name: $0.0, floor: cut($0.1)) }
    return timeline
  }

  @Test(
    arguments: [
      (7, 50, true), (7, 10, true), (7, 9, false), (8, 3, true), (8, 2, false), (9, 50, false),
      (nil, 2, true),
    ] as [(UInt64?, Int64, Bool)])
  func findsACutDownToTheFloorOfItsOwnLineage(name: UInt64?, order: Int64, isFound: Bool) {
    #expect(timeline([(7, 10), (8, 3)]).finds(cut(order), of: name) == isFound)
  }

  @Test func anotherIsNeededBelowTheFloorOfTheLast() {
    #expect(timeline([]).needsLineage)
    #expect(timeline([(7, 1)], lower: 0).needsLineage)
    #expect(!timeline([(7, 1)], lower: 1).needsLineage)
    #expect(!timeline([(7, 9), (8, 0)]).needsLineage)
    #expect(!Timeline().needsLineage)
  }

  @Test func onlyTheLastEightAreKept() {
    var timeline = timeline([])
    for name in 1...20 as ClosedRange<UInt64> { timeline.begin(Lineage(name: name)) }
    #expect(timeline.lineages.map(\.name) == Array(13...20))
  }

  @Test func whatWasToldBelowALossIsNotFoundAnyMore() {
    var timeline = timeline([(7, 10), (8, 3)])
    timeline.expire(below: cut(6))
    #expect(timeline.lineages.map(\.floor) == [cut(10), cut(6)])
    timeline.expire(below: cut(100))
    #expect(timeline.lineages.isEmpty)
  }

  /// A feed that was empty is filled, and one that was not is emptied and filled: whoever reads it
  /// from its new top on comes to its end.
  @Test(arguments: [0, 150])
  func aWalkGoesOnWhereAnEmptyFeedWasFilled(before: Int) throws {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try ObservedFeedTests.rig(before, policy: policy)
    let reader = rig.reader
    let first = ObservedFeedTests.request(limit: 50)
    if before > 0 {
      _ = rig.time.run { await Walk.run(reader, first) {} }
      for entry in rig.feed.entries { rig.feed.delete(entry.id) }
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    }
    for _ in 0..<3 {
      _ = rig.slice(first)
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    }
    #expect(try rig.slice(first).get().items.isEmpty)
    for _ in 0..<150 { rig.feed.insert(second: 0) }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
    _ = rig.slice(first)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
    let walk = try #require(rig.time.run { await Walk.run(reader, first) {} })
    #expect(walk.failure == nil)
    #expect(walk.ids == rig.feed.entries.map(\.id))
  }

  @Test func aCursorOfOtherRowsHasExpiredWithoutACall() throws {
    let rig = try ObservedFeedTests.rig(150)
    let first = try rig.slice(ObservedFeedTests.request(limit: 100)).get()
    let calls = rig.feed.calls.count
    let known = try #require(first.items.last).position
    for (name, isFound) in [(first.lineage, true), (first.lineage &+ 1, false)] {
      for isStart in [true, false] {
        var request = ObservedFeedTests.request(limit: 100)
        request.wait = .zero
        if isStart {
          request.start = .observed(.above(known), lineage: name)
        } else {
          request.end = .observed(.below(known), lineage: name)
        }
        let result = rig.slice(request)
        if isFound {
          #expect(try result.get().items.contains { $0.position == known })
        } else {
          #expect(result == .failure(.positionExpired(isStart: isStart)))
        }
      }
    }
    #expect(rig.feed.calls.count == calls)
  }
}
