import Feed
import Foundation
import HTTP
import Logging
import SQLiteStore
import Upstream

@testable import Proxy

/// The whole server in process over a file.
final class FileStand {
  let path: String
  let client: Client
  let reader: FeedReader
  private let storePath: String
  private let server: ProxyServer
  private let store: TimelineDatabase

  /// Starts everything over a file of this text; the store is a new file unless `storePath` names
  /// one.
  init(_ text: String, time: any TimeSource = SystemTime(), storePath: String? = nil) throws {
    path = NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).json"
    try Data(text.utf8).write(to: URL(filePath: path))
    self.storePath = storePath ?? NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).sqlite"
    store = try TimelineDatabase(path: self.storePath, durability: .processOnly)
    let calls = UpstreamCalls()
    reader = try FeedReader(
      source: "fruits", policy: FileFetcher.policy,
      fetcher: FileFetcher(path: path, clock: time, bytesMax: 1 << 20), store: store, time: time,
      executor: QueueExecutor(label: "test.reader"), report: { calls.note($0) })
    var settings = ServerSettings()
    settings.address = Address(host: "127.0.0.1", port: 0)
    settings.limits.drainGrace = .zero
    server = ProxyServer(
      settings,
      sources: [
        SourceBinding(
          name: "fruits", patterns: FileFetcher.patterns, reader: reader, kind: .file,
          calls: calls)
      ],
      store: store, time: time,
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    client = Client(port: try server.start().port)
  }

  /// Puts another text into the file, at once.
  func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
  }

  /// Stops everything; the store's file stays where `keepsStore`, and its path is returned.
  @discardableResult
  func stop(keepsStore: Bool = false) async -> String {
    await server.drain()
    store.close()
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
