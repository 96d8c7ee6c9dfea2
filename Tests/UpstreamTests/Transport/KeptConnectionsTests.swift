import Feed
import Freshness
import Glibc
import Testing

@testable import Upstream

/// Nothing that an upstream sends unasked is taken for the answer to the next request.
@Suite(.serialized) struct KeptConnectionsTests {
  private static let answer = "HTTP/1.1 200 OK\nContent-Length: 5"
  private static let evil = ScriptedUpstream.Step.bytes(
    Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8))

  private static func own(_ number: Int) -> [ScriptedUpstream.Step] {
    [.head(answer), .text("own-\(number)")]
  }

  /// The bodies of two requests, one after the other.
  private func bodies(
    _ upstream: ScriptedUpstream, first: GetRequest.RawForm? = nil, apart: Duration
  ) async throws -> [String?] {
    try await exchange(upstream) { _, client in
      var request = GetRequest(url: upstream.url)
      var bodies: [String?] = []
      for raw in [first, nil] {
        request.raw = raw
        let answer = await client.get(request, limits: .forTests)
        bodies.append((try? answer.body.get()).map { String(decoding: $0, as: UTF8.self) })
        try await Task.sleep(for: apart)
      }
      return bodies
    }
  }

  @Test func anAnswerNobodyAskedForIsLeft() async throws {
    let upstream = try ScriptedUpstream { number in
      Self.own(number) + (number == 0 ? [.pause(milliseconds: 50), Self.evil] : [])
    }
    #expect(try await bodies(upstream, apart: .milliseconds(200)) == ["own-0", "own-1"])
    #expect(upstream.connectionCount == 2)
  }

  /// Some upstreams send a body after a head that has none; it may come any moment.
  @Test(arguments: ["204 No Content", "304 Not Modified"])
  func aBodyAfterAnAnswerWithoutOneIsLeft(status: String) async throws {
    let upstream = try ScriptedUpstream { number in
      number == 0
        ? [.head("HTTP/1.1 \(status)\nX: y"), .pause(milliseconds: 100), Self.evil]
        : Self.own(number)
    }
    #expect(try await bodies(upstream, apart: .zero) == ["", "own-1"])
  }

  @Test func aBodyAfterAHeadIsLeft() async throws {
    let upstream = try ScriptedUpstream { number in
      number == 0
        ? [.head(Self.answer), .pause(milliseconds: 100), Self.evil] : Self.own(number)
    }
    let head = GetRequest.RawForm(isHead: true, interim: { _, _ in })
    #expect(try await bodies(upstream, first: head, apart: .zero) == ["", "own-1"])
  }

  /// A connection on which nothing waits is used again.
  @Test func aConnectionIsKept() async throws {
    let upstream = try ScriptedUpstream { Self.own($0) }
    #expect(try await bodies(upstream, apart: .milliseconds(50)) == ["own-0", "own-1"])
    #expect(upstream.connectionCount == 1)
  }

  /// Past so many connections the oldest is forgotten, and then used as libcurl has it.
  @Test(arguments: [KeptConnections.countMax, KeptConnections.countMax + 1])
  func onlySoManyAreRemembered(count: Int) {
    let connections = KeptConnections()
    // One that is bound to no port, as all of them here.
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    let ends = (0..<Int32(count)).map { index in
      KeptConnections.Ends(local: "l", localPort: 0, remote: "r", remotePort: index)
    }
    for ends in ends {
      connections.note(ends, among: [socket])
      connections.noteAnswer(on: ends, isMultiplexed: false, hasBody: false)
    }
    #expect(connections.maySend(on: ends[0]) == (count > KeptConnections.countMax))
    #expect(!connections.maySend(on: ends[1]))
  }
}
