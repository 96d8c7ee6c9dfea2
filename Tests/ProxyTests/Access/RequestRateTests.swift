import Feed
import HTTP
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct RequestRateTests {
  private func peer(_ text: String) throws -> Peer { try #require(Peer(text)) }

  private func direct(_ peer: Peer) -> ClientAddress { ClientAddress(peer: peer, isLocal: false) }

  @Test func aBurstPassesThenOneAtATime() throws {
    let rate = RequestRate(perMinute: 60)
    let one = try peer("192.0.2.1")
    func wait(_ milliseconds: Int64) -> Duration? {
      rate.wait(of: direct(one), at: Timestamp(milliseconds: milliseconds))
    }
    for _ in 0..<60 { #expect(wait(1_000_000) == nil) }
    #expect(wait(1_000_000) == .seconds(1))
    #expect(wait(1_000_400) == .milliseconds(600))
    #expect(wait(1_001_000) == nil)
    #expect(wait(1_001_000) == .seconds(1))
    let other = try peer("192.0.2.2")
    #expect(rate.wait(of: direct(other), at: Timestamp(seconds: 1_001)) == nil)
    for _ in 0..<60 { #expect(wait(1_062_000) == nil) }
    #expect(wait(1_062_000) != nil)
  }

  @Test func aClockSetBackLocksNobodyOutForLong() throws {
    let rate = RequestRate(perMinute: 1)
    let one = try peer("192.0.2.1")
    #expect(rate.wait(of: direct(one), at: Timestamp(seconds: 9_000)) == nil)
    #expect(rate.wait(of: direct(one), at: Timestamp(seconds: 1_000)) == .seconds(60))
    #expect(rate.wait(of: direct(one), at: Timestamp(seconds: 1_060)) == nil)
  }

  /// Forgetting who was silent for a minute never changes an answer, and no stretch of time lets
  /// more than its share and one burst pass.
  @Test func countsLikeOneThatForgetsNothing() throws {
    for _ in 0..<20 {
      let perMinute = Int.random(in: 1...20)
      let interval = 60_000_000 / Int64(perMinute)
      let rate = RequestRate(perMinute: perMinute)
      let peers = try (1...5).map { try peer("192.0.2.\($0)") }
      var paid = [Int64](repeating: 0, count: peers.count)
      var passed: [[Int64]] = peers.map { _ in [] }
      var now: Int64 = 1_000_000
      for _ in 0..<2_000 {
        now += Bool.random() ? 0 : Int64.random(in: 0...(Bool.random() ? 500 : 70_000))
        let index = Int.random(in: peers.indices)
        let place = max(paid[index], now * 1000)
        let isAllowed = place + interval - now * 1000 <= 60_000_000
        let wait = rate.wait(
          of: direct(peers[index]), at: Timestamp(milliseconds: now))
        #expect((wait == nil) == isAllowed)
        guard isAllowed else { continue }
        paid[index] = place + interval
        passed[index].append(now)
      }
      for times in passed {
        for (first, start) in times.enumerated() {
          guard let last = times.indices.dropFirst(first).randomElement() else { continue }
          let share = Int((times[last] - start) * 1000 / interval) + perMinute + 1
          #expect(last - first + 1 <= share)
        }
      }
    }
  }

  /// Addresses invented by the million take no more memory than so many known ones.
  @Test func knowsABoundedNumberOfAddresses() throws {
    let rate = RequestRate(perMinute: 1)
    let now = Timestamp(seconds: 1_000)
    for index in 0..<3 * RequestRate.addressesMax {
      let address = try peer(
        "2001:db8:\(String(index >> 16, radix: 16)):\(String(index & 0xffff, radix: 16))::1")
      #expect(rate.wait(of: direct(address), at: now) == nil)
    }
    #expect(rate.addressCount <= 2 * RequestRate.addressesMax)
    // The latest are known still, the first forgotten.
    #expect(rate.wait(of: direct(try peer("2001:db8:2:ffff::1")), at: now) != nil)
    #expect(rate.wait(of: direct(try peer("2001:db8:0:0::1")), at: now) == nil)
  }

  /// Out of a loop's memory as well.
  @Test func countsTheClientThatATrustedProxyNames() async throws {
    var settings = ServerSettings()
    settings.requestsPerMinute = 5
    settings.trustedProxies = [try #require(AddressRange("127.0.0.1"))]
    let stand = try await Stand(smallWorld(50), settings: settings, time: HandClock())
    try await Stand.run(stand) { stand in
      for address in ["203.0.113.8", "203.0.113.9"] {
        let statuses = try (0..<6).map { _ in
          try stand.client.hit("/v1/qiita/items", ["X-Forwarded-For: 192.0.2.1, \(address)"]).status
        }
        #expect(statuses == [200, 200, 200, 200, 200, 429])
      }
    }
  }

  @Test func tooManyRequestsGetTheirError() async throws {
    var settings = ServerSettings()
    settings.requestsPerMinute = 30
    settings.loops = 2
    settings.gate.apiKeys = [Array("secret".utf8)]
    let key = "Authorization: Bearer secret"
    let stand = try await Stand(smallWorld(50), settings: settings, time: HandClock())
    try await Stand.run(stand) { stand in
      for _ in 0..<10 { _ = try stand.client.get("/v1/qiita/items", [key]) }
      for _ in 0..<10 { _ = try stand.client.hit("/v1/qiita/items", [key]) }
      for _ in 0..<10 { _ = try stand.client.hit("/v1/qiita/items", [key + "x"]) }
      for reply in [
        try stand.client.get("/v1/qiita/items", [key]),
        try stand.client.hit("/v1/qiita/items", [key]), try stand.client.hit("/v1"),
      ] {
        #expect(reply.status == 429)
        #expect(reply["Retry-After"] == "2")
        let problem = try reply.problem()
        #expect(problem.code == "too_many_requests")
      }
      let health = try stand.client.get("/healthz")
      #expect(health.status == 200)
    }
  }
}
