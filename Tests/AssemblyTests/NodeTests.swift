import Feed
import Foundation
import HTTP
import Logging
import Settings
import Synchronization
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
    #expect(try await ids(at: try await node.start()) == ["a", "b"])
    await node.drain()
    try FileManager.default.removeItem(at: folder)
  }

  /// A node that has ended holds neither the store nor the port.
  @Test func leavesRoomForAnotherOne() async throws {
    var configuration = try configuration()
    let first = try await Node(configuration, options)
    configuration.server.port = try await first.start().port
    await #expect(throws: AssemblyError.self) { _ = try await Node(configuration, options) }
    await first.drain()
    let second = try await Node(configuration, options)
    #expect(try await ids(at: try await second.start()) == ["a", "b"])
    await second.drain()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func saysWhereItCannotListen() async throws {
    var configuration = try configuration()
    // An address for documentation (RFC 5737): of no machine.
    configuration.server.host = "192.0.2.1"
    let node = try await Node(configuration, options)
    await #expect {
      try await node.start()
    } throws: { error in
      "\(error)".hasPrefix("cannot listen at 192.0.2.1:0: bind: ")
    }
    try FileManager.default.removeItem(at: folder)
  }

  /// A reload that takes long does not keep the server open: it ends after the server has stopped.
  @Test func stopsAcceptingWhileAReloadIsUnderWay() async throws {
    let node = try await Node(try configuration(), options)
    let address = try await node.start()
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let (begins, begun) = AsyncStream.makeStream(of: Void.self)
    let sawItClosed = Mutex(false)
    node.reload(at: signals) {
      begun.yield()
      let deadline = ContinuousClock.now + .seconds(10)
      while ContinuousClock.now < deadline, !sawItClosed.withLock({ $0 }) {
        let url = URL(string: "http://\(address)/healthz")
        // Refused is what is waited for.
        let reply = url.flatMap { try? Data(contentsOf: $0) }
        sawItClosed.withLock { $0 = reply == nil }
      }
      throw AssemblyError.needsRestart(key: "all of it")
    }
    signal.yield()
    for await _ in begins { break }
    await node.drain()
    #expect(sawItClosed.withLock { $0 })
    try FileManager.default.removeItem(at: folder)
  }

  @Test func servesByAnotherConfigurationUnlessItIsRefused() async throws {
    let configuration = try configuration()
    let node = try await Node(configuration, options)
    let address = try await node.start()
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
