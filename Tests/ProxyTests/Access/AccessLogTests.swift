import Feed
import HTTP
import Simulator
import Synchronization
import Testing

@testable import Proxy

/// What an access log is told, over sockets.
@Suite(.serialized) struct AccessLogTests {
  /// Takes what was answered.
  private final class Log: Sendable {
    private let requests = Mutex<[AnsweredRequest]>([])

    func note(_ request: AnsweredRequest) { requests.withLock { $0.append(request) } }

    var all: [AnsweredRequest] { requests.withLock { $0 } }
  }

  private func run(
    trustedProxies: [String] = [], apiKeys: [String] = [],
    _ body: (Client, Log) async throws -> Void
  ) async throws {
    let log = Log()
    var settings = ServerSettings()
    settings.accessLog = log.note
    settings.trustedProxies = try trustedProxies.map { try #require(AddressRange($0)) }
    settings.gate.apiKeys = apiKeys.map { Array($0.utf8) }
    try await Stand.run(try await Stand(smallWorld(20), settings: settings)) { stand in
      try await body(stand.client, log)
    }
  }

  @Test func tellsWhatWasAnswered() async throws {
    try await run { client, log in
      let reply = try client.get("/v1/qiita/items?limit=2&fields=id", ["X-Request-Id: mine-7"])
      let told = try #require(log.all.first)
      #expect(log.all.count == 1)
      #expect(told.client.description == "127.0.0.1")
      #expect(told.method == "GET" && told.path == "/v1/qiita/items" && told.route == "slice")
      #expect(told.status == 200 && told.bytes == reply.body.count)
      #expect(told.duration > .zero && told.requestID == "mine-7")
    }
  }

  @Test(arguments: [
    ("HEAD", "/v1/qiita/items?limit=2", "slice", 200, true),
    ("GET", "/v1/qiita/items?limit=0", "slice", 400, false),
    ("GET", "/nowhere", "none", 404, false), ("PUT", "/v1", "index", 405, false),
    ("GET", "/healthz", "healthz", 200, false), ("OPTIONS", "/v1", "index", 204, true),
  ])
  func tellsOfEveryKind(
    method: String, target: String, route: String, status: Int, isEmpty: Bool
  ) async throws {
    try await run { client, log in
      _ = try client.get(target, method: method)
      let told = try #require(log.all.first)
      #expect(told.method == method && told.route == route && told.status == status)
      #expect((told.bytes == 0) == isEmpty)
    }
  }

  /// Also of those that a loop would answer out of its memory.
  @Test func tellsOfEachOfMany() async throws {
    try await run { client, log in
      for _ in 0..<20 { _ = try client.hit("/v1/qiita/items?limit=2") }
      #expect(log.all.count == 20)
      #expect(Set(log.all.map(\.requestID)).count == 20)
    }
  }

  /// A search text may be a secret, a key always is.
  @Test func tellsNoSecret() async throws {
    try await run(apiKeys: ["s3cret"]) { client, log in
      _ = try client.get("/v1/qiita/items?query=s3cret", ["Authorization: Bearer s3cret"])
      _ = try client.get("/v1/qiita/items?key=s3cret", ["Authorization: Bearer wrong"])
      #expect(log.all.map(\.status) == [200, 401])
      #expect(!"\(log.all)".contains("s3cret") && !"\(log.all)".contains("wrong"))
    }
  }

  @Test(arguments: [
    (["127.0.0.0/8"], "203.0.113.9", "203.0.113.9"),
    (["127.0.0.0/8"], "198.51.100.1, 2001:db8::7", "2001:db8::7"),
    (["127.0.0.0/8", "198.51.100.0/24"], "203.0.113.9, 198.51.100.1", "203.0.113.9"),
    (["127.0.0.0/8"], "203.0.113.9:4711", "203.0.113.9"),
    (["127.0.0.0/8"], "[2001:db8::7]", "2001:db8::7"),
    (["127.0.0.0/8", "2001:db8::/64"], "203.0.113.9:80, [2001:db8::7]:443", "203.0.113.9"),
    (["127.0.0.0/8"], "203.0.113.9:", "127.0.0.1"), (["127.0.0.0/8"], "[", "127.0.0.1"),
    (["127.0.0.0/8"], "203.0.113.9:65536", "127.0.0.1"),
    (["127.0.0.0/8"], "[203.0.113.9]:80", "127.0.0.1"),
    (["127.0.0.0/8"], "[2001:db8::7]x", "127.0.0.1"),
    (["127.0.0.0/8"], "nonsense", "127.0.0.1"), ([], "203.0.113.9", "127.0.0.1"),
  ])
  func tellsTheClientBehindATrustedProxy(
    trusted: [String], forwarded: String, client address: String
  ) async throws {
    try await run(trustedProxies: trusted) { client, log in
      _ = try client.get("/v1", ["X-Forwarded-For: \(forwarded)"])
      #expect(log.all.map(\.client.description) == [address])
    }
  }
}
