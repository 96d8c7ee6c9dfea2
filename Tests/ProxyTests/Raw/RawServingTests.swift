import Foundation
import Testing
import Wire

@testable import Proxy

/// What a shared cache gets wrong, over sockets on both sides.
@Suite(.timeLimit(.minutes(10))) struct RawServingTests {
  @Test("RFC 9111 §4.2: fresh, then stale", arguments: ["Cache-Control: max-age=10"])
  func servesWhatIsFresh(_ line: String) async throws {
    let stand = try await RawStand { call in
      .answer(200, [line, "X-A: 1", "X-a: 2", "Content-Type: text/plain"], "hello")
    }
    let first = try await stand.get("/a")
    #expect(first.status == 200 && first.body == Array("hello".utf8))
    #expect(first["Cache-Status"] == "Tsugi; fwd=uri-miss; fwd-status=200; ttl=10; stored")
    #expect(first.fields.filter { $0.name.lowercased() == "x-a" }.map(\.value) == ["1", "2"])
    #expect(first["Via"] == "1.1 tsugi" && first["X-Content-Type-Options"] == "nosniff")
    stand.wait(seconds: 9)
    for _ in 0..<3 {
      let again = try await stand.hit("/a")
      #expect(again["Age"] == "9" && again["Cache-Status"] == "Tsugi; hit; ttl=1")
      #expect(again.body == first.body && again["X-A"] == "1")
    }
    stand.wait(seconds: 1)
    let third = try await stand.hit("/a")
    #expect(third["Cache-Status"] == "Tsugi; fwd=stale; fwd-status=200; ttl=10; stored")
    #expect(stand.upstream.calls.count == 2)
    #expect(stand.upstream.calls[0].target == "/base/a")
    await stand.stop()
  }

  @Test("RFC 9111 §4.3: validated by a 304, which renews the fields")
  func validates() async throws {
    let stand = try await RawStand { call in
      guard call["If-None-Match"] != nil else {
        return .answer(200, ["ETag: \"a\"", "X-A: 1", "Cache-Control: max-age=1"], "hello")
      }
      return .text("HTTP/1.1 304 N\r\nX-A: 2\r\nCache-Control: max-age=5\r\nX-B: 1\r\n\r\n")
    }
    _ = try await stand.get("/a")
    stand.wait(seconds: 2)
    let again = try await stand.get("/a")
    #expect(again.status == 200 && again.body == Array("hello".utf8))
    #expect(again["X-A"] == "2" && again["X-B"] == "1" && again["Age"] == "0")
    #expect(again["Cache-Status"] == "Tsugi; fwd=stale; fwd-status=304; ttl=5; stored")
    #expect(stand.upstream.calls.last?["If-None-Match"] == "\"a\"")
    stand.wait(seconds: 4)
    #expect(try await stand.get("/a")["Cache-Status"] == "Tsugi; hit; ttl=1")
    await stand.stop()
  }

  @Test("RFC 9111 §4.3.4: a 304 of another tag renews nothing, and the whole is asked for")
  func asksForTheWholeWhereAnotherTagIsValidated() async throws {
    let stand = try await RawStand { call in
      guard call["If-None-Match"] == nil else {
        return .text("HTTP/1.1 304 N\r\nETag: \"b\"\r\n\r\n")
      }
      return .answer(200, ["ETag: \"a\"", "Cache-Control: no-cache"], "x")
    }
    for calls in [1, 3] {
      let reply = try await stand.get("/a")
      #expect(reply.status == 200 && reply["ETag"] == "\"a\"" && reply.body == Array("x".utf8))
      #expect(stand.upstream.calls.count == calls)
    }
    await stand.stop()
  }

  @Test("a 304 to a request without validators is an error")
  func refusesAnEmptyAnswer() async throws {
    let stand = try await RawStand { _ in .text("HTTP/1.1 304 N\r\nETag: \"a\"\r\n\r\n") }
    #expect(try await stand.get("/a").status == 502)
    await stand.stop()
  }

  @Test("RFC 9111 §4.2.4: stale while the upstream cannot be reached")
  func servesStaleInAnOutage() async throws {
    for (line, isServed) in [
      ("max-age=1", true), ("max-age=1, must-revalidate", false),
      ("max-age=1, proxy-revalidate", false), ("s-maxage=1", false), ("no-cache", false),
    ] {
      let stand = try await RawStand { _ in .answer(200, ["Cache-Control: \(line)"], "hello") }
      _ = try await stand.get("/a")
      stand.wait(seconds: 3)
      await stand.upstream.stop()
      let reply = try await stand.get("/a")
      #expect(reply.status == (isServed ? 200 : 503), "\(line)")
      if isServed {
        #expect(reply["Cache-Status"] == "Tsugi; hit; ttl=-2; detail=no-answer")
        #expect(reply["Age"] == "3")
        stand.wait(seconds: 86_400)
        #expect(try await stand.get("/a").status == 503)
      } else {
        #expect(reply["Content-Type"] == "application/problem+json", "\(line)")
        #expect(reply["Retry-After"] != nil)
      }
      await stand.stop()
    }
  }

  @Test("RFC 5861 §4: stale on 500, 502, 503, 504, as long as the answer allows")
  func servesStaleOnErrors() async throws {
    for status in [500, 502, 503, 504, 501, 404] {
      let stand = try await RawStand { _ in
        .answer(200, ["Cache-Control: max-age=1, stale-if-error=5"], "hello")
      }
      _ = try await stand.get("/a")
      stand.upstream.set { _ in .answer(status, ["Cache-Control: no-store"], "no") }
      stand.wait(seconds: 6)
      let isTrouble = troubles.contains(status)
      #expect(try await stand.get("/a").status == (isTrouble ? 200 : status), "\(status)")
      stand.wait(seconds: 1)
      let reply = try await stand.get("/a")
      #expect(reply.status == status && reply.body == Array("no".utf8), "\(status)")
      await stand.stop()
    }
  }

  private let troubles: Set = [500, 502, 503, 504]

  @Test("RFC 5861 §3: stale while it is validated behind the reply")
  func validatesBehindTheReply() async throws {
    let stand = try await RawStand { _ in
      .answer(200, ["Cache-Control: max-age=1, stale-while-revalidate=5"], "old")
    }
    _ = try await stand.get("/a")
    stand.wait(seconds: 3)
    stand.upstream.set { _ in .answer(200, ["Cache-Control: max-age=60"], "new") }
    let reply = try await stand.get("/a")
    #expect(reply.body == Array("old".utf8) && reply["Cache-Status"] == "Tsugi; hit; ttl=-2")
    var last = reply
    while last.body == Array("old".utf8) {
      try await Task.sleep(for: .milliseconds(5))
      last = try await stand.get("/a")
    }
    #expect(last.body == Array("new".utf8) && stand.upstream.calls.count == 2)
    await stand.stop()
  }

  @Test("RFC 9111 §3: what is kept by its status and its words")
  func keepsByTheBook() async throws {
    for (status, lines, isKept) in [
      (299, ["Cache-Control: max-age=60"], true), (499, ["Cache-Control: max-age=60"], true),
      (599, ["Cache-Control: max-age=60"], true), (206, ["Cache-Control: max-age=60"], false),
      (200, ["Cache-Control: must-understand, no-store, max-age=60"], true),
      (299, ["Cache-Control: must-understand, max-age=60"], false),
      (200, ["Cache-Control: private, max-age=60"], false),
      (200, ["Cache-Control: max-age=60", "Vary: *"], false),
      // No rule of thumb without a validator, and one with it.
      (200, [], false), (200, ["Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT"], true),
      (302, ["Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT"], false),
      (200, ["Expires: 0"], false), (200, ["Expires: Sun, 06 Nov 1994 08:59:37 GMT"], true),
      (200, ["Cache-Control: max-age=0", "Expires: Sun, 06 Nov 1994 08:59:37 GMT"], false),
    ] as [(Int, [String], Bool)] {
      let stand = try await RawStand { _ in .answer(status, lines, "hello") }
      for _ in 0..<2 { #expect(try await stand.get("/a").status == status) }
      #expect(stand.upstream.calls.count == (isKept ? 1 : 2), "\(status) \(lines)")
      await stand.stop()
    }
  }

  @Test("RFC 9213 §2.2: a targeted field in the place of Cache-Control")
  func obeysTargets() async throws {
    let raw = RawStand.open + #","targets":["CDN-Cache-Control"]"#
    for (field, isKept) in [
      ("max-age=60", true), ("no-store", false), ("max-age=\"60\"", false), ("", false),
    ] {
      let stand = try await RawStand(raw) { _ in
        .answer(200, ["Cache-Control: no-store", "CDN-Cache-Control: \(field)"], "hello")
      }
      for _ in 0..<2 { #expect(try await stand.get("/a").status == 200) }
      #expect(stand.upstream.calls.count == (isKept ? 1 : 2), "\(field)")
      await stand.stop()
    }
  }

  @Test("RFC 9111 §4.1: a variant for what Vary names, and is forwarded")
  func servesVariants() async throws {
    let stand = try await RawStand { call in
      .answer(
        200, ["Cache-Control: max-age=60", "Vary: Accept-Language, User-Agent"],
        call["Accept-Language"] ?? "none")
    }
    for language in ["de", "ja", "de", "ja", "en"] {
      let reply = try await stand.get("/a", ["Accept-Language: \(language)"])
      #expect(String(decoding: reply.body, as: UTF8.self) == language)
    }
    #expect(stand.upstream.calls.count == 3)
    let miss = try await stand.get("/a", ["Accept-Language: fr"])
    #expect(miss["Cache-Status"]?.hasPrefix("Tsugi; fwd=vary-miss") == true)
    await stand.stop()
    // What is not forwarded cannot vary.
    let closed = try await RawStand(#""paths":["a"],"forwards":["Accept-Language"]"#) { call in
      .answer(
        200, ["Cache-Control: max-age=60", "Vary: User-Agent"], call["Accept-Language"] ?? "")
    }
    for agent in ["a", "b"] { _ = try await closed.get("/a", ["User-Agent: \(agent)"]) }
    #expect(closed.upstream.calls.count == 1)
    #expect(closed.upstream.calls[0]["User-Agent"]?.hasPrefix("Tsugi/") == true)
    await closed.stop()
  }

  @Test("at most maxVariants, the oldest goes")
  func boundsVariants() async throws {
    let raw = RawStand.open + #","maxVariants":2"#
    let stand = try await RawStand(raw) { _ in
      .answer(200, ["Cache-Control: max-age=600", "Vary: X"], "hello")
    }
    for value in ["1", "2", "3"] {
      stand.wait(seconds: 1)
      _ = try await stand.get("/a", ["X: \(value)"])
    }
    for value in ["2", "3"] { _ = try await stand.get("/a", ["X: \(value)"]) }
    #expect(stand.upstream.calls.count == 3)
    _ = try await stand.get("/a", ["X: 1"])
    #expect(stand.upstream.calls.count == 4)
    await stand.stop()
  }

  @Test("RFC 9110 §13, §14: conditions and one range are met here")
  func answersConditionsAndRanges() async throws {
    let stand = try await RawStand { _ in
      .answer(
        200,
        [
          "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Type: text/plain",
          "Last-Modified: Sun, 06 Nov 1994 08:00:00 GMT",
        ], "0123456789")
    }
    _ = try await stand.get("/a")
    for (lines, status, body) in [
      (["If-None-Match: \"a\""], 304, ""), (["If-None-Match: W/\"a\""], 304, ""),
      (["If-None-Match: \"b\""], 200, "0123456789"), (["If-None-Match: *"], 304, ""),
      (["If-Modified-Since: Sun, 06 Nov 1994 08:00:00 GMT"], 304, ""),
      (["If-Modified-Since: Sun, 06 Nov 1994 07:00:00 GMT"], 200, "0123456789"),
      (["Range: bytes=2-4"], 206, "234"), (["Range: bytes=-2"], 206, "89"),
      (["Range: bytes=0-1,3-4"], 200, "0123456789"), (["Range: bytes=20-"], 416, ""),
      (["Range: bytes=2-4", "If-Range: \"b\""], 200, "0123456789"),
    ] as [([String], Int, String)] {
      for _ in 0..<2 {
        let reply = try await stand.hit("/a", lines)
        #expect(reply.status == status, "\(lines)")
        #expect(String(decoding: reply.body, as: UTF8.self) == body, "\(lines)")
      }
    }
    let part = try await stand.get("/a", ["Range: bytes=2-4"])
    #expect(part["Content-Range"] == "bytes 2-4/10" && part["ETag"] == "\"a\"")
    #expect(try await stand.get("/a", ["Range: bytes=20-"])["Content-Range"] == "bytes */10")
    #expect(stand.upstream.calls.count == 1)
    // The upstream is never asked for a part, or for what a client does not have.
    _ = try await stand.get("/b", ["Range: bytes=2-4", "If-None-Match: \"a\"", "If-Range: \"a\""])
    let call = try #require(stand.upstream.calls.last)
    #expect(call["Range"] == nil && call["If-None-Match"] == nil && call["If-Range"] == nil)
    await stand.stop()
  }

  @Test("HEAD from a kept GET, and a HEAD of its own")
  func answersHEAD() async throws {
    let stand = try await RawStand { call in
      call.method == "HEAD"
        ? .text("HTTP/1.1 200 O\r\nContent-Length: 77\r\nCache-Control: max-age=60\r\n\r\n")
        : .answer(200, ["Cache-Control: max-age=60"], "hello")
    }
    let first = try await stand.get("/a", method: "HEAD")
    #expect(first["Content-Length"] == "77" && first.body.isEmpty)
    #expect(stand.upstream.calls.map(\.method) == ["HEAD"])
    // It replaces no content, and stands for none.
    #expect(try await stand.get("/a").body == Array("hello".utf8))
    for _ in 0..<2 {
      let second = try await stand.hit("/a", method: "HEAD")
      #expect(second["Content-Length"] == "5" && second["Cache-Status"] == "Tsugi; hit; ttl=60")
    }
    #expect(stand.upstream.calls.map(\.method) == ["HEAD", "GET"])
    #expect(try await stand.get("/a", method: "DELETE").status == 405)
    await stand.stop()
  }

  @Test func announcesWhatDoesNotCome() async throws {
    let stand = try await RawStand { _ in
      .text("HTTP/1.1 200 O\r\nContent-Length: 99999999999\r\n\r\n")
    }
    let reply = try await stand.get("/a", method: "HEAD")
    #expect(reply.status == 200 && reply["Content-Length"] == "99999999999")
    #expect(try await stand.get("/b").status == 503)
    await stand.stop()
  }

  @Test("RFC 9111 §5.2.1.7: only-if-cached")
  func asksNobody() async throws {
    let stand = try await RawStand { _ in .answer(200, ["Cache-Control: max-age=9"], "hello") }
    let lines = ["Cache-Control: only-if-cached"]
    let reply = try await stand.get("/a", lines)
    #expect(try reply.problem().code == "upstream_timeout" && reply.status == 504)
    #expect(stand.upstream.calls.isEmpty)
    _ = try await stand.get("/a")
    #expect(try await stand.get("/a", lines).status == 200)
    await stand.stop()
  }

  @Test("a reload asks again, but not what was validated a moment ago")
  func reloads() async throws {
    let stand = try await RawStand(#""paths":["a"],"refreshSeconds":10"#) { _ in
      .answer(200, ["Cache-Control: max-age=60"], "hello")
    }
    _ = try await stand.get("/a")
    for (seconds, calls) in [(9, 1), (1, 2), (9, 2)] as [(Int64, Int)] {
      stand.wait(seconds: seconds)
      for line in ["Cache-Control: no-cache", "Cache-Control: max-age=0", "Pragma: no-cache"] {
        _ = try await stand.hit("/a", [line])
      }
      #expect(stand.upstream.calls.count == calls)
    }
    await stand.stop()
  }
}
