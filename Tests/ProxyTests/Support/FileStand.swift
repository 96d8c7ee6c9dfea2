import Assembly
import Feed
import Foundation
import HTTP
import Settings
import Upstream

@testable import Proxy

/// The whole server in process over a file.
final class FileStand {
  let path: String
  let client: Client
  private let storePath: String
  private let node: Node

  /// Starts everything over a file of this text; the store is a new file unless `storePath` names
  /// one.
  /// `list` sets what is said of its elements.
  init(
    _ text: String, time: any TimeSource = SystemTime(), storePath: String? = nil,
    list: (inout ListRecipe) -> Void = { _ in }
  ) async throws {
    let path = NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).json"
    self.path = path
    try Data(text.utf8).write(to: URL(filePath: path))
    self.storePath = storePath ?? NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).sqlite"
    var configuration = Configuration()
    var source = Configuration.Source.File(path: path)
    list(&source.list)
    configuration.sources = ["fruits": .file(source)]
    configuration.store.path = self.storePath
    configuration.upstream.maxBodyMegabytes = 1
    configuration.server.port = 0
    var options = NodeOptions.test(time: time)
    options.adjust = { ($0.loops, $0.limits.drainGrace) = (1, .zero) }
    node = try await Node(configuration, options)
    client = Client(port: try await node.start().port)
  }

  /// What reads the file.
  var reader: any SliceSource { node.sources[0].reader }

  /// Puts another text into the file, at once.
  func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
  }

  /// Stops everything; the store's file stays where `keepsStore`, and its path is returned.
  @discardableResult
  func stop(keepsStore: Bool = false) async -> String {
    await node.drain()
    try? FileManager.default.removeItem(atPath: path)
    guard !keepsStore else { return storePath }
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: storePath + suffix)
    }
    return storePath
  }

  /// Runs `body` against a stand and stops it whatever happens.
  static func run(_ stand: FileStand, _ body: (FileStand) async throws -> Void) async throws {
    do {
      try await body(stand)
    } catch {
      await stand.stop()
      throw error
    }
    await stand.stop()
  }
}
