import Bytes
import Feed
import HTTP
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

/// How many feeds one address may open, over sockets.
@Suite(.serialized) struct OpeningRateTests {
  private func stand(_ perMinute: Int, _ clock: HandClock = HandClock()) async throws -> Stand {
    var policy = Policy()
    policy.prefetchItems = 0
    var settings = ServerSettings()
    settings.newFeedsPerMinute = perMinute
    settings.trustedProxies = [try #require(AddressRange("127.0.0.0/8"))]
    return try await Stand(smallWorld(1_000), policy: policy, settings: settings, time: clock)
  }

  private func open(_ index: Int, for address: String, in stand: Stand) throws -> Reply {
    try stand.client.get(
      "/v1/qiita/items?query=word\(index)", ["X-Forwarded-For: \(address)"])
  }

  private func status(_ index: Int, for address: String, in stand: Stand) throws -> Int {
    try open(index, for: address, in: stand).status
  }

  @Test(arguments: [1, 2, 30])
  func oneAddressOpensSoManyFeedsAMinute(perMinute: Int) async throws {
    let clock = HandClock()
    try await Stand.run(try stand(perMinute, clock)) { stand in
      for index in 0..<perMinute {
        #expect(try status(index, for: "192.0.2.1", in: stand) == 200)
      }
      let refused = try open(perMinute, for: "192.0.2.1", in: stand)
      #expect(refused.status == 429)
      #expect(try refused.problem().code == "too_many_requests")
      #expect(try refused.problem().detail.contains("server.newFeedsPerMinute"))
      #expect(refused["Retry-After"] == "\(60 / perMinute)")
      #expect(stand.qiita.callCount == perMinute)
      // What is open may be read on, and others may open.
      #expect(try status(0, for: "192.0.2.1", in: stand) == 200)
      #expect(try status(perMinute, for: "192.0.2.2", in: stand) == 200)
      #expect(try status(perMinute, for: "192.0.2.1", in: stand) == 200)
      clock.advance(.seconds(60 / perMinute))
      #expect(try status(perMinute + 1, for: "192.0.2.1", in: stand) == 200)
      #expect(try status(perMinute + 2, for: "192.0.2.1", in: stand) == 429)
    }
  }

  @Test func noRateIsNoLimit() async throws {
    try await Stand.run(try stand(0)) { stand in
      for index in 0..<100 {
        let status = try status(index, for: "192.0.2.1", in: stand)
        #expect(status == 200)
      }
    }
  }

  @Test func aSeekIsOneOpeningHoweverManyCallsItTakes() async throws {
    try await Stand.run(try stand(3)) { stand in
      let ids = stand.qiita.withQiita { $0.world.ids }
      func seek(_ rank: Int) throws -> Int {
        let second = try #require(
          stand.qiita.withQiita { $0.world.createdAtSeconds(of: ids[rank]) })
        let time = RFC3339.text(Timestamp(seconds: second))
        return try stand.client.get("/v1/qiita/items?startAt=at:\(time)&limit=1").status
      }
      let top = try stand.client.get("/v1/qiita/items?limit=1")
      #expect(top.status == 200)
      #expect(try seek(400) == 200)
      #expect(try seek(800) == 200)
      #expect(stand.qiita.callCount > 3)
      let calls = stand.qiita.callCount
      #expect(try seek(600) == 429)
      // It stands in a run that a seek found.
      #expect(try seek(400) == 200)
      #expect(stand.qiita.callCount == calls)
    }
  }

  @Test func aLookByHandOpensToo() async throws {
    try await Stand.run(try stand(1)) { stand in
      let first = try stand.client.post("/v1/qiita/items:refresh?query=a")
      #expect(first.status == 200)
      let second = try stand.client.post("/v1/qiita/items:refresh?query=b")
      #expect(second.status == 429)
    }
  }

  @Test func aLookByHandAtWhatIsStoredCountsToo() async throws {
    let clock = HandClock()
    try await Stand.run(try stand(2, clock)) { stand in
      for status in [200, 200, 429] {
        let reply = try stand.client.post("/v1/qiita/items:refresh")
        #expect(reply.status == status)
        clock.advance(.seconds(11))
      }
      #expect(stand.qiita.callCount == 2)
    }
  }

  @Test func whoJoinsAFlightOpensNothing() async throws {
    try await Stand.run(try stand(1)) { stand in
      stand.qiita.script([.delayed(milliseconds: 500)])
      let client = stand.client
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<5 { group.addTask { try client.get("/v1/qiita/items?limit=1").status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses == [200, 200, 200, 200, 200])
      #expect(stand.qiita.callCount == 1)
    }
  }

  @Test func whatIsNotThereIsRememberedForAWhile() async throws {
    let clock = HandClock()
    try await Stand.run(try stand(2, clock)) { stand in
      let target = "/v1/qiita/users/no-such-user/items"
      for _ in 0..<3 {
        let reply = try stand.client.get(target)
        #expect(reply.status == 404)
        #expect(reply["Cache-Control"] == "max-age=30")
      }
      #expect(stand.qiita.callCount == 1)
      clock.advance(.seconds(40))
      let again = try stand.client.get(target)
      #expect(again.status == 404)
      #expect(stand.qiita.callCount == 2)
    }
  }

  /// Identities that are none cost a call each: an address may ask for so many a minute.
  @Test func itemsThatAreNotStoredAreOpeningsToo() async throws {
    try await Stand.run(try stand(3)) { stand in
      let known = try stand.client.get("/v1/qiita/items?limit=1").slice().ids
      for index in 0..<10 {
        let reply = try stand.client.get("/v1/qiita/items/none\(index)")
        #expect(reply.status == (index < 2 ? 404 : 429))
      }
      #expect(stand.qiita.callCount == 3)
      // What is stored opens nothing.
      #expect(try stand.client.get("/v1/qiita/items/\(try #require(known.first))").status == 200)
    }
  }

  @Test func whoRefreshesTooOftenIsShownWhatIsStored() async throws {
    let clock = HandClock()
    try await Stand.run(try stand(4, clock)) { stand in
      for _ in 0..<10 {
        let reply = try stand.client.get("/v1/qiita/items?limit=1&refresh=true")
        #expect(reply.status == 200)
        clock.advance(.seconds(10))
        clock.advance(.milliseconds(500))
      }
      // In 105 seconds: the opening, and what four a minute leave for looks.
      #expect((4...10).contains(stand.qiita.callCount))
    }
  }
}
