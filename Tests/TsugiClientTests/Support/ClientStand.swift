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
@MainActor final class ClientStand {
  let qiita: SimulatedQiita
  let client: FeedClient
  /// The server's own URL.
  let baseURL: URL
  private let port: Int
  private let upstreamPort: Int
  private let policy: Policy
  private let apiKey: String?
  private var server: Running
  private var paths: [String] = []
  /// Of the newest item.
  private var lastSecond = Int64(Date().timeIntervalSince1970) - 500

  /// A server and what it stands on.
  private struct Running {
    var proxy: ProxyServer
    var store: TimelineDatabase
    var upstream: UpstreamClient

    func stop() async {
      await proxy.drain()
      await upstream.close()
      store.close()
    }
  }

  /// Starts everything; `clock` gives the upstream's present second.
  init(
    _ world: World, options: Qiita.Options = Qiita.Options(budget: 1_000_000),
    policy: Policy = Policy(), apiKey: String? = nil,
    clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) throws {
    qiita = SimulatedQiita(Qiita(world, options: options), clock: clock)
    upstreamPort = try qiita.start()
    (self.policy, self.apiKey) = (policy, apiKey)
    let path = Self.newPath()
    paths = [path]
    (server, port) = try Self.serve(
      port: 0, upstreamPort: upstreamPort, path: path, policy: policy, apiKey: apiKey)
    baseURL = try #require(URL(string: "http://127.0.0.1:\(port)"))
    client = FeedClient(baseURL: baseURL, apiKey: apiKey)
  }

  private static func newPath() -> String {
    NSTemporaryDirectory() + "tsugi-client-\(UUID().uuidString).sqlite"
  }

  /// Starts a server on a port, or on a free one where it is 0.
  private static func serve(
    port: Int, upstreamPort: Int, path: String, policy: Policy, apiKey: String?
  ) throws -> (Running, port: Int) {
    let store = try TimelineDatabase(path: path, durability: .processOnly)
    let upstream = try UpstreamClient(version: "test")
    let base = try #require(BaseURL("http://127.0.0.1:\(upstreamPort)/api/v2"))
    let reader = try FeedReader(
      source: "qiita", policy: policy,
      fetcher: QiitaFetcher(
        client: upstream, clock: SystemTime(), base: base, limits: TransferLimits()),
      store: store, time: SystemTime(), executor: QueueExecutor(label: "test.reader"),
      report: { _ in })
    var settings = ServerSettings()
    settings.address = Address(host: "127.0.0.1", port: port)
    settings.wait = .seconds(20)
    settings.drain = .milliseconds(100)
    if let apiKey { settings.gate.apiKeys = [Array(apiKey.utf8)] }
    let proxy = ProxyServer(
      settings,
      sources: [
        SourceBinding(
          name: "qiita", patterns: QiitaSource.patterns.filter { !$0.isOwners }, reader: reader)
      ],
      store: store, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    let running = Running(proxy: proxy, store: store, upstream: upstream)
    return (running, Int(try proxy.start().port))
  }

  /// Stops the server and starts it again where it was, over the same store or a new one;
  /// `meanwhile` runs while nobody answers.
  func restart(keepsStore: Bool = true, _ meanwhile: () async throws -> Void = {}) async throws {
    await server.stop()
    try await meanwhile()
    if !keepsStore { paths.append(Self.newPath()) }
    (server, _) = try Self.serve(
      port: port, upstreamPort: upstreamPort, path: try #require(paths.last), policy: policy,
      apiKey: apiKey)
  }

  /// A client of the server over another network, which tries again at once.
  func client(over transport: any HTTPTransport) -> FeedClient {
    var client = FeedClient(baseURL: baseURL, transport: transport)
    client.backoff = Backoff(first: .milliseconds(5), longest: .milliseconds(20))
    return client
  }

  /// A new item upstream, in a second that is over, so that it is told at once; gives its id.
  func insert() -> String {
    lastSecond += 1
    return qiita.withQiita { $0.world.insert(at: lastSecond) }
  }

  /// Has the server look at its upstream now.
  func look(_ times: Int = 1) async throws {
    for _ in 0..<times {
      _ = try await client.feed("qiita/items", of: Post.self, limit: 1).slice(refresh: true)
    }
  }

  /// Stops everything.
  func stop() async {
    await server.stop()
    await qiita.stop()
    for path in paths {
      for suffix in ["", "-wal", "-shm", "-lock"] {
        // What is left behind lies in the temporary directory.
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
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
