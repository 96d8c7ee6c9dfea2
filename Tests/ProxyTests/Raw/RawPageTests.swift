import Support
import Testing
import Wire

@testable import Proxy

/// A browser runs nothing of an upstream as a page of this origin, and keeps nothing of it for the
/// origin.
@Suite(.timeLimit(.minutes(10))) struct RawPageTests {
  private static let sandbox = "sandbox; default-src 'none'"

  private func policies(_ reply: Reply) -> [String] {
    reply.fields.filter { $0.name == "Content-Security-Policy" }.map(\.value)
  }

  @Test(
    "sandboxed but for one line of one allowed type",
    arguments: [
      (["Content-Type: application/json; charset=utf-8"], true),
      (["Content-Type: TEXT/plain"], true), (["Content-Type: text/html"], false),
      (["Content-Type: image/svg+xml"], false), ([], false), (["Content-Type:"], false),
      (["Content-Type: application/json, text/html"], false),
      (["Content-Type: text/plain, image/svg+xml"], false),
      (["Content-Type: application/json", "Content-Type: text/html"], false),
      (["content-type: text/html", "Content-Type: application/json"], false),
      (["Content-Type: application/json,"], false),
      (["Content-Type: application/json", " , text/html"], false),
      (["Content-Type : text/html", "Content-Type: text/plain"], false),
      (["Content-Type: application/json; a=\"b, text/html\""], false),
    ])
  func isNoPageOfThisOrigin(_ lines: [String], _ isShown: Bool) async throws {
    let stand = try await RawStand(#""paths":["a"]"#) { _ in
      .answer(
        200,
        lines + [
          "Cache-Control: max-age=60", "X-Content-Type-Options: sniff",
          "Content-Security-Policy: default-src *",
        ], "<script>")
    }
    // As it came, from the store, and ready.
    for _ in 0..<3 {
      let reply = try await stand.hit("/a")
      #expect(policies(reply) == ["default-src *"] + (isShown ? [] : [Self.sandbox]))
      let nosniff = reply.fields.filter { $0.name == "X-Content-Type-Options" }.map(\.value)
      #expect(nosniff == ["nosniff"])
    }
    await stand.stop()
  }

  @Test("an answer that a 304 renewed is of the type that it was kept with")
  func isJudgedByTheContentsType() async throws {
    for (type, other, isShown) in [
      ("text/html", "application/json", false), ("application/json", "text/html", true),
    ] {
      let stand = try await RawStand { call in
        let lines = ["ETag: \"a\"", "Cache-Control: max-age=1"]
        return call["If-None-Match"] == nil
          ? .answer(200, lines + ["Content-Type: \(type)"], "<script>")
          : .text(
            "HTTP/1.1 304 N\r\nContent-Type: \(other)\r\n"
              + lines.joined(separator: "\r\n") + "\r\n\r\n")
      }
      for _ in 0..<2 {
        let reply = try await stand.hit("/a")
        #expect(reply.status == 200 && reply["Content-Type"] == type)
        #expect(policies(reply) == (isShown ? [] : [Self.sandbox]))
        stand.wait(seconds: 2)
      }
      #expect(stand.upstream.calls.count == 2)
      await stand.stop()
    }
  }

  @Test("a 304 takes the sandbox from nothing that a browser has stored")
  func notModifiedSaysTheSame() async throws {
    for (type, isShown) in [("text/html", false), ("text/plain", true)] {
      let stand = try await RawStand(#""paths":["a"]"#) { _ in
        .answer(
          200,
          [
            "Content-Type: \(type)", "ETag: \"a\"", "Cache-Control: max-age=60",
            "Content-Security-Policy: default-src *",
          ], "<script>")
      }
      for isReady in [false, true] {
        if isReady { _ = try await stand.hit("/a") }
        let reply = try await stand.hit("/a", ["If-None-Match: \"a\""])
        #expect(reply.status == 304)
        #expect(policies(reply) == ["default-src *"] + (isShown ? [] : [Self.sandbox]))
      }
      await stand.stop()
    }
  }

  @Test("what speaks for a whole origin passes in no answer, final or interim")
  func passesNothingThatSpeaksForTheOrigin() async throws {
    let names = [
      "Accept-CH", "Access-Control-Allow-Origin", "Access-Control-Allow-Private-Network",
      "Alt-Svc", "Attribution-Reporting-Register-Source", "Clear-Site-Data", "Critical-CH",
      "Expect-CT", "NEL", "Origin-Agent-Cluster", "Public-Key-Pins",
      "Public-Key-Pins-Report-Only", "Report-To", "Reporting-Endpoints",
      "Sec-Session-Registration", "Service-Worker-Allowed", "Set-Login", "Speculation-Rules",
      "Strict-Transport-Security", "Timing-Allow-Origin", "Use-As-Dictionary",
      "X-Accel-Redirect", "X-Sendfile", "x-lighttpd-send-file", "nel", "REPORT-TO",
    ]
    let lines = names.map { "\($0): speaks\r\n" }.joined()
    let stand = try await RawStand { _ in
      .text(
        "HTTP/1.1 103 E\r\nLink: </a>; rel=preload\r\n\(lines)\r\n"
          + "HTTP/1.1 200 O\r\nX-A: 1\r\nCache-Control: max-age=60\r\n\(lines)"
          + "Content-Length: 5\r\n\r\nhello")
    }
    let port = stand.client.port
    for isKept in [false, true] {
      let bytes = try await onThread {
        try Client(port: port).exchange(
          "GET /v1/s/raw/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("Link: </a>; rel=preload\r\n") != isKept)
      #expect(text.contains("X-A: 1\r\n") && !text.contains("speaks"))
    }
    await stand.stop()
  }
}
