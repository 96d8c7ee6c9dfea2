import Engine
import Feed
import HTTP
import Simulator
import Support
import Testing
import Upstream
import Wire

@testable import Proxy

/// A running server that is given other settings.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AdoptedSettingsTests {
  private static let target = "/v1/qiita/items?limit=5"
  private static let page = "/api/v2/items?per_page=5"
  private static let key = "0123456789"

  private static func stand(loops: Int = 4) async throws -> Stand {
    var policy = Stand.policy
    policy.prefetchItems = 0
    var settings = ServerSettings()
    settings.loops = loops
    return try await Stand(smallWorld(50), policy: policy, settings: settings)
  }

  /// Has every loop keep the answers to both targets.
  private static func warm(_ stand: Stand) throws {
    for _ in 0..<24 {
      for target in [target, page] { #expect(try stand.client.hit(target).status == 200) }
    }
  }

  @Test func aKeyIsAskedForAtOnce() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      try Self.warm(stand)
      await stand.adopt { $0.gate.apiKeys = [Array(Self.key.utf8)] }
      for _ in 0..<24 { #expect(try stand.client.hit(Self.target).status == 401) }
      let reply = try stand.client.hit(Self.target, ["Authorization: Bearer \(Self.key)"])
      #expect(reply.status == 200)
      #expect(reply["Cache-Control"]?.hasPrefix("private, ") == true)
      await stand.adopt()
      #expect(try stand.client.hit(Self.target)["Cache-Control"]?.hasPrefix("max-age") == true)
    }
  }

  @Test func originsAreToldAtOnce() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      try Self.warm(stand)
      let lines = ["Origin: https://app.example"]
      #expect(try stand.client.hit(Self.target, lines)["Access-Control-Allow-Origin"] == nil)
      await stand.adopt { $0.gate.allowedOrigins = ["https://app.example"] }
      for _ in 0..<24 {
        let reply = try stand.client.hit(Self.target, lines)
        #expect(reply["Access-Control-Allow-Origin"] == "https://app.example")
        let plain = try stand.client.hit(Self.target)
        #expect(plain.fields.contains { $0 == ("Vary", "Origin") })
      }
    }
  }

  @Test func linksAreOfTheNewPublicURL() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      try Self.warm(stand)
      await stand.adopt { $0.publicURL = "https://new.example" }
      for _ in 0..<24 {
        let link = try stand.client.hit(Self.page)["Link"]
        #expect(link?.hasPrefix("<https://new.example/api/v2/items?") == true)
      }
    }
  }

  @Test func otherHostsAreRefusedAtOnce() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      try Self.warm(stand)
      await stand.adopt { $0.gate.allowedHosts = ["api.example"] }
      for _ in 0..<24 { #expect(try stand.client.hit(Self.target).status == 403) }
      #expect(try stand.client.hit(Self.target, at: "api.example").status == 200)
    }
  }

  @Test func sourcesComeAndGo() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      try Self.warm(stand)
      let other = SourceBinding(
        name: "other", patterns: stand.binding.patterns, reader: stand.reader)
      await stand.adopt(sources: [other])
      #expect(try stand.client.hit(Self.target).problem().code == "source_not_found")
      #expect(try stand.client.hit("/v1").body.firstRange(of: Array(#""other""#.utf8)) != nil)
      await stand.adopt()
      #expect(try stand.client.hit(Self.target).status == 200)
    }
  }

  @Test func otherRulesOfFreshnessShowAtOnce() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      try Self.warm(stand)
      var policy = stand.reader.policy
      policy.freshSeconds = 7
      await (try #require(stand.reader as? FeedReader)).adopt(policy)
      await stand.adopt()
      for _ in 0..<24 {
        let reply = try stand.client.hit(Self.target)
        #expect(reply["Cache-Control"]?.hasPrefix("max-age=7,") == true)
      }
    }
  }

  /// A limit that stays keeps what it knows of addresses; another begins anew.
  @Test(arguments: [(2, 429), (3, 200)])
  func aLimitThatStaysIsNotForgotten(_ perMinute: Int, _ status: Int) async throws {
    var settings = ServerSettings()
    settings.requestsPerMinute = 2
    let stand = try await Stand(smallWorld(5), settings: settings, time: HandClock())
    try await Stand.run(stand) { stand in
      let before = try (0..<2).map { _ in try stand.client.get("/v1").status }
      await stand.adopt { $0.requestsPerMinute = perMinute }
      let after = try stand.client.get("/v1").status
      #expect(before == [200, 200] && after == status)
    }
  }

  @Test func whatWaitsIsAnsweredAsItBegan() async throws {
    let stand = try await Stand(
      smallWorld(50), options: Qiita.Options(budget: 1_000, latencyMilliseconds: 300))
    try await Stand.run(stand) { stand in
      let client = stand.client
      async let reply = onThread { try client.get(Self.target) }
      // On a machine that is busy elsewhere it may be over before it is seen.
      while await stand.reader.status.flights == 0, stand.qiita.callCount == 0 {
        try await Task.sleep(for: .milliseconds(1))
      }
      await stand.adopt { $0.gate.apiKeys = [Array(Self.key.utf8)] }
      let (began, after) = (try await reply, try client.get(Self.target))
      #expect(began.status == 200 && after.status == 401)
    }
  }

  @Test func whoListensGoesOnListening() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=5")
      let listener = try EventClient(stand.client.port, "/v1/qiita/items:events")
      _ = try listener.next()
      await stand.adopt { $0.gate.apiKeys = [Array(Self.key.utf8)] }
      let id = stand.qiita.withQiita { $0.world.insert(at: settled) }
      let refreshed = try stand.client.post(
        "/v1/qiita/items:refresh", ["Authorization: Bearer \(Self.key)"])
      #expect(refreshed.status == 200)
      #expect(try listener.next().data.contains(id))
    }
  }

  @Test func countersGoOn() async throws {
    try await Stand.run(try await Self.stand(loops: 1)) { stand in
      for _ in 0..<3 {
        try Self.warm(stand)
        await stand.adopt()
      }
      let text = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
      let count = text.split(separator: "\n")
        .first { $0.hasPrefix(#"tsugi_http_requests_total{route="slice",status="200"}"#) }
      #expect(count?.split(separator: " ").last == "72")
      #expect(text.contains("tsugi_answer_cache_bytes 0\n"))
    }
  }
}
