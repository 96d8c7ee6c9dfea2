import Foundation
import Testing

/// `tsugi status`, `tsugi store status` and `walk` before a running server.
@Suite(.timeLimit(.minutes(10))) struct StatusCommandTests {
  private func text(_ command: RunningCommand) throws -> String {
    String(decoding: try command.output(), as: UTF8.self)
  }

  /// A server of two elements of a file, `f/items`.
  private func serveAFile() throws -> RunningCommand {
    try RunningCommand(
      ["serve", "--port", "0"],
      files: [
        "config.json": #"{"sources":{"f":{"kind":"file","path":"f.json"}}}"#,
        "f.json": #"[{"id":1},{"id":2}]"#,
      ])
  }

  @Test func listsTheFeedsBudgetsAndCallsOfAServer() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "50", "--port", "0"])
    let address = try await address(of: serve)
    let walk = try RunningCommand(["walk", "\(address)/v1/qiita/items"])
    #expect(await walk.exitCode() == 0)
    let status = try RunningCommand(["status", address])
    #expect(await status.exitCode() == 0)
    let rows = try text(status).split(separator: "\n").map { $0.split(separator: " ") }
    let feed = try #require(rows.first { $0.last == "qiita/items" })
    #expect(feed.count == 4)
    #expect(try #require(Int(feed[0])) >= 30)
    #expect(feed[1] == "0")
    let budget = try #require(rows.first { $0.last == "qiita" })
    #expect(try #require(Int(budget[1])) > 0)
    #expect(rows.contains { $0.starts(with: ["1", "server,"]) })
  }

  @Test func listsFeedsWithoutVariablesWhereTheOthersAreHidden() async throws {
    let serve = try serveAFile()
    let status = try RunningCommand(["status", try await address(of: serve)])
    #expect(await status.exitCode() == 0)
    #expect(try text(status).contains("\n2      0     "))
    #expect(try text(status).contains("  f/items\n"))
  }

  @Test func namesTheOptionForAKey() async throws {
    let serve = try RunningCommand(
      ["serve", "--port", "0"],
      files: [
        "config.json":
          #"{"server":{"apiKeys":["0123456789"]},"sources":{"f":{"kind":"file","path":"f"}}}"#,
        "f": "[]",
      ])
    let address = try await address(of: serve)
    for command in [["status", address], ["walk", "\(address)/v1/f/items"]] {
      let refused = try RunningCommand(command)
      #expect(await refused.exitCode() == 1)
      #expect(refused.errorText.last?.contains("401 unauthorized") == true)
      #expect(refused.errorText.last?.contains("--key-file names a file") == true)
    }
    let status = try RunningCommand(
      ["status", address, "--key-file", "key"], files: ["key": "0123456789\n"])
    #expect(await status.exitCode() == 0)
  }

  @Test func refusesAServerThatIsNoTsugi() async throws {
    let other = try RunningCommand(["simulate", "--port", "0"])
    let address = try #require(try await other.servedAddress())
    let status = try RunningCommand(["status", address])
    #expect(await status.exitCode() == 1)
  }

  @Test func showsAStoreInAFile() async throws {
    let serve = try serveAFile()
    _ = try await address(of: serve)
    let path = serve.directory.appendingPathComponent("tsugi.sqlite").path
    let used = try RunningCommand(["store", "status", path])
    #expect(await used.exitCode() == 0)
    #expect(try text(used).contains(", in use by a server\nfeeds 1, items 2, bytes "))
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
    let free = try RunningCommand(["store", "status", path])
    #expect(await free.exitCode() == 0)
    #expect(!(try text(free)).contains("in use"))
    #expect(try text(free).contains("source f: feeds 1"))
    let missing = try RunningCommand(["store", "status", path + "x"])
    #expect(await missing.exitCode() == 1)
    #expect(missing.errorText.last == "Error: there is no store at \(path)x")
  }
}
