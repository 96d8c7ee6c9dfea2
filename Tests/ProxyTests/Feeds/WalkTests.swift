import Feed
import Foundation
import Simulator
import Support
import Testing
import Wire

@Suite(.serialized) struct WalkTests {
  @Test(arguments: [0, 1, 19, 20, 21, 40, 99, 100, 101, 200])
  func endsExactly(count: Int) async throws {
    try await Stand.run(try await Stand(smallWorld(count))) { stand in
      let slices = try stand.client.walk("/v1/qiita/items")
      let truth = stand.qiita.withQiita { $0.world.ids }
      #expect(slices.flatMap(\.ids) == truth)
      #expect(slices.count == max(1, (count + 19) / 20))
      #expect(slices.dropLast().allSatisfy { $0.ids.count == 20 && $0.envelope.hasMore })
      #expect(slices.last?.envelope.hasMore == false)
      #expect(slices.last?.envelope.endReason == "end")
      #expect(slices.last?.envelope.next == nil)
    }
  }

  @Test func aSecondOfAHundredItemsIsReadAcrossWindows() async throws {
    for shuffles in [false, true] {
      var world = World(
        WorldOptions(seed: 3, itemCount: 0, bodyBytes: 60, shufflesTies: shuffles))
      for index in 0..<330 {
        let second: Int64 = (110..<210).contains(index) ? 110 : Int64(index)
        world.insert(at: 1_700_000_000 + second)
      }
      try await Stand.run(try await Stand(world)) { stand in
        let slices = try stand.client.walk("/v1/qiita/items?limit=33")
        #expect(slices.flatMap(\.ids) == stand.qiita.withQiita { $0.world.ids })
      }
    }
  }

  @Test(arguments: Extent.seeds(4, of: 24))
  func keepsThePromiseOverSockets(seed: UInt64) async throws {
    let ties = [0, 0.1, 0.5, 0.9][Int(seed % 4)]
    // A second too large for any window, in another order in every answer of a list that moves
    // between every two, cannot be proven: that is a test of its own.
    let world = smallWorld(400, seed: seed, ties: ties, shufflesTies: ties < 0.9 && seed % 2 == 1)
    let drift = Drift([.insert: 0.8, .delete: 0.6, .late: 0.5], moveRate: 0)
    let limit = [1, 7, 20, 33, 64, 100][Int(seed % 6)]
    let options = Qiita.Options(drift: drift, budget: 1_000_000)
    try await Stand.run(try await Stand(world, options: options)) { stand in
      let slices = try stand.client.walk("/v1/qiita/items?limit=\(limit)")
      let ids = slices.flatMap(\.ids)
      #expect(Set(ids).count == ids.count, "an item came twice")
      let calls = stand.qiita.calls
      let (first, last) = (calls.first?.step ?? 0, calls.last?.step ?? 0)
      let (present, seconds) = stand.qiita.withQiita { qiita in
        (
          qiita.world.idsPresent(from: first, through: max(last, qiita.world.step)),
          ids.compactMap { qiita.world.createdAtSeconds(of: $0) }
        )
      }
      let settled = Int64(Date().timeIntervalSince1970) - 60
      let missing = present.filter { id in
        let second = stand.qiita.withQiita { $0.world.createdAtSeconds(of: id) } ?? 0
        return second < settled && !ids.contains(id)
      }
      #expect(missing.isEmpty, "holes: \(missing)")
      #expect(seconds == seconds.sorted(by: >), "the order broke")
      #expect(slices.last?.envelope.endReason == "end")
    }
  }

  /// The least is what windows that overlap by one item take: 17. Measured: 17 and 18.
  @Test(arguments: [0, 0.25])
  func fiftyReadersCostLittleMoreThanOnePerfectReader(rate: Double) async throws {
    var least = 0
    var rank = 0
    while let window = Paging.hundreds.window(from: rank, beyond: rank) {
      least += 1
      rank = window.endRank - 1
      if window.endRank > 1_500 { break }
    }
    let drift = Drift([.insert: rate, .delete: rate / 5, .late: rate / 5])
    let options = Qiita.Options(drift: drift, budget: 1_000_000)
    try await Stand.run(try await Stand(smallWorld(1_500), options: options)) { stand in
      let client = stand.client
      let truth = stand.qiita.withQiita { $0.world.ids }
      let walks = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<50 {
          group.addTask { try client.walk("/v1/qiita/items?limit=50").flatMap(\.ids) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(walks.count == 50 && walks.allSatisfy { $0.count > 1_450 })
      if rate == 0 { #expect(walks.allSatisfy { $0 == truth }) }
      #expect(stand.qiita.callCount * 10 <= least * 11)
    }
  }

  @Test func goesOnWhenTheCursorsItemIsDeleted() async throws {
    try await Stand.run(try await Stand(smallWorld(60))) { stand in
      let first = try stand.client.get("/v1/qiita/items?limit=10").slice()
      let gone = try #require(first.ids.last)
      stand.qiita.withQiita { qiita in _ = qiita.world.delete(id: gone) }
      let next = try #require(first.envelope.next)
      let rest = try stand.client.walk(next).flatMap(\.ids)
      #expect(rest == stand.qiita.withQiita { Array($0.world.ids.dropFirst(9)) })
    }
  }

  @Test func aWalkGoesOnInAStoreOpenedAgain() async throws {
    let stand = try await Stand(smallWorld(300))
    let first = try stand.client.walk("/v1/qiita/items?limit=40", most: 3)
    await stand.stop(keepsStore: true)
    let next = try #require(first.last?.envelope.next)
    try await Stand.run(try await Stand(smallWorld(300), path: stand.path)) { again in
      let rest = try again.client.walk(next)
      let ids = first.flatMap(\.ids) + rest.flatMap(\.ids)
      #expect(ids == again.qiita.withQiita { $0.world.ids })
    }
  }
}
