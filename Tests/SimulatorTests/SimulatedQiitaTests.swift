import JSONBytes
import Support
import Testing

@testable import Simulator

@Suite(.serialized) struct SimulatedQiitaTests {
  @Test func servesOverARealPort() async throws {
    try await serving(.still(30)) { qiita, client in
      let reply = client.get(
        "/api/v2/items?per_page=5&page=2", fields: "Authorization: Bearer t\r\n")
      #expect(reply.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(reply.head.contains("\r\nrate-limit: 1000\r\n"))
      #expect(reply.head.contains("\r\ntotal-count: 30\r\n"))
      #expect(
        reply.head.contains("<http://sim.test/api/v2/items?per_page=5&page=1>; rel=\"first\""))
      let count = try reply.elementCount()
      #expect(count == 5)
      #expect(qiita.callCount == 1)
      #expect(qiita.calls.map(\.page) == [2])
      #expect(qiita.calls.map(\.perPage) == [5])
    }
  }

  @Test func promisesMoreThanACutBodyHas() async throws {
    try await serving(.still(30)) { qiita, client in
      qiita.script([.fault(.cut)])
      let reply = client.get("/api/v2/items")
      let promised = try #require(reply.promisedBytes)
      #expect(reply.body.count == promised / 2)
      #expect(throws: JSONError.self) { try reply.elementCount() }
    }
  }

  @Test func resetsTheConnection() async throws {
    try await serving(.still(30)) { qiita, client in
      qiita.script([.fault(.reset)])
      let reply = client.get("/api/v2/items")
      #expect(reply.isReset)
      #expect(reply.head.isEmpty)
    }
  }

  @Test func stopsInTheMiddleOfASlowBody() async throws {
    try await serving(.still(30)) { qiita, client in
      qiita.script([.fault(.slow)])
      let half = qiita.withQiita { qiita in
        var still = Qiita(qiita.world)
        return still.answer(Call("/api/v2/items"), nowSeconds: noon).body.count / 2
      }
      let reply = client.get("/api/v2/items", bodyBytes: half)
      #expect(reply.promisedBytes.map { $0 / 2 } == half)
      #expect(reply.body.count == half)
    }
  }

  @Test func sendsNothingWhereItHangs() async throws {
    let qiita = SimulatedQiita(.still(3)) { noon }
    let client = SocketClient(port: try qiita.start())
    defer { client.close() }
    qiita.script([.fault(.hang)])
    async let reply = onThread { client.get("/api/v2/items") }
    while qiita.callCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    await qiita.stop()
    let head = try await reply.head
    #expect(head.isEmpty)
  }

  @Test func makesADelayedAnswerWhenItIsAskedFor() async throws {
    try await serving(.still(3)) { qiita, client in
      // The second answer shows one item more: it was made later, though it arrives first.
      qiita.script([.delayed(milliseconds: 300), .after { world in world.insert(at: noon) }])
      async let slow = onThread { client.get("/api/v2/items") }
      while qiita.callCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
      let quick = SocketClient(port: try #require(qiita.port))
      defer { quick.close() }
      let quickCount = try quick.get("/api/v2/items").elementCount()
      #expect(quickCount == 4)
      let slowCount = try await slow.elementCount()
      #expect(slowCount == 3)
    }
  }

  @Test func refusesToChangeAnything() async throws {
    try await serving(.still(3)) { qiita, client in
      let reply = client.exchange(
        "POST /api/v2/items HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
      #expect(reply.head.hasPrefix("HTTP/1.1 404 "))
      #expect(qiita.callCount == 0)
    }
  }

  private func serving(
    _ qiita: Qiita, _ body: (SimulatedQiita, SocketClient) async throws -> Void
  ) async throws {
    let simulated = SimulatedQiita(qiita) { noon }
    let client = SocketClient(port: try simulated.start())
    defer { client.close() }
    try await body(simulated, client)
    await simulated.stop()
  }
}
