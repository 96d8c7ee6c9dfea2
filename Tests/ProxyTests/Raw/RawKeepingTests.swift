import Feed
import Freshness
import History
import RawCache
import Support
import Testing
import Wire

@testable import Proxy

/// How long answers stay: over restarts, within the bound, until they are taken away.
@Suite(.timeLimit(.minutes(10))) struct RawKeepingTests {
  @Test func outlivesARestart() async throws {
    let directory = try TemporaryDirectory("tsugi")
    let (path, clock) = (
      directory.path + "/tsugi.sqlite", HandClock(at: Timestamp(seconds: 784_111_777))
    )
    let first = try await RawStand(store: path, clock: clock) { _ in
      .answer(200, ["Cache-Control: max-age=60", "ETag: \"a\"", "X-A: 1", "X-A: 2"], "hello")
    }
    let told = try await first.get("/a?b=1")
    await first.stop()
    clock.advance(.seconds(61))
    let second = try await RawStand(store: path, clock: clock) { _ in .text("") }
    let reply = try await second.get("/a?b=1")
    #expect(reply.body == told.body && reply["Age"] == "61" && reply["ETag"] == "\"a\"")
    #expect(reply["Cache-Status"] == "Tsugi; hit; ttl=-1; detail=no-answer")
    #expect(reply.fields.filter { $0.name == "X-A" }.map(\.value) == ["1", "2"])
    #expect(second.upstream.calls.last?["If-None-Match"] == "\"a\"")
    await second.stop()
  }

  @Test func isTakenAway() async throws {
    let stand = try await RawStand(RawStand.open, source: #""newFeedShare":1,"#) { _ in
      .answer(200, ["Cache-Control: max-age=60", "Vary: X"], "hello")
    }
    let client = stand.client
    let purge = { @Sendable (query: String) async throws -> Reply in
      try await onThread { try client.post("/v1/s:purge?\(query)") }
    }
    for target in ["/a", "/a?b", "/aa", "/b", "/c%20d"] { _ = try await stand.get(target) }
    _ = try await stand.get("/a", ["X: 1"])
    for (query, count) in [
      ("path=a", 2), ("path=/a", 0), ("prefix=a", 2), ("path=c%2520d", 1), ("path=none", 0),
      ("all=true", 1), ("all=true", 0),
    ] {
      let reply = try await purge(query)
      #expect(
        reply.status == 200
          && String(decoding: reply.body, as: UTF8.self) == "{\"purged\":\(count)}\n", "\(query)")
    }
    #expect(try await stand.hit("/b")["Cache-Status"]?.hasPrefix("Tsugi; fwd=uri-miss") == true)
    for query in ["", "all=false", "path=a&all=true", "x=1", "path="] {
      #expect(try await purge(query).status == 400, "\(query)")
    }
    await stand.stop()
  }

  @Test(
    "without keys only this machine purges, as the trusted proxy names it",
    arguments: [
      ([], 403), (["X-Forwarded-For: 203.0.113.9"], 403), (["X-Forwarded-For: 127.0.0.1"], 200),
      (["X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 203.0.113.9"], 403),
      (["X-Forwarded-For: 127.0.0.1", "Forwarded: for=203.0.113.9"], 403),
    ])
  func isTakenAwayByThisMachine(lines: [String], status: Int) async throws {
    let stand = try await RawStand(server: #""trustedProxies":["127.0.0.1"]"#) { _ in .answer() }
    let client = stand.client
    let reply = try await onThread { try client.post("/v1/s:purge?all=true", lines) }
    #expect(reply.status == status)
    await stand.stop()
  }

  @Test("what is used stays, and what was used longest ago goes")
  func isEvictedByUse() async throws {
    let raw = RawStand.open + #","maxMegabytes":1"#
    let stand = try await RawStand(raw, source: #""newFeedShare":1,"#) { _ in
      .answer(
        200, ["Cache-Control: max-age=86400"], String(repeating: "a", count: 100 << 10))
    }
    for index in 0..<30 {
      _ = try await stand.get("/\(index)")
      stand.wait(seconds: 61)
      // Out of the loop's memory, too: that is good for a minute.
      #expect(try await stand.hit("/0").status == 200)
      #expect(try await stand.hit("/0")["Cache-Status"]?.hasPrefix("Tsugi; hit") == true)
    }
    let calls = stand.upstream.calls.count
    #expect(calls == 30)
    _ = try await stand.get("/0")
    _ = try await stand.get("/29")
    #expect(stand.upstream.calls.count == calls)
    _ = try await stand.get("/1")
    #expect(stand.upstream.calls.count == calls + 1)
    await stand.stop()
  }

  @Test("what was asked for before a purge is not kept after it")
  func aPurgeIsForWhatIsOnItsWay() async throws {
    let stand = try await RawStand { _ in .answer(200, ["Cache-Control: max-age=60"], "old") }
    stand.upstream.hold()
    async let asked = stand.get("/a")
    while stand.upstream.calls.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    let client = stand.client
    _ = try await onThread { try client.post("/v1/s:purge?all=true") }
    stand.upstream.release()
    #expect(try await asked.body == Array("old".utf8))
    stand.wait(seconds: 1)
    stand.upstream.set { _ in .answer(200, ["Cache-Control: max-age=60"], "new") }
    #expect(try await stand.get("/a").body == Array("new".utf8))
    await stand.stop()
  }

  @Test("a reload of the configuration keeps what is kept")
  func staysWhenMoreIsKept() async throws {
    let stand = try await RawStand { _ in .answer(200, ["Cache-Control: max-age=60"], "hello") }
    _ = try await stand.get("/a")
    for _ in 0..<3 { #expect(try await stand.hit("/a")["Cache-Status"] == "Tsugi; hit; ttl=60") }
    // Another answer moves the version: what is ready is made anew, and is the same.
    _ = try await stand.get("/b")
    #expect(try await stand.hit("/a")["Cache-Status"] == "Tsugi; hit; ttl=60")
    await stand.stop()
  }
}
