import Crowd
import Glibc
import Support
import Testing
import Wire

@testable import Proxy

/// Who waits for which call, and whose an answer is.
@Suite(.timeLimit(.minutes(10))) struct RawSharingTests {
  /// Asks so many times at once, and lets the upstream answer when all wait.
  private func ask(
    _ stand: RawStand, _ count: Int, _ target: String,
    _ lines: @escaping @Sendable (Int) -> [String], until calls: Int
  ) async throws -> [Reply] {
    stand.upstream.hold()
    let port = stand.client.port
    // On one thread: of those that wait for each other there are few.
    async let asked = onThread {
      let sockets = try (0..<count).map { index in
        let socket = try connectedSocket(port)
        let head = ["GET /v1/s/raw\(target) HTTP/1.1", "Host: localhost", "Connection: close"]
        let request = Array(((head + lines(index)).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        try #require(send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        return socket
      }
      return try sockets.map { socket in
        defer { close(socket) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 {
          bytes += buffer[..<count]
        }
        var rest = bytes[...]
        return try Client.takeReply(to: "GET", from: &rest)
      }
    }
    while stand.upstream.calls.count < calls { try await Task.sleep(for: .milliseconds(2)) }
    // Those who do not call have nothing that shows from outside.
    try await Task.sleep(for: .milliseconds(150))
    stand.upstream.release()
    return try await asked
  }

  @Test("a hundred cold readers of one target cost one call")
  func sharesACall() async throws {
    let stand = try await RawStand(
      RawStand.open, source: #""maxInFlight":4,"#
    ) { _ in .answer(200, ["Cache-Control: max-age=60"], "hello") }
    let replies = try await ask(stand, 100, "/a", { _ in [] }, until: 1)
    #expect(replies.count == 100 && replies.allSatisfy { $0.body == Array("hello".utf8) })
    #expect(stand.upstream.calls.count == 1)
    let told = replies.count { $0["Cache-Status"]?.contains("collapsed") == true }
    #expect(told == 99)
    await stand.stop()
  }

  @Test("what may not be kept is for who asked first; then nobody waits for a minute")
  func sharesNothingPrivate() async throws {
    let stand = try await RawStand(
      RawStand.open, source: #""maxInFlight":64,"reserveCalls":0,"rate":{"calls":1000},"#
    ) { call in .answer(200, ["Cache-Control: private"], call["X-Who"] ?? "") }
    let replies = try await ask(stand, 10, "/a", { ["X-Who: \($0)"] }, until: 1)
    #expect(stand.upstream.calls.count == 10)
    #expect(Set(replies.map(\.body)).count == 10)
    // From now on each has a call at once.
    let again = try await ask(stand, 10, "/a", { ["X-Who: \($0)"] }, until: 20)
    #expect(Set(again.map(\.body)).count == 10 && stand.upstream.calls.count == 20)
    await stand.stop()
  }

  @Test(
    "what one request says keeps no others from sharing a call",
    arguments: ["Cache-Control: no-store", "Authorization: x", "Cookie: x=1"])
  func goesAloneByItself(_ line: String) async throws {
    let raw = #""paths":["**"],"forwards":["Authorization","Cookie"]"#
    let stand = try await RawStand(raw, source: #""newFeedShare":1,"#) { call in
      let isPlain = call["Authorization"] == nil && call["Cookie"] == nil
      return .answer(200, ["Cache-Control: \(isPlain ? "max-age=60" : "private")"], "hello")
    }
    _ = try await stand.get("/a", [line])
    let replies = try await ask(stand, 10, "/a", { _ in [] }, until: 2)
    #expect(replies.allSatisfy { $0.status == 200 } && stand.upstream.calls.count == 2)
    await stand.stop()
  }

  @Test("RFC 9111 §3.5: with credentials nothing is shared that does not say so")
  func keepsCredentialsApart() async throws {
    let raw = #""paths":["**"],"forwards":["Authorization","Cookie"]"#
    for (control, calls) in [("max-age=60", 3), ("public, max-age=60", 1)] {
      let stand = try await RawStand(raw, source: #""newFeedShare":1,"#) { call in
        .answer(200, ["Cache-Control: \(control)"], call["Authorization"] ?? call["Cookie"] ?? "")
      }
      let first = try await stand.get("/a", ["Authorization: a"])
      #expect(first.body == Array("a".utf8))
      _ = try await stand.get("/a", ["Cookie: b"])
      _ = try await stand.get("/a", ["Authorization: c"])
      #expect(stand.upstream.calls.count == calls, "\(control)")
      await stand.stop()
    }
  }

  @Test("each reader of another variant gets its own")
  func sharesNoOtherVariant() async throws {
    let stand = try await RawStand(
      RawStand.open, source: #""newFeedShare":1,"maxInFlight":8,"#
    ) { call in
      .answer(200, ["Cache-Control: max-age=60", "Vary: X-Who"], call["X-Who"] ?? "")
    }
    let replies = try await ask(stand, 6, "/a", { ["X-Who: \($0 % 3)"] }, until: 1)
    #expect(
      replies.map { String(decoding: $0.body, as: UTF8.self) }.sorted() == [
        "0", "0", "1", "1", "2", "2",
      ])
    #expect(stand.upstream.calls.count == 3)
    await stand.stop()
  }

  @Test("calls count in the source's budget and keep its reserve")
  func spendsTheBudget() async throws {
    let stand = try await RawStand(
      RawStand.open,
      source: #""reserveCalls":2,"rate":{"calls":5,"seconds":3600},"newFeedShare":1,"#
    ) { call in
      let left = 4 - (Int(call.target.suffix(1)) ?? 0)
      return .answer(
        200,
        [
          "Cache-Control: max-age=1", "RateLimit-Limit: 5", "RateLimit-Remaining: \(left)",
          "RateLimit-Reset: 3600",
        ], "hello")
    }
    for index in 0..<3 { #expect(try await stand.get("/\(index)").status == 200) }
    let refused = try await stand.get("/3")
    #expect(try refused.problem().status == 503 && refused["Retry-After"] != nil)
    #expect(stand.upstream.calls.count == 3)
    // What is kept is served for want of calls.
    stand.wait(seconds: 9)
    #expect(try await stand.get("/0")["Cache-Status"] == "Tsugi; hit; ttl=-8; detail=no-answer")
    await stand.stop()
  }

  @Test("what is not stored is an opening")
  func countsOpenings() async throws {
    let stand = try await RawStand(
      RawStand.open, source: #""rate":{"calls":100,"seconds":3600},"newFeedShare":0.02,"#
    ) { _ in .answer(200, ["Cache-Control: max-age=1"], "hello") }
    for index in 0..<2 { #expect(try await stand.get("/\(index)").status == 200) }
    #expect(try await stand.get("/2").status == 429)
    stand.wait(seconds: 2)
    #expect(try await stand.get("/0")["Cache-Status"]?.contains("fwd=stale") == true)
    await stand.stop()
  }
}
