import Bytes
import Engine
import Feed
import PostgreSQLStore
import SQLiteStore
import Settings
import SharedStore

/// What joins a server with others that share a store: the store, the clock that is theirs, and
/// what follows them.
final class Membership: Sendable {
  let store: SharedStore
  let clock: SharedTime
  let follower: Follower
  private let listener: Listener
  private let janitor: Janitor
  private let task: TaskBox

  /// How much longer than a call may take it is kept for whoever makes it.
  private static let leaseMargin = Duration.seconds(5)

  /// By a configuration; nil where it shares with nobody.
  init?(
    _ configuration: Configuration, over copy: TimelineDatabase, _ options: NodeOptions
  ) throws(AssemblyError) {
    guard let url = configuration.store.url else { return nil }
    let settings = configuration.store
    let ledger = PostgreSQLLedger(
      url: url.text, connections: settings.connections, program: "tsugi/\(options.version)")
    clock = SharedTime(options.time)
    let lease = Duration.seconds(configuration.upstream.timeoutSeconds) + Membership.leaseMargin
    do throws(StoreError) {
      do throws(StoreError) {
        try ledger.prepare(mayMigrate: settings.migrate)
      } catch {
        // One that was a copy before serves what it has until the others can be reached.
        guard case .unreachable = error, try copy.isCopied else { throw error }
      }
      store = try SharedStore(
        copy: copy, ledger: ledger, server: base36(.random(in: .min ... .max)), time: clock
      ) { _ in lease }
    } catch {
      throw .store(error)
    }
    let follower = Follower(store, clock: clock, readers: [], logger: options.logger)
    self.follower = follower
    listener = Listener(url: (settings.listenURL ?? url).text) { follower.note($0) }
    janitor = Janitor(
      ledger, for: store.server, limits: Janitor.Limits(settings), logger: options.logger)
    task = TaskBox()
  }

  /// Begins to follow for these readers.
  func begin(_ readers: [FeedReader]) async {
    await follower.adopt(readers)
    task.set([
      Task { [follower] in await follower.run() }, Task { [janitor] in await janitor.run() },
    ])
    listener.start()
  }

  /// Ends it.
  func end() async {
    listener.stop()
    await task.end()
    store.leave()
  }
}
