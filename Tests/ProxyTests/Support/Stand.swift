import Assembly
import Bytes
import Engine
import Feed
import Foundation
import HTTP
import History
import Logging
import SQLiteStore
import Settings
import Simulator
import Support
import Synchronization
import Testing
import Upstream

@testable import Proxy

/// The whole server in process, over the simulated Qiita, on ports of its own.
final class Stand {
  /// The contract's rules.
  static let policy = Policy()

  let qiita: SimulatedQiita
  let client: Client
  let path: String
  /// Has the store's writes fail on demand.
  let faults: FaultyStore
  private let node: Node
  private let settings: ServerSettings

  /// Starts everything; the store is a new file unless `path` names one. The upstream is asked with
  /// `token`; the owner's feeds are there where `exposesOwner`.
  init(
    _ world: World, options: Qiita.Options = Qiita.Options(budget: 1_000_000),
    policy: Policy = Stand.policy, path: String? = nil, settings: ServerSettings? = nil,
    time: any TimeSource = SystemTime(), maxMegabytes: Int = 4096, feedsMax: Int = 10_000,
    token: String? = nil, exposesOwner: Bool = false
  ) async throws {
    qiita = SimulatedQiita(Qiita(world, options: options))
    var source = Configuration.Source.Qiita()
    let port = try qiita.start()
    source.baseURL = BaseURL(loopbackPort: port)
    source.policy = policy
    source.newFeedShare = Double(policy.openingPermille) / 1000
    source.token = token.flatMap { Secret($0, length: Secret.tokenLength) }
    source.exposeOwner = exposesOwner
    let path = path ?? NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).sqlite"
    self.path = path
    var configuration = Configuration()
    configuration.sources = ["qiita": .qiita(source)]
    if let face = options.face {
      configuration.sources = try FaceRecipe.sources(face, port: port, policy: policy)
    }
    configuration.store.path = path
    configuration.store.maxMegabytes = maxMegabytes
    configuration.store.maxFeeds = feedsMax
    configuration.upstream.timeoutSeconds = 20
    var served = settings ?? ServerSettings()
    served.address = Address(host: "127.0.0.1", port: 0)
    served.wait = .seconds(20)
    // Nobody comes late here.
    served.limits.drainGrace = .zero
    self.settings = served
    var nodeOptions = NodeOptions.test(time: time)
    nodeOptions.adjust = { [served] in $0 = served }
    let faults = Mutex<FaultyStore?>(nil)
    nodeOptions.wrapStore = { database in
      let faulty = FaultyStore(over: database)
      faults.withLock { $0 = faulty }
      return faulty
    }
    node = try await Node(configuration, nodeOptions)
    self.faults = try #require(faults.withLock { $0 })
    client = Client(port: try await node.start().port)
  }

  /// What reads the source.
  var reader: any SliceSource { binding.reader }
  /// The source as it was served first.
  var binding: SourceBinding { node.sources[0] }
  /// Looks after the store when a test has it do so.
  var storeKeeper: StoreKeeper { node.storeKeeper }

  /// Has the server go by settings that differ from its first ones, and serve these sources.
  func adopt(
    sources: [SourceBinding]? = nil, _ change: (inout ServerSettings) -> Void = { _ in }
  ) async {
    var settings = settings
    change(&settings)
    await node.server.adopt(settings, sources: sources ?? [binding])
  }

  /// The store's epoch.
  var epoch: String { node.database.epoch }

  /// What the store has of a feed; nil when it has no row.
  func timeline(of feed: FeedID) throws -> Timeline? { try node.database.timeline(of: feed) }

  /// Stops everything; the store's file stays where `keepsStore`.
  func stop(keepsStore: Bool = false) async {
    await node.drain()
    await qiita.stop()
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

extension NodeOptions {
  /// Those of a test: nothing is logged, nothing waits for the disk, and the store is kept within
  /// its limits by hand.
  static func test(time: any TimeSource = SystemTime()) -> NodeOptions {
    var options = NodeOptions(
      version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    options.time = time
    options.durability = .processOnly
    options.keepsStore = false
    return options
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

extension HandClock {
  /// A clock that begins at the present.
  convenience init() { self.init(at: SystemTime().now) }
}
