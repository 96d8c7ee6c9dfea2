import Crowd
import Feed
import Foundation
import HTTP
import Logging
import SQLiteStore
import Settings
import Support
import Testing

@testable import Assembly

/// A server at its start, where what it is to share cannot be had.
@Suite struct MembershipTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tsugi-membership-\(UUID().uuidString)")

  private func configuration(_ url: String) throws -> Configuration {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "fruits.json").path
    try Data(#"[{"id":"a"},{"id":"b"}]"#.utf8).write(to: URL(filePath: file))
    let json = """
      {"server":{"port":0},"store":{"path":"\(folder.path)/tsugi.sqlite","url":"\(url)"},
      "sources":{"fruits":{"kind":"file","path":"\(file)"}}}
      """
    return try Configuration.read(Array(json.utf8))
  }

  private func node(_ url: String) async throws -> Node {
    var options = NodeOptions(
      version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    options.durability = .processOnly
    return try await Node(try configuration(url), options)
  }

  /// What a server answers to `/readyz`, whole where it is not ready.
  private func readiness(of node: Node) async throws -> String {
    let port = try await node.start().port
    let answer = try GoodClient(port: port).ask("/readyz") ?? ""
    await node.drain()
    return answer
  }

  @Test(arguments: ["mysql://tsugi:s3cret@db/tsugi", "tsugi", "postgresql://db/tsugi?wrong=s3cret"])
  func whatIsNoURLOfPostgreSQLEndsTheStart(url: String) async throws {
    await #expect {
      _ = try await node(url)
    } throws: { error in
      guard case AssemblyError.badValue("store.url", let reason) = error else { return false }
      return reason.contains("postgresql://") && !reason.contains("s3cret")
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test(
    .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"),
    arguments: [("tsugi", "none", "no database"), ("stranger", "postgres", "refuses the user")])
  func whatPostgreSQLRefusesEndsTheStart(user: String, database: String, word: String) async throws
  {
    let port = try #require(RunningPostgreSQL.shared).port
    await #expect {
      _ = try await node("postgresql://\(user):s3cret@127.0.0.1:\(port)/\(database)")
    } throws: { error in
      guard case AssemblyError.badValue("store.url", let reason) = error else { return false }
      return reason.contains(word) && !reason.contains("s3cret")
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test func oneThatHasNothingAndReachesNobodyIsNotReady() async throws {
    let answer = try await readiness(of: try await node("postgresql://tsugi@127.0.0.1:1/tsugi"))
    #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains("was not reached yet"))
    try FileManager.default.removeItem(at: folder)
  }

  @Test(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
  func oneThatHasACopyIsReadyWithoutTheOthers() async throws {
    let url = try #require(RunningPostgreSQL.shared).newDatabase()
    #expect(try await readiness(of: try await node(url)).hasSuffix("200 OK"))
    let alone = try await node("postgresql://tsugi@127.0.0.1:1/tsugi")
    #expect(try await readiness(of: alone).hasSuffix("200 OK"))
    try FileManager.default.removeItem(at: folder)
  }
}
