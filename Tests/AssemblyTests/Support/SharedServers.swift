import Foundation
import HTTP
import Logging
import SQLiteStore
import Settings
import Support
import Testing

@testable import Assembly

/// Several servers of one source in one process, on one PostgreSQL.
final class SharedServers: Sendable {
  let nodes: [Node]
  let ports: [Int]
  /// Where what they share is.
  let url: String
  private let folder: String

  /// As many servers of a source whose settings are these, and which is called `s`.
  init(
    _ count: Int, of source: String, isRecorded: Bool = false, newFeedsPerMinute: Int = 0
  ) async throws {
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "tsugi-shared-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let postgreSQL = try #require(RunningPostgreSQL.shared)
    url = try postgreSQL.newDatabase()
    if isRecorded { try postgreSQL.record(url) }
    var (nodes, ports): ([Node], [Int]) = ([], [])
    for number in 0..<count {
      let json = """
        {"server":{"port":0,"newFeedsPerMinute":\(newFeedsPerMinute)},
        "store":{"path":"\(folder)/\(number).sqlite","url":"\(url)"},
        "sources":{"s":{"kind":"http",\(source)}}}
        """
      var options = NodeOptions(
        version: "test",
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
      options.durability = .processOnly
      nodes.append(try await Node(try Configuration.read(Array(json.utf8)), options))
      ports.append(try await nodes[number].start().port)
    }
    (self.nodes, self.ports) = (nodes, ports)
  }

  func stop() async throws {
    for node in nodes { await node.drain() }
    try FileManager.default.removeItem(atPath: folder)
  }
}
