import Feed
import Simulator
import Support
import Testing

@testable import Proxy
@testable import Upstream

@Suite(.serialized) struct CompressionTests {
  private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
    var inflater = try Inflater()
    var output: [UInt8] = []
    try bytes.withUnsafeBytes { try inflater.inflate($0, into: &output, limitBytes: 1 << 24) }
    let isWhole = inflater.isAtEnd
    #expect(isWhole)
    return output
  }

  @Test(arguments: [
    ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip;q=0.8, *;q=0.1", true),
    ("*", true), ("gzip ; q=0.001", true), ("deflate,gzip", true), ("gzip;q=1.000", true),
    ("gzip;q=0.5, identity;q=0.5", true), ("*;q=0, gzip", true), ("nonsense;;, gzip", true),
    ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip;q=0.000", false),
    ("*;q=0", false), ("gzip;q=0, *", false), ("gzip;q=0.5, identity", false), ("gzipp", false),
    ("gzip;q=2", false), ("gzip;q=1.1", false), ("gzip;q=", false), ("gzip;q=0.1234", false),
    ("gzip;x=1", false), (",,;q=1,", false),
  ])
  func asksForGzip(_ accepted: String, _ isGzip: Bool) {
    #expect(ContentCoding(accepted: accepted.utf8) == (isGzip ? .gzip : .identity))
  }

  @Test func noListOfCodingsIsAStumblingBlock() {
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24)).map { _ in Array(",;=*q01. gzip\t\u{7f}".utf8) }
        .compactMap { $0.randomElement() }
      _ = ContentCoding(accepted: bytes)
    }
  }

  @Test func whatIsCompressedIsWhatWasGiven() throws {
    var gzip = Gzip()
    for round in 0..<200 {
      let letters = UInt8.random(in: 1...8)
      let bytes = (0..<Int.random(in: 0...20_000)).map { _ in UInt8.random(in: 0..<letters) }
      guard let smaller = gzip.compressed(bytes) else {
        #expect(bytes.count < 64, "round \(round)")
        continue
      }
      #expect(smaller.count <= bytes.count)
      #expect(try inflated(smaller) == bytes)
    }
    #expect(gzip.compressed((0..<2_000).map { _ in .random(in: 0...255) }) == nil)
    #expect(gzip.compressed([UInt8](repeating: 1, count: 2_000)) != nil)
  }

  @Test(arguments: [60, 6_000])
  func aSliceIsTheSameInEitherCoding(_ bodyBytes: Int) async throws {
    let world = World(
      WorldOptions(seed: 1, itemCount: 60, bodyBytes: bodyBytes, topSeconds: 1_700_000_000))
    var policy = Stand.policy
    // What is fetched ahead changes `seq`.
    policy.prefetchItems = 0
    try await Stand.run(try await Stand(world, policy: policy, time: HandClock())) { stand in
      let target = "/v1/qiita/items"
      let accepts = "Accept-Encoding: gzip, deflate, br"
      for lines in [[accepts], [], [accepts, "If-None-Match: W/\"x\""]] {
        #expect(try stand.client.get(target, lines).status == 200)
      }
      for _ in 0..<3 {
        let plain = try stand.client.hit(target)
        let small = try stand.client.hit(target, [accepts])
        let head = try stand.client.hit(target, [accepts], method: "HEAD")
        let known = try stand.client.hit(
          target, [accepts, "If-None-Match: \(plain["ETag"] ?? "")"])
        #expect(small["Content-Encoding"] == "gzip")
        #expect(try inflated(small.body) == plain.body)
        #expect(small.body.count * 2 < plain.body.count)
        #expect(plain["Content-Encoding"] == nil)
        for name in ["ETag", "Vary", "Age", "Content-Type", "Link"] {
          #expect(small[name] == plain[name])
        }
        #expect(plain["Vary"] == "Accept-Encoding")
        #expect(head.body.isEmpty)
        for name in ["Content-Length", "Content-Encoding", "ETag"] {
          #expect(head[name] == small[name])
        }
        #expect(known.status == 304 && known["Content-Encoding"] == nil)
      }
    }
  }

  @Test func aShortAnswerStaysAsItIs() async throws {
    try await Stand.run(try await Stand(smallWorld(0))) { stand in
      for _ in 0..<3 {
        let reply = try stand.client.hit("/v1/qiita/items", ["Accept-Encoding: gzip"])
        #expect(reply.body.count < Gzip.bytesMin)
        #expect(reply["Content-Encoding"] == nil)
        #expect(reply["Vary"] == "Accept-Encoding")
      }
    }
  }

  @Test func anItemIsCompressedToo() async throws {
    let world = World(
      WorldOptions(seed: 1, itemCount: 5, bodyBytes: 6_000, topSeconds: 1_700_000_000))
    try await Stand.run(try await Stand(world)) { stand in
      let id = try #require(try stand.client.get("/v1/qiita/items").slice().ids.first)
      let plain = try stand.client.hit("/v1/qiita/items/\(id)")
      let small = try stand.client.hit("/v1/qiita/items/\(id)", ["Accept-Encoding: gzip"])
      #expect(try inflated(small.body) == plain.body)
      #expect(small["ETag"] == plain["ETag"])
    }
  }

  /// Many ask for one large slice at once: each is answered, with its own id.
  @Test(arguments: ["limit=20", "limit=25", "limit=20&refresh=true"])
  func whoAsksWhileASliceIsRenderedGetsItToo(_ query: String) async throws {
    let world = World(
      WorldOptions(seed: 1, itemCount: 60, bodyBytes: 20_000, topSeconds: 1_700_000_000))
    var policy = Stand.policy
    policy.prefetchItems = 0
    try await Stand.run(try await Stand(world, policy: policy, time: HandClock())) { stand in
      // The first is stored, the second waits for the upstream, the third is a refresh.
      if !query.contains("25") { _ = try stand.client.get("/v1/qiita/items") }
      let client = stand.client
      let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
        for number in 0..<16 {
          group.addTask {
            try client.hit(
              "/v1/qiita/items?\(query)", ["Accept-Encoding: gzip", "X-Request-Id: \(number)"])
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(replies.allSatisfy { $0.status == 200 })
      #expect(Set(replies.map(\.body)).count == 1)
      #expect(Set(replies.map { $0["X-Request-Id"] }).count == 16)
    }
  }
}
