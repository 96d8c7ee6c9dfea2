import History
import Testing

@testable import Feed

/// Elements that come with dates of the past, below all that a look at the top shows.
@Suite struct LateArrivalsTests {
  /// A list by value, with late ones among those that were known.
  private struct List {
    var known: [Position] = []
    var late: Set<Position> = []
    var all: [Position] { (known + late).sorted(by: >) }

    init(known count: Int, late places: [(at: Int, count: Int)]) {
      known = (0..<count).map { Position(order: 1_000_000 - 10 * Int64($0), tie: []) }
      for (at, count) in places {
        for number in 0..<count {
          let order = known[at].order - 1 - Int64(number % 8)
          late.insert(Position(order: order, tie: [UInt8(number >> 8), UInt8(number & 255)]))
        }
      }
    }
  }

  @Test(arguments: 0..<60)
  func allAreFoundInFewWindows(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = random.pick(150, 1_000, 9_000)
    let places = (0..<random.number(1...3)).map { _ in
      (at: random.number(99...count - 2), count: random.number(1...150))
    }
    let list = List(known: count, late: places)
    let all = list.all
    var late = LateArrivals(
      count: list.late.count, below: .above(second: all[99].order), known: Array(list.known[99...]),
      firstRank: 99, total: all.count)
    var found = Set<Position>(all.prefix(100)).intersection(list.late)
    var windows = 0
    while late.count > 0, let window = late.nextWindow(perPageMax: 100) {
      windows += 1
      let ranks = min(window.firstRank, all.count)..<min(window.endRank, all.count)
      let shown = ranks.map { (position: all[$0], rank: $0) }
      let isEnd = ranks.upperBound == all.count
      found.formUnion(shown.map(\.position).filter(list.late.contains))
      late.note(
        shown, to: isEnd ? .bottom : .above(second: shown.last?.position.order ?? 0),
        total: all.count)
    }
    #expect(late.count == 0 && found == list.late)
    // One to confirm; for each place a search, and what its elements take.
    let searches = places.reduce(0) { $0 + 8 + $1.count / 40 }
    #expect(windows <= 2 + searches, "\(windows) for \(places) among \(count)")
  }

  @Test func aWrongTotalCostsOneWindow() {
    let list = List(known: 1_000, late: [])
    var late = LateArrivals(
      count: 300, below: .above(second: list.known[99].order), known: Array(list.known[99...]),
      firstRank: 99, total: 1_300)
    var windows = 0
    while late.count > 0, let window = late.nextWindow(perPageMax: 100) {
      windows += 1
      let ranks = min(window.firstRank, 1_000)..<min(window.endRank, 1_000)
      late.note(
        ranks.map { (list.known[$0], $0) },
        to: ranks.upperBound == 1_000
          ? .bottom : .above(second: list.known[ranks.upperBound].order),
        total: 1_300)
    }
    #expect(late.count == 0 && windows <= 3)
  }

  @Test func aTotalThatWasWrongIsNoSignForAWhile() {
    var trust = TotalTrust()
    let now = Timestamp(seconds: 1_000)
    #expect(trust.holds(at: now))
    trust.note(wasRight: false, at: now)
    #expect(!trust.holds(at: now + .seconds(599)) && trust.holds(at: now + .seconds(600)))
    trust.note(wasRight: false, at: now)
    #expect(!trust.holds(at: now + .seconds(1_199)) && trust.holds(at: now + .seconds(1_200)))
    for _ in 0..<20 { trust.note(wasRight: false, at: now) }
    #expect(trust.holds(at: now + .seconds(86_400)))
    trust.note(wasRight: true, at: now)
    #expect(trust.holds(at: now))
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

  @Test(arguments: [1, 30, 120], [150, 500, 950])
  func areServedAtOnceAfterALookAtTheTop(count: Int, rank: Int) throws {
    let (rig, late) = try rig(late: count, at: rank)
    var request = SliceRequest(feed: itemsFeed, limit: 100, wait: .seconds(5))
    request.refreshes = true
    let (reader, time) = (rig.reader, rig.time)
    let walk = time.run { [request] in await Walk.run(reader, request) {} }
    #expect(late.isSubset(of: Set(walk?.ids ?? [])))
  }

  @Test(arguments: [1, 30, 120], [150, 500, 950])
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
}
