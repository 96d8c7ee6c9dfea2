import Foundation
import Glibc
import Testing
import Upstream

/// `tsugi serve` that is told to read its configuration again.
@Suite(.timeLimit(.minutes(10))) struct ReloadTests {
  private static let first = "api-key-of-the-first"
  private static let second = "api-key-of-the-second"
  private static let readAgain = #""message":"the configuration was read again""#
  private static let refused = #""message":"the configuration is refused"#

  private static func serve(_ server: String) throws -> RunningCommand {
    try RunningCommand(
      ["serve", "--demo", "--demo-items", "60"], files: ["config.json": configuration(server)])
  }

  private static func configuration(_ server: String) -> String {
    #"{"server":{"port":0\#(server.isEmpty ? "" : ",\(server)")}}"#
  }

  /// Writes another configuration and has it read.
  private func reload(_ serve: RunningCommand, _ text: String) throws {
    let path = serve.directory.appendingPathComponent("config.json")
    try Data(text.utf8).write(to: path, options: .atomic)
    serve.signal(SIGHUP)
  }

  private func status(_ url: String, key: String? = nil) throws -> Int {
    let lines = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let port = try #require(URL(string: url)?.port)
    let reply = try exchange(
      "GET /v1/qiita/items?limit=5 HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n", port: port)
    let line = String(decoding: reply.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    return try #require(Int(line.split(separator: " ").dropFirst().first ?? ""))
  }

  @Test func aKeyIsRequiredFromThenOn() async throws {
    let serve = try Self.serve("")
    let url = try await address(of: serve)
    #expect(try status(url) == 200)
    try reload(serve, Self.configuration(#""apiKeys":["\#(Self.first)"]"#))
    let line = try #require(await serve.errorLine(with: Self.readAgain))
    #expect(line.contains(#""changed":["server.apiKeys"]"#))
    #expect(!line.contains(Self.first))
    #expect(try status(url) == 401)
    #expect(try status(url, key: Self.first) == 200)
    try reload(serve, Self.configuration(#""apiKeys":["\#(Self.second)"]"#))
    _ = try #require(await serve.errorLine(with: Self.readAgain))
    #expect(try status(url, key: Self.first) == 401)
    #expect(try status(url, key: Self.second) == 200)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test(arguments: [
    ("{", "line 1, column 2: the file ends before its JSON does"),
    (#"{"server":{"apiKeys":["short"],"prot":1}}"#, "server.apiKeys[0]: must be "),
    (#"{"server":{"apiKeys":["short"],"prot":1}}"#, "server.prot: unknown key"),
    (#"{"server":{"publicURL":"${NOT_SET}"}}"#, "server.publicURL: the environment variable"),
  ])
  func aBrokenFileIsRefusedAndTheOldKeysStay(_ text: String, _ reason: String) async throws {
    let serve = try Self.serve(#""apiKeys":["\#(Self.first)"]"#)
    let url = try await address(of: serve)
    try reload(serve, text)
    let line = try #require(await serve.errorLine(with: Self.refused))
    #expect(line.contains(#""level":"error""#))
    #expect(line.contains(reason))
    #expect(try status(url) == 401)
    #expect(try status(url, key: Self.first) == 200)
  }

  /// Without its file it would go by the defaults, which let everybody in.
  @Test func aFileThatIsGoneIsRefused() async throws {
    let serve = try Self.serve(#""apiKeys":["\#(Self.first)"]"#)
    let url = try await address(of: serve)
    try FileManager.default.removeItem(at: serve.directory.appendingPathComponent("config.json"))
    serve.signal(SIGHUP)
    let line = try #require(await serve.errorLine(with: Self.refused))
    #expect(line.contains("cannot read config.json: No such file or directory"))
    #expect(try status(url) == 401)
  }

  /// A pipe without a writer holds up neither the next reload nor the end.
  @Test func aPipeWithoutAWriterIsRefused() async throws {
    let serve = try Self.serve("")
    _ = try await address(of: serve)
    let path = serve.directory.appendingPathComponent("config.json")
    try FileManager.default.removeItem(at: path)
    #expect(mkfifo(path.path, 0o600) == 0)
    serve.signal(SIGHUP)
    let line = try #require(await serve.errorLine(with: Self.refused))
    #expect(line.contains("cannot read config.json: nothing came within 5 seconds"))
    try FileManager.default.removeItem(at: path)
    try reload(serve, Self.configuration(#""newFeedsPerMinute":61"#))
    _ = try #require(await serve.errorLine(with: Self.readAgain))
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test func whatNeedsARestartIsNamedAndStays() async throws {
    let serve = try Self.serve("")
    let url = try await address(of: serve)
    try reload(
      serve,
      #"{"server":{"port":1,"host":"127.0.0.2","drainSeconds":3},"store":{"maxFeeds":9}}"#)
    let changed = try #require(await serve.errorLine(with: Self.readAgain))
    #expect(changed.contains(#""changed":["server.drainSeconds"]"#))
    let line = try #require(await serve.errorLine(with: "need a restart"))
    #expect(line.contains(#""level":"warning""#))
    #expect(line.contains(#""keys":["server.host","server.port","store.maxFeeds"]"#))
    #expect(try status(url) == 200)
  }

  @Test func everyRequestUnderWayIsAnsweredDuringFiftyReloads() async throws {
    let serve = try Self.serve("")
    let url = try await address(of: serve)
    #expect(try status(url) == 200)
    async let statuses = Self.statuses(of: url, rounds: 400)
    for round in 1...50 {
      try reload(serve, Self.configuration(#""newFeedsPerMinute":\#(60 + round)"#))
      let line = try #require(await serve.errorLine(with: Self.readAgain))
      #expect(line.contains(#""changed":["server.newFeedsPerMinute"]"#))
    }
    let counts = try await statuses
    #expect(counts == [200: 800])
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  /// The replies to requests of two kinds, stored and looked for upstream, by their status.
  private static func statuses(of url: String, rounds: Int) async throws -> [Int: Int] {
    let client = try UpstreamClient(version: "test")
    var counts: [Int: Int] = [:]
    for round in 0..<rounds {
      let targets = ["/v1/qiita/items?limit=5", "/v1/qiita/items?limit=\(round % 50 + 1)"]
      for target in targets {
        counts[try await client.reply(from: url + target).status, default: 0] += 1
      }
    }
    await client.close()
    return counts
  }

  @Test func sourcesComeAndGo() async throws {
    let upstream = try RunningCommand(["simulate", "--port", "0", "--items", "60"])
    let base = try #require(try await upstream.servedAddress())
    let qiita = #""qiita":{"baseURL":"\#(base)"}"#
    let fruits = #""fruits":{"kind":"file","path":"fruits.json"}"#
    let serve = try RunningCommand(
      ["serve"],
      files: [
        "config.json": #"{"server":{"port":0},"sources":{\#(qiita)}}"#,
        "fruits.json": #"[{"id":1}]"#,
      ])
    let url = try await address(of: serve)
    #expect(try status(url) == 200)
    try reload(serve, #"{"server":{"port":0},"sources":{\#(fruits)}}"#)
    let line = try #require(await serve.errorLine(with: Self.readAgain))
    #expect(line.contains(#""changed":["sources.fruits","sources.qiita"]"#))
    #expect(try status(url) == 404)
    #expect(serve.errorText.contains { $0.contains("a file was read") })
    try reload(serve, #"{"server":{"port":0},"sources":{\#(qiita)}}"#)
    _ = try #require(await serve.errorLine(with: Self.readAgain))
    #expect(try status(url) == 200)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }
}
