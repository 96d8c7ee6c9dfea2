import Support
import Synchronization
import Testing
import Wire

@testable import Proxy

/// A rate that is declared, at an upstream that has no rate fields.
@Suite(.timeLimit(.minutes(5))) struct DeclaredRateTests {
  private static let count = 300
  private static let source = #"""
    "rate":{"calls":20,"seconds":1},"reserveCalls":2,"refreshSeconds":0,"freshSeconds":1,
    "recheckSeconds":1,"pages":{"by":"page","size":"size","max":12},
    "feeds":{"posts":{"order":"-at","time":"seconds"}},
    """#

  /// Sixty calls a minute are assumed, and half of them for what is not stored yet.
  @Test(arguments: [(#""newFeedShare":1,"reserveCalls":0,"#, 60, 503), ("", 30, 429)])
  func aRefusalByNoRateNamesTheKey(source: String, served: Int, status: Int) async throws {
    let stand = try await RawStand(source: source, server: #""newFeedsPerMinute":0"#) { _ in
      .answer(200, ["Cache-Control: max-age=60"], "picture")
    }
    for number in 0..<served {
      #expect(try await stand.get("/picture\(number)").status == 200)
    }
    let refused = try await stand.get("/another")
    #expect(refused.status == status)
    #expect(String(decoding: refused.body, as: UTF8.self).contains("sources.s.rate"))
    stand.wait(seconds: try #require(refused["Retry-After"].flatMap(Int64.init)))
    #expect(try await stand.get("/another").status == 200)
    await stand.stop()
  }

  /// A page of the list, the newest first.
  private static func page(_ target: String) -> String {
    let query = target.split(separator: "?").last ?? ""
    let numbers = query.split(separator: "&").reduce(into: [Substring: Int]()) { numbers, pair in
      let halves = pair.split(separator: "=")
      numbers[halves[0]] = Int(halves[1])
    }
    let (page, size) = (numbers["page"] ?? 1, numbers["size"] ?? 10)
    let ranks = ((page - 1) * size..<page * size).prefix { $0 < count }
    return "[" + ranks.map { #"{"id":"p\#($0)","at":\#(700_000_000 - $0)}"# }.joined(separator: ",")
      + "]"
  }

  /// A walk, refreshes, a listener and raw answers, each as greedy as it may be. Times are taken
  /// where the calls arrive, by a clock that the server does not have.
  @Test func isKeptByAllThatIsAskedTogether() async throws {
    let begun = ContinuousClock.now
    let times = Mutex<[Duration]>([])
    let stand = try await RawStand(
      source: Self.source, server: #""newFeedsPerMinute":0"#, isLive: true
    ) { call in
      times.withLock { $0.append(begun.duration(to: .now)) }
      return call.target.hasPrefix("/base/posts")
        ? .answer(200, [], Self.page(call.target))
        : .answer(200, ["Cache-Control: max-age=1"], "picture")
    }
    let client = stand.client
    let listener = try EventClient(client.port, "/v1/s/posts:events")
    var ids: [String] = []
    var next: String? = "/v1/s/posts?limit=10"
    for step in 0..<2_000 {
      guard let target = next else { break }
      let reply = try await onThread { () -> Reply in
        _ = try client.get("/v1/s/raw/picture\(step % 40)")
        _ = try client.get("/v1/s/posts?limit=1&refresh=true&wait=1")
        return try client.get(target)
      }
      guard reply.status == 200 else {
        #expect([429, 503, 504].contains(reply.status) && reply["Retry-After"] != nil)
        continue
      }
      let slice = try reply.slice()
      ids += slice.ids
      next = slice.envelope.next
    }
    #expect(ids == (0..<Self.count).map { "p\($0)" })
    let calls = times.withLock { $0.sorted() }
    let most = calls.indices.map { index in
      calls[index...].prefix { $0 < calls[index] + .seconds(1) }.count
    }.max()
    #expect((most ?? 0) <= 20 && calls.count >= 30)
    withExtendedLifetime(listener) {}
    await stand.stop()
  }
}
