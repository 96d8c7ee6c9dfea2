import Glibc
import Testing

@testable import HTTP

/// Who goes first when there is no room, as a rule on values.
@Suite struct SheddingTests {
  private typealias Candidate = Shedding.Candidate

  /// The verdict at 1,000 ms on connections drawn as "rank since", slots counting up from 0.
  private func verdict(
    _ drawing: String, limits: Limits = Limits(), isShort: Bool = false
  ) -> Shedding.Verdict {
    let ranks: [Substring: Shedding.Rank] = [
      "mute": .mute, "slow": .slow, "leaving": .leaving, "idle": .idle,
    ]
    let candidates = drawing.split(separator: ",").enumerated().map { index, text in
      let parts = text.split(separator: " ")
      return Candidate(
        rank: ranks[parts[0]] ?? .idle, since: Int64(parts[1]) ?? 0, slot: UInt32(index))
    }
    return Shedding.verdict(on: candidates, now: 1000, limits: limits, isShort: isShort)
  }

  @Test(
    arguments: [
      ("mute 500, mute 400, mute 600", [1]),
      ("slow 1, mute 500", [1]), ("leaving 1, slow 500", [1]), ("idle -9000, leaving 500", [1]),
      ("idle -9000, mute 990", [0]), ("idle -9000, idle -8000", [0]),
    ] as [(String, [UInt32])])
  func theLeastDearAndThenTheLongestGoes(_ drawing: String, _ slots: [UInt32]) {
    #expect(verdict(drawing) == .shed(slots))
  }

  @Test func graceHasTwoSides() {
    var limits = Limits()
    limits.slowGrace = .milliseconds(20)
    limits.idleGrace = .milliseconds(50)
    for rank in ["mute", "slow"] {
      #expect(verdict("\(rank) 980", limits: limits) == .shed([0]))
      #expect(verdict("\(rank) 981", limits: limits) == .wait(1))
    }
    #expect(verdict("leaving 980", limits: limits) == .shed([0]))
    #expect(verdict("leaving 981", limits: limits) == .refuse)
    #expect(verdict("idle 950", limits: limits) == .shed([0]))
    #expect(verdict("idle 951", limits: limits) == .refuse)
  }

  @Test func whoWasAnsweredGoesSoonerWhereDescriptorsAreShort() {
    var limits = Limits()
    limits.idleGraceInShortage = .milliseconds(30)
    #expect(verdict("idle 970", limits: limits, isShort: true) == .shed([0]))
    #expect(verdict("idle 971", limits: limits, isShort: true) == .wait(1))
    #expect(verdict("idle 970", limits: limits) == .refuse)
  }

  @Test func whoseGraceIsOverFirstIsWaitedFor() {
    var limits = Limits()
    limits.slowGrace = .milliseconds(20)
    limits.idleGraceInShortage = .milliseconds(30)
    #expect(verdict("mute 995, slow 985, mute 999", limits: limits) == .wait(5))
    #expect(verdict("mute 995, idle 972", limits: limits, isShort: true) == .wait(2))
    // Who was answered is not waited for where there are descriptors: his grace is long.
    #expect(verdict("mute 995, idle 972", limits: limits) == .wait(15))
  }

  @Test func nobodyGoesWhereNobodyWaits() {
    #expect(verdict("") == .refuse)
    #expect(verdict("", isShort: true) == .refuse)
  }

  @Test(arguments: [(1, 1), (15, 1), (16, 2), (256, 32), (3000, 32)])
  func anEighthGoesAtOnceUpToABound(_ count: Int, _ shed: Int) {
    let drawing = (0..<count).map { "mute \($0 % 900)" }.joined(separator: ",")
    guard case .shed(let slots) = verdict(drawing) else {
      Issue.record("nobody went")
      return
    }
    #expect(slots.count == shed)
  }

  @Test func aBusyConnectionIsNoCandidate() {
    var connection = Connection()
    #expect(connection.candidate(slot: 0, patience: Patience(Limits())) == nil)
    connection.waiting = .output
    #expect(connection.candidate(slot: 0, patience: Patience(Limits())) == nil)
  }

  @Test(
    arguments: [
      (.head, .mute, 15), (.body, .slow, 30), (.linger, .leaving, 2), (.idle, .idle, 75),
    ] as [(Connection.Waiting, Shedding.Rank, Int64)])
  func knowsSinceWhenAConnectionWaits(
    _ waiting: Connection.Waiting, _ rank: Shedding.Rank, _ seconds: Int64
  ) {
    var connection = Connection()
    connection.waiting = waiting
    connection.links.deadline = 100_000
    let expected = Candidate(rank: rank, since: 100_000 - seconds * 1000, slot: 3)
    #expect(connection.candidate(slot: 3, patience: Patience(Limits())) == expected)
  }

  @Test func whoSentPartOfAHeadIsSlow() {
    var connection = Connection()
    connection.waiting = .head
    let held = HeldBytes(MemoryBudget(limitBytes: 1, report: {}), loops: 1)
    connection.incoming = Connection.Incoming(now: 0, held: held)
    #expect(connection.candidate(slot: 0, patience: Patience(Limits()))?.rank == .slow)
  }

  @Test func whoTakesOutputWaitsSinceTheLastByteTaken() {
    var connection = Connection()
    connection.waiting = .output
    connection.outgoing = Connection.Outgoing([[1]], sent: 0, now: 7, limits: Limits())
    #expect(
      connection.candidate(slot: 0, patience: Patience(Limits()))
        == Candidate(rank: .slow, since: 7, slot: 0))
  }
}

@Suite struct DescriptorLimitTests {
  @Test(arguments: [
    (20_000, 10_000, 128), (10_224, 10_000, 128), (10_223, 9_999, 128), (1024, 800, 128),
    (256, 160, 32), (64, 8, 8), (4, 1, 0), (0, 1, 0),
  ])
  func connectionsFitTheDescriptorsThereAre(_ descriptors: Int, _ connections: Int, _ spare: Int) {
    var limits = Limits()
    limits.fit(descriptors: descriptors)
    #expect(limits.connections == connections)
    #expect(limits.spareConnections == spare)
    #expect(limits.areShort == (connections < 10_000))
  }

  @Test func fewConnectionsAreLeftAsTheyAre() {
    var limits = Limits()
    limits.connections = 10
    limits.fit(descriptors: 256)
    #expect(limits.connections == 10)
  }

  @Test func raisingNeverLowers() {
    let now = DescriptorLimit.raise(to: 0)
    #expect(now > 0)
    #expect(DescriptorLimit.raise(to: now - 1) == now)
  }
}

/// What the system tells of a client that stood in its queue.
@Suite struct QueueTimeTests {
  @Test func aMuteClientsTimeInTheQueueCounts() throws {
    let listener = try Listener(Address(host: "127.0.0.1", port: 0))
    let client = try RawClient(Address(host: "127.0.0.1", port: try listener.boundPort))
    usleep(100_000)
    let accepted = Descriptor(Int(try #require(try listener.accept()).descriptor))
    let age = Listener.millisecondsWithoutData(accepted.number)
    // The system counts in ticks of up to 10 ms.
    #expect((80...60_000).contains(age))
    usleep(100_000)
    #expect(Listener.millisecondsWithoutData(accepted.number) >= age + 80)
    withExtendedLifetime(client) {}
  }

  @Test func whatIsNoSocketHasNoAge() {
    #expect(Listener.millisecondsWithoutData(-1) == 0)
  }
}

/// The same rule over sockets: no grace, so that nothing has to be waited for.
@Suite(.serialized) struct CrowdTests {
  private static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

  private static func limits(connections: Int) -> Limits {
    var limits = Limits()
    limits.connections = connections
    limits.slowGrace = .zero
    limits.idleGrace = .seconds(3600)
    // However long a busy machine keeps the clients.
    limits.headDeadline = .seconds(600)
    return limits
  }

  @Test func theOldestMuteConnectionGoesForANewOne() async throws {
    try await withServer(limits: Self.limits(connections: 3)) { address in
      let good = try RawClient(address)
      try good.send(Self.get)
      _ = try good.receive(until: "/a")
      let slow = try RawClient(address)
      try slow.send(Self.get)
      _ = try slow.receive(until: "/a")
      try slow.send("GET /s HTTP/1.1\r\n")
      let mute = try RawClient(address)
      let next = try RawClient(address)
      try next.send(Self.get)
      #expect(try next.receive(until: "/a").hasPrefix("HTTP/1.1 200 "))
      #expect(try mute.receiveAll() == "")
      #expect(try slow.exchange("Host: h\r\n\r\n").hasSuffix("/s"))
      #expect(try good.exchange(Self.get).hasSuffix("/a"))
    }
  }

  @Test(arguments: [
    "GET /s HTTP/1.1\r\n", "POST /s HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc",
    "GET /large HTTP/1.1\r\nHost: h\r\n\r\n",
  ])
  func aSlowConnectionGoesWhereNoneIsMute(_ sent: String) async throws {
    let body = [UInt8](repeating: 0, count: 32 << 20)
    try await withServer(limits: Self.limits(connections: 2)) { request, responder in
      let isLarge = request.path == "/large"
      responder.send(isLarge ? Response(body: body) : Response(text: request.path))
    } _: { address in
      let slow = try RawClient(address)
      try slow.send(sent)
      if sent.contains("large") { _ = try slow.receive(1) }
      var good: [RawClient] = []
      for _ in 0..<2 {
        let client = try RawClient(address)
        try client.send(Self.get)
        #expect(try client.receive(until: "/a").hasPrefix("HTTP/1.1 200 "))
        good.append(client)
      }
      #expect(try slow.receiveAll().utf8.count < body.count)
    }
  }

  @Test func aMuteFloodLeavesRoomForEveryGoodClient() async throws {
    var limits = Self.limits(connections: 8)
    limits.slowGrace = .milliseconds(5)
    try await withServer(limits: limits) { address in
      var mute: [RawClient] = []
      for _ in 0..<40 {
        mute += try (0..<10).map { _ in try RawClient(address) }
        #expect(try RawClient(address).exchange(Self.get).hasSuffix("\r\n\r\n/a"))
      }
    }
  }

  /// A new client comes to a loop that the system chooses; the mute one may be another's.
  @Test func aMuteConnectionOfAnotherLoopGoesForANewOne() async throws {
    let server = Server(ServerOptions(loops: 4, limits: Self.limits(connections: 1))) {
      $1.send(Response(text: $0.path))
    }
    let address = try server.start()
    for _ in 0..<24 {
      let mute = try RawClient(address)
      while server.connectionCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      let next = try RawClient(address)
      try next.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
      #expect(try next.receiveAll().hasPrefix("HTTP/1.1 200 "))
      next.reset()
      mute.reset()
      while server.connectionCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
      // What a loop found when it looked for room holds for 10 ms, and what the others answered.
      try await Task.sleep(for: .milliseconds(25))
    }
    await server.stop(drain: .zero)
  }

  @Test func aClientIsRefusedWhereEveryLoopIsBusy() async throws {
    try await withServer(limits: Self.limits(connections: 1), loops: 4) { address in
      let kept = try RawClient(address)
      try kept.send(Self.get)
      _ = try kept.receive(until: "/a")
      // A client is served until the other loops have answered, since one of them may have room.
      var taken: [RawClient] = []
      let isRefused = try (0..<200).contains { _ in
        let next = try RawClient(address)
        try next.send(Self.get)
        taken.append(next)
        return try next.receive(until: "\r\n").hasPrefix("HTTP/1.1 503 ")
      }
      #expect(isRefused)
      #expect(try kept.exchange(Self.get).hasSuffix("/a"))
    }
  }
}

@Suite struct PeerRoomTests {
  @Test func aLoneLoopRefuses() {
    var room = PeerRoom(loops: 0)
    #expect(room.step(now: 0) == .refuse)
  }

  @Test func theOthersAreAskedAndWaitedFor() {
    var room = PeerRoom(loops: 2)
    #expect(room.step(now: 0) == .ask)
    #expect(room.step(now: 999) == .wait)
    room.take(hasRoom: false, now: 999)
    #expect(room.step(now: 999) == .wait)
    #expect(room.step(now: 1000) == .ask)
  }

  @Test func aRefusalByAllHoldsForAWhile() {
    var room = PeerRoom(loops: 2)
    #expect(room.step(now: 0) == .ask)
    room.take(hasRoom: false, now: 5)
    room.take(hasRoom: false, now: 6)
    #expect(room.step(now: 15) == .refuse)
    #expect(room.step(now: 16) == .ask)
  }

  @Test(arguments: [[true, false], [false, true]])
  func whereOneHasRoomTheyAreAskedAgain(_ answers: [Bool]) {
    var room = PeerRoom(loops: 2)
    #expect(room.step(now: 0) == .ask)
    for answer in answers { room.take(hasRoom: answer, now: 1) }
    #expect(room.step(now: 1) == .ask)
    // An answer that comes too late counts for nothing.
    for _ in 0..<5 { room.take(hasRoom: false, now: 2) }
    #expect(room.step(now: 12) == .ask)
  }
}
