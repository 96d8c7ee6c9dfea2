import Feed
import HTTP
import History
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

/// Every error code of the contract, reached over a socket. A code that is added has no way here,
/// and then this does not compile.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ErrorCodesTests {
  /// How a code is reached.
  private struct Way {
    /// What is asked, `GET` unless it says another method; `CURSOR` is a cursor of `tags`.
    var target = "/v1/qiita/items"
    var method = "GET"
    /// Field lines besides `Host`.
    var lines: [String] = []
    /// The version of HTTP.
    var version = "HTTP/1.1"
    /// Whether the head has its end.
    var isWhole = true
    /// The statuses of the requests before it; the one that counts comes after them.
    var before: [String] = []
    var settings = ServerSettings()
    var policy = ErrorCodesTests.policy
    var budget = 1_000
    /// What the upstream answers, each time.
    var fault: Fault?
    /// What happens before it is asked.
    var prepare: (Stand) throws -> Void = { _ in }
  }

  private static let policy: Policy = {
    var policy = Policy()
    policy.prefetchItems = 0
    policy.freshSeconds = 0
    policy.staleSeconds = 0
    return policy
  }()

  private static func changed<Value>(
    _ path: WritableKeyPath<ServerSettings, Value>, _ value: Value
  ) -> ServerSettings {
    var settings = ServerSettings()
    settings[keyPath: path] = value
    return settings
  }

  private static func way(to code: ProblemCode) -> Way {
    switch code {
    case .badRequest: Way(target: "/v1//items")
    case .invalidParameter: Way(target: "/v1/qiita/items?limti=5")
    case .invalidLimit: Way(target: "/v1/qiita/items?limit=0")
    case .invalidCursor: Way(target: "/v1/qiita/items?startAfter=nonsense")
    case .cursorMismatch: Way(target: "/v1/qiita/items?startAfter=CURSOR")
    case .invalidFields: Way(target: "/v1/qiita/items?fields=a..b")
    case .unauthorized:
      Way(settings: changed(\.gate.apiKeys, [Array("0123456789".utf8)]))
    case .forbidden: Way(settings: changed(\.gate.allowedHosts, ["api.example"]))
    case .notFound: Way(target: "/nothing")
    case .sourceNotFound: Way(target: "/v1/nothing/items")
    case .feedNotFound: Way(target: "/v1/qiita/nothing")
    case .itemNotFound: Way(target: "/v1/qiita/items/nothing")
    case .gapNotFound: Way(target: "/v1/qiita/items:fill?gap=nothing", method: "POST")
    case .methodNotAllowed: Way(method: "DELETE")
    case .requestTimeout:
      Way(isWhole: false, settings: changed(\.limits.headDeadline, .milliseconds(50)))
    case .itemDeleted:
      Way(
        target: "/v1/qiita/items/ITEM",
        prepare: { stand in
          let id = try #require(try stand.client.get("/v1/qiita/items").slice().ids.first)
          stand.qiita.withQiita { _ = $0.world.delete(id: id) }
        })
    case .cursorExpired: Way(target: "/v1/qiita/users?startAfter=OTHERS")
    case .sinceExpired: Way(target: "/v1/qiita/items:changes?since=other.1")
    case .contentTooLarge: Way(method: "POST", lines: ["Content-Length: 65537"])
    case .uriTooLong: Way(target: "/" + String(repeating: "a", count: 17_000))
    case .tooManyRequests:
      Way(before: ["/v1"], settings: changed(\.requestsPerMinute, 1))
    case .headerTooLarge: Way(lines: ["X-Much: " + String(repeating: "a", count: 33_000)])
    case .internalError:
      Way(prepare: { $0.faults.failReading(with: .failed(code: 10, message: "disk I/O error")) })
    case .methodUnknown: Way(method: "BREW")
    case .upstreamBadResponse: Way(fault: .notJSON)
    case .upstreamRateLimited: Way(target: "/v1/qiita/tags", before: ["/v1/qiita/users"], budget: 1)
    case .upstreamUnavailable: Way(target: "/v1/qiita/items?wait=300", fault: .serverError)
    case .overloaded: Way(settings: changed(\.waitingMax, 0))
    case .upstreamTimeout: Way(target: "/v1/qiita/items?wait=0")
    case .versionNotSupported: Way(version: "HTTP/9.9")
    }
  }

  @Test(arguments: ProblemCode.allCases)
  func isReachedOverASocket(_ code: ProblemCode) async throws {
    let way = Self.way(to: code)
    let others = try await Self.cursorOfAnotherStore(ifIn: way.target)
    let stand = try await Stand(
      smallWorld(30), options: Qiita.Options(budget: way.budget), policy: way.policy,
      settings: way.settings)
    try await Stand.run(stand) { stand in
      let item = try #require(stand.qiita.withQiita { $0.world.ids.first })
      if let fault = way.fault {
        stand.qiita.script(Array(repeating: .fault(fault), count: 20))
      }
      try way.prepare(stand)
      for target in way.before { #expect(try stand.client.get(target).status == 200) }
      var target = way.target.replacing("ITEM", with: item).replacing("OTHERS", with: others)
      if target.contains("CURSOR") {
        let slice = try stand.client.get("/v1/qiita/tags?limit=2").slice()
        target.replace("CURSOR", with: try #require(slice.envelope.endCursor))
      }
      let head = ["\(way.method) \(target) \(way.version)", "Host: localhost"] + way.lines
      let text = head.joined(separator: "\r\n") + (way.isWhole ? "\r\n\r\n" : "")
      let (client, isWhole) = (stand.client, way.isWhole)
      let bytes = try await onThread { try client.exchange(text, endsSending: isWhole) }
      var rest = bytes[...]
      let reply = try Client.takeReply(to: way.method, from: &rest)
      let problem = try reply.problem()
      #expect(problem.code == code.rawValue)
      #expect(reply.status == code.status && problem.status == code.status)
      #expect(problem.type == "urn:tsugi:problem:\(code.rawValue)")
      #expect(problem.title == code.title && problem.requestId == reply["X-Request-Id"])
      #expect(reply["Content-Type"] == "application/problem+json")
      #expect(reply["Cache-Control"] == (code.status == 404 ? "max-age=30" : "no-store"))
      let hasRetry = problem.retryAfterSeconds.map { reply["Retry-After"] == "\($0)" }
      #expect(hasRetry == ([429, 503].contains(code.status) ? true : hasRetry))
      #expect((reply["Allow"] != nil) == (code == .methodNotAllowed))
      #expect((reply["WWW-Authenticate"] == "Bearer") == (code == .unauthorized))
    }
  }

  /// A store that is full is asked again later; what is wrong is not the request, nor the upstream.
  @Test func aFullStoreIsAskedAgainLater() async throws {
    let stand = try await Stand(smallWorld(30))
    try await Stand.run(stand) { stand in
      stand.faults.failReading(with: .full)
      let reply = try stand.client.get("/v1/qiita/items")
      #expect(reply.status == 503 && reply["Retry-After"] == "5")
      let problem = try reply.problem()
      #expect(problem.code == "overloaded")
      #expect(problem.detail == "The store, or its disk, is full.")
    }
  }

  /// A position in a feed of the upstream's own order, of a store that is gone.
  private static func cursorOfAnotherStore(ifIn target: String) async throws -> String {
    guard target.contains("OTHERS") else { return "" }
    let stand = try await Stand(smallWorld(30))
    let cursor = try stand.client.get("/v1/qiita/users?limit=2").slice().envelope.endCursor
    await stand.stop()
    return try #require(cursor)
  }
}
