import Assembly
import Bytes
import Engine
import Feed
import Foundation
import HTTP
import Logging
import Proxy
import SQLiteStore
import Settings
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
  private var node: Node
  private var paths: [String] = []
  /// Of the newest item.
  private var lastSecond = Int64(Date().timeIntervalSince1970) - 500

  /// Starts everything; `clock` gives the upstream's present second.
  init(
    _ world: World, options: Qiita.Options = Qiita.Options(budget: 1_000_000),
    policy: Policy = Policy(), apiKey: String? = nil,
    clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) async throws {
    qiita = SimulatedQiita(Qiita(world, options: options), clock: clock)
    upstreamPort = try qiita.start()
    (self.policy, self.apiKey) = (policy, apiKey)
    let path = Self.newPath()
    paths = [path]
    (node, port) = try await Self.serve(
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
  ) async throws -> (Node, port: Int) {
    var source = Configuration.Source.Qiita()
    source.baseURL = BaseURL(loopbackPort: upstreamPort)
    source.policy = policy
    source.newFeedShare = Double(policy.openingPermille) / 1000
    var configuration = Configuration()
    var home = Configuration.Source.Merged()
    home.parts["all"] = .init(feed: "qiita/items")
    home.parts["tagged"] = .init(feed: "qiita/items?query=tag:Swift")
    configuration.sources = ["qiita": .qiita(source), "home": .merged(home)]
    configuration.store.path = path
    configuration.server.port = port
    configuration.server.apiKeys =
      try apiKey.map { [try #require(Secret($0, length: 1...256))] } ?? []
    configuration.upstream.waitMilliseconds = 20_000
    var options = NodeOptions(
      version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    options.durability = .processOnly
    options.keepsStore = false
    options.adjust = { ($0.loops, $0.drain) = (1, .milliseconds(100)) }
    let node = try await Node(configuration, options)
    return (node, Int(try await node.start().port))
  }

  /// Stops the server and starts it again where it was, over the same store or a new one;
  /// `meanwhile` runs while nobody answers.
  func restart(keepsStore: Bool = true, _ meanwhile: () async throws -> Void = {}) async throws {
    await node.drain()
    try await meanwhile()
    if !keepsStore { paths.append(Self.newPath()) }
    (node, _) = try await Self.serve(
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
    await node.drain()
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
