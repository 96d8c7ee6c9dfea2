import Engine
import Feed
import Foundation
import Simulator
import Testing
import Wire

@testable import Proxy

/// A store whose file is damaged while it serves, over sockets.
@Suite(.serialized) struct DamagedStoreTests {
  /// Overwrites all of the file but its header with what was never a page.
  private func damage(_ path: String) throws {
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 100)
    try handle.write(contentsOf: Data(repeating: 0xa5, count: Int(size) - 100))
    try handle.close()
  }

  /// A server on a store that was filled by another, so that nothing of it is in memory.
  private func stand() async throws -> Stand {
    var settings = ServerSettings()
    settings.loops = 3
    var policy = Stand.policy
    policy.prefetchItems = 0
    policy.openingPermille = 1_000_000
    // One world: another one made a second later has other times.
    let world = smallWorld(700)
    let first = try await Stand(world, policy: policy, settings: settings)
    _ = try first.client.walk("/v1/qiita/items?limit=100")
    _ = try first.client.get("/v1/qiita/users?limit=100")
    await first.stop(keepsStore: true)
    return try await Stand(world, policy: policy, path: first.path, settings: settings)
  }

  private func removeSetAside(_ stand: Stand) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: stand.path + ".corrupt-1" + suffix)
    }
  }

  @Test func everyLoopGoesOnWithANewFile() async throws {
    try await Stand.run(try await stand()) { stand in
      defer { removeSetAside(stand) }
      let truth = stand.qiita.withQiita { $0.world.ids }
      let first = try stand.client.get("/v1/qiita/items?limit=50").slice()
      try damage(stand.path)
      let rest = try stand.client.walk(try #require(first.envelope.next))
      #expect(first.ids + rest.flatMap(\.ids) == truth)
      #expect(FileManager.default.fileExists(atPath: stand.path + ".corrupt-1"))
      // Which loop answers is the system's choice: each is asked often enough.
      for _ in 0..<40 {
        let slice = try stand.client.get("/v1/qiita/items?limit=7&startAfter=id:\(truth[99])")
        #expect(try slice.slice().ids == Array(truth[100..<107]))
      }
      #expect(try stand.client.get("/readyz").status == 200)
      let epochs = try [first, #require(rest.last)].map { slice in
        try #require(slice.envelope.seq.split(separator: ".").first)
      }
      #expect(epochs[0] != epochs[1])
    }
  }

  @Test func anObservedCursorOfTheOldFileHasExpired() async throws {
    try await Stand.run(try await stand()) { stand in
      defer { removeSetAside(stand) }
      let first = try stand.client.get("/v1/qiita/users?limit=20").slice()
      let next = try #require(first.envelope.next)
      try damage(stand.path)
      // Whoever meets the damage first, and whichever feed is made anew.
      _ = try stand.client.walk("/v1/qiita/items?limit=100")
      _ = try stand.client.walk("/v1/qiita/users?limit=100")
      for _ in 0..<10 {
        let reply = try stand.client.get(next)
        #expect(reply.status == 410)
        #expect(try reply.problem().code == "cursor_expired")
      }
    }
  }

  @Test func damageMetByNobodyButTheProbeIsMended() async throws {
    try await Stand.run(try await stand()) { stand in
      defer { removeSetAside(stand) }
      try damage(stand.path)
      var statuses: [Int] = []
      for _ in 0..<2 {
        statuses.append(try stand.client.get("/readyz").status)
        await stand.storeKeeper.tick()
      }
      #expect(statuses.last == 200, "\(statuses)")
    }
  }
}
