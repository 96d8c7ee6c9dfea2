import Feed
import Foundation
import Glibc
import HTTP
import History
import Simulator
import Testing
import Wire

@testable import Proxy

/// `…:events` over sockets.
@Suite(.serialized) struct EventsTests {
  /// Has the simulated upstream change, and the server look at it.
  @discardableResult
  private func insert(_ stand: Stand, _ count: Int = 1) throws -> [String] {
    let ids = stand.qiita.withQiita { qiita in
      (0..<count).map { _ in qiita.world.insert(at: settled) }
    }
    let reply = try stand.client.post("/v1/qiita/items:refresh")
    #expect(reply.status == 200)
    return ids
  }

  @Test func tellsWhatChanges() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let client = try EventClient(stand.client.port, "/v1/qiita/items:events")
      #expect(client.head.contains("Content-Type: text/event-stream"))
      #expect(try client.next() == EventClient.Event(id: seq))
      let id = try insert(stand)[0]
      let event = try client.next()
      #expect(event.id == event.change?.seq)
      #expect(event.change?.op == "upsert")
      #expect(event.data.hasSuffix(#""item":{"id":"\#(id)"}}"#))
    }
  }

  @Test func itemsHaveTheFieldsAskedFor() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=5")
      let client = try EventClient(
        stand.client.port, "/v1/qiita/items:events?fields=title,user.id")
      _ = try client.next()
      try insert(stand)
      let data = try client.next().data
      #expect(data.contains(#""title":"#) && data.contains(#""user":{"id":"#))
      #expect(!data.contains("rendered_body"))
    }
  }

  /// Whoever comes again gets what it missed, and then what happens.
  @Test(arguments: [true, false])
  func resumesWhereItWas(byHeader: Bool) async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let missed = try insert(stand, 3)
      let target = "/v1/qiita/items:events"
      let client = try EventClient(
        stand.client.port, byHeader ? target : target + "?since=\(seq)",
        lines: byHeader ? ["Last-Event-ID: \(seq)"] : [])
      #expect(try client.next() == EventClient.Event(id: seq))
      let told = try (0..<3).map { _ in try client.next().change?.item?.id }
      #expect(Set(told) == Set(missed))
      let id = try insert(stand)[0]
      #expect(try client.next().change?.item?.id == id)
    }
  }

  /// Both who has all there was, and who has yet to be told of it.
  @Test(arguments: [true, false])
  func goesOnWhenTheStoreCanBeReadAgain(isBehind: Bool) async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      var expected = isBehind ? Set(try insert(stand, 3)) : []
      if isBehind { stand.faults.failReading(with: .failed(code: 10, message: "no disk")) }
      let client = try EventClient(stand.client.port, "/v1/qiita/items:events?since=\(seq)")
      #expect(try client.next() == EventClient.Event(id: seq))
      if !isBehind {
        // Told in order: what it is told next shows that it is up to date.
        expected = Set(try insert(stand))
        #expect(try client.next().change?.item?.id == expected.first)
        stand.faults.failReading(with: .failed(code: 10, message: "no disk"))
        expected = Set(try insert(stand, 2))
      }
      await settle()
      stand.faults.failReading(with: nil)
      let told = try expected.map { _ in try client.next().change?.item?.id }
      #expect(Set(told) == expected)
      let last = try insert(stand)[0]
      #expect(try client.next().change?.item?.id == last)
    }
  }

  /// Lets what was begun come to where it fails.
  private func settle() async { try? await Task.sleep(for: .milliseconds(300)) }

  @Test func theHeaderCountsMoreThanWhereItBegan() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let first = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      try insert(stand, 2)
      let last = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let client = try EventClient(
        stand.client.port, "/v1/qiita/items:events?since=\(first)",
        lines: ["Last-Event-ID: \(last)"])
      #expect(try client.next() == EventClient.Event(id: last))
      let id = try insert(stand)[0]
      #expect(try client.next().change?.item?.id == id)
    }
  }

  @Test func resumesAfterARestart() async throws {
    var world = smallWorld(30)
    var policy = Stand.policy
    policy.refreshSeconds = 0
    let path = NSTemporaryDirectory() + "tsugi-events-\(UUID().uuidString).sqlite"
    let before = try await Stand(world, policy: policy, path: path)
    let seq = try before.client.get("/v1/qiita/items?limit=30").slice().envelope.seq
    await before.stop(keepsStore: true)
    let missed = world.insert(at: settled)
    try await Stand.run(try await Stand(world, policy: policy, path: path)) { stand in
      #expect(try stand.client.post("/v1/qiita/items:refresh").status == 200)
      let client = try EventClient(
        stand.client.port, "/v1/qiita/items:events", lines: ["Last-Event-ID: \(seq)"])
      #expect(try client.next() == EventClient.Event(id: seq))
      #expect(try client.next().change?.item?.id == missed)
    }
  }

  /// What a number of another store stands for is not known: begin again, and go on from here.
  @Test(arguments: ["another1.3", "no number"])
  func tellsToBeginAgain(last: String) async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let client = try EventClient(
        stand.client.port, "/v1/qiita/items:events", lines: ["Last-Event-ID: \(last)"])
      // It begins with the number that was sent, where that is one.
      if last != "no number" { #expect(try client.next() == EventClient.Event(id: last)) }
      let event = try client.next()
      #expect(event.id == seq && event.change?.op == "reset" && event.change?.seq == seq)
      let id = try insert(stand)[0]
      #expect(try client.next().change?.item?.id == id)
    }
  }

  /// Nobody asks but whoever listens.
  @Test func theTopIsLookedAtWhileSomebodyListens() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let client = try EventClient(stand.client.port, "/v1/qiita/items:events")
      _ = try client.next()
      let id = stand.qiita.withQiita { $0.world.insert(at: settled) }
      #expect(try client.next().change?.item?.id == id)
    }
  }

  @Test func aFeedThatIsNotThereIsNotListenedTo() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let reply = try stand.client.get("/v1/qiita/users/nobody-at-all/items:events")
      #expect(reply.status == 404)
      #expect(try reply.problem().code == "feed_not_found")
    }
  }

  @Test(arguments: [
    ("limit=5", "invalid_parameter"), ("since=nonsense", "invalid_parameter"),
    ("fields=a..b", "invalid_fields"), ("wait=-1", "invalid_parameter"),
  ])
  func refuses(query: String, code: String) async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let reply = try stand.client.get("/v1/qiita/items:events?\(query)")
      #expect(reply.status == 400)
      #expect(try reply.problem().code == code)
    }
  }

  @Test func headIsTheHeadAlone() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let reply = try stand.client.get("/v1/qiita/items:events", method: "HEAD")
      #expect(reply.status == 200 && reply["Content-Type"] == "text/event-stream")
    }
  }

  @Test func metricsAndStatusTellWhoListens() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      let targets = ["", "", "?fields=title"].map { "/v1/qiita/items:events\($0)" }
      let clients = try targets.map { try EventClient(stand.client.port, $0) }
      for client in clients { _ = try client.next() }
      let reply = try stand.client.get("/metrics")
      #expect(String(decoding: reply.body, as: UTF8.self).contains("\ntsugi_event_listeners 3\n"))
      let status = try stand.client.get("/v1/qiita/items:status")
      #expect(String(decoding: status.body, as: UTF8.self).contains(#""listeners":3"#))
    }
  }

  /// What is on more than one line stays one event.
  @Test func dataMayGoOverLines() {
    var text: [UInt8] = []
    EventText.append(Array("{\r\n\"a\":\n1}".utf8), id: "e.1", to: &text)
    #expect(String(decoding: text, as: UTF8.self) == "id: e.1\ndata: {\ndata: \"a\":\ndata: 1}\n\n")
  }

  /// A program that knows nothing of us; where it is not installed there is nothing to show.
  @Test(.enabled(if: access("/usr/bin/curl", X_OK) == 0))
  func curlGetsEventsAsTheyHappen() async throws {
    try await Stand.run(try await ChangesTests.stand()) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=5")
      let curl = Process()
      curl.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
      curl.arguments = [
        "-sN", "--max-time", "30", "http://127.0.0.1:\(stand.client.port)/v1/qiita/items:events",
      ]
      let output = Pipe()
      curl.standardOutput = output
      try curl.run()
      var text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let id = try insert(stand)[0]
      while !text.contains(id) {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      #expect(text.contains(#""item":{"id":"\#(id)"}}"#))
      kill(curl.processIdentifier, SIGKILL)
      curl.waitUntilExit()
    }
  }
}

/// A second that is over upstream, so that what stands in it is told at once.
var settled: Int64 { Int64(Date().timeIntervalSince1970) - 300 }
