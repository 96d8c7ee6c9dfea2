import Foundation
import Simulator
import Support
import Testing

/// A store that an earlier release wrote, and what it replied: `Tests/Kept`. The file opens, and
/// the cursors that were handed out then lead where they led.
@Suite struct KeptStoreTests {
  /// What a request was replied to then.
  struct Kept: Decodable, Sendable {
    var target: String
    var ids: [String]
    var hasMore: Bool
    var next: String?
    var previous: String?
    var seq: String
  }

  private static func kept() throws -> [Kept] {
    try JSONDecoder().decode(
      [Kept].self, from: Data(Checkout.text(of: "Tests/Kept/replies.json").utf8))
  }

  /// The path of a copy of the store.
  private static func copy() throws -> String {
    let path = NSTemporaryDirectory() + "tsugi-kept-\(UUID().uuidString).sqlite"
    let kept = Checkout.root.appending(path: "Tests/Kept/store.db")
    try FileManager.default.copyItem(at: kept, to: URL(filePath: path))
    return path
  }

  @Test func whatWasRepliedIsRepliedAgainWithoutTheUpstream() async throws {
    let all = try Self.kept()
    #expect(all.count(where: { $0.target.contains("startAfter") }) >= 8)
    try await Stand.run(try await Stand(smallWorld(0), path: try Self.copy())) { stand in
      for kept in all {
        let reply = try stand.client.get(kept.target + "&wait=0")
        #expect(reply.status == 200, "\(kept.target)")
        let body = try #require(
          JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
        let items = try #require(body["items"] as? [[String: Any]])
        #expect(items.compactMap { $0["id"] as? String } == kept.ids, "\(kept.target)")
        #expect(body["hasMore"] as? Bool == kept.hasMore)
        #expect((body["next"] as? String).map(Self.place) == kept.next.map(Self.place))
        #expect((body["previous"] as? String).map(Self.place) == kept.previous.map(Self.place))
        #expect(body["seq"] as? String == kept.seq)
      }
      #expect(stand.qiita.withQiita(\.callCount) == 0)
    }
  }

  /// A link's parameters but for the wait.
  private static func place(_ link: String) -> Set<Substring> {
    Set(link.split(whereSeparator: { "?&".contains($0) }).filter { !$0.hasPrefix("wait=") })
  }

  @Test func itIsReadOnFromThere() async throws {
    let first = try #require(try Self.kept().first { $0.target == "/v1/qiita/items?limit=17" })
    try await Stand.run(try await Stand(smallWorld(200), path: try Self.copy())) { stand in
      // Another world by now: nothing of the old one is left, and no cursor of it may mislead.
      let refreshed = try stand.client.get("/v1/qiita/items?limit=100&refresh=true").slice()
      let ids = stand.qiita.withQiita { $0.world.ids }
      #expect(refreshed.items.count == 100)
      let next = try #require(first.next)
      let reply = try stand.client.get(next)
      #expect(reply.status == 200)
      let text = String(decoding: reply.body, as: UTF8.self)
      #expect(!first.ids.contains { text.contains($0) } && !ids.isEmpty)
    }
  }
}
