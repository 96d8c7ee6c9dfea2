import Engine
import History
import Support
import Testing

@testable import Feed

/// Elements that come with dates of the past, below all that a look at the top shows.
@Suite struct LateArrivalsTests {
  /// A list by value, with late ones among those that were known; those of a second stand in an
  /// order of their own.
  private struct List {
    var known: [Position] = []
    var late: Set<Position> = []
    /// All, in the upstream's order.
    var all: [Position] = []

    /// So many elements, `perSecond` of each; the late ones stand next to where others stood.
    init(
      known count: Int, perSecond: Int = 1, late places: [(at: Int, count: Int)],
      _ random: inout SeededGenerator
    ) {
      let seconds = (0..<count).map { 1_000_000 - 10 * Int64($0 / perSecond) }
      known = zip(seconds, 0...).map { Position(order: $0, tie: Array("k\($1)".utf8)) }
        .sorted(by: >)
      for (at, count) in places {
        for number in 0..<count {
          let order = known[at].order - (perSecond > 1 ? 0 : 1 + Int64(number % 8))
          late.insert(Position(order: order, tie: Array("l\(at)-\(number)".utf8)))
        }
      }
      all = (known + late).shuffled(using: &random)
      all.sort { $0.order > $1.order }
    }

    /// What a window shows.
    func answer(_ window: Window) -> Evidence {
      let shown = all.dropFirst(window.firstRank).prefix(window.perPage)
      let slots = zip(0..., shown).map { index, position in
        let id = Identity(String(decoding: position.tie, as: UTF8.self))
        let item = PageItem(id: id, key: position.order, updatedAt: nil, bytes: [])
        return Page.Slot(index: index, item: item)
      }
      let page = Page(
        items: slots, count: shown.count, hasNext: window.endRank < all.count, total: all.count)
      return Evidence(page, to: window, sentAt: Timestamp(seconds: 5), clock: 2_000_000)
    }

    /// The late ones that a look at the top does not show.
    func afterALook(telling total: Int? = nil) -> (late: LateArrivals, shown: Set<Position>) {
      let look = answer(Window(page: 1, perPage: 100))
      let shown = Set(look.elements.map(\.position))
      let count = (total ?? all.count) - known.count - late.intersection(shown).count
      let below = Set(known).union(shown).filter { !look.lower.isBelow($0) }.sorted(by: >)
      var arrivals = LateArrivals(
        count: count, below: look.lower, since: look.sentAt, known: below,
        firstRank: look.rankBelow, total: all.count)
      arrivals.noteEnds(of: look.elements)
      return (arrivals, shown)
    }
  }

  /// Asks for one window after the other; what they have shown, and how many they were.
  private func find(
    _ late: inout LateArrivals, in list: List
  ) -> (shown: Set<Position>, windows: Int, proofs: [CutRange]) {
    var (shown, windows) = (Set<Position>(), 0)
    var proofs: [CutRange] = []
    while let window = late.nextRank(perPageMax: 100, paging: .hundreds)
      .flatMap({ Paging.hundreds.window(from: $0 - 1, beyond: $0, perPageMax: 100) })
    {
      windows += 1
      let answer = list.answer(window)
      shown.formUnion(answer.elements.map(\.position))
      proofs.append(CutRange(upper: answer.upper, lower: answer.lower))
      late.note(answer, total: list.all.count)
    }
    return (shown, windows, proofs)
  }

  @Test(arguments: 0..<60)
  func allAreFoundInFewWindows(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = random.pick(150, 1_000, 9_000)
    let places = (0..<random.number(1...3)).map { _ in
      (at: random.number(99...count - 2), count: random.number(1...150))
    }
    let list = List(known: count, late: places, &random)
    var (late, shown) = list.afterALook()
    let (found, windows, _) = find(&late, in: list)
    shown.formUnion(found)
    #expect(late.count == 0 && shown.isSuperset(of: list.late))
    // One to confirm; for each place a search, and what its elements take.
    let searches = places.reduce(0) { $0 + 8 + $1.count / 40 }
    #expect(windows <= 2 + searches, "\(windows) for \(places) among \(count)")
  }

  /// Where many share a second ranks tell only where seconds begin: what is not found then is known
  /// to stand in one that no window holds.
  @Test(arguments: (0..<60).sample(20), [2, 7, 30, 80, 250])
  func noneIsTakenForFoundAmongManyOfASecond(seed: Int, perSecond: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let places = (0..<random.number(1...3)).map { _ in
      (at: random.number(99...900), count: random.number(1...60))
    }
    let list = List(known: 1_000, perSecond: perSecond, late: places, &random)
    var (late, shown) = list.afterALook()
    let (found, _, _) = find(&late, in: list)
    shown.formUnion(found)
    let lacking = list.late.subtracting(shown)
    for position in lacking {
      let holds = late.stretches.contains {
        $0.cut.position > position && $0.end <= .above(position)
      }
      #expect(holds, "\(position) is lost")
    }
    // A second that any window about there holds is found.
    if places.count == 1, places[0].count + perSecond <= 40 { #expect(lacking.isEmpty) }
    #expect(late.windows <= LateArrivals.windowsMax)
  }

  /// Readers who go on below the look leave nothing in doubt, wherever the late ones are.
  @Test(arguments: 0..<20)
  func whatWasReadOnIsNotInDoubt(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let list = List(
      known: 600, perSecond: 150, late: [(at: random.number(150...400), count: 40)], &random)
    var (late, _) = list.afterALook()
    _ = find(&late, in: list)
    let end = late.known.last.map(Cut.below) ?? .bottom
    let middle = Cut.above(key: late.known[late.known.count / 2].order)
    let old = Proof(
      upper: .top, lower: .bottom, provenAt: Timestamp(seconds: 4), count: 600, rankBelow: 600)
    let before = late
    late.leaveOut([old])
    #expect(late == before)
    var (upper, lower) = (old, old)
    (upper.lower, upper.provenAt) = (middle, Timestamp(seconds: 5))
    (lower.upper, lower.lower, lower.provenAt) = (middle, end, Timestamp(seconds: 9))
    late.leaveOut([upper])
    #expect(late.stretches.allSatisfy { $0.cut <= middle })
    late.leaveOut([upper, lower])
    #expect(late.count == 0)
  }

  @Test func aWrongTotalCostsOneWindow() {
    var random = SeededGenerator(seed: 1)
    let list = List(known: 1_000, late: [], &random)
    var (late, _) = list.afterALook(telling: 1_300)
    let (_, windows, _) = find(&late, in: list)
    #expect(late.count == 0 && windows <= 3)
  }

  /// A feed that was walked to its end, and into which elements then come at one place.
  private func rig(late count: Int, at rank: Int) throws -> (rig: Rig, late: Set<Identity>) {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(1_000)
    let (reader, time) = (rig.reader, rig.time)
    _ = time.run {
      await Walk.run(reader, SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5))) {
        await time.sleep(.seconds(1))
      }
    }
    var request = SliceRequest(feed: itemsFeed, limit: 20, wait: .seconds(5))
    request.refreshes = true
    time.run { await time.sleep(.seconds(30)) }
    _ = rig.slice(request)
    time.run { await time.sleep(.seconds(30)) }
    let second = rig.feed.entries[rank].second
    let late = (0..<count).map { rig.feed.insert(second: second - 1 - Int64($0 % 8)) }
    return (rig, Set(late))
  }

  @Test(arguments: [1, 30, 120], [150, 500, 950, 999])
  func areServedAtOnceAfterALookAtTheTop(count: Int, rank: Int) throws {
    let (rig, late) = try rig(late: count, at: rank)
    var request = SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5))
    request.refreshes = true
    let (reader, time) = (rig.reader, rig.time)
    let walk = time.run { [request] in await Walk.run(reader, request) {} }
    #expect(late.isSubset(of: Set(walk?.ids ?? [])))
  }

  @Test(arguments: [1, 30, 120], [150, 500, 950, 999])
  func areFoundBehindTheReplyInFewCalls(count: Int, rank: Int) throws {
    let (rig, late) = try rig(late: count, at: rank)
    let before = rig.feed.calls.count
    var request = SliceRequest(feed: itemsFeed, limit: 20, wait: .seconds(5))
    request.refreshes = true
    _ = rig.slice(request)
    let (reader, time) = (rig.reader, rig.time)
    time.run { await time.sleep(.seconds(20)) }
    let calls = rig.feed.calls.count - before
    #expect(calls <= 10 + count / 40)
    // What is stored now lacks nothing but where two of these windows do not overlap.
    let walk = time.run {
      await Walk.run(reader, SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5))) {}
    }
    #expect(late.isSubset(of: Set(walk?.ids ?? [])))
    #expect(rig.feed.calls.count - before <= calls + 3)
  }

  /// The process ends right after the look that shows that some came late.
  @Test(arguments: [150, 500, 999])
  func aSearchGoesOnAfterARestart(rank: Int) throws {
    let (rig, late) = try rig(late: 30, at: rank)
    var request = SliceRequest(feed: itemsFeed, limit: 20, wait: .seconds(5))
    request.refreshes = true
    _ = rig.slice(request)
    let restarted = try rig.restarted()
    let (first, time) = (SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5)), rig.time)
    let walks = time.run {
      let once = await Walk.run(restarted, first) {}
      await time.sleep(.seconds(20))
      return [once, await Walk.run(restarted, first) {}]
    }
    #expect(late.isSubset(of: Set(walks?.last?.ids ?? [])))
  }

  /// One came late and was found by reading on, before the next look: it is not looked for.
  @Test func whatWasFoundSinceTheLookIsNotLookedFor() throws {
    let (rig, late) = try rig(late: 1, at: 500)
    let first = SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5))
    let (reader, time) = (rig.reader, rig.time)
    let walk = time.run {
      await time.sleep(.seconds(8_000))
      _ = await Walk.run(reader, first) { await time.sleep(.seconds(1)) }
      await time.sleep(.seconds(20))
      return await Walk.run(reader, first) {}
    }
    #expect(late.isSubset(of: Set(walk?.ids ?? [])))
    let before = rig.feed.calls.count
    var refresh = rig.request(limit: 20)
    refresh.refreshes = true
    time.run { await time.sleep(.seconds(100)) }
    _ = rig.slice(refresh)
    time.run { await time.sleep(.seconds(20)) }
    #expect(rig.feed.calls.count - before == 1)
  }

  /// A page ends inside a second of which it shows a part: the part came once, however often the
  /// page is requested.
  @Test func whatAPageShowsOfItsLastSecondCameOnce() throws {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    for second in [10_000, 9_000, 1_000] { rig.feed.insert(second: Int64(second)) }
    var request = SliceRequest(feed: itemsFeed, limit: 20, wait: .seconds(5))
    _ = rig.slice(request)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(30)) }
    for number in 0..<90 { rig.feed.insert(second: 9_500 - Int64(number)) }
    for _ in 0..<20 { rig.feed.insert(second: 5_000) }
    for number in 0..<80 { rig.feed.insert(second: 4_000 - Int64(number)) }
    request.refreshes = true
    let before = rig.feed.calls.count
    _ = rig.slice(request)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(20)) }
    #expect(rig.feed.calls.count - before <= 4)
    let reader = rig.reader
    request.refreshes = false
    let walk = rig.time.run { [request] in await Walk.run(reader, request) {} }
    #expect(walk?.ids.count == 193)
  }

  /// How many elements a list had is a number in a store, where anybody may have written another.
  @Test(arguments: [Int64.min, -1, .max])
  func aCountThatAnybodyWroteIsBorne(count: Int64) throws {
    let (rig, _) = try rig(late: 3, at: 500)
    var timeline = try #require(try rig.store.timeline(of: itemsFeed))
    timeline.doubts = Doubts(text: "counted - 0 \(count) 2 0 - 0")
    _ = try rig.store.commit(
      [Merge(feed: itemsFeed, sentAt: rig.time.now, timeline: timeline)], budget: nil)
    let restarted = try rig.restarted()
    let (first, time) = (SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5)), rig.time)
    let walk = time.run {
      await time.sleep(.seconds(8_000))
      return await Walk.run(restarted, first) { await time.sleep(.seconds(1)) }
    }
    #expect(walk?.failure == nil && walk?.ids.isEmpty == false)
  }
}
