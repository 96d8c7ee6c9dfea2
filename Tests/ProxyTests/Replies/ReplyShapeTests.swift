import Feed
import Foundation
import Simulator
import Testing
import Wire

@testable import Proxy

/// Replies are as ``Shape/all`` says: nothing more, nothing less, in that order. Each slice and
/// problem of the other suites is held to it as well, where ``Reply`` reads it.
@Suite(.serialized) struct ReplyShapeTests {
  @Test func namesOfTheTableAreThoseOfTheRules() throws {
    func names(_ shape: String, _ member: String) throws -> [String] {
      let members = try #require(Shape.named(shape)).members
      switch try #require(members.first { $0.name == member }).value {
      case .oneOf(let names), .orNull(.oneOf(let names)): return names
      default: return []
      }
    }
    #expect(try names("Slice", "endReason") == EndReason.allCases.map(\.rawValue))
    #expect(try names("Freshness", "state") == Freshness.State.allCases.map(\.rawValue))
    #expect(try names("Flight", "purpose") == Purpose.allCases.map { "\($0)" })
    #expect(try names("Status", "order") == FeedOrder.allCases.map(\.rawValue))
    #expect(try names("Pattern", "order") == FeedOrder.allCases.map(\.rawValue))
  }

  @Test func aResetHasItsShape() throws {
    let event = EventText.reset(to: SequenceNumber(epoch: "a", number: 1))
    let data = try #require(String(decoding: event, as: UTF8.self).firstMatch(of: /data: (.*)\n/))
    #expect(try #require(Shape.named("Reset")).faults(in: Array(data.output.1.utf8)).isEmpty)
  }

  @Test(arguments: [
    ("GET", "/v1/qiita/items?limit=2", "Slice", 200),
    ("GET", "/v1/qiita/items?limit=60", "Slice", 200),
    ("GET", "/v1/qiita/items?limit=2&endAt=at:2300-01-01T00:00:00Z", "Slice", 200),
    ("GET", "/v1", "Index", 200), ("GET", "/healthz", "State", 200),
    ("GET", "/readyz", "State", 200), ("GET", "/v1/qiita/items:status", "Status", 200),
    ("POST", "/v1/qiita/items:refresh", "Status", 200),
    ("GET", "/v1/qiita/items?limit=0", "Problem", 400), ("GET", "/none", "Problem", 404),
    ("GET", "/api/v2/items?page=0", "QiitaError", 400),
  ])
  func replyHasItsShape(
    method: String, target: String, shape: String, status: Int
  ) async throws {
    try await Stand.run(try await Stand(smallWorld(50))) { stand in
      // Twice: a feed that nobody has asked for, and one that is known.
      for _ in 0..<2 {
        let reply =
          method == "POST" ? try stand.client.post(target) : try stand.client.get(target)
        #expect(reply.status == status)
        #expect(reply.faults(as: shape).isEmpty, "\(reply.faults(as: shape))")
        if method == "GET" { _ = try stand.client.get("/v1/qiita/items?limit=2") }
      }
    }
  }

  @Test func aGapAndItsFillingHaveTheirShapes() async throws {
    try await Stand.run(try await VerbTests.standWithGap(of: 300)) { stand in
      #expect(try stand.client.post("/v1/qiita/items:refresh").faults(as: "Status").isEmpty)
      let status = try stand.client.get("/v1/qiita/items:status")
      #expect(status.faults(as: "Status").isEmpty)
      let known = try JSONDecoder().decode(StatusEnvelope.self, from: Data(status.body))
      let gap = try #require(known.gaps.first)
      let slice = try stand.client.get("/v1/qiita/items?limit=100&wait=0")
      #expect(slice.faults(as: "Slice").isEmpty)
      #expect(try slice.slice().envelope.gap != nil)
      let filling = try stand.client.post("/v1/qiita/items:fill?gap=\(gap.id)")
      #expect(filling.faults(as: "Filling").isEmpty, "\(filling.faults(as: "Filling"))")
    }
  }

  /// A changed, a moved and a deleted element, as a page of changes and as events.
  @Test func changesAndEventsHaveTheirShapes() async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(50), policy: policy)) { stand in
      let first = try stand.client.get("/v1/qiita/items?limit=50").slice()
      stand.qiita.withQiita { qiita in
        _ = qiita.world.insert(at: settled)
        _ = qiita.world.delete(id: first.ids[3])
      }
      for _ in 0..<3 { _ = try stand.client.post("/v1/qiita/items:refresh") }
      let changes = try stand.client.get("/v1/qiita/items:changes?since=\(first.envelope.seq)")
      #expect(changes.faults(as: "Changes").isEmpty, "\(changes.faults(as: "Changes"))")
      let ops = try JSONDecoder().decode(ChangesTests.Body.self, from: Data(changes.body)).changes
        .map(\.op)
      #expect(Set(ops) == ["upsert", "delete"])
      let events = try EventClient(
        stand.client.port, "/v1/qiita/items:events", lines: ["Last-Event-ID: \(first.envelope.seq)"]
      )
      let change = try #require(Shape.named("Change"))
      // The first tells only its place.
      #expect(try events.next().data.isEmpty)
      for _ in ops {
        let event = try events.next()
        #expect(change.faults(in: Array(event.data.utf8)).isEmpty, "\(event)")
      }
    }
  }
}
