import Feed
import Synchronization
import Testing

@testable import Upstream

/// What becomes of an answer on its way: lengths, coding, limits, redirects, endings.
@Suite(.serialized) struct UpstreamClientTests {
  private static let whole = "HTTP/1.1 200 OK\nContent-Length: 2"

  private func answer(
    _ steps: [ScriptedUpstream.Step], limits: TransferLimits = .forTests
  ) async throws -> Answer {
    let upstream = try ScriptedUpstream(always: steps)
    return try await exchange(upstream) { _, client in
      await client.get(GetRequest(url: upstream.url), limits: limits)
    }
  }

  private func gzip(_ bytes: [UInt8]) -> [ScriptedUpstream.Step] {
    let head = "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: \(bytes.count)"
    return [.head(head), .bytes(bytes)]
  }

  @Test func asksForGzipAndNamesItself() async throws {
    let upstream = try ScriptedUpstream(always: [.head(Self.whole), .text("[]")])
    try await exchange(upstream) { _, client in
      _ = await client.get(GetRequest(url: upstream.url + "/a?b=c"), limits: .forTests)
    }
    let head = try #require(upstream.heads.first)
    #expect(head.hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
    #expect(head.contains("\r\nAccept-Encoding: gzip\r\n"))
    #expect(head.contains("\r\nUser-Agent: Tsugi/0.0.0\r\n"))
  }

  @Test func inflatesGzip() async throws {
    let text = String(repeating: "継ぎ", count: 40_000)
    let body = try await answer(gzip(GzipBytes.stored(text))).body.get()
    #expect(body == Array(text.utf8))
  }

  @Test func inflatesSeveralMembers() async throws {
    let body = try await answer(gzip(GzipBytes.stored("[1,") + GzipBytes.stored("2]"))).body.get()
    #expect(body == Array("[1,2]".utf8))
  }

  @Test(arguments: [0, 5, 10, 17, 24])
  func saysCutWhenGzipDoesNotEnd(count: Int) async throws {
    let answer = try await answer(gzip(Array(GzipBytes.stored("[1]").prefix(count))))
    #expect(answer.body.failure == .cut)
    #expect(answer.head?.status == 200)
  }

  @Test func saysCutWhenFurtherMemberDoesNotEnd() async throws {
    let bytes = GzipBytes.stored("[1]") + GzipBytes.stored("").prefix(12)
    #expect(try await answer(gzip(bytes)).body.failure == .cut)
  }

  @Test(arguments: [
    Array("garbage".utf8), [0, 0, 0], [0x0A], [UInt8](repeating: 0, count: 99_999),
  ])
  func ignoresWhatFollowsGzip(padding: [UInt8]) async throws {
    let members = GzipBytes.stored("[1,") + GzipBytes.stored("2]")
    #expect(try await answer(gzip(members + padding)).body.get() == Array("[1,2]".utf8))
  }

  @Test(arguments: [
    "gzip", "none", "utf-8", "UTF-8", "identity, identity", "br", "binary", "", "aws-chunked",
  ])
  func takesTextForWhatItIs(coding: String) async throws {
    for text in ["[1]", "7", " {}", "\u{FEFF}[]"] {
      let length = text.utf8.count
      let body = try await answer([
        .head("HTTP/1.1 200 OK\nContent-Encoding: \(coding)\nContent-Length: \(length)"),
        .text(text),
      ]).body
      #expect(try body.get() == Array(text.utf8))
    }
  }

  @Test(arguments: ["x-gzip", "GZIP", "identity, gzip", "gzip, utf-8", "none"])
  func inflatesWhatIsGzip(coding: String) async throws {
    let bytes = GzipBytes.stored("[1]")
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nContent-Encoding: \(coding)\nContent-Length: \(bytes.count)"),
      .bytes(bytes),
    ])
    #expect(try answer.body.get() == Array("[1]".utf8))
  }

  @Test func refusesGzipWithWrongCheckSum() async throws {
    var bytes = GzipBytes.stored("[1]")
    bytes[bytes.count - 6] ^= 1
    #expect(
      try await answer(gzip(bytes)).body.failure == .malformed(reason: "gzip: data error"))
  }

  @Test func stopsGzipBombAtLimit() async throws {
    let answer = try await answer(gzip(GzipBytes.bomb(count: 100_000)))
    #expect(answer.body.failure == .tooLarge(limitBytes: 4 << 20))
  }

  @Test func refusesCodingNobodyAskedFor() async throws {
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nContent-Encoding: br\nContent-Length: 2"), .bytes([0x0B, 0x02]),
    ])
    #expect(answer.body.failure == .malformed(reason: "content coding was not asked for"))
  }

  @Test(arguments: ["Content-Length: 9", "Content-Length: 10"])
  func limitsBodyThatAnnouncesItsLength(length: String) async throws {
    var limits = TransferLimits.forTests
    limits.bodyBytesMax = 9
    let answer = try await answer(
      [.head("HTTP/1.1 200 OK\n\(length)"), .text("0123456789"), .close], limits: limits)
    #expect(answer.body.failure == (length.hasSuffix("10") ? .tooLarge(limitBytes: 9) : nil))
  }

  @Test(arguments: [9, 10])
  func limitsBodyThatDoesNotAnnounceItsLength(count: Int) async throws {
    var limits = TransferLimits.forTests
    limits.bodyBytesMax = 9
    let answer = try await answer(
      [.head("HTTP/1.1 200 OK"), .text(String(repeating: "x", count: count)), .close],
      limits: limits)
    #expect(answer.body.failure == (count == 10 ? .tooLarge(limitBytes: 9) : nil))
  }

  @Test(arguments: [2_000, 2_001])
  func limitsInflatedBody(count: Int) async throws {
    var limits = TransferLimits.forTests
    limits.bodyBytesMax = 2_000
    // 258 zeros at a time: seven times and a first byte are 1,807, eight times 2,065.
    let bomb = GzipBytes.bomb(count: count == 2_000 ? 7 : 8)
    let answer = try await answer(gzip(bomb), limits: limits)
    #expect(answer.body.failure == (count == 2_000 ? .cut : .tooLarge(limitBytes: 2_000)))
  }

  @Test(arguments: [true, false])
  func limitsHead(isOver: Bool) async throws {
    var limits = TransferLimits.forTests
    let head = Self.whole + "\nX: 0123456789"
    limits.headerBytesMax = head.utf8.count + 2 + 4 - (isOver ? 1 : 0)
    let answer = try await answer([.head(head), .text("[]")], limits: limits)
    let error = FetchError.malformed(reason: "more than \(limits.headerBytesMax) header bytes")
    #expect(answer.body.failure == (isOver ? error : nil))
  }

  @Test func saysCutWhenBodyIsShort() async throws {
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nContent-Length: 3\nRate-Limit: 60"), .text("[]"), .close,
    ])
    #expect(answer.body.failure == .cut)
    #expect(answer.head?.fields["rate-limit"] == "60")
  }

  @Test(arguments: ["2\r\n[]\r\n", "3\r\n[]", "2\r\n[]\r\n0\r\n"])
  func saysCutWhenChunkedBodyDoesNotEnd(body: String) async throws {
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked"), .text(body), .close,
    ])
    #expect(answer.body.failure == .cut)
  }

  @Test(arguments: [
    "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "unheard-of", "identity",
    "chunked\nTransfer-Encoding: chunked",
  ])
  func refusesEveryTransferCodingButOneChunked(coding: String) async throws {
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nTransfer-Encoding: \(coding)"), .text("2\r\n[]\r\n0\r\n\r\n"), .close,
    ])
    guard case .malformed? = answer.body.failure else {
      Issue.record("\(answer.body)")
      return
    }
  }

  @Test func takesChunkedBodyAndLeavesItsTrailers() async throws {
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked"),
      .text("1\r\n[\r\n1;x=y\r\n]\r\n0\r\nRate-Limit: 9\r\n\r\n"),
    ])
    #expect(try answer.body.get() == Array("[]".utf8))
    #expect(answer.head?.fields["Rate-Limit"] == nil)
  }

  @Test func saysCutWhenConnectionBreaksInBody() async throws {
    let answer = try await answer([
      .head("HTTP/1.1 200 OK\nContent-Length: 9"), .text("[]"), .reset,
    ])
    #expect(answer.body.failure == .cut)
  }

  @Test(arguments: [ScriptedUpstream.Step.close, .reset])
  func saysThatNoAnswerCameWhereTheConnectionEnds(end: ScriptedUpstream.Step) async throws {
    let answer = try await answer([end])
    #expect(answer.head == nil && answer.body.failure == .noAnswer)
  }

  @Test func saysUnreachableWhenNobodyListens() async throws {
    let upstream = try ScriptedUpstream(always: [])
    upstream.stop()
    let client = try UpstreamClient(version: "0.0.0")
    let answer = await client.get(GetRequest(url: upstream.url), limits: .forTests)
    #expect(answer.body.failure == .unreachable(reason: "Couldn't connect to server"))
    await client.close()
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "", "http://"])
  func asksNothingButHTTP(url: String) async throws {
    let client = try UpstreamClient(version: "0.0.0")
    let answer = await client.get(GetRequest(url: url), limits: .forTests)
    guard case .unreachable? = answer.body.failure else {
      Issue.record("\(answer.body)")
      return
    }
    await client.close()
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\nContent-Length: 9"])
  func stopsWhenTotalTimeIsOver(head: String) async throws {
    var limits = TransferLimits.forTests
    limits.totalTimeout = .milliseconds(200)
    let steps: [ScriptedUpstream.Step] = head.isEmpty ? [.hold] : [.head(head), .hold]
    #expect(try await answer(steps, limits: limits).body.failure == .timedOut)
  }

  @Test func stopsWhenAnswerTrickles() async throws {
    var limits = TransferLimits.forTests
    limits.lowSpeedBytesPerSecond = 1_000
    limits.lowSpeedSeconds = 1
    let answer = try await answer(
      [.head("HTTP/1.1 200 OK\nContent-Length: 99999"), .trickle], limits: limits)
    #expect(answer.body.failure == .timedOut)
  }

  @Test func refusesWhatIsNotHTTP() async throws {
    let answer = try await answer([.text("SSH-2.0-OpenSSH_9.6\r\n"), .close])
    guard case .malformed? = answer.body.failure else {
      Issue.record("\(answer.body)")
      return
    }
  }

  @Test func passesOverInterimAnswers() async throws {
    let answer = try await answer([
      .head("HTTP/1.1 103 Early Hints\nLink: <a>"), .head(Self.whole), .text("[]"),
    ])
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["Link"] == nil)
  }

  @Test func keepsConnection() async throws {
    let upstream = try ScriptedUpstream(always: [.head(Self.whole), .text("[]")])
    try await exchange(upstream) { _, client in
      for _ in 0..<3 {
        _ = await client.get(GetRequest(url: upstream.url), limits: .forTests)
      }
    }
    #expect(upstream.heads.count == 3)
    #expect(upstream.connectionCount == 1)
  }

  @Test func servesFiftyAtOnce() async throws {
    let upstream = try ScriptedUpstream(always: [.head(Self.whole), .text("[]")])
    let goodCount = try await exchange(upstream) { _, client in
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<50 {
          group.addTask {
            let request = GetRequest(url: "\(upstream.url)/\(number)")
            return await client.get(request, limits: .forTests).body.failure == nil
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    #expect(goodCount == 50)
    #expect(Set(upstream.heads).count == 50)
  }

  @Test func failsWhatIsUnderWayWhenClosed() async throws {
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let upstream = try ScriptedUpstream { _ in
      arrived.yield()
      return [.hold]
    }
    let error = try await exchange(upstream) { _, client in
      async let answer = client.get(GetRequest(url: upstream.url), limits: .forTests)
      for await _ in arrivals { break }
      await client.close()
      return await answer.body.failure
    }
    #expect(error == .unreachable(reason: "the client is closed"))
  }

  @Test func failsWhatIsAskedAfterClosing() async throws {
    let client = try UpstreamClient(version: "0.0.0")
    await client.close()
    await client.close()
    let answer = await client.get(GetRequest(url: "http://127.0.0.1:1"), limits: .forTests)
    #expect(answer.body.failure == .unreachable(reason: "the client is closed"))
  }
}
