import Bytes
import Engine
import Feed
import Foundation
import History
import Simulator
import Support
import Synchronization
import Testing
import Wire

@testable import Proxy

/// A store that is full, over sockets.
@Suite(.serialized) struct FullStoreTests {
  /// Feeds may be opened as often as they are given up.
  private static var policy: Policy {
    var policy = Stand.policy
    policy.openingPermille = 1_000_000
    policy.prefetchItems = 0
    return policy
  }

  private func value(_ name: String, in stand: Stand) throws -> Int {
    let text = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return try #require(line.flatMap { Int($0.dropFirst(name.utf8.count + 1)) })
  }

  /// The users who wrote something, by their lists of articles.
  private func lists(_ stand: Stand, _ count: Int) throws -> [String] {
    let upstream = Client(port: stand.qiita.port ?? 0)
    let users = try SliceReply.ids(of: upstream.get("/api/v2/users?per_page=100").body)
    return users.prefix(count).map { "users/\(percentEncoded($0.utf8))/items" }
  }

  @Test func neverKeepsMoreFeedsThanAllowed() async throws {
    let stand = try await Stand(smallWorld(300), policy: Self.policy, feedsMax: 3)
    try await Stand.run(stand) { stand in
      let paths = try lists(stand, 8)
      var stored = 0
      for path in paths {
        stored += try stand.client.get("/v1/qiita/\(path)").slice().ids.isEmpty ? 0 : 1
        await stand.storeKeeper.tick()
        #expect(try value("tsugi_store_feeds", in: stand) == min(stored, 3))
      }
      #expect(stored > 3)
      #expect(try value("tsugi_store_evictions_total", in: stand) == stored - 3)
    }
  }

  @Test func staysWithinItsBytesWhileAFeedIsWalkedToItsEnd() async throws {
    let bytesMax: Int64 = 3 << 20
    let stand = try await Stand(smallWorld(2_500), policy: Self.policy, maxMegabytes: 3)
    try await Stand.run(stand) { stand in
      let truth = stand.qiita.withQiita { $0.world.ids }
      var ids: [String] = []
      var next: String? = "/v1/qiita/items?limit=100"
      while let target = next {
        let slice = try stand.client.get(target).slice()
        ids += slice.ids
        next = slice.envelope.next
        await stand.storeKeeper.tick()
        let bytes = try value("tsugi_store_bytes", in: stand)
        #expect(bytes <= bytesMax - bytesMax / 8)
      }
      #expect(ids == truth)
      #expect(try value("tsugi_store_evicted_places_total", in: stand) > 500)
    }
  }

  @Test func aFullDiskKeepsNobodyFromReading() async throws {
    let clock = HandClock()
    let stand = try await Stand(smallWorld(700), policy: Self.policy, time: clock)
    try await Stand.run(stand) { stand in
      let client = stand.client
      let truth = stand.qiita.withQiita { $0.world.ids }
      #expect(try client.get("/readyz").status == 200)
      let first = try client.walk("/v1/qiita/items?limit=50", most: 3)
      let written = try #require(first.last?.envelope.seq)
      stand.faults.fail(with: .full)
      let second = try client.walk(try #require(first.last?.envelope.next), most: 5)
      #expect(second.allSatisfy { $0.envelope.seq == written || $0.ids.isEmpty })
      let notReady = try client.get("/readyz")
      #expect(notReady.status == 503 && notReady["Retry-After"] == "5")
      #expect(
        try notReady.problem().detail
          == "Nothing can be stored. The store, or its disk, is full.")
      clock.advance(.seconds(10))
      await stand.storeKeeper.tick()
      #expect(try client.get("/readyz").status == 503)
      stand.faults.fail(with: nil)
      clock.advance(.seconds(10))
      await stand.storeKeeper.tick()
      #expect(try client.get("/readyz").status == 200)
      let third = try client.walk(try #require(second.last?.envelope.next))
      #expect((first + second + third).flatMap(\.ids) == truth)
    }
  }

  @Test func readersOfAFeedThatGoesSeeNoHole() async throws {
    var settings = ServerSettings()
    settings.loops = 2
    let stand = try await Stand(smallWorld(700), policy: Self.policy, settings: settings)
    try await Stand.run(stand) { stand in
      let slices = try stand.client.walk("/v1/qiita/items?limit=50")
      let truth = slices.flatMap(\.ids)
      let cursors = slices.compactMap(\.envelope.endCursor)
      let (client, reader) = (stand.client, try #require(stand.reader as? FeedReader))
      let victim = Eviction.Victim(
        name: "qiita/items", source: "qiita", keepsTop: false,
        readAt: Timestamp(milliseconds: .max))
      let isDone = Atomic(false)
      // The reader has a thread of its own: what waits for it may itself wait for long.
      async let readCount = onThread {
        var random = SystemRandomNumberGenerator()
        var count = 0
        while count < 60 || !isDone.load(ordering: .relaxed) {
          count += 1
          let index = Int.random(in: 0..<cursors.count - 1, using: &random)
          let limit = Int.random(in: 1...100, using: &random)
          let target = "/v1/qiita/items?limit=\(limit)&startAfter=\(cursors[index])"
          let slice = try client.get(target).slice()
          let rest = truth[(index * 50 + 50)...]
          #expect(!slice.ids.isEmpty && slice.ids == Array(rest.prefix(slice.ids.count)))
        }
        return count
      }
      defer { isDone.store(true, ordering: .relaxed) }
      var (stepsTaken, attempts) = (0, 0)
      while stepsTaken < 20, attempts < 5_000 {
        attempts += 1
        if try await reader.evictStep(victim) != .not { stepsTaken += 1 }
        try await Task.sleep(for: .milliseconds(5))
      }
      isDone.store(true, ordering: .relaxed)
      #expect(try await readCount >= 60)
      #expect(stepsTaken == 20)
    }
  }
}

extension SliceReply {
  /// The ids in an array as the upstream sends it.
  fileprivate static func ids(of body: [UInt8]) throws -> [String] {
    struct Entry: Decodable { var id: String }
    return try JSONDecoder().decode([Entry].self, from: Data(body)).map(\.id)
  }
}
