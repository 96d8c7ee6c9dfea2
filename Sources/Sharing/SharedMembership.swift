// Several servers on one PostgreSQL: an extra, behind the trait of that name. Read next: `Follower`
// (reads what others write), `Janitor` (keeps what is shared small), `SharedTime` (one clock).

import Bytes
package import Engine
package import Feed
package import Freshness
package import Logging
import PostgreSQLStore
package import SQLiteStore
package import Settings
import SharedStore

/// Joins a server with others that share a store: the store, the shared clock, and what follows
/// the other servers.
package final class SharedMembership: Sendable {
  /// The shared store, with this server's copy of it.
  package let store: any FeedStore
  /// The clock of the shared store.
  package let clock: any TimeSource
  private let shared: SharedStore
  private let ledger: PostgreSQLLedger
  private let follower: Follower
  private let listener: Listener
  private let janitor: Janitor
  private let followers: AnswerFollowers
  private let task = TaskBox()

  /// How much longer than a call may take its lease lasts.
  private static let leaseMargin = Duration.seconds(5)

  /// Why a server cannot join.
  package enum Failure: Error {
    /// The store fails.
    case store(StoreError)
    /// The value of the key can never work.
    case badValue(key: String, reason: String)
  }

  /// Joins by a configuration, over this server's copy; nil where `store.url` is not set.
  package init?(
    _ configuration: Configuration, over copy: TimelineDatabase, time: any TimeSource,
    version: String, logger: Logger
  ) throws(Failure) {
    guard let url = configuration.store.url else { return nil }
    let settings = configuration.store
    for (key, url) in [("store.url", url), ("store.listenURL", settings.listenURL ?? url)] {
      if let fault = PostgreSQLLedger.fault(in: url.text) { throw fault.failure(of: key) }
    }
    let ledger = PostgreSQLLedger(
      url: url.text, connections: settings.connections, program: "tsugi/\(version)")
    let clock = SharedTime(time)
    let lease =
      Duration.seconds(configuration.upstream.timeoutSeconds) + SharedMembership.leaseMargin
    do throws(StoreError) {
      try ledger.prepare(mayMigrate: settings.migrate)
    } catch {
      if let fault = ledger.fault { throw fault.failure(of: "store.url") }
      // It serves its copy until PostgreSQL can be reached; without a copy it is not ready.
      guard case .unreachable = error else { throw .store(error) }
    }
    let followers = AnswerFollowers()
    self.followers = followers
    do throws(StoreError) {
      shared = try SharedStore(
        copy: copy, ledger: ledger, server: base36(.random(in: .min ... .max)), time: clock,
        follow: { source, purges throws(StoreError) in
          try followers.follow(purges, of: source)
        }
      ) { _ in lease }
    } catch {
      throw .store(error)
    }
    (store, self.clock, self.ledger) = (shared, clock, ledger)
    let follower = Follower(shared, clock: clock, readers: [], logger: logger)
    self.follower = follower
    listener = Listener(
      url: (settings.listenURL ?? url).text, server: shared.server, of: ledger,
      report: { logger.log($0, listensApart: settings.listenURL != nil) },
      notify: { follower.note($0) })
    janitor = Janitor(
      ledger, for: shared.server, limits: Janitor.Limits(settings), logger: logger)
  }

  /// Begins to follow for these readers.
  package func begin(_ readers: [FeedReader]) async {
    await follower.adopt(readers)
    task.set([
      Task { [follower] in await follower.run() }, Task { [janitor] in await janitor.run() },
    ])
    listener.start()
  }

  /// Follows for these readers, too.
  package func adopt(_ readers: [FeedReader]) async { await follower.adopt(readers) }

  /// The shared part of a source's raw answers, which are stored as `name`.
  package func sharing(of source: String, storedAs name: String) -> any AnswerSharing {
    SharedAnswers(ledger: ledger, source: source, name: name)
  }

  /// Has a source's cache follow the purges at other servers, for as long as it is used.
  package func follow(_ cache: any RawCaching, of source: String) {
    followers.add(cache, of: source)
  }

  /// Counts an opening of a site at all servers, at so many a minute. Returns nil where it may be
  /// made, else how long the site has to wait. Where the shared store cannot be reached nothing is
  /// refused: then no call is made either. Blocks.
  package func wait(of site: String, perMinute: Int) -> Duration? {
    do throws(StoreError) {
      return try ledger.open(for: site, perMinute: perMinute)
    } catch {
      follower.noteFailure(error)
      return nil
    }
  }

  /// Counts a call to the shared store that failed. Called on any thread.
  package func noteFailure(_ error: StoreError) { follower.noteFailure(error) }

  /// Leaves the other servers.
  package func end() async {
    listener.stop()
    await task.end()
    shared.leave()
  }
}

extension Logger {
  /// Logs whether notifications arrive.
  fileprivate func log(_ hearing: Listener.Hearing, listensApart: Bool) {
    switch hearing {
    case .heard: notice("notifications of the shared store arrive again")
    case .lost:
      warning(
        """
        notifications of the shared store do not arrive, as through a pooler in transaction mode: \
        it is polled once a second; set store.listenURL to \
        \(listensApart ? "the same database, " : "")a direct connection
        """)
    }
  }
}

extension PostgreSQLLedger.Fault {
  /// The failure for a key with this fault.
  fileprivate func failure(of key: String) -> SharedMembership.Failure {
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
