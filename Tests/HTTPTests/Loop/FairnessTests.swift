import Glibc
import Synchronization
import Testing

@testable import HTTP

/// What one client may take from the others: turns of a loop, and memory.
@Suite struct FairnessTests {
  private static func request(_ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n"
  }

  /// One client has 300 requests in the loop's hands; another's single one comes after the first of
  /// them.
  @Test func aPipelineLetsOthersHaveTheirTurn() async throws {
    let order = Mutex<[String]>([])
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let mayGoOn = Atomic(false)
    try await withServer { request, responder in
      let isFirst = order.withLock { order in
        order.append(request.path)
        return order.count == 1
      }
      if isFirst {
        begin.yield()
        while !mayGoOn.load(ordering: .acquiring) { usleep(100) }
      }
      responder.send(Response(text: "x"))
    } _: { address in
      let other = try RawClient(address)
      let greedy = try RawClient(address)
      try greedy.send(String(repeating: Self.request("/greedy"), count: 300))
      for await _ in begun { break }
      try other.send(Self.request("/other"))
      // The loop stands in the first request until both have sent theirs.
      mayGoOn.store(true, ordering: .releasing)
      _ = try other.receive(until: "\r\n\r\nx")
      let place = order.withLock { $0.firstIndex(of: "/other") }
      #expect(try #require(place) <= 4 * EventLoop.calledPerTurnMax)
    }
  }

  /// 40 clients leave 256 KB each unread, where 2 MB may wait.
  @Test func whatWaitsForAllIsBounded() async throws {
    var limits = Limits()
    limits.heldBytes = 2 << 20
    limits.streamSocketBytes = 4 << 10
    let body = [UInt8](repeating: 120, count: 256 << 10)
    let shortages = Atomic(0)
    var configuration = ServerOptions(loops: 2, limits: limits)
    configuration.noteShortage = { shortages.add(1, ordering: .relaxed) }
    let server = Server(configuration) { request, responder in
      responder.send(
        request.path == "/large" ? Response(body: body) : Response(text: "x"))
    }
    let address = try server.start()
    var deaf: [RawClient] = []
    while server.held.cut < 20 {
      let client = try RawClient(address)
      client.shrinkBuffers()
      // One request after the other: what the system itself holds differs from machine to machine.
      try client.send(String(repeating: Self.request("/large"), count: 60))
      deaf.append(client)
      #expect(server.held.bytes <= 3 * limits.heldBytes / 2 + 2 * (body.count + 65_536))
      let good = try RawClient(address)
      try good.send(Self.request("/small"))
      #expect(try good.receive(until: "\r\n\r\nx").contains("200"))
      try #require(deaf.count < 500)
    }
    #expect(shortages.load(ordering: .relaxed) == 1)
    deaf = []
    await server.stop(drain: .zero)
    #expect(server.held.bytes == 0)
  }

  @Test func headsThatAreNotWholeAreBounded() async throws {
    var limits = Limits()
    limits.heldBytes = 1 << 20
    let server = Server(ServerOptions(limits: limits)) { _, responder in
      responder.send(Response(text: "x"))
    }
    let address = try server.start()
    var clients: [RawClient] = []
    let half = "GET / HTTP/1.1\r\nHost: h\r\nX: " + String(repeating: "x", count: 30_000)
    // Three times what may be held; then the loop only has to come to it.
    while server.held.cut < 10 {
      guard clients.count < 100 else {
        await Task.yield()
        continue
      }
      let client = try RawClient(address)
      try client.send(half)
      clients.append(client)
    }
    // Within a turn of the loop there may be more.
    while server.held.bytes > 3 * limits.heldBytes / 2 { await Task.yield() }
    await server.stop(drain: .zero)
  }

  @Test(arguments: [true, false])
  func bodiesAreKeptOnlyWhereTheyAreWanted(keepsBodies: Bool) async throws {
    var limits = Limits()
    limits.keepsBodies = keepsBodies
    limits.droppedBodyBytes = 6
    try await withServer(limits: limits) { request, responder in
      responder.send(Response(text: "\(request.body.count) bytes"))
    } _: { address in
      let head = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
      let answer = try RawClient(address).exchange(head + "Content-Length: 6\r\n\r\nabcdef")
      #expect(answer.hasSuffix(keepsBodies ? "6 bytes" : "0 bytes"))
      let larger = try RawClient(address).exchange(head + "Content-Length: 7\r\n\r\nabcdefg")
      #expect(larger.hasPrefix("HTTP/1.1 \(keepsBodies ? 200 : 413) "))
    }
  }

  /// Connections that were let in before the stop, and bring their request after it.
  @Test func aStopHearsWhoWasLetIn() async throws {
    var limits = Limits()
    // However long a busy machine keeps the clients.
    limits.drainGrace = .seconds(120)
    (limits.headDeadline, limits.idleTime) = (.seconds(600), .seconds(600))
    let server = Server(ServerOptions(limits: limits)) { request, responder in
      responder.send(Response(text: request.path))
    }
    let address = try server.start()
    let kept = try RawClient(address)
    try kept.send(Self.request("/first"))
    _ = try kept.receive(until: "/first")
    let fresh = try RawClient(address)
    let asking = try RawClient(address)
    // A client may have connected before the loop lets it in.
    while server.connectionCount < 3 { try await Task.sleep(for: .milliseconds(1)) }
    async let stopped: Void = server.stop(drain: .seconds(240))
    // The stop has begun once a reply says that the connection ends.
    var said = ""
    repeat {
      // Other tests may hold all threads but this one, which the stop has to begin on then.
      try await Task.sleep(for: .milliseconds(1))
      try asking.send(Self.request("/asked"))
      said = try asking.receive(until: "/asked")
    } while !said.contains("\r\nConnection: close\r\n")
    for client in [kept, fresh] {
      try client.send(Self.request("/second"))
      let answer = try client.receiveAll()
      #expect(answer.contains("\r\nConnection: close\r\n") && answer.hasSuffix("/second"))
    }
    await stopped
  }
}
