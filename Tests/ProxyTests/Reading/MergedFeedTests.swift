import Foundation
import HTTP
import Synchronization
import Testing
import Wire

@testable import Proxy

/// One feed over several sources, over sockets. What its slices are is tested in `MergeTests`.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MergedFeedTests {
  /// What an upstream does when it is called.
  private final class Mood: Sendable {
    enum Kind { case answers, fails, hangs }
    private let state = Mutex(Kind.answers)

    var kind: Kind {
      get { state.withLock(\.self) }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// A page of 60 posts, at every other second from `first` on.
  private static func page(
    _ call: RuledUpstream.Call, _ name: String, _ identity: String, from first: Int
  ) -> Response {
    let size = call.number("n", or: 20)
    let start = size * (call.number("page", or: 1) - 1)
    let posts = (start..<min(60, start + size)).map { index in
      let second = 118 + first - 2 * index
      let time = "2026-01-01T00:0\(second / 60):\(String(100 + second % 60).dropFirst())Z"
      return #"{"\#(identity)":"\#(name)\#(second)","at":"\#(time)","text":"x"}"#
    }
    return Response(json: "[\(posts.joined(separator: ","))]")
  }

  private static func upstream(
    _ name: String, _ identity: String, from first: Int, _ mood: Mood
  ) async throws -> RuledUpstream {
    try await RuledUpstream(answering: { call in
      switch mood.kind {
      case .answers: page(call, name, identity, from: first)
      case .fails: Response(status: 500)
      case .hangs: nil
      }
    })
  }

  /// Runs `body` before a merged feed of both, the second `optional` or not, and in a mood.
  private func run(
    optional: Bool = false, freshSeconds: Int = 60,
    _ body: (Client, Mood, [RuledUpstream]) async throws -> Void
  ) async throws {
    let mood = Mood()
    let even = try await Self.upstream("e", "id", from: 0, Mood())
    let odd = try await Self.upstream("o", "key", from: 1, mood)
    func source(_ upstream: RuledUpstream, _ identity: String) -> String {
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)","freshSeconds":\(freshSeconds),
       "pages":{"by":"page","at":"page","size":"n","max":20},
       "feeds":{"posts":{"id":"\(identity)","order":"-at"}}}
      """
    }
    let stand = try await RecipeStand(
      sources: """
        {"a":\(source(even, "id")),"b":\(source(odd, "key")),
         "home":{"kind":"merged","parts":{
          "even":{"feed":"a/posts"},"odd":{"feed":"b/posts","optional":\(optional)}}}}
        """)
    try await body(stand.client, mood, [even, odd])
    await stand.stop()
    await even.stop()
    await odd.stop()
  }

  private static let all = (0..<120).reversed().map { $0 % 2 == 0 ? "e\($0)" : "o\($0)" }

  /// The identities of a slice's items, whichever member has them.
  private func ids(_ reply: Reply) throws -> [String] {
    let items = try member("items", of: reply) as? [[String: Any]] ?? []
    return items.compactMap { ($0["id"] ?? $0["key"]) as? String }
  }

  private func member(_ name: String, of reply: Reply) throws -> Any? {
    let object = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
    return object?[name]
  }

  @Test func isWalkedOnceAndInOrder() async throws {
    try await run { client, _, upstreams in
      var target: String? = "/v1/home/items?limit=25&fields=text"
      var walked: [String] = []
      var origins: [String] = []
      while let next = target {
        let reply = try client.get(next)
        #expect(reply.status == 200)
        walked += try ids(reply)
        let sent = try member("origins", of: reply) as? [[String: String]] ?? []
        origins += sent.compactMap { $0["part"] }
        #expect(sent.first?["at"]?.hasPrefix("2026-01-01T00:0") == true)
        #expect((try member("missing", of: reply) as? [Any])?.isEmpty == true)
        target = try member("next", of: reply) as? String
      }
      #expect(walked == Self.all)
      #expect(origins == walked.map { $0.hasPrefix("e") ? "even" : "odd" })
      // As many as the two alone would need: 60 items in pages of 20.
      #expect(upstreams.map(\.calls.count).max() ?? 0 <= 5, "\(upstreams.map(\.calls.count))")
      let up = try client.get("/v1/home/items?endBefore=id:odd/o3&limitToLast=true&limit=2")
      #expect(try ids(up) == ["o5", "e4"])
    }
  }

  @Test func aPartThatHangsDelaysNoSliceThatDoesNotNeedIt() async throws {
    try await run(freshSeconds: 1) { client, mood, upstreams in
      #expect(try ids(client.get("/v1/home/items?limit=25")) == Array(Self.all.prefix(25)))
      mood.kind = .hangs
      let calls = upstreams[1].calls.count
      // After a second the top is looked at beside it.
      while upstreams[1].calls.count == calls {
        #expect(try ids(client.get("/v1/home/items?limit=24")) == Array(Self.all.prefix(24)))
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(try ids(client.get("/v1/home/items?limit=23")) == Array(Self.all.prefix(23)))
      // What is not stored of the other part is read.
      let even = Self.all.filter { $0.hasPrefix("e") }
      #expect(try ids(client.get("/v1/home/items?parts=even&limit=50")) == Array(even.prefix(50)))
      // All that while one call was open, and it was waited for: nothing else brings the news.
      #expect(upstreams[1].calls.count == calls + 1)
      mood.kind = .fails
      #expect(upstreams[1].answerHeld { Self.page($0, "o", "key", from: 3) } == 1)
      var first: String?
      while first != "o121" {
        try await Task.sleep(for: .milliseconds(5))
        first = try ids(client.get("/v1/home/items?limit=1")).first
      }
    }
  }

  @Test func isServedAgainAndRevalidated() async throws {
    try await run { client, _, upstreams in
      let first = try client.get("/v1/home/items?limit=10")
      let calls = upstreams.map(\.calls.count)
      let again = try client.get("/v1/home/items?limit=10")
      #expect(again.body == first.body)
      #expect(
        try client.get("/v1/home/items?limit=10", ["If-None-Match: \(first["ETag"] ?? "")"]).status
          == 304)
      #expect(upstreams.map(\.calls.count) == calls)
    }
  }

  @Test func aClientChoosesAmongItsParts() async throws {
    try await run { client, _, upstreams in
      let odd = try client.get("/v1/home/items?parts=odd&limit=3")
      #expect(try ids(odd) == ["o119", "o117", "o115"])
      #expect(upstreams[0].calls.isEmpty)
      let both = try client.get("/v1/home/items?parts=odd,even&limit=3&fields=at")
      let same = try client.get("/v1/home/items?parts=even,odd&limit=3&fields=at")
      #expect(try ids(both) == ["o119", "e118", "o117"])
      #expect(both["ETag"] == same["ETag"])
      // A position is the feed's, whichever parts were chosen.
      let next = try member("endCursor", of: both) as? String ?? ""
      let rest = try client.get("/v1/home/items?startAfter=\(next)&limit=2")
      #expect(try ids(rest) == ["e116", "o115"])
      for wrong in ["other", "odd,odd", "odd,", ",", "odd%20"] {
        let problem = try client.get("/v1/home/items?parts=\(wrong)").problem()
        #expect(problem.code == "invalid_parameter", "\(wrong)")
        #expect(problem.parameter == "parts", "\(wrong)")
      }
    }
  }

  @Test func anOptionalPartThatFailsIsMissing() async throws {
    try await run(optional: true) { client, mood, _ in
      mood.kind = .fails
      let reply = try client.get("/v1/home/items?limit=3")
      #expect(reply.status == 200)
      #expect(try ids(reply) == ["e118", "e116", "e114"])
      let missing = try member("missing", of: reply) as? [[String: Any]] ?? []
      #expect(missing.count == 1)
      #expect(missing.first?["part"] as? String == "odd")
      #expect(missing.first?["reason"] as? String == "unavailable")
      #expect(missing.first?["retryAfterSeconds"] is Int)
    }
  }

  @Test func aRequiredPartThatFailsIsTheAnswer() async throws {
    try await run { client, mood, _ in
      mood.kind = .fails
      let reply = try client.get("/v1/home/items?limit=3")
      #expect(reply.status == 503)
      #expect(try reply.problem().code == "upstream_unavailable")
      #expect(try member("part", of: reply) as? String == "odd")
      // The part that works is served alone where it is chosen.
      #expect(try client.get("/v1/home/items?parts=even&limit=3").status == 200)
    }
  }

  @Test func saysHowItsPartsStand() async throws {
    try await run(optional: true) { client, mood, _ in
      mood.kind = .fails
      _ = try client.get("/v1/home/items?limit=3")
      let status = try JSONDecoder().decode(
        StatusEnvelope.self, from: Data(try client.get("/v1/home/items:status").body))
      #expect(status.parts?.map(\.part) == ["even", "odd"])
      #expect(status.parts?.map(\.feed) == ["a/posts", "b/posts"])
      #expect(status.parts?.map(\.optional) == [false, true])
      #expect(status.parts?.map(\.counted) == [true, false])
      #expect(status.watermark != nil && status.watermark == status.parts?.first?.settledTo)
      #expect(status.parts?.last?.settledTo == nil && status.parts?.last?.freshness == nil)
      // The last of twenty may have others of its second below it.
      #expect(status.items == 19)
      let chosen = try client.get("/v1/home/items:status?parts=even")
      let own = try JSONDecoder().decode(StatusEnvelope.self, from: Data(chosen.body))
      #expect(own.parts?.map(\.part) == ["even"])
    }
  }

  @Test func changesAreAskedByANumberOfEachPart() async throws {
    try await run { client, _, _ in
      let slice = try client.get("/v1/home/items?limit=3")
      let seq = try member("seq", of: slice) as? String ?? ""
      let none = try client.get("/v1/home/items:changes?since=\(seq)")
      #expect((try member("changes", of: none) as? [Any])?.isEmpty == true)
      #expect(try member("hasMore", of: none) as? Bool == false)
      #expect(try member("nextSince", of: none) as? String == seq)
      // A number is of its parts.
      let chosen = try client.get("/v1/home/items:changes?since=\(seq)&parts=even")
      #expect(chosen.status == 410)
      #expect(try chosen.problem().code == "since_expired")
      for wrong in ["\(seq)x", "k3f9x0ab~", "k3f9x0ab.5"] {
        let problem = try client.get("/v1/home/items:changes?since=\(wrong)")
        #expect([400, 410].contains(problem.status), "\(wrong)")
      }
    }
  }

  @Test func isListedAndHasNoItemsOfItsOwn() async throws {
    try await run { client, _, _ in
      let index = String(decoding: try client.get("/v1").body, as: UTF8.self)
      #expect(index.contains(#""home":{"feeds":[{"pattern":"items","order":"value""#))
      #expect(index.contains(#""parameters":["parts"]"#))
      _ = try client.get("/v1/home/items?limit=3")
      #expect(try client.get("/v1/home/items/e118").problem().code == "item_not_found")
      #expect(try client.get("/v1/home/items?query=x").problem().code == "invalid_parameter")
      let metrics = String(decoding: try client.get("/metrics").body, as: UTF8.self)
      #expect(!metrics.contains(#"source="home""#))
      let slice = String(decoding: try client.get("/v1/home/items?limit=3").body, as: UTF8.self)
      let seq = try #require(slice.firstMatch(of: /"seq":"([^"]+)"/)?.output.1)
      let document = try OpenAPITests.Document(try client.get("/openapi.json").body)
      for verb in ["changes", "events"] {
        let told = try #require(document.told.first { $0.path == "/v1/home/items:\(verb)" })
        let since = try #require(told.parameters["since"]?.schema)
        let pattern = try Regex(since["pattern"] as? String ?? "")
        #expect(seq.contains(pattern) && seq.count <= since["maxLength"] as? Int ?? .max)
      }
    }
  }
}
