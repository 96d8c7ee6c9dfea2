import Feed
import HTTP
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct FinishedAnswerTests {
  private static let target = "/v1/qiita/items?limit=5"

  /// The field lines that a reply shares with others to the same request.
  private func shared(_ reply: Reply) -> Set<String> {
    let own: Set = ["Date", "X-Request-Id", "Connection"]
    return Set(reply.fields.filter { !own.contains($0.name) }.map { "\($0.name): \($0.value)" })
  }

  @Test func aHitSaysWhatTheFirstAnswerSaid() async throws {
    try await Stand.run(try await Stand(smallWorld(50), time: HandClock())) { stand in
      _ = try stand.client.get(Self.target)
      let first = try stand.client.get(Self.target)
      let replies = try stand.client.ask(
        ["GET", "GET", "HEAD", "GET"].map { ($0, Self.target) }, [])
      #expect(replies.count == 4)
      for (index, reply) in replies.enumerated() {
        let names = Set(first.fields.map(\.name)).subtracting(["Connection"])
        #expect(Set(reply.fields.map(\.name)) == names)
        for name in names.subtracting(["Date", "X-Request-Id"]) {
          #expect(reply[name] == first[name], "\(name)")
        }
        #expect(reply.body == (index == 2 ? [] : first.body))
      }
      #expect(Set(replies.map { $0["X-Request-Id"] }).count == 4)
    }
  }

  /// Whatever else was asked before, alone or with others in one piece: each request is answered as
  /// it is when it comes the long way.
  @Test func aHeadThatComesAgainIsAnsweredAsTheFirstTime() async throws {
    var policy = Stand.policy
    policy.prefetchItems = 0
    let stand = try await Stand(smallWorld(25), policy: policy, time: HandClock())
    try await Stand.run(stand) { stand in
      let tag = try #require(try stand.client.get(Self.target)["ETag"])
      let asked: [(method: String, target: String, lines: [String])] = [
        ("GET", Self.target, []), ("HEAD", Self.target, []), ("GET", Self.target + "0", []),
        ("GET", Self.target, ["If-None-Match: \(tag)"]),
        ("HEAD", Self.target, ["If-None-Match: \(tag)"]),
        ("GET", Self.target, ["If-None-Match: W/\"x\""]),
        ("GET", Self.target, ["Accept-Encoding: gzip"]), ("GET", Self.target, ["accept: */*"]),
        ("GET", "/v1/qiita/items?limit=5&fields=id", []),
      ]
      let long = try asked.map { try stand.client.get($0.target, $0.lines, method: $0.method) }
      for _ in 0..<300 {
        let chosen = (0..<Int.random(in: 1...3)).map { _ in Int.random(in: asked.indices) }
        let heads = chosen.map { index in
          (["\(asked[index].method) \(asked[index].target) HTTP/1.1", "Host: localhost"]
            + asked[index].lines).joined(separator: "\r\n") + "\r\n\r\n"
        }
        var bytes = try stand.client.exchange(heads.joined())[...]
        for index in chosen {
          let reply = try Client.takeReply(to: asked[index].method, from: &bytes)
          #expect(reply.status == long[index].status)
          #expect(reply.body == long[index].body)
          #expect(shared(reply) == shared(long[index]))
        }
        #expect(bytes.isEmpty)
      }
    }
  }

  @Test func aCountThatChangesShowsAtOnceOnEveryLoop() async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 0
    var settings = ServerSettings()
    settings.loops = 4
    let stand = try await Stand(smallWorld(50), policy: policy, settings: settings)
    try await Stand.run(stand) { stand in
      let id = try #require(try stand.client.get(Self.target).slice().ids.first)
      for _ in 0..<5 {
        let before = try (0..<24).map { _ in try stand.client.hit(Self.target)["ETag"] }
        #expect(Set(before).count == 1)
        stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
        let refreshed = try stand.client.get(Self.target + "&refresh=true")["ETag"]
        #expect(refreshed != before[0])
        for _ in 0..<24 { #expect(try stand.client.hit(Self.target)["ETag"] == refreshed) }
      }
    }
  }

  @Test func ageAndStateFollowTheClock() async throws {
    let clock = HandClock()
    // So few items that the first window ends the feed: nothing is fetched ahead.
    try await Stand.run(try await Stand(smallWorld(25), time: clock)) { stand in
      let first = try stand.client.get(Self.target).slice()
      for seconds in [0, 1, 59] {
        if seconds > 0 { clock.advance(.seconds(seconds == 59 ? 58 : 1)) }
        for _ in 0..<3 {
          let reply = try stand.client.hit(Self.target)
          #expect(reply["Age"] == "\(seconds)")
          #expect(reply["Cache-Status"] == "Tsugi; hit; ttl=\(60 - seconds)")
          #expect(try reply.slice().envelope.freshness.state == "fresh")
        }
      }
      #expect(stand.qiita.callCount == 1)
      // The upstream's clock is the machine's: a second answer with the same `Date` is a copy.
      try await Task.sleep(for: .milliseconds(1_100))
      clock.advance(.seconds(1))
      let stale = try stand.client.hit(Self.target)
      #expect(stale["Age"] == "60")
      #expect(try stale.slice().envelope.freshness.state == "stale")
      // It was looked at behind the reply, and the answer then kept went with the look.
      var next = stale
      while next["Age"] == "60" { next = try stand.client.hit(Self.target) }
      #expect(next["Age"] == "0")
      #expect(try next.slice().envelope.freshness.state == "fresh")
      #expect(try next.slice().ids == first.ids)
      #expect(stand.qiita.callCount == 2)
    }
  }

  @Test func keysHostsAndOriginsAreLookedAtFirst() async throws {
    var settings = ServerSettings()
    settings.gate.apiKeys = [Array("secret".utf8)]
    settings.gate.allowedOrigins = ["https://app.example"]
    let key = "Authorization: Bearer secret"
    try await Stand.run(try await Stand(smallWorld(50), settings: settings)) { stand in
      for _ in 0..<3 {
        let reply = try stand.client.hit(Self.target, [key])
        #expect(reply.status == 200)
        #expect(reply["Vary"] != nil && reply["Access-Control-Allow-Origin"] == nil)
        let page = try stand.client.hit(Self.target, [key, "Origin: https://app.example"])
        #expect(page["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(try stand.client.hit(Self.target).status == 401)
        #expect(try stand.client.hit(Self.target, [key + "x"]).status == 401)
        #expect(try stand.client.hit(Self.target, [key, key]).status == 200)
      }
    }
    settings.gate = Gate()
    settings.gate.allowedHosts = ["tsugi.example"]
    try await Stand.run(try await Stand(smallWorld(50), settings: settings)) { stand in
      for _ in 0..<3 {
        let served = try stand.client.hit("http://tsugi.example\(Self.target)")
        #expect(served.status == 200)
        #expect(try stand.client.hit(Self.target).status == 403)
      }
    }
  }

  @Test func aKnownTagGetsNoBody() async throws {
    var policy = Stand.policy
    // What is fetched ahead changes `seq`.
    policy.prefetchItems = 0
    try await Stand.run(try await Stand(smallWorld(25), policy: policy, time: HandClock())) {
      stand in
      _ = try stand.client.get(Self.target)
      let whole = try stand.client.hit(Self.target)
      let tag = try #require(whole["ETag"])
      let long = try stand.client.get(Self.target, ["If-None-Match: \"x\", \(tag)"])
      for known in [tag, "\"x\", \(tag)", "*"] {
        let reply = try stand.client.hit(Self.target, ["If-None-Match: \(known)"])
        #expect(reply.status == 304, "\(known)")
        #expect(
          Set(reply.fields.map(\.name))
            == Set(long.fields.map(\.name)).subtracting(["Connection"]))
        for name in ["ETag", "Cache-Control", "Age", "Link"] { #expect(reply[name] == whole[name]) }
      }
      let other = try stand.client.hit(Self.target, ["If-None-Match: W/\"x\""])
      #expect(other.status == 200)
      #expect(other.body == whole.body)
    }
  }

  @Test func theRequestsOwnIDIsGivenBack() async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
      for _ in 0..<3 {
        let good = try stand.client.hit(Self.target, ["X-Request-Id: a.B_9-"])
        #expect(good["X-Request-Id"] == "a.B_9-")
        let bad = try stand.client.hit(Self.target, ["X-Request-Id: a/b"])
        #expect(bad["X-Request-Id"] != "a/b" && bad["X-Request-Id"]?.isEmpty == false)
      }
    }
  }

  /// Until the instant that is told, freshness does not change; at it, it does or a second passes.
  @Test func freshnessStandsUntilTheInstantTold() {
    for _ in 0..<5_000 {
      var policy = Policy()
      policy.freshSeconds = .random(in: 0...20)
      policy.staleSeconds = .random(in: 0...40)
      policy.recheckSeconds = .random(in: 0...40)
      let proof = Proof(
        upper: .top, lower: .bottom, provenAt: Timestamp(milliseconds: .random(in: 0...40_000)),
        count: 1, rankBelow: 1)
      let now = Timestamp(milliseconds: .random(in: 0...90_000))
      func freshness(at instant: Timestamp) -> Freshness {
        Freshness(
          of: [proof], lookedAt: Timestamp(milliseconds: 20_500), policy: policy, at: instant)
      }
      let end = freshness(at: now).changesAt(after: now, by: policy)
      #expect(end > now)
      let later = Timestamp(milliseconds: .random(in: now.milliseconds..<end.milliseconds))
      #expect(freshness(at: later) == freshness(at: now))
      if freshness(at: now).state == .fresh {
        #expect(freshness(at: end).state != .fresh)
      }
    }
  }
}
