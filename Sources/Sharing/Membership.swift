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
    for (key, url) in [("store.url", url), ("store.listenURL", settings.listenURL ?? url)] {
      if let fault = PostgreSQLLedger.fault(in: url.text) { throw fault.error(of: key) }
    }
    let ledger = PostgreSQLLedger(
      url: url.text, connections: settings.connections, program: "tsugi/\(options.version)")
    clock = SharedTime(options.time)
    let lease = Duration.seconds(configuration.upstream.timeoutSeconds) + Membership.leaseMargin
    do throws(StoreError) {
      try ledger.prepare(mayMigrate: settings.migrate)
    } catch {
      if let fault = ledger.fault { throw fault.error(of: "store.url") }
      // It serves what it has until the others can be reached; without anything it is not ready.
      guard case .unreachable = error else { throw .store(error) }
    }
    do throws(StoreError) {
      store = try SharedStore(
        copy: copy, ledger: ledger, server: base36(.random(in: .min ... .max)), time: clock
      ) { _ in lease }
    } catch {
      throw .store(error)
    }
    let follower = Follower(store, clock: clock, readers: [], logger: options.logger)
    self.follower = follower
    listener = Listener(url: (settings.listenURL ?? url).text, server: store.server) {
      follower.note($0)
    }
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

extension PostgreSQLLedger.Fault {
  /// What an operator is told of it.
  fileprivate func error(of key: String) -> AssemblyError {
    let reason =
      switch self {
      case .url:
        "must be a URL of PostgreSQL, such as postgresql://user:password@host:5432/database, or a "
          + "list of keyword=value"
      case .login: "PostgreSQL refuses the user or the password in it"
      case .database: "PostgreSQL has no database of the name in it; make the database first"
      }
    return .badValue(key: key, reason: reason)
  }
}
