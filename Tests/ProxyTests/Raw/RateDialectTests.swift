import Feed
import Support
import Testing
import Wire

@testable import Proxy

/// An upstream that says in one dialect or another that no calls are left.
@Suite(.timeLimit(.minutes(2))) struct RateDialectTests {
  private static let source = #"""
    "reserveCalls":0,"prefetchItems":0,"pages":{"by":"offset","size":"size","max":10},
    "feeds":{"posts":{"order":"-at","time":"seconds"}},
    """#

  private static var clock: HandClock { HandClock(at: Timestamp(seconds: 1_763_690_000)) }

  /// Twelve elements, from an offset on.
  private static func page(_ call: RawUpstream.Call) -> String {
    let offset = call.target.split(separator: "offset=").last.flatMap {
      Int($0.prefix { $0 != "&" })
    }
    let ranks = min(offset ?? 0, 12)..<12
    let elements = ranks.prefix(10).map { #"{"id":"p\#($0)","at":\#(1_763_000_000 - $0)}"# }
    return "[\(elements.joined(separator: ","))]"
  }

  /// Whether a feed whose first answer has these fields waits for 40 seconds, and no longer. The
  /// clock stands at Fri, 21 Nov 2025 01:53:20 GMT.
  @Test(arguments: [
    ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 40"],
    ["X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1763690040"],
    ["X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1763690040000"],
    ["X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0.0", "X-RateLimit-Reset: 39.5"],
    ["RateLimit: limit=9, remaining=0, reset=40"],
    [#"RateLimit: "default";r=0;t=40"#],
    ["RateLimit-Limit: 9, 9;w=40", "RateLimit-Remaining: 0"],
    ["X-Rate-Limit-Limit: 9", "X-Rate-Limit-Used: 9", "X-Rate-Limit-Reset: 2025-11-21T01:54:00Z"],
    [
      "X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 40",
      "Date: Thu, 21 Aug 2025 01:53:20 GMT",
    ],
    [
      "X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 40",
      "Date: Sat, 21 Mar 2026 01:53:20 GMT",
    ],
  ])
  func aFeedWaitsAsLongAsItIsTold(fields: [String]) async throws {
    let stand = try await RawStand(source: Self.source, clock: Self.clock) { call in
      .answer(200, fields, Self.page(call))
    }
    let client = stand.client
    let read = { (target: String) in
      try await onThread { try client.get(target) }
    }
    let first = try await read("/v1/s/posts?limit=10").slice()
    let next = try #require(first.envelope.next)
    let early = try await read(next)
    #expect(early.status == 503 && early["Retry-After"] == "40")
    stand.wait(seconds: 39)
    #expect(try await read("\(next)&wait=1").status == 503)
    stand.wait(seconds: 1)
    #expect(try await read(next).slice().ids.contains("p10"))
    // That the last page was the last, the next call shows.
    stand.wait(seconds: 40)
    #expect(try await read(next).slice().ids.last == "p11")
    await stand.stop()
  }

  /// No slip of an upstream locks it for longer than an hour.
  @Test(arguments: [
    ["X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 3534000000"],
    ["X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 99999999999"],
  ])
  func noFeedWaitsForLongerThanAnHour(fields: [String]) async throws {
    let stand = try await RawStand(source: Self.source, clock: Self.clock) { call in
      .answer(200, fields, Self.page(call))
    }
    let client = stand.client
    let first = try await onThread { try client.get("/v1/s/posts?limit=10").slice() }
    let next = try #require(first.envelope.next)
    let early = try await onThread { try client.get(next) }
    #expect(early.status == 503 && early["Retry-After"] == "3600")
    await stand.stop()
  }
}
