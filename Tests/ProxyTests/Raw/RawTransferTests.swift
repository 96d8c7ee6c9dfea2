import Crowd
import Glibc
import Support
import Testing
import Wire

@testable import Proxy

/// How answers come and go: interim ones, codings, lengths, what belongs to a connection.
@Suite(.timeLimit(.minutes(10))) struct RawTransferTests {
  private static let fresh = "Cache-Control: max-age=60\r\n"

  @Test("RFC 8297: 103 is passed on, and not kept")
  func passesInterimAnswersOn() async throws {
    let stand = try await RawStand { _ in
      .text(
        "HTTP/1.1 103 E\r\nLink: </a>; rel=preload\r\nX-Hint: 1\r\n\r\n"
          + "HTTP/1.1 200 O\r\n\(Self.fresh)Content-Length: 5\r\n\r\nhello")
    }
    let port = stand.client.port
    let texts = try await onThread {
      try (0..<2).map { _ in
        let bytes = try Client(port: port).exchange(
          "GET /v1/s/raw/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    #expect(
      texts[0].hasPrefix(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nX-Hint: 1\r\n\r\nHTTP/1.1 200 OK"))
    #expect(texts[0].hasSuffix("hello") && !texts[0].dropFirst(80).contains("X-Hint"))
    #expect(texts[1].hasPrefix("HTTP/1.1 200 OK") && !texts[1].contains("X-Hint"))
    // A client of HTTP/1.0 knows none.
    let old = try await onThread {
      try Client(port: port).exchange("GET /v1/s/raw/b HTTP/1.0\r\nHost: localhost\r\n\r\n")
    }
    #expect(String(decoding: old.prefix(12), as: UTF8.self) == "HTTP/1.1 200")
    await stand.stop()
  }

  @Test(
    "RFC 9112 §6, §7: how a body ends",
    arguments: [
      ("Content-Length: 5\r\n", "hello"), ("Content-Length: 5\r\n", "hello, and more"),
      ("Transfer-Encoding: chunked\r\n", "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-T: 1\r\n\r\n"),
      ("Transfer-Encoding: chunked\r\nTrailer: X-T\r\n", "0005\r\nhello\r\n0\r\n\r\n"),
      ("", "hello"), ("transfer-encoding: CHUNKED\r\n", "5\r\nhello\r\n0\r\n\r\n"),
    ])
  func takesTheCodingOff(_ fields: String, _ body: String) async throws {
    let stand = try await RawStand { _ in
      .text("HTTP/1.1 200 O\r\n\(Self.fresh)Connection: X-Hop\r\nX-Hop: 1\r\n\(fields)\r\n\(body)")
    }
    for _ in 0..<2 {
      let reply = try await stand.get("/a")
      #expect(reply.status == 200 && reply.body == Array("hello".utf8))
      #expect(reply["Content-Length"] == "5" && reply["Transfer-Encoding"] == nil)
      #expect(reply["X-Hop"] == nil && reply["X-T"] == nil && reply["Trailer"] == nil)
    }
    #expect(stand.upstream.calls.count == 1)
    await stand.stop()
  }

  @Test(
    "RFC 9112 §6.3: lengths that differ are refused, equal ones are one",
    arguments: [
      ("5\r\nContent-Length: 3", 502), ("3, 5", 502), ("3\r\nContent-Length: 5", 502),
      ("5\r\nContent-Length: 5", 200),
    ])
  func refusesLengthsThatDiffer(_ length: String, _ status: Int) async throws {
    let stand = try await RawStand { _ in
      .text("HTTP/1.1 200 O\r\n\(Self.fresh)Content-Length: \(length)\r\n\r\nhello")
    }
    let reply = try await stand.get("/a")
    #expect(reply.status == status)
    await stand.stop()
  }

  @Test(
    "a transfer coding other than one chunked is refused",
    arguments: [
      "unheard-of", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity",
      "chunked\r\nTransfer-Encoding: chunked", "xchunked", "chunked;a=b", "\"chunked\"", "",
    ])
  func refusesOtherCodings(_ coding: String) async throws {
    let stand = try await RawStand { _ in
      .text(
        "HTTP/1.1 200 O\r\n\(Self.fresh)Transfer-Encoding: \(coding)\r\n\r\n"
          + "5\r\nhello\r\n0\r\n\r\n")
    }
    let reply = try await stand.get("/a")
    #expect(reply.status == 502)
    #expect(try reply.problem().code == "upstream_bad_response")
    await stand.stop()
  }

  @Test(
    "an answer that is not whole is none",
    arguments: [
      "Content-Length: 9\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "Transfer-Encoding: chunked\r\n\r\nx",
    ])
  func keepsNothingThatIsCut(_ rest: String) async throws {
    let stand = try await RawStand { _ in .text("HTTP/1.1 200 O\r\n\(Self.fresh)\(rest)") }
    #expect(try await stand.get("/a").status >= 502)
    stand.upstream.set { _ in .answer(200, ["Cache-Control: max-age=60"], "whole") }
    stand.wait(seconds: 60)
    #expect(try await stand.get("/a").body == Array("whole".utf8))
    await stand.stop()
  }

  @Test("what is compressed stays so")
  func inflatesNothing() async throws {
    let stand = try await RawStand { _ in
      .answer(
        200, ["Cache-Control: max-age=60", "Content-Encoding: gzip", "Vary: Accept-Encoding"],
        "no gzip at all")
    }
    for _ in 0..<2 {
      let reply = try await stand.get("/a", ["Accept-Encoding: gzip"])
      #expect(reply["Content-Encoding"] == "gzip" && reply.body == Array("no gzip at all".utf8))
    }
    #expect(stand.upstream.calls.count == 1)
    #expect(stand.upstream.calls[0]["Accept-Encoding"] == "gzip")
    _ = try await stand.get("/a")
    #expect(stand.upstream.calls[1]["Accept-Encoding"] == nil)
    await stand.stop()
  }

  @Test("RFC 9110 §6.6.1: a Date is passed on, and where there is none it is when it came")
  func datesOnce() async throws {
    for (line, date) in [
      ("Date: Sun, 06 Nov 1994 08:00:00 GMT", "Sun, 06 Nov 1994 08:00:00 GMT"),
      ("X: 1", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ] {
      let stand = try await RawStand { _ in .answer(200, [line, "Cache-Control: max-age=9999"], "")
      }
      for _ in 0..<4 {
        let reply = try await stand.hit("/a")
        #expect(reply.fields.filter { $0.name == "Date" }.map(\.value) == [date])
        stand.wait(seconds: 2)
      }
      await stand.stop()
    }
  }

  @Test("no redirect is followed")
  func passesRedirectsOn() async throws {
    let stand = try await RawStand { _ in
      .answer(301, ["Location: /base/b", "Cache-Control: max-age=60"], "")
    }
    for _ in 0..<2 {
      let reply = try await stand.get("/a")
      #expect(reply.status == 301 && reply["Location"] == "/base/b")
    }
    #expect(stand.upstream.calls.count == 1)
    await stand.stop()
  }

  @Test("a body over maxBodyKilobytes passes and is not kept; one over the upstream's is 502")
  func boundsBodies() async throws {
    let raw = RawStand.open + #","maxBodyKilobytes":1"#
    for (count, calls) in [(1024, 1), (1025, 2)] {
      let stand = try await RawStand(raw) { _ in
        .answer(200, ["Cache-Control: max-age=60"], String(repeating: "a", count: count))
      }
      for _ in 0..<2 { #expect(try await stand.get("/a").body.count == count) }
      #expect(stand.upstream.calls.count == calls)
      await stand.stop()
    }
  }

  @Test("fields with what no value may hold, and lines that are none")
  func passesNothingMalformed() async throws {
    let stand = try await RawStand { _ in
      .text(
        "HTTP/1.1 200 O\r\nX-A: a\u{1}b\r\nX B: 1\r\nX-C : 2\r\n: 3\r\nX-D:\r\n 4\r\n"
          + "Content-Length: 0\r\n\r\n")
    }
    let reply = try await stand.get("/a")
    #expect(reply["X-A"] == "a b" && reply["X-C"] == "2" && reply["X-D"] == "4")
    #expect(reply["X B"] == nil)
    await stand.stop()
  }
}
