import Foundation
import Simulator
import Support
import Testing

@testable import TsugiClient

/// A list of the real server that is kept up with its feed.
@MainActor final class FollowedList {
  let stand: ClientStand
  let network: RelayTransport
  let list: PagedList<QiitaItem>

  private init(_ stand: ClientStand, _ network: RelayTransport) {
    (self.stand, self.network) = (stand, network)
    list = PagedList(stand.client(over: network).feed("qiita/items"))
  }

  /// Starts a server, a list of it, and has it follow.
  static func run(
    count: Int = 20, firstWindow: Int = 100, bytesMax: Int = .max, seed: UInt64 = 1,
    follows: Bool = true, _ body: @MainActor (FollowedList) async throws -> Void
  ) async throws {
    let policy = ChangesOverSocketsTests.policy(firstWindow: firstWindow)
    try await ClientStand.run(
      try await ClientStand(clientWorld(count, seed: seed), policy: policy)
    ) { stand in
      let followed = FollowedList(stand, RelayTransport(bytesMax: bytesMax))
      followed.list.start()
      try await followed.until("loaded") { $0.list.isLoaded }
      let list = followed.list
      let following = Task { if follows { try await list.follow() } }
      defer { following.cancel() }
      if follows { try await followed.network.parts(1) }
      try await body(followed)
    }
  }

  /// The ids it shows.
  var ids: [String] { list.items.map(\.id) }

  /// Rows come onto the screen.
  func see(_ rows: ClosedRange<Int>) {
    for row in rows { list.appeared(list.items[row]) }
  }

  /// Waits until something holds; the server looks at its upstream meanwhile where it is to.
  func until(
    _ what: Comment, looks: Bool = false, _ holds: (FollowedList) -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !holds(self) {
      try #require(ContinuousClock.now < end, what)
      if looks { try await stand.look() }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Something happens upstream.
  func happen(using random: inout SeededGenerator) {
    let id = list.items.randomElement(using: &random)?.id ?? ""
    let kind = Int.random(in: 0..<3, using: &random)
    if kind == 0 { _ = stand.insert() }
    stand.qiita.withQiita { qiita in
      if kind == 1 { qiita.world.touch(id: id) }
      if kind == 2 { qiita.world.delete(id: id) }
    }
    if let row = list.items.indices.randomElement(using: &random) {
      list.appeared(list.items[row])
    }
  }

  /// The titles of what the server has, by id. Counts of likes and the like are told no change of.
  func stored() async throws -> [String: String] {
    var titles: [String: String] = [:]
    for try await item in list.feed.items { titles[item.id] = item.title }
    return titles
  }
}
