import Foundation
import Simulator
import Support
import Testing

import struct Feed.Policy

@testable import TsugiClient

/// A list that is kept up with its feed while it is on the screen, over sockets, from the real
/// server.
@Suite(.serialized, .timeLimit(.minutes(10))) @MainActor struct FollowOverSocketsTests {
  @Test func appliesEditsAndRemovalsAsTheyHappen() async throws {
    try await FollowedList.run { followed in
      let ids = followed.ids
      followed.see(2...4)
      followed.stand.qiita.withQiita { qiita in
        qiita.world.touch(id: ids[3])
        qiita.world.delete(id: ids[0])
        qiita.world.delete(id: ids[1])
      }
      try await followed.until("changed", looks: true) {
        $0.ids == Array(ids[2...]) && $0.list.items[1].title.contains("改訂1")
      }
      // The reader is where the reader was.
      let visible = followed.list.state.visible.indices(in: followed.list.state.content)
      #expect(visible == 0...2)
      #expect(!followed.list.hasNews)
    }
  }

  @Test func saysThatItemsCameAndShowsThemWhenPulled() async throws {
    try await FollowedList.run { followed in
      let new = followed.stand.insert()
      try await followed.until("news", looks: true) { $0.list.hasNews }
      #expect(followed.ids.first != new)
      await followed.list.refresh()
      #expect(followed.ids.first == new && !followed.list.hasNews)
    }
  }

  /// The server reads ahead: what it stores below the list's end is new to it, not to the reader.
  @Test func whatTheServerReadsBelowIsNoNews() async throws {
    try await FollowedList.run(count: 300, firstWindow: 30) { followed in
      try await followed.until("more") { followed in
        followed.see(followed.ids.count - 1...followed.ids.count - 1)
        return followed.ids.count > 100
      }
      let seq = try await followed.list.feed.slice().seq
      // What is told of it has been heard, and looked into.
      try await followed.until("heard") { followed in
        let state = followed.list.state
        return state.since.map(seq.isCovered) == true && state.newsLook == nil
      }
      #expect(!followed.list.hasNews)
      _ = followed.stand.insert()
      try await followed.until("news", looks: true) { $0.list.hasNews }
    }
  }

  @Test func goesOnAfterARestart() async throws {
    try await FollowedList.run { followed in
      let ids = followed.ids
      try await followed.stand.restart {
        followed.stand.qiita.withQiita { qiita in
          qiita.world.touch(id: ids[0])
          qiita.world.delete(id: ids[1])
        }
      }
      try await followed.until("changed", looks: true) {
        $0.ids == [ids[0]] + Array(ids[2...]) && $0.list.items[0].title.contains("改訂1")
      }
      #expect(followed.network.streamRequests.contains { $0.headers["last-event-id"] != nil })
    }
  }

  @Test(arguments: [true, false])
  func beginsAnewWhereTheStoreIsAnother(byEvents: Bool) async throws {
    try await FollowedList.run(follows: byEvents) { followed in
      let epoch = followed.list.state.since?.rawValue.split(separator: ".").first
      var new: String?
      try await followed.stand.restart(keepsStore: false) { new = followed.stand.insert() }
      if !byEvents { try await followed.list.catchUp() }
      try await followed.until("anew") {
        $0.list.state.since?.rawValue.split(separator: ".").first != epoch && $0.ids.first == new
      }
      #expect(followed.list.refreshState == .idle)
    }
  }

  @Test func catchesUpWithWhatHappenedWhileItWasAway() async throws {
    try await FollowedList.run(follows: false) { followed in
      let ids = followed.ids
      let new = followed.stand.insert()
      followed.stand.qiita.withQiita { qiita in
        qiita.world.touch(id: ids[2])
        qiita.world.delete(id: ids[4])
      }
      try await followed.stand.look(3)
      try await followed.list.catchUp()
      #expect(followed.ids == ids.filter { $0 != ids[4] })
      #expect(followed.list.items[2].title.contains("改訂1"))
      try await followed.until("news") { $0.list.hasNews }
      await followed.list.refresh()
      #expect(followed.ids.first == new)
    }
  }

  /// Cut again and again, restarted, drifting: in the end it shows what the server has.
  @Test(arguments: Extent.seeds(1, of: 3))
  func showsInTheEndWhatTheServerHas(seed: UInt64) async throws {
    try await FollowedList.run(count: 120, bytesMax: 2_000, seed: seed) { followed in
      var random = SeededGenerator(seed: seed)
      for step in 0..<30 {
        followed.happen(using: &random)
        if step == 15 { try await followed.stand.restart() }
        if random.chance(30) { followed.network.cut() }
        if random.chance(20) { await followed.list.refresh() }
        try await followed.stand.look()
        #expect(Set(followed.ids).count == followed.ids.count)
      }
      try await followed.stand.look(3)
      await followed.list.refresh()
      let stored = try await followed.stored()
      try await followed.until("the same as the server") { followed in
        followed.list.items.allSatisfy { stored[$0.id] == $0.title } && !followed.list.hasNews
      }
    }
  }
}
