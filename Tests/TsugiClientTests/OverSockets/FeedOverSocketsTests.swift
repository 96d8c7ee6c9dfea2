import Foundation
import Simulator
import Testing

@testable import TsugiClient

/// The real server over the drifting upstream, through the session an app has.
@Suite(.serialized) @MainActor struct FeedOverSocketsTests {
  @Test func givesEachOfFiveThousandItemsOnceWhileTheFeedDrifts() async throws {
    let drift = Drift([.insert: 0.8, .delete: 0.6, .late: 0.5])
    let options = Qiita.Options(drift: drift, budget: 1_000_000)
    let world = clientWorld(5_000, ties: 0.1)
    try await ClientStand.run(try await ClientStand(world, options: options)) { stand in
      var ids: [String] = []
      for try await item in stand.client.feed("qiita/items", of: Post.self, limit: 100).items {
        ids.append(item.id)
      }
      #expect(Set(ids).count == ids.count, "an item came twice")
      let calls = stand.qiita.calls
      let (present, seconds) = stand.qiita.withQiita { qiita in
        (
          qiita.world.idsPresent(
            from: calls.first?.step ?? 0, through: max(calls.last?.step ?? 0, qiita.world.step)),
          ids.compactMap { qiita.world.createdAtSeconds(of: $0) }
        )
      }
      let settled = Int64(Date().timeIntervalSince1970) - 60
      let missing = Set(present).subtracting(ids).filter { id in
        stand.qiita.withQiita { $0.world.createdAtSeconds(of: id) ?? 0 } < settled
      }
      #expect(missing.isEmpty, "holes: \(missing)")
      #expect(seconds == seconds.sorted(by: >), "the order broke")
      #expect(ids.count > 4_000)
    }
  }

  @Test func goesOnFromACursorAndBack() async throws {
    try await ClientStand.run(try await ClientStand(clientWorld(50))) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self, limit: 10)
      let ids = stand.qiita.withQiita { $0.world.ids }
      let first = try await feed.slice()
      let second = try await feed.slice(after: first.endCursor)
      #expect(second.items.map(\.id) == Array(ids[10..<20]))
      let back = try await feed.slice(before: try #require(second.startCursor))
      #expect(back.items == first.items)
      #expect(!back.hasPrevious)
      var rest: [String] = []
      for try await item in feed.items(after: second.endCursor) { rest.append(item.id) }
      #expect(rest == Array(ids[20...]))
    }
  }

  @Test func asksForOneItemAndHowTheFeedStands() async throws {
    try await ClientStand.run(try await ClientStand(clientWorld(50))) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self, limit: 10)
      let slice = try await feed.slice()
      let id = try #require(slice.items.first?.id)
      let item = try await stand.client.item("qiita/items/\(id)", of: Post.self)
      #expect(item.id == id)
      let status = try await feed.status()
      #expect(status.name == "qiita/items" && status.order == "value")
      #expect(status.items >= 10 && status.gaps.isEmpty && status.runs.count == 1)
      let code = await #expect(throws: TsugiError.self) { _ = try await feed.fill(gap: "g") }?.code
      #expect(code == .gapNotFound)
    }
  }

  @Test func readsTheServersErrors() async throws {
    try await ClientStand.run(try await ClientStand(clientWorld(5), apiKey: "k3y")) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self)
      let code = await #expect(throws: TsugiError.self) {
        _ = try await feed.slice(after: FeedCursor(rawValue: "nonsense"))
      }?.code
      #expect(code == .invalidCursor)
      let stranger = FeedClient(baseURL: stand.baseURL).feed("qiita/items", of: Post.self)
      let refusal = await #expect(throws: TsugiError.self) { _ = try await stranger.slice() }
      #expect(refusal?.code == .unauthorized)
    }
  }

  @Test func keepsTheSliceOfAnItemWhoseBytesAreNoText() async throws {
    try await ClientStand.run(try await ClientStand(clientWorld(20))) { stand in
      stand.qiita.script([.fault(.badUTF8)])
      let slice = try await stand.client.feed("qiita/items", of: Post.self).slice()
      #expect(slice.items.count >= 19)
    }
  }

  @Test func tellsThatNobodyListens() async throws {
    let stand = try await ClientStand(clientWorld(5))
    await stand.stop()
    let error = await #expect(throws: TsugiError.self) {
      _ = try await stand.client.feed("qiita/items", of: Post.self).slice()
    }
    guard case .transport(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.reason == .unreachable)
  }

  @Test func isCancelledInTheMidstOfARequest() async throws {
    let options = Qiita.Options(budget: 1_000_000, latencyMilliseconds: 30_000)
    let stand = try await ClientStand(clientWorld(5), options: options)
    let feed = stand.client.feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    while stand.qiita.callCount == 0 { await Task.yield() }
    asking.cancel()
    await #expect(throws: CancellationError.self) { _ = try await asking.value }
    await stand.stop()
  }

  /// Cancelling as the answer lands stood still for ever, one time in a hundred or so.
  @Test(.timeLimit(.minutes(3))) func isCancelledAsTheAnswerLands() async throws {
    try await ClientStand.run(try await ClientStand(clientWorld(5))) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self)
      let whole = try await feed.slice()
      let clock = ContinuousClock()
      let usual = min(
        try await clock.measure { _ = try await feed.slice() }, .milliseconds(20))
      for turn in 0..<400 {
        let asking = Task.detached { try await feed.slice() }
        // All moments of an exchange, and some after it.
        try await clock.sleep(for: usual * turn / 300)
        asking.cancel()
        guard case .success(let slice) = await asking.result else { continue }
        #expect(slice.items == whole.items)
      }
    }
  }
}

/// A world of small items that begins well before the present second.
func clientWorld(_ count: Int, seed: UInt64 = 1, ties: Double = 0) -> World {
  World(
    WorldOptions(
      seed: seed, itemCount: count, tieProbability: ties, bodyBytes: 60,
      topSeconds: Int64(Date().timeIntervalSince1970) - 600))
}
