import Feed
import Foundation
import HTTP
import Logging
import Settings
import Testing

@testable import Assembly

/// A whole server, from its configuration to its end.
@Suite struct NodeTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tsugi-node-\(UUID().uuidString)")

  private func configuration() throws -> Configuration {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "fruits.json").path
    try Data(#"[{"id":"a"},{"id":"b"}]"#.utf8).write(to: URL(filePath: file))
    var configuration = Configuration()
    configuration.server.port = 0
    configuration.store.path = folder.appending(path: "tsugi.sqlite").path
    configuration.sources = ["fruits": .file(.init(path: file))]
    return configuration
  }

  private var options: NodeOptions {
    NodeOptions(
      version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
  }

  private func ids(at address: Address) async throws -> [String] {
    let url = try #require(URL(string: "http://\(address)/v1/fruits/items?fields=id"))
    let bytes = try Data(contentsOf: url)
    let slice = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    return try #require(slice["items"] as? [[String: String]]).compactMap { $0["id"] }
  }

  @Test func servesWhatItsConfigurationSays() async throws {
    let node = try await Node(try configuration(), options)
    #expect(try await ids(at: try node.start()) == ["a", "b"])
    await node.drain()
    try FileManager.default.removeItem(at: folder)
  }

  /// A node that has ended holds neither the store nor the port.
  @Test func leavesRoomForAnotherOne() async throws {
    var configuration = try configuration()
    let first = try await Node(configuration, options)
    configuration.server.port = try first.start().port
    await #expect(throws: AssemblyError.self) { _ = try await Node(configuration, options) }
    await first.drain()
    let second = try await Node(configuration, options)
    #expect(try await ids(at: try second.start()) == ["a", "b"])
    await second.drain()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func saysWhereItCannotListen() async throws {
    var configuration = try configuration()
    // An address for documentation (RFC 5737): of no machine.
    configuration.server.host = "192.0.2.1"
    let node = try await Node(configuration, options)
    #expect {
      try node.start()
    } throws: { error in
      "\(error)".hasPrefix("cannot listen at 192.0.2.1:0: bind: ")
    }
    await node.drain()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func servesByAnotherConfigurationUnlessItIsRefused() async throws {
    let configuration = try configuration()
    let node = try await Node(configuration, options)
    let address = try node.start()
    var other = configuration
    let file = folder.appending(path: "others.json").path
    try Data(#"[{"id":"c"}]"#.utf8).write(to: URL(filePath: file))
    other.sources = ["fruits": .file(.init(path: file))]
    await node.reload { throw AssemblyError.needsRestart(key: "all of it") }
    #expect(try await ids(at: address) == ["a", "b"])
    await node.reload { [other] in other }
    // The file is looked at once a second, behind the reply.
    let deadline = ContinuousClock.now + .seconds(20)
    while try await ids(at: address) != ["c"], ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await ids(at: address) == ["c"])
    await node.drain()
    try FileManager.default.removeItem(at: folder)
  }
}
