import Engine
import History
import Support
import Synchronization
import Testing

@testable import Feed

/// What lies past the 10,000th element, asked for as a list of what is not newer than a day.
@Suite struct PastWallTests {
  private func tall(
    _ count: Int, ties: Int = 5, in dialect: Dialect = .days
  ) throws -> (rig: Rig, request: SliceRequest) {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy, in: dialect)
    rig.fill(count, ties: ties)
    var request = rig.request(limit: 100)
    request.wait = .seconds(30)
    return (rig, request)
  }

  private func walk(_ rig: Rig, _ request: SliceRequest, by reader: FeedReader? = nil) throws
    -> Walk
  {
    let reader = reader ?? rig.reader
    return try #require(rig.time.run { await Walk.run(reader, request) {} })
  }

  @Test(arguments: [9_700, 9_950, 10_000, 10_001, 10_400, 25_000].sample(2))
  func aWalkGoesOnToTheEnd(count: Int) throws {
    let (rig, request) = try tall(count)
    let walk = try walk(rig, request)
    #expect(walk.failure == nil)
    #expect(walk.slices.last?.endReason == .end)
    #expect(walk.ids.count == count)
    #expect(Set(walk.ids) == Set(rig.feed.entries.map(\.id)))
    let positions = walk.slices.flatMap(\.items).map(\.position)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 > $1 })
    // Without an overlap a hundredth of the count.
    #expect(rig.feed.calls.count <= count * 12 / 1_000 + 2, "\(rig.feed.calls.count)")
  }

  @Test func slicesSayWhatTheyRestOn() throws {
    let (rig, request) = try tall(10_400)
    let walk = try walk(rig, request)
    let proofs = walk.slices.map(\.proof)
    #expect(proofs.prefix(95).allSatisfy { $0 == .value })
    #expect(proofs.suffix(4).allSatisfy { $0 == .upstream })
  }

  /// Also where it was counted over several answers.
  @Test func anInstantLargerThanAPageIsBelievedAsWell() throws {
    let (rig, request) = try tall(10_400)
    let second = rig.feed.entries[10_200].second
    for _ in 0..<250 { rig.feed.insert(second: second) }
    let walk = try walk(rig, request)
    #expect(walk.failure == nil)
    #expect(Set(walk.ids) == Set(rig.feed.entries.map(\.id)))
    #expect(walk.slices.suffix(6).allSatisfy { $0.proof == .upstream })
  }

  /// An instant that each answer shows in another order, and that no page shows whole: it is
  /// counted by what the list past the wall counts.
  @Test func anInstantInNoOrderIsCountedPastTheWall() throws {
    let (rig, request) = try tall(300, ties: 0, in: .walled)
    // Both are past the wall in the list that begins with the newer one.
    let grain = try #require(Dialect.walled.paging.past)
    let newer = grain.last(of: rig.feed.entries[192].second)
    for _ in 0..<24 { rig.feed.insert(second: newer) }
    for _ in 0..<41 { rig.feed.insert(second: newer - 1) }
    rig.feed.state.withLock { $0.shufflesTies = true }
    let walk = try walk(rig, request)
    #expect(walk.failure == nil && walk.slices.last?.endReason == .end)
    #expect(walk.ids.count == 365 && Set(walk.ids) == Set(rig.feed.entries.map(\.id)))
  }

  /// More at one instant than pages reach, above what is known: the feed begins below it.
  @Test func nothingIsAboveATopThatCannotBeRead() throws {
    let (rig, first) = try tall(100, ties: 0, in: .walled)
    _ = try rig.slice(first).get()
    let known = rig.feed.entries.map(\.id)
    for _ in 0..<300 { rig.feed.insert(second: rig.time.now.seconds - 60) }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(600)) }
    var request = first
    request.refreshes = true
    let slice = try rig.slice(request).get()
    #expect(slice.items.map(\.id) == Array(known.prefix(slice.items.count)))
    #expect(!slice.hasPrevious && slice.items.count == 100)
  }

  /// Then the first page of the list that begins with it shows nothing but a part of it.
  @Test func anInstantLargerThanAPageAtTheWallIsCountedToItsEnd() throws {
    let (rig, request) = try tall(180, ties: 0, in: .walled)
    let second = rig.feed.entries[160].second
    for _ in 0..<130 { rig.feed.insert(second: second) }
    let walk = try walk(rig, request)
    #expect(walk.failure == nil)
    #expect(Set(walk.ids) == Set(rig.feed.entries.map(\.id)))
    #expect(rig.feed.calls.count <= 24, "\(rig.feed.calls.count)")
  }

  /// Pages that come smaller than they may be reach less deep than the wall stands: what they do
  /// not reach is sought past it.
  @Test(arguments: [110, 150, 190, 260])
  func aPlaceIsFoundThatSmallerPagesDoNotReach(rank: Int) throws {
    let (rig, first) = try tall(300, ties: 0, in: .walled)
    rig.feed.state.withLock { $0.perPageBorne = 25 }
    _ = try rig.slice(first).get()
    let entry = rig.feed.entries[rank]
    var request = first
    request.start = .cut(.below(Position(order: entry.second, tie: entry.id.bytes)))
    let walk = try walk(rig, request)
    #expect(walk.failure == nil && walk.slices.last?.endReason == .end)
    #expect(walk.ids == rig.feed.entries.map(\.id).suffix(299 - rank))
  }

  /// The list past the wall begins with a key's whole day: where more stands in it above a place
  /// than its first page shows, it is gone down to there, and where more than its wall bears, said.
  @Test(arguments: [20, 120, 300])
  func aPlaceIsSoughtBelowAllOfItsDay(newer count: Int) throws {
    let (rig, first) = try tall(300, ties: 0, in: .walled)
    let grain = try #require(Dialect.walled.paging.past)
    let last = grain.last(of: rig.feed.entries[220].second)
    for _ in 0..<count { rig.feed.insert(second: last) }
    rig.feed.insert(second: last - 1)
    _ = try rig.slice(first).get()
    let before = rig.feed.calls.count
    var request = first
    request.start = .cut(.above(key: last - 1))
    let walk = try walk(rig, request)
    let below = rig.feed.entries.filter { $0.second < last }.map(\.id)
    #expect(walk.failure == nil)
    #expect(walk.ids == (count < 300 ? below : []))
    #expect(walk.slices.last?.endReason == (count < 300 ? .end : .upstreamLimit))
    #expect(rig.feed.calls.count - before <= 16, "\(rig.feed.calls.count - before)")
  }

  @Test func aBeliefThatIsNotTakenEndsAtTheWall() throws {
    let (rig, request) = try tall(10_400, in: .days(accept: .value))
    let walk = try walk(rig, request)
    #expect(walk.failure == nil)
    #expect(walk.slices.last?.endReason == .upstreamLimit)
    #expect(walk.slices.allSatisfy { $0.proof == .value })
  }

  @Test(arguments: [9_000, 9_960, 10_000, 12_345, 19_999, 20_500].sample(2))
  func aTimeIsFoundPastTheWall(rank: Int) throws {
    let (rig, request) = try tall(21_000, ties: 0)
    let entries = rig.feed.entries
    var sought = request
    sought.start = .cut(.above(key: entries[rank].second))
    let slice = try rig.slice(sought).get()
    #expect(slice.items.map(\.id) == Array(entries[rank..<min(rank + 100, 21_000)]).map(\.id))
    #expect(rig.feed.calls.count <= 24)
    let rest = try walk(rig, sought)
    #expect(rest.ids == entries[rank...].map(\.id))
    let whole = try walk(rig, request)
    #expect(whole.ids == entries.map(\.id))
  }

  @Test func aRestartGoesOnWhereItWas() throws {
    let (rig, request) = try tall(12_000)
    let first = try walk(rig, request)
    let calls = rig.feed.calls.count
    // The list goes on further down than it was walked.
    let reader = try rig.restarted()
    let again = try walk(rig, request, by: reader)
    #expect(again.ids == first.ids)
    #expect(rig.feed.calls.count - calls <= 1)
  }

  /// A search may lag and flicker: it proves what is there, not what is not.
  @Test func whatASegmentDoesNotShowStaysWhileItIsThere() throws {
    let (rig, request) = try tall(11_000)
    let first = try walk(rig, request)
    rig.feed.hide(rig.feed.entries[10_500].id)
    for _ in 0..<3 {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(100_000)) }
      let again = try walk(rig, request)
      #expect(again.failure == nil)
      #expect(again.ids == first.ids)
    }
    #expect(!rig.feed.itemCalls.isEmpty)
  }

  @Test func whatIsNotThereByItselfEitherGoes() throws {
    let (rig, request) = try tall(11_000)
    let first = try walk(rig, request)
    let gone = rig.feed.entries[10_500].id
    rig.feed.delete(gone)
    for _ in 0..<3 {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(100_000)) }
      #expect(try walk(rig, request).failure == nil)
    }
    #expect(try walk(rig, request).ids == first.ids.filter { $0 != gone })
  }
}
