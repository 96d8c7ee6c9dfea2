import Feed
import Foundation
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct MetricsTests {
  private static let target = "/v1/qiita/items?limit=5"

  /// The value of a sample, by its name and labels as they are written.
  private func value(_ sample: String, in stand: Stand) throws -> Double? {
    let text = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
    return line.flatMap { Double($0.dropFirst(sample.utf8.count + 1)) }
  }

  @Test func countsEveryReplyOnceByRouteAndStatus() async throws {
    var settings = ServerSettings()
    settings.loops = 2
    // So few items that the first window ends the feed: what is fetched ahead would have answers
    // made anew.
    try await Stand.run(try await Stand(smallWorld(25), settings: settings)) { stand in
      _ = try stand.client.get(Self.target)
      let tag = try stand.client.get(Self.target)["ETag"] ?? ""
      for _ in 0..<10 { _ = try stand.client.hit(Self.target) }
      for _ in 0..<10 { _ = try stand.client.hit(Self.target, ["If-None-Match: \(tag)"]) }
      for target in ["/nowhere", "/v1/qiita/items?limit=0", "/v1/qiita/items/none", "/v1"] {
        _ = try stand.client.get(target)
      }
      for (labels, count) in [
        ("route=\"slice\",status=\"200\"", 12), ("route=\"slice\",status=\"304\"", 10),
        ("route=\"slice\",status=\"400\"", 1), ("route=\"none\",status=\"404\"", 1),
        ("route=\"item\",status=\"404\"", 1), ("route=\"index\",status=\"200\"", 1),
      ] {
        let counted = try value("tsugi_http_requests_total{\(labels)}", in: stand)
        #expect(counted == Double(count), "\(labels)")
      }
      let inMemory = try #require(try value("tsugi_answer_cache_hits_total", in: stand))
      let fromStore = try #require(try value("tsugi_store_slices_total", in: stand))
      #expect(inMemory + fromStore == 21)
      #expect(inMemory >= 18)
      let bytes = try #require(try value("tsugi_answer_cache_bytes", in: stand))
      #expect(bytes > 1_000)
    }
  }

  /// What is written to other feeds leaves a cached reply as it is; a content that it shows, and
  /// that another feed's answer replaces, does not.
  @Test func aReplyIsCachedWhileOtherFeedsAreWritten() async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 0
    let stand = try await Stand(smallWorld(25), policy: policy, time: HandClock())
    try await Stand.run(stand) { stand in
      func fromStore() throws -> Double {
        try #require(try value("tsugi_store_slices_total", in: stand))
      }
      for _ in 0..<2 { _ = try stand.client.hit(Self.target) }
      let before = try fromStore()
      // The same items, as they are stored.
      for tag in ["swift", "ios", "none"] {
        _ = try stand.client.get("/v1/qiita/tags/\(tag)/items?limit=5")
        _ = try stand.client.hit(Self.target)
      }
      let feeds = try #require(try value("tsugi_feeds{source=\"qiita\"}", in: stand))
      #expect(feeds > 1)
      #expect(try fromStore() == before)
      let first = try stand.client.hit(Self.target)
      let id = try #require(try first.slice().ids.first)
      let text = String(decoding: first.body, as: UTF8.self)
      let tags = text.split(separator: "\"tags\":[{\"name\":\"").dropFirst()
      let tag = try #require(tags.first).prefix { $0 != "\"" }
      stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
      _ = try stand.client.get("/v1/qiita/tags/\(tag)/items?limit=20&refresh=true")
      #expect(try stand.client.hit(Self.target)["ETag"] != first["ETag"])
    }
  }

  /// A client that revalidates has a reply cached as one that does not.
  @Test func aReplyIsCachedByThoseWhoRevalidate() async throws {
    try await Stand.run(try await Stand(smallWorld(25), time: HandClock())) { stand in
      let target = "/v1/qiita/items?limit=7"
      let first = try stand.client.get(target)
      let tag = "If-None-Match: \(try #require(first["ETag"]))"
      for index in 0..<5 {
        let reply = try stand.client.hit(target, [tag])
        #expect(reply.status == 304 && reply.body.isEmpty)
        let stored = try value("tsugi_store_slices_total", in: stand)
        #expect(stored == 1, "\(index)")
      }
      let other = try stand.client.hit(target, ["If-None-Match: W/\"other\""])
      #expect(other.status == 200 && other.body == first.body)
      #expect(try stand.client.hit(target).body == first.body)
    }
  }

  @Test func tellsHowASourceStands() async throws {
    let options = Qiita.Options(budget: 100)
    // So few items that the first window ends the feed: nothing is fetched ahead.
    try await Stand.run(try await Stand(smallWorld(25), options: options)) { stand in
      #expect(try value("tsugi_feeds{source=\"qiita\"}", in: stand) == 0)
      _ = try stand.client.get(Self.target)
      let call = "source=\"qiita\",purpose=\"reader\",outcome=\"ok\""
      #expect(try value("tsugi_upstream_calls_total{\(call)}", in: stand) == 1)
      #expect(try value("tsugi_upstream_budget_remaining{source=\"qiita\"}", in: stand) == 99)
      let reset = "tsugi_upstream_budget_reset_timestamp_seconds{source=\"qiita\"}"
      let resetSeconds = try #require(try value(reset, in: stand))
      #expect(resetSeconds > 1_700_000_000)
      #expect(try value("tsugi_feeds{source=\"qiita\"}", in: stand) == 1)
      #expect(try value("tsugi_gaps{source=\"qiita\"}", in: stand) == 0)
      #expect(try value("tsugi_upstream_flights{source=\"qiita\"}", in: stand) == 0)
      let connections = try #require(try value("tsugi_http_connections", in: stand))
      #expect(connections >= 1)
    }
  }

  @Test func tellsOfTheProcessAndTheLimitOfTheStore() async throws {
    var settings = ServerSettings()
    settings.version = "test"
    settings.storeLimits.bytes = 1 << 30
    try await Stand.run(try await Stand(smallWorld(3), settings: settings)) { stand in
      #expect(try value("tsugi_build_info{version=\"test\"}", in: stand) == 1)
      let seconds = try #require(try value("process_cpu_seconds_total", in: stand))
      #expect(seconds > 0)
      let start = try #require(try value("process_start_time_seconds", in: stand))
      #expect(start > 1_700_000_000)
      let memory = try #require(try value("process_resident_memory_bytes", in: stand))
      #expect(memory > 1_000_000)
      let open = try #require(try value("process_open_fds", in: stand))
      let most = try #require(try value("process_max_fds", in: stand))
      #expect(open > 2 && open < most)
      let stored = try #require(try value("tsugi_store_bytes", in: stand))
      let limit = try #require(try value("tsugi_store_max_bytes", in: stand))
      #expect(stored > 0 && limit == 1_073_741_824)
    }
  }

  /// Those out of a loop's memory among them.
  @Test func countsRepliesThatAreNoLongerFresh() async throws {
    let clock = HandClock()
    try await Stand.run(try await Stand(smallWorld(10), time: clock)) { stand in
      for _ in 0..<3 { _ = try stand.client.hit(Self.target) }
      #expect(try value("tsugi_stale_slices_total", in: stand) == 0)
      stand.qiita.withQiita { $0.options.faults = [.unavailable: 1] }
      clock.advance(.seconds(61))
      for count in 1...4 {
        #expect(try stand.client.hit(Self.target).slice().envelope.freshness.state == "stale")
        #expect(try value("tsugi_stale_slices_total", in: stand) == Double(count))
      }
    }
  }

  @Test func theHistogramHoldsEveryReply() async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
      for _ in 0..<20 { _ = try stand.client.hit(Self.target) }
      let lines = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
        .split(separator: "\n").filter { $0.hasPrefix("tsugi_http_request_duration_seconds_") }
      let buckets = lines.filter { $0.contains("_bucket") }.compactMap { line in
        line.split(separator: " ").last.flatMap { Int($0) }
      }
      #expect(buckets.count == Metrics.bucketBounds.count + 1)
      #expect(buckets == buckets.sorted())
      #expect(buckets.last == 20)
      #expect(lines.contains { $0.hasSuffix("_count 20") })
    }
  }

  @Test func needsAKeyLikeAnyRoute() async throws {
    var settings = ServerSettings()
    settings.gate.apiKeys = [Array("secret".utf8)]
    try await Stand.run(try await Stand(smallWorld(3), settings: settings)) { stand in
      let stranger = try stand.client.get("/metrics")
      #expect(stranger.status == 401)
      let known = try stand.client.get("/metrics", ["Authorization: Bearer secret"])
      #expect(known.status == 200)
    }
  }

  private static let promtool = "/usr/bin/promtool"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: promtool),
      "promtool (Debian: prometheus) is not installed"))
  func prometheusTakesIt() async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
      _ = try stand.client.get(Self.target)
      _ = try stand.client.get("/nowhere")
      let check = Process()
      check.executableURL = URL(filePath: Self.promtool)
      check.arguments = ["check", "metrics"]
      let (input, output) = (Pipe(), Pipe())
      check.standardInput = input
      check.standardOutput = output
      check.standardError = output
      try check.run()
      try input.fileHandleForWriting.write(contentsOf: try stand.client.get("/metrics").body)
      try input.fileHandleForWriting.close()
      let said = try output.fileHandleForReading.readToEnd() ?? Data()
      check.waitUntilExit()
      #expect(check.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
      #expect(said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
    }
  }
}
