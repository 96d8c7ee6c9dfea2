import Foundation
import Glibc
import Testing

/// A run with a token and API keys: neither appears in logs, replies, metrics or the store.
@Suite(.timeLimit(.minutes(2))) struct SecretsTests {
  private static let token = "upstream-token-7f3a9c"
  private static let key = "api-key-of-an-app-51e2"
  private static let guess = "a-strangers-guess-d04b"

  @Test(arguments: ["", "500=0.3", "403other=0.5", "reset=0.3", "notjson=0.3"])
  func appearNowhere(fault: String) async throws {
    let faults = fault.isEmpty ? [] : ["--fault", fault]
    let upstream = try RunningCommand(["simulate", "--port", "0", "--items", "60"] + faults)
    let base = try #require(try await upstream.servedAddress())
    let config = """
      { "server": { "apiKeys": ["\(Self.key)"] },
        "sources": { "qiita": { "baseURL": "\(base)", "token": "\(Self.token)",
                                "exposeOwner": true },
                     "bad": { "baseURL": "http://127.0.0.1:1/api/v2", "token": "\(Self.token)" } } }
      """
    let serve = try RunningCommand(["serve", "--port", "0"], files: ["config.json": config])
    let port = try await port(of: serve)

    var replies: [UInt8] = []
    for lines in [
      [], ["Authorization: Bearer \(Self.guess)"], ["Authorization: Bearer \(Self.key)"],
      ["Authorization: Bearer \(Self.key)", "Cache-Control: no-cache"],
    ] {
      for path in [
        "/v1", "/v1/qiita/items?limit=50", "/v1/qiita/authenticated_user/items",
        "/v1/qiita/users/nobody/items", "/v1/qiita/items/nothing", "/v1/qiita/items?limit=0",
        "/v1/bad/items?wait=200", "/api/v2/items", "/api/v2/authenticated_user/items",
        "/api/v2/users/nobody", "/metrics", "/readyz", "/nowhere",
      ] {
        replies += try ask(port, "GET \(path) HTTP/1.1", lines)
      }
      replies += try ask(port, "POST /v1/qiita/items HTTP/1.1", lines)
      replies += try ask(port, "GET /v1/qiita/items HTTP/9.9", lines)
    }
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)

    #expect(replies.firstRange(of: Array("200 OK".utf8)) != nil)
    #expect(serve.errorText.contains { $0.contains("upstream call") })
    var files: [(String, [UInt8])] = [
      ("replies", replies), ("log", Array(serve.errorText.joined(separator: "\n").utf8)),
      ("output", try serve.output()),
    ]
    let store = try FileManager.default.contentsOfDirectory(atPath: serve.directory.path)
      .filter { $0.hasPrefix("tsugi.sqlite") }
    #expect(!store.isEmpty)
    for name in store {
      let url = serve.directory.appendingPathComponent(name)
      files.append((name, [UInt8](try Data(contentsOf: url))))
    }
    for secret in [Self.token, Self.key, Self.guess] {
      for (name, bytes) in files {
        #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(secret) in \(name)")
      }
    }
  }

  @Test func checkPrintsNone() async throws {
    let config = """
      { "server": { "apiKeys": ["\(Self.key)"] },
        "sources": { "qiita": { "token": "\(Self.token)", "exposeOwner": true } } }
      """
    let check = try RunningCommand(["check"], files: ["config.json": config])
    #expect(await check.exitCode() == 0)
    let text = String(decoding: try check.output(), as: UTF8.self)
    #expect(text.contains("exposeOwner"))
    #expect(!text.contains(Self.key) && !text.contains(Self.token))
  }

  /// The whole reply to a request over a connection of its own.
  private func ask(_ port: Int, _ line: String, _ lines: [String]) throws -> [UInt8] {
    let head = [line, "Host: localhost", "Connection: close"] + lines
    return try exchange(head.joined(separator: "\r\n") + "\r\n\r\n", port: port)
  }
}
