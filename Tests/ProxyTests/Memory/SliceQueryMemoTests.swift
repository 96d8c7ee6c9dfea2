import Feed
import Simulator
import Testing
import Wire

@testable import Proxy

/// Targets that a loop has read before.
@Suite(.serialized) struct SliceQueryMemoTests {
  private func entry(_ stand: Stand, limit: Int) throws -> SliceQueryMemo.Entry {
    let pattern = try #require(stand.binding.patterns.first { $0.path == "items" })
    let feed = FeedID(source: "qiita", pattern: pattern, parts: [Array("items".utf8)])
    let query = try SliceQuery(
      try QueryItems("limit=\(limit)"), feed: feed, waitDefault: .seconds(1))
    return SliceQueryMemo.Entry(query, of: stand.binding)
  }

  @Test func keepsSoManyAndNoneThatIsLong() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let known = SliceQueryMemo()
      let made = try (1...2).map { try entry(stand, limit: $0) }
      for count in [SliceQueryMemo.targetBytesMax, SliceQueryMemo.targetBytesMax + 1] {
        let target = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        #expect(try known.entry(at: target) { made[0] } === made[0])
        let again = try known.entry(at: target) { made[1] }
        #expect(again === (count <= SliceQueryMemo.targetBytesMax ? made[0] : made[1]))
        #expect((known[target] != nil) == (count <= SliceQueryMemo.targetBytesMax))
      }
      for number in 2...SliceQueryMemo.countMax {
        _ = try known.entry(at: Array("\(number)".utf8)) { made[0] }
        #expect(known.count == number)
      }
      _ = try known.entry(at: Array("one more".utf8)) { made[0] }
      #expect(known.count == 1)
      #expect(throws: Rejection.self) {
        try known.entry(at: Array("bad".utf8)) { () throws(Rejection) in
          throw Rejection(.badRequest, "bad")
        }
      }
      #expect(known[Array("bad".utf8)] == nil)
    }
  }

  /// Whatever was asked at a target before, and by whatever fields and method, it is answered as if
  /// it had come first.
  @Test func whatCameBeforeDoesNotShow() async throws {
    var policy = Stand.policy
    policy.freshSeconds = 3600
    let targets = [
      "", "?limit=5", "?limit=5&", "?limit=0", "?limit=5&limit=5", "?unknown=1", "?fields=id",
      "?fields=a..b", "?query=swift", "?query=", "?wait=0", "?refresh=true", "?refresh=maybe",
      "?startAfter=nothing", "?startAfter=id:none", "?endBefore=id:none&limitToLast=true",
      "?limitToLast=true", "?startAt=at:2020-01-01T00:00:00Z", "?startAfter=%",
    ]
    let lines: [[String]] = [
      [], ["Cache-Control: no-cache"], ["Cache-Control: only-if-cached"],
      ["Cache-Control: max-age=0, No-Cache ,x"], ["If-None-Match: *"], ["If-Match: \"none\""],
      ["Accept-Encoding: gzip"], ["X-Request-Id: mine"],
    ]
    let asked = targets.flatMap { target in
      lines.flatMap { lines in
        ["GET", "HEAD", "OPTIONS", "DELETE"].map { (target: target, lines: lines, method: $0) }
      }
    }
    func answer(
      _ stand: Stand, _ one: (target: String, lines: [String], method: String)
    ) throws -> [String] {
      let reply = try stand.client.get(
        "/v1/qiita/items\(one.target)", one.lines, method: one.method)
      let names = ["Allow", "Cache-Control", "Content-Encoding", "ETag", "Link", "Vary"]
      let hasID = reply["X-Request-Id"] == "mine" || !one.lines.contains("X-Request-Id: mine")
      let body = try? reply.slice()
      return ["\(reply.status)", "\(hasID)"] + names.map { reply[$0] ?? "-" }
        + (body?.ids ?? [(try? reply.problem().code).map { "\($0)" } ?? "-"])
    }
    try await Stand.run(try await Stand(smallWorld(40), policy: policy)) { stand in
      // What every one of them needs is stored.
      _ = try stand.client.walk("/v1/qiita/items?limit=100")
      _ = try stand.client.get("/v1/qiita/items?query=swift")
      var first: [Int: [String]] = [:]
      for _ in 0..<2 {
        for index in asked.indices.shuffled() {
          let answer = try answer(stand, asked[index])
          if let before = first[index] {
            #expect(answer == before, "\(asked[index])")
          } else {
            first[index] = answer
          }
        }
      }
      // The same of a loop that has read none of them.
      for index in asked.indices.shuffled().prefix(60) {
        await stand.adopt { $0.wait = .seconds(.random(in: 2...19)) }
        #expect(try answer(stand, asked[index]) == first[index], "\(asked[index])")
      }
    }
  }
}
