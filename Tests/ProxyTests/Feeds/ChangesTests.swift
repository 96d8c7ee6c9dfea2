import Feed
import Foundation
import JSONBytes
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

/// `…:changes` over sockets.
@Suite(.serialized) struct ChangesTests {
  /// A reply as it is read here.
  struct Body: Decodable {
    struct Change: Decodable {
      struct Item: Decodable { var id: String }
      var op: String
      var seq: String
      var cursor: String?
      var item: Item?
      var id: String?
      var moved: Bool?
    }
    struct Freshness: Decodable { var state: String }
    struct Total: Decodable { var value: Int }
    var freshness: Freshness?
    var total: Total?
    var changes: [Change]
    var limit: Int
    var hasMore: Bool
    var nextSince: String
    var next: String?

    init(_ reply: Reply) throws {
      self = try JSONDecoder().decode(Body.self, from: Data(reply.body))
    }
  }

  /// A stand over a small world whose top is looked at with every refresh.
  static func stand(_ count: Int = 30, recheckSeconds: Int64 = 3_600) async throws -> Stand {
    var policy = Stand.policy
    policy.recheckSeconds = recheckSeconds
    policy.refreshSeconds = 0
    policy.freshSeconds = 0
    policy.prefetchItems = 0
    policy.firstWindow = 100
    return try await Stand(smallWorld(count), policy: policy)
  }

  @Test func aWalkGoesOnWithWhatChanges() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      let first = try stand.client.get("/v1/qiita/items?limit=5").slice()
      let gone = first.ids[1]
      let new = stand.qiita.withQiita { qiita in
        qiita.world.delete(id: gone)
        return qiita.world.insert(at: settled)
      }
      for _ in 0..<3 { _ = try stand.client.get("/v1/qiita/items?limit=1&refresh=true") }
      let seq = first.envelope.seq
      let body = try Body(
        stand.client.get("/v1/qiita/items:changes?since=\(seq)&fields=title"))
      #expect(body.changes.map(\.op).sorted() == ["delete", "upsert"])
      #expect(body.changes.compactMap { $0.item?.id } == [new])
      #expect(body.changes.filter { $0.op == "delete" }.map(\.id) == [gone])
      #expect(body.changes.compactMap { $0.item?.id ?? $0.id } == body.changes.compactMap(\.id))
      #expect(!body.hasMore && body.next == nil)
      // The cursor is a place of the feed.
      let cursor = try #require(body.changes.compactMap(\.cursor).first)
      let at = try stand.client.get("/v1/qiita/items?limit=1&startAt=\(cursor)").slice()
      #expect(at.ids == [new])
      // Nothing is told twice.
      let rest = try Body(
        stand.client.get("/v1/qiita/items:changes?since=\(body.nextSince)"))
      #expect(rest.changes.isEmpty && rest.nextSince == body.nextSince)
    }
  }

  /// What is read further down, or for the first time, is no change: it takes no number.
  @Test func whatIsMerelyLearntIsNotTold() async throws {
    try await Stand.run(try await Self.stand(700, recheckSeconds: 0)) { stand in
      let first = try stand.client.get("/v1/qiita/items?limit=20").slice()
      _ = try stand.client.walk("/v1/qiita/items?limit=100")
      let later = try stand.client.get("/v1/qiita/items?limit=20&refresh=true").slice()
      #expect(later.envelope.seq == first.envelope.seq)
      let body = try Body(
        stand.client.get("/v1/qiita/items:changes?since=\(first.envelope.seq)&fields=id"))
      #expect(body.changes.isEmpty && !body.hasMore && body.nextSince == first.envelope.seq)
      // An edit far down is one, and so is an article with a date of long ago.
      let (edited, late) = stand.qiita.withQiita { qiita in
        let ids = qiita.world.ids
        let second = qiita.world.createdAtSeconds(of: ids[450]) ?? 0
        qiita.world.touch(id: ids[400])
        return (ids[400], qiita.world.insert(at: second))
      }
      var ids: Set<String> = []
      for _ in 0..<200 where ids.count < 2 {
        _ = try stand.client.walk("/v1/qiita/items?limit=100")
        let told = try Body(
          stand.client.get("/v1/qiita/items:changes?since=\(first.envelope.seq)&fields=id"))
        ids = Set(told.changes.compactMap { $0.item?.id })
      }
      #expect(ids == [edited, late])
    }
  }

  /// It is sent to who asks for it, once, between the changes.
  @Test func whatIsMerelyLearntIsSentToWhoAsks() async throws {
    try await Stand.run(try await Self.stand(300)) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=20").slice().envelope.seq
      let ids = try stand.client.walk("/v1/qiita/items?limit=100").flatMap(\.ids)
      var (target, sent): (String?, [String]) = (
        "/v1/qiita/items:changes?since=\(seq)&limit=90&fields=id&learned=true", []
      )
      var next = seq
      while let page = try target.map({ try Body(stand.client.get($0)) }) {
        #expect(page.changes.allSatisfy { $0.op == "upsert" && $0.item?.id == $0.id })
        sent += page.changes.compactMap(\.id)
        (target, next) = (page.next, page.nextSince)
      }
      #expect(sent.sorted() == ids.sorted() && next.hasPrefix(seq + "-"))
      let rest = { (learned: String) in
        try Body(stand.client.get("/v1/qiita/items:changes?since=\(next)&fields=id\(learned)"))
      }
      #expect(try rest("&learned=true").changes.isEmpty && rest("&learned=true").nextSince == next)
      #expect(try rest("").changes.isEmpty && rest("&learned=false").nextSince == seq)
      let refused = try stand.client.get("/v1/qiita/items:changes?since=\(seq)&learned=yes")
      #expect(refused.status == 400)
      let new = stand.qiita.withQiita { $0.world.insert(at: settled) }
      _ = try stand.client.get("/v1/qiita/items?limit=1&refresh=true")
      #expect(try rest("&learned=true").changes.map(\.id) == [new])
    }
  }

  /// A client that comes back learns with one request whether anything has changed.
  @Test func theTopIsLookedAtFirstWhereThatIsAsked() async throws {
    var policy = Stand.policy
    (policy.refreshSeconds, policy.prefetchItems) = (0, 0)
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let target = "/v1/qiita/items:changes?since=\(seq)&fields=id"
      let still = try Body(stand.client.get(target + "&refresh=true"))
      #expect(still.changes.isEmpty && !still.hasMore && still.nextSince == seq)
      #expect(still.freshness?.state == "fresh" && still.total?.value == 30)
      let new = stand.qiita.withQiita { $0.world.insert(at: settled) }
      let calls = stand.qiita.callCount
      let news = try Body(stand.client.get(target + "&refresh=true"))
      #expect(news.changes.map(\.op) == ["upsert"] && news.changes.map(\.id) == [new])
      #expect(news.changes[0].moved == nil && news.total?.value == 31)
      #expect(stand.qiita.callCount == calls + 1)
      let unasked = try Body(stand.client.get(target + "&refresh=false"))
      #expect(unasked.freshness == nil && unasked.total == nil)
      for wrong in ["refresh=1", "refresh=", "refresh=true&wait=no"] {
        #expect(try stand.client.get("\(target)&\(wrong)").status == 400)
      }
    }
  }

  @Test func nextLeadsThroughAllChanges() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=20").slice().envelope.seq
      stand.qiita.withQiita { qiita in
        for index in 0..<30 { _ = qiita.world.insert(at: settled - 30 + Int64(index)) }
      }
      _ = try stand.client.get("/v1/qiita/items?limit=20&refresh=true")
      var next: String? = "/v1/qiita/items:changes?since=\(seq)&limit=7&fields=id"
      var ids: [String] = []
      var counts: [Int] = []
      while let target = next {
        let body = try Body(stand.client.get(target))
        #expect(body.limit == 7)
        ids += body.changes.compactMap { $0.item?.id }
        counts.append(body.changes.count)
        next = body.next
      }
      #expect(ids.count == 30 && Set(ids).count == 30)
      #expect(counts == [7, 7, 7, 7, 2])
    }
  }

  @Test(arguments: [
    ("since=SEQ&limit=0", 400, "invalid_limit"), ("limit=5", 400, "invalid_parameter"),
    ("since=nonsense", 400, "invalid_parameter"), ("since=SEQ&wait=-1", 400, "invalid_parameter"),
    ("since=SEQ&fields=", 400, "invalid_parameter"),
    ("since=SEQ&fields=a..b", 400, "invalid_fields"),
    ("since=another1.3", 410, "since_expired"), ("since=SEQ9", 410, "since_expired"),
  ])
  func refuses(query: String, status: Int, code: String) async throws {
    try await Stand.run(try await Self.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let query = query.replacingOccurrences(of: "SEQ", with: seq)
      let reply = try stand.client.get("/v1/qiita/items:changes?\(query)")
      #expect(reply.status == status)
      #expect(try reply.problem().code == code)
    }
  }

  @Test func aLimitAboveTheMostIsTheMost() async throws {
    try await Stand.run(try await Self.stand()) { stand in
      let seq = try stand.client.get("/v1/qiita/items?limit=5").slice().envelope.seq
      let reply = try stand.client.get("/v1/qiita/items:changes?since=\(seq)&limit=1000")
      #expect(try Body(reply).limit == 100)
    }
  }

  /// A number that one wrote in text is a number that one compares as such: the file's own.
  @Test func anIdThatIsANumberIsToldAsOne() throws {
    let feed = FeedID(
      source: "fruits", pattern: FeedPattern("items", order: .whole, content: nil),
      parts: [Array("items".utf8)])
    let rendering = ChangeRendering(feed: feed, epoch: "e", lineage: 1, fields: nil)
    var json = JSONWriter()
    rendering.append(
      Change(number: 3, id: Identity("7"), event: .remove(bytes: Array(#"{"id": 7}"#.utf8))),
      to: &json)
    #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"op":"remove","seq":"e.3","id":7}"#)
  }
}
