import Feed
import Foundation
import HTTP
import Logging
import Proxy
import SQLiteStore
import Simulator
import Testing
import TsugiClient
import Upstream

/// The whole server in process over the simulated Qiita, as an app's network meets it.
final class ClientStand: Sendable {
  let qiita: SimulatedQiita
  let client: TsugiClient
  /// The server's own URL.
  let baseURL: URL
  private let server: ProxyServer
  private let store: TimelineDatabase
  private let upstream: UpstreamClient
  private let path: String

  /// Starts everything; `clock` gives the upstream's present second.
  init(
    _ world: World, options: Qiita.Options = Qiita.Options(budget: 1_000_000),
    policy: Policy = Policy(), apiKey: String? = nil,
    clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) throws {
    qiita = SimulatedQiita(Qiita(world, options: options), clock: clock)
    let upstreamPort = try qiita.start()
    path = NSTemporaryDirectory() + "tsugi-client-\(UUID().uuidString).sqlite"
    store = try TimelineDatabase(path: path, durability: .processOnly)
    upstream = try UpstreamClient(version: "test")
    guard let base = BaseURL("http://127.0.0.1:\(upstreamPort)/api/v2") else {
      throw TsugiError.request("no base")
    }
    let reader = try FeedReader(
      source: "qiita", policy: policy,
      fetcher: QiitaFetcher(
        client: upstream, clock: SystemTime(), base: base, limits: TransferLimits()),
      store: store, time: SystemTime(), executor: QueueExecutor(label: "test.reader"),
      report: { _ in })
    var settings = ProxyServer.Settings()
    settings.address = Address(host: "127.0.0.1", port: 0)
    settings.wait = .seconds(20)
    settings.drain = .milliseconds(100)
    if let apiKey { settings.gate.apiKeys = [Array(apiKey.utf8)] }
    server = ProxyServer(
      settings,
      sources: [
        SourceBinding(
          name: "qiita", patterns: QiitaSource.patterns.filter { !$0.isOwners }, reader: reader)
      ],
      store: store, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    baseURL = try #require(URL(string: "http://127.0.0.1:\(try server.start().port)"))
    client = TsugiClient(baseURL: baseURL, apiKey: apiKey)
  }

  /// Stops everything.
  func stop() async {
    await server.drain()
    await upstream.close()
    await qiita.stop()
    store.close()
    for suffix in ["", "-wal", "-shm", "-lock"] {
      // What is left behind lies in the temporary directory.
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// Runs `body` against a stand and stops it whatever happens.
  @MainActor static func run(
    _ stand: ClientStand, _ body: @MainActor (ClientStand) async throws -> Void
  ) async throws {
    do {
      try await body(stand)
    } catch {
      await stand.stop()
      throw error
    }
    await stand.stop()
  }
}
