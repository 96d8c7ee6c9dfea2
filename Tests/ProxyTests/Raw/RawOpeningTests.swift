import Testing
import Wire

@testable import Proxy

/// What one client makes the server ask for counts in its share, whichever way it does so.
@Suite(.timeLimit(.minutes(10))) struct RawOpeningTests {
  /// A source that bears so many openings an hour.
  private func stand(
    _ openings: Int, raw: String = RawStand.open, server: String = "",
    _ lines: [String] = ["Cache-Control: max-age=600"]
  ) async throws -> RawStand {
    let share = Double(openings) / 100
    return try await RawStand(
      raw, source: #""rate":{"calls":100,"seconds":3600},"newFeedShare":\#(share),"#,
      server: server
    ) { _ in .answer(200, lines, "hello") }
  }

  @Test func aVariantThatIsNotStoredIsAnOpening() async throws {
    let stand = try await stand(2, ["Cache-Control: max-age=600", "Vary: Accept-Language"])
    for language in ["de", "en", "de", "en"] {
      #expect(try await stand.get("/a", ["Accept-Language: \(language)"]).status == 200)
    }
    for number in 0..<5 {
      let refused = try await stand.get("/a", ["Accept-Language: x\(number)"])
      #expect(try refused.problem().code == "too_many_requests" && refused["Retry-After"] != nil)
    }
    #expect(stand.upstream.calls.count == 2)
    #expect(try await stand.get("/a", ["Accept-Language: de"]).status == 200)
    await stand.stop()
  }

  @Test(
    "a reload is an opening, and one too many gets what is kept",
    arguments: [
      "Cache-Control: no-cache", "Cache-Control: max-age=0", "Pragma: no-cache",
      "Cache-Control: min-fresh=700",
    ])
  func countsReloads(_ line: String) async throws {
    let stand = try await stand(3)
    for target in ["/a", "/b"] { #expect(try await stand.get(target).status == 200) }
    #expect(try await stand.get("/a", [line])["Cache-Status"]?.contains("fwd=request") == true)
    for target in ["/b", "/a"] {
      let reply = try await stand.get(target, [line])
      #expect(reply.status == 200 && reply.body == Array("hello".utf8))
      #expect(reply["Cache-Status"] == "Tsugi; hit; ttl=600; detail=refused")
    }
    #expect(stand.upstream.calls.count == 3)
    await stand.stop()
  }

  @Test func anAddressReloadsAsOftenAsItOpens() async throws {
    let stand = try await stand(100, server: #""newFeedsPerMinute":2"#)
    _ = try await stand.get("/a")
    for (isAsked, calls) in [(true, 2), (false, 2)] {
      let reply = try await stand.get("/a", ["Cache-Control: no-cache"])
      #expect(reply["Cache-Status"]?.contains("fwd=request") == isAsked)
      #expect(stand.upstream.calls.count == calls)
    }
    #expect(try await stand.get("/b").status == 429)
    await stand.stop()
  }

  @Test("a request whose answer is for itself alone is an opening, of what is kept, too")
  func countsWhatGoesAlone() async throws {
    for line in ["Cache-Control: no-store", "Authorization: x"] {
      let stand = try await stand(2, ["Cache-Control: max-age=1"])
      _ = try await stand.get("/a")
      stand.wait(seconds: 2)
      #expect(try await stand.get("/a", [line])["Cache-Status"]?.contains("fwd=stale") == true)
      let refused = try await stand.get("/a", [line])
      #expect(refused["Cache-Status"] == "Tsugi; hit; ttl=-1; detail=refused")
      // What has expired is renewed for all.
      #expect(try await stand.get("/a")["Cache-Status"]?.contains("fwd=stale") == true)
      #expect(stand.upstream.calls.count == 3)
      await stand.stop()
    }
  }

  @Test("what is never fresh is due once in refreshSeconds")
  func countsWhatIsNeverFresh() async throws {
    let raw = #""paths":["**"],"refreshSeconds":10"#
    for (line, isKeptBack) in [("no-cache", true), ("max-age=0", false)] {
      let stand = try await stand(2, raw: raw, ["Cache-Control: \(line)", "ETag: \"a\""])
      for _ in 0..<2 { #expect(try await stand.get("/a").status == 200) }
      #expect(try await stand.get("/a").status == (isKeptBack ? 429 : 200))
      #expect(stand.upstream.calls.count == 2)
      stand.wait(seconds: 10)
      #expect(try await stand.get("/a").status == 200)
      #expect(stand.upstream.calls.count == 3)
      await stand.stop()
    }
  }
}
