import Foundation
import Glibc
import JSONBytes
import Support
import Testing

/// Three servers on one PostgreSQL, as processes, where the machine has it: walks that change the
/// server with each slice, and one that is killed, and the database stopped under them.
@Suite(
  .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .serialized,
  .timeLimit(.minutes(5)))
struct SeveralServersTests {
  @Test func walksThatChangeTheServerHaveNoDoubleAndCostWhatOneDoes() async throws {
    let stand = try await ServersInTurn()
    for first in 0..<6 {
      let ids = try stand.walk(limit: [20, 50, 100][first % 3], from: first)
      #expect(Set(ids).count == ids.count && ids.count >= 500)
    }
    // One server needs seven for 600 items, and a look at the top now and then.
    let calls = try stand.query("SELECT max(number) FROM log")
    #expect(Int(calls) ?? 0 <= 20, "\(calls)")
    #expect(try stand.query("SELECT count(*) = max(number) FROM log WHERE source = 'qiita'") == "t")
    #expect(try stand.query("SELECT count(*) FROM flight WHERE holder <> ''") == "0")
    let left = try stand.query("SELECT budget_remaining FROM source WHERE name = 'qiita'")
    #expect(Int(left) ?? 0 >= 970)
    let status = try #require(
      try stand.body(of: "/v1/qiita/items:status", from: stand.ports[0]))
    #expect(status["replica"] != nil && status["lagSeconds"] != nil && status["number"] != nil)
    stand.database.stop()
  }

  @Test func oneThatIsKilledAndADatabaseThatIsStoppedBreakNoWalk() async throws {
    var stand = try await ServersInTurn()
    let before = try stand.walk(limit: 50, from: 0)
    #expect(Set(before).count == before.count)
    try await stand.restart(1)
    let between = try stand.walk(limit: 50, from: 1)
    #expect(Set(between).count == between.count && between.count >= 500)
    stand.database.stop(mode: "immediate")
    for port in stand.ports {
      // What is here is served; what would have to be asked for is not.
      _ = try stand.body(of: "/v1/qiita/items?limit=20&wait=0", from: port)
      #expect(try stand.body(of: "/v1/qiita/tags/none/items", from: port) == nil)
      let ready = try exchange("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
      #expect(String(decoding: ready, as: UTF8.self).contains("200 OK"))
    }
    try stand.database.restart()
    let after = try stand.walk(limit: 100, from: 2)
    #expect(Set(after).count == after.count && after.count >= 500)
    for server in stand.servers {
      server.signal(SIGTERM)
      #expect(await server.exitCode() == 0)
    }
    stand.database.stop()
  }

  /// What PostgreSQL and its library say while it ends is not written between the lines.
  @Test func anOutageIsTwoLinesOfTheLogAndEveryLineIsJSON() async throws {
    let stand = try await ServersInTurn(items: 60, drift: "insert=0")
    _ = try stand.walk(limit: 50, from: 0)
    stand.database.stop()
    let server = stand.servers[0]
    let begun = await server.errorLine(with: "the shared store cannot be reached")
    #expect(begun?.contains("warning") == true)
    for tag in 0..<3 {
      _ = try stand.body(of: "/v1/qiita/tags/none\(tag)/items?wait=0", from: stand.ports[0])
    }
    try stand.database.restart()
    let ended = await server.errorLine(with: "the shared store can be reached again")
    #expect(ended?.contains("failedCalls") == true)
    server.signal(SIGTERM)
    #expect(await server.exitCode() == 0)
    for line in server.errorText { try JSON.validate(Array(line.utf8)[...]) }
    #expect(server.errorText.count { $0.contains("the shared store") } == 2)
    #expect(!server.errorText.contains { $0.contains("was not stored") })
    stand.database.stop()
  }

  @Test func aStoreURLThatCannotWorkIsABadConfiguration() async throws {
    let configuration = #"{"store": {"url": "mysql://tsugi:s3cret@db/tsugi"}}"#
    let server = try RunningCommand(
      ["serve", "--config", "config.json"], files: ["config.json": configuration])
    #expect(await server.exitCode() == 78)
    let told = server.errorText.joined(separator: "\n")
    #expect(told.contains("store.url: must be a URL of PostgreSQL") && !told.contains("s3cret"))
  }

  @Test func aStoreIsCopiedEitherWayAndReadOn() async throws {
    let stand = try await ServersInTurn(items: 120, drift: "insert=0")
    let ids = try stand.walk(limit: 50, from: 0)
    for server in stand.servers {
      server.signal(SIGTERM)
      #expect(await server.exitCode() == 0)
    }
    // A server that ended is taken for living for ten seconds.
    _ = try stand.query("DELETE FROM replica")
    let out = try RunningCommand(["store", "copy", stand.url, "out.sqlite"])
    #expect(await out.exitCode() == 0)
    let file = out.directory.appendingPathComponent("out.sqlite").path
    let there = try stand.database.newDatabase()
    #expect(await (try RunningCommand(["store", "copy", file, there])).exitCode() == 0)
    #expect(await (try RunningCommand(["store", "copy", file, there])).exitCode() == 1)
    let counts = "SELECT (SELECT count(*) FROM element), (SELECT count(*) FROM content)"
    #expect(try stand.database.query(counts, in: there) == (try stand.query(counts)))
    let configuration = """
      {"server": {"port": 0}, "store": {"path": "\(file)"},
       "sources": {"qiita": {"kind": "qiita", "baseURL": "http://127.0.0.1:1"}}}
      """
    let alone = try RunningCommand(
      ["serve", "--config", "config.json"], files: ["config.json": configuration])
    var lone = stand
    lone.ports = [try await port(of: alone)]
    #expect(try lone.walk(limit: 50, from: 0) == ids)
    stand.database.stop()
  }
}
