import Crowd
import Glibc
import HTTP
import Support
import Testing

/// The program among clients that mean no good, with few descriptors: every good request is
/// answered all the same.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AttackTests {
  private static let attackers: [(Attacker.Kind, Int)] = [
    (.slowHead, 300), (.slowBody, 300), (.slowReader, 300), (.mute, 3000),
  ]

  @Test(arguments: [256, 1024])
  func everyGoodRequestIsAnsweredDuringAnAttack(descriptors: Int) async throws {
    try #require(DescriptorLimit.raise(to: 4500) >= 4500, "the test itself needs descriptors")
    let serve = try RunningCommand(
      ["serve", "--demo", "--demo-items", "300", "--port", "0"],
      after: "ulimit -n \(descriptors)")
    let port = try await port(of: serve)
    let target = "/v1/qiita/items?limit=5"
    let steady = try GoodClient(port: port)
    #expect(try steady.ask(target) == "HTTP/1.1 200 OK")
    var attackers: [Attacker] = []
    for (kind, count) in Self.attackers {
      for number in 0..<count {
        attackers.append(try Attacker(kind, port: port))
        guard number % 50 == 0 else { continue }
        let good = try GoodClient(port: port)
        #expect(try good.ask(target) == "HTTP/1.1 200 OK", "\(kind) \(number)")
        #expect(try steady.ask(target) == "HTTP/1.1 200 OK", "\(kind) \(number)")
      }
    }
    for round in 0..<2 {
      for (number, attacker) in attackers.enumerated() {
        try attacker.goOn()
        guard number % 100 == 0 else { continue }
        let good = try GoodClient(port: port)
        #expect(try good.ask(target) == "HTTP/1.1 200 OK", "round \(round)")
        #expect(try steady.ask(target) == "HTTP/1.1 200 OK", "round \(round)")
      }
    }
    attackers = []
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test func survivesThatNoDescriptorIsLeft() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "300", "--port", "0"])
    let port = try await port(of: serve)
    let target = "/v1/qiita/items?limit=5"
    let steady = try GoodClient(port: port)
    #expect(try steady.ask(target) == "HTTP/1.1 200 OK")
    try serve.limitDescriptors(to: 60)
    var attackers: [Attacker] = []
    for _ in 0..<200 {
      attackers.append(try Attacker(.mute, port: port))
      let good = try GoodClient(port: port)
      #expect(try good.ask(target) == "HTTP/1.1 200 OK")
      #expect(try steady.ask(target) == "HTTP/1.1 200 OK")
    }
    attackers = []
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  /// Many clients ask for 100 items eight times each, in forms of their own, before anything is
  /// stored: what one call brings answers all of them. It took 450 MB for 150 clients when each
  /// held what was stored at first.
  @Test func holdsLittleForThoseWhoWaitForOneCall() async throws {
    try #require(DescriptorLimit.raise(to: 1000) >= 1000, "the test itself needs descriptors")
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "300", "--port", "0"])
    let port = try await port(of: serve)
    let attackers = try (0..<(Extent.isAll ? 150 : 100)).map {
      try Attacker(.unread, port: port, number: $0)
    }
    for _ in 0..<(Extent.isAll ? 3 : 1) {
      for attacker in attackers { try attacker.goOn() }
      let good = try GoodClient(port: port)
      #expect(try good.ask("/v1/qiita/items?limit=100") == "HTTP/1.1 200 OK")
    }
    #expect(try serve.memory.most < 256)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }
}
