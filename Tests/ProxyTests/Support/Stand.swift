import Feed
import Foundation
import HTTP
import History
import Logging
import SQLiteStore
import Simulator
import Upstream

@testable import Proxy

/// The whole server in process, over the simulated Qiita, on ports of its own.
final class Stand {
  /// The contract's rules.
  static let policy = Policy()

  let qiita: SimulatedQiita
  let reader: FeedReader
  private let calls = UpstreamCalls()
  let client: Client
  let path: String
  /// Looks after the store when a test has it do so.
  let caretaker: Caretaker
  /// Has the store's writes fail on demand.
  let faults: FaultyStore
  private let server: ProxyServer
  private let settings: ServerSettings
  /// The source as it was served first.
  let binding: SourceBinding
  private let store: TimelineDatabase
  private let upstream: UpstreamClient

  /// Starts everything; the store is a new file unless `path` names one. The upstream is asked with
  /// `token`; the owner's feeds are there where `exposesOwner`.
  init(
    _ world: World, options: Qiita.Options = Qiita.Options(budget: 1_000_000),
    policy: Policy = Stand.policy, path: String? = nil, settings: ServerSettings? = nil,
    time: any TimeSource = SystemTime(), bytesMax: Int64? = nil, feedsMax: Int = 10_000,
    token: String? = nil, exposesOwner: Bool = false
  ) throws {
    qiita = SimulatedQiita(Qiita(world, options: options))
    let upstreamPort = try qiita.start()
    self.path = path ?? NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).sqlite"
    store = try TimelineDatabase(path: self.path, durability: .processOnly, bytesMax: bytesMax)
    faults = FaultyStore(over: store)
    let steady = try SteadyStore(over: faults)
    upstream = try UpstreamClient(version: "test")
    guard let base = BaseURL("http://127.0.0.1:\(upstreamPort)/api/v2") else {
      throw Client.Failure.noHead
    }
    var limits = TransferLimits()
    limits.totalTimeout = .seconds(20)
    reader = try FeedReader(
      source: "qiita", policy: policy,
      fetcher: QiitaFetcher(
        client: upstream, clock: time, base: base, token: token.flatMap(AccessToken.init),
        limits: limits),
      store: steady, time: time, executor: QueueExecutor(label: "test.reader"),
      report: { [calls] in calls.note($0) })
    caretaker = Caretaker(
      store: steady, readers: [reader],
      limits: Eviction.Limits(
        bytesMax: bytesMax, feedsMax: feedsMax, remembers: .seconds(30 * 86_400)),
      time: time, executor: QueueExecutor(label: "test.caretaker"))
    var settings = settings ?? ServerSettings()
    settings.address = Address(host: "127.0.0.1", port: 0)
    settings.wait = .seconds(20)
    // Nobody comes late here.
    settings.limits.drainGrace = .zero
    self.settings = settings
    binding = SourceBinding(
      name: "qiita", patterns: QiitaSource.patterns.filter { exposesOwner || !$0.isOwners },
      reader: reader, calls: calls)
    server = ProxyServer(
      settings, sources: [binding], store: steady, time: time,
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    client = Client(port: try server.start().port)
  }

  /// Has the server go by settings that differ from its first ones, and serve these sources.
  func adopt(
    sources: [SourceBinding]? = nil, _ change: (inout ServerSettings) -> Void = { _ in }
  ) async {
    var settings = settings
    change(&settings)
    await server.adopt(settings, sources: sources ?? [binding])
  }

  /// The store's epoch.
  var epoch: String { store.epoch }

  /// What the store has of a feed; nil when it has no row.
  func timeline(of feed: FeedID) throws -> Timeline? { try store.timeline(of: feed) }

  /// Stops everything; the store's file stays where `keepsStore`.
  func stop(keepsStore: Bool = false) async {
    await server.drain()
    await upstream.close()
    await qiita.stop()
    store.close()
    guard !keepsStore else { return }
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// Runs `body` against a stand and stops it whatever happens.
  static func run(_ stand: Stand, _ body: (Stand) async throws -> Void) async throws {
    do {
      try await body(stand)
    } catch {
      await stand.stop()
      throw error
    }
    await stand.stop()
  }
}

/// A world of small items, so that tests are quick.
func smallWorld(
  _ count: Int, seed: UInt64 = 1, ties: Double = 0, shufflesTies: Bool = false
) -> World {
  World(
    WorldOptions(
      seed: seed, itemCount: count, tieProbability: ties, bodyBytes: 60,
      topSeconds: Int64(Date().timeIntervalSince1970) - 600, shufflesTies: shufflesTies))
}
