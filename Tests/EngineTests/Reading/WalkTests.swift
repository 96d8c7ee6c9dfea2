import History
import Support
import Synchronization
import Testing

@testable import Feed

@Suite struct WalkTests {
  /// What one seeded walk is made of.
  struct Script: Sendable {
    var count: Int
    var ties: Int
    var limit: Int
    var driftsPerCall: Int
    var shufflesTies: Bool
  }

  static func script(_ seed: UInt64) -> Script {
    var random = SeededGenerator(seed: seed)
    return Script(
      count: [0, 1, 19, 99, 100, 101, 200, 350].randomElement(using: &random) ?? 0,
      ties: [0, 10, 50, 90].randomElement(using: &random) ?? 0,
      limit: Int.random(in: 1...100, using: &random),
      driftsPerCall: [0, 1, 3].randomElement(using: &random) ?? 0,
      shufflesTies: random.chance(50))
  }

  static func rig(
    _ seed: UInt64, _ script: Script, in dialect: Dialect = .articles
  ) throws -> Rig {
    var policy = Policy.unbounded
    policy.freshSeconds = 5
    let rig = try Rig(seed: seed, policy: policy, in: dialect)
    rig.fill(script.count, ties: script.ties)
    rig.feed.state.withLock { state in
      state.shufflesTies = script.shufflesTies
      let most = script.driftsPerCall
      if most > 0 {
        state.beforeCall = { feed in
          let events = feed.state.withLock { Int.random(in: 0...most, using: &$0.random) }
          for _ in 0..<events { feed.drift() }
        }
      }
    }
    return rig
  }

  @Test(arguments: Extent.seeds(1, of: 4).map { $0 * 300..<$0 * 300 + 300 }, Dialect.all)
  func everyWalkKeepsThePromise(seeds: Range<UInt64>, dialect: Dialect) throws {
    for seed in seeds {
      let script = Self.script(seed)
      let rig = try Self.rig(seed, script, in: dialect)
      var request = rig.request(limit: script.limit)
      request.wait = .seconds(30)
      let (reader, time, first) = (rig.reader, rig.time, request)
      let walk = try #require(
        time.run { await Walk.run(reader, first) { await time.sleep(.milliseconds(200)) } })
      let violation = walk.violation(of: rig.feed.history, endedAt: time.now)
      #expect(violation == nil, "seed \(seed), \(script)")
    }
  }

  /// Where joins are believed nothing comes twice and the order is kept; what may be missing is
  /// what the join does not exclude, and each slice says so.
  @Test(arguments: [Extent.seeds(100, of: 300)], Dialect.believed)
  func aBelievedWalkGivesNothingTwice(seeds: Range<UInt64>, dialect: Dialect) throws {
    for seed in seeds {
      let script = Self.script(seed)
      let rig = try Self.rig(seed, script, in: dialect)
      var request = rig.request(limit: script.limit)
      request.wait = .seconds(30)
      let (reader, time, first) = (rig.reader, rig.time, request)
      let walk = try #require(
        time.run { await Walk.run(reader, first) { await time.sleep(.milliseconds(200)) } })
      let items = walk.slices.flatMap(\.items)
      #expect(Set(items.map(\.id)).count == items.count, "seed \(seed), \(script)")
      let positions = items.map(\.position)
      #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 > $1 }, "seed \(seed)")
      let joins = dialect.paging.joins ?? .upstream
      #expect(walk.slices.allSatisfy { $0.proof >= joins }, "seed \(seed)")
      let isJudged =
        dialect == .walled
        || walk.slices.allSatisfy(\.proof.isProven) || dialect == .next && !script.shufflesTies
      if isJudged {
        let violation = walk.violation(of: rig.feed.history, endedAt: time.now)
        #expect(violation == nil, "seed \(seed), \(script)")
      }
    }
  }

  @Test(arguments: [1, 2, 3, 19, 20, 21, 40, 99, 100, 101, 250, 350], Dialect.believed)
  func aBelievedListInItsOwnOrderIsReadToItsEnd(count: Int, dialect: Dialect) throws {
    let rig = try Rig(in: dialect)
    rig.feed.state.withLock { $0.isUndated = true }
    for _ in 0..<count { rig.feed.insert(second: 0) }
    let first = SliceRequest(feed: dialect.lists.tagged, limit: 30, wait: .seconds(30))
    let walk = try Walk(from: first, answer: { rig.slice($0) })
    #expect(walk.ids == rig.feed.entries.map(\.id))
    #expect(walk.failure == nil)
    #expect(rig.feed.calls.count <= count / dialect.paging.perPageMax + 2)
  }

  /// Elements are read with their keys in every list of a kind: they say nothing of where one
  /// stands in a list of its own order, however they compare with places there.
  @Test(arguments: [Dialect.next, .below, .from, .counted], [1, 1_700_000_000, 9_000_000_000_000])
  func keysPlaceNothingInAListInItsOwnOrder(dialect: Dialect, second: Int64) throws {
    let calls = try [true, false].map { isUndated in
      let rig = try Rig(in: dialect)
      rig.feed.state.withLock { $0.isUndated = isUndated }
      for index in 0..<450 { rig.feed.insert(second: second + Int64(index % 7)) }
      let first = SliceRequest(feed: dialect.lists.tagged, limit: 30, wait: .seconds(30))
      for _ in 0..<2 {
        let walk = try Walk(from: first, answer: { rig.slice($0) })
        #expect(walk.ids == rig.feed.entries.map(\.id))
        rig.time.run { [time = rig.time] in await time.sleep(.seconds(100_000)) }
      }
      return rig.feed.calls.map(\.window)
    }
    #expect(calls[0] == calls[1])
  }

  @Test func theCheckBitesOnPageNumbers() throws {
    var broken = 0
    for seed in 0..<100 as Range<UInt64> {
      var script = Self.script(seed)
      script.count = 350
      script.limit = 20
      script.driftsPerCall = 3
      let rig = try Self.rig(seed, script)
      let (feed, time) = (rig.feed, rig.time)
      let walk = try #require(
        time.run { () async -> Walk in
          var walk = Walk()
          for page in 1...100 {
            let answer = await feed.page(Window(page: page, perPage: 20), of: itemsFeed)
            guard let page = try? answer.result.get(), !page.items.isEmpty else { break }
            walk.slices.append(Self.slice(of: page, at: answer.sentAt))
          }
          return walk
        })
      if walk.violation(of: feed.history, endedAt: time.now) != nil { broken += 1 }
    }
    #expect(broken > 90)
  }

  private static func slice(of page: Page, at sentAt: Timestamp) -> Slice {
    let proof = Proof(upper: .top, lower: .bottom, provenAt: sentAt, count: 0, rankBelow: 0)
    return Slice(
      items: page.items.map {
        Element(
          position: Position(order: $0.item.key ?? 0, tie: $0.item.id.bytes),
          id: $0.item.id, bytes: $0.item.bytes)
      }[...],
      hasMore: page.hasNext, hasPrevious: false, endReason: page.hasNext ? nil : .end, gap: nil,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: Policy(), at: sentAt),
      sequence: 0, total: nil)
  }
}
