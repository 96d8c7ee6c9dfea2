import Feed
import Logging
import PostgreSQLStore
import Proxy
import Settings

/// Evicts feeds from the shared store. One server at a time does, by a lease of half a minute; two
/// at the same time would do no harm.
actor Janitor {
  /// The limits of the shared store.
  typealias Limits = PostgreSQLLedger.Limits

  private let ledger: PostgreSQLLedger
  private let server: String
  private let limits: Limits
  private let logger: Logger
  private nonisolated let executor = QueueExecutor(label: "tsugi.janitor")

  /// The time between two looks.
  static let interval = Duration.seconds(10)

  /// A janitor of a server by name.
  init(_ ledger: PostgreSQLLedger, for server: String, limits: Limits, logger: Logger) {
    (self.ledger, self.server, self.limits, self.logger) = (ledger, server, limits, logger)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Looks from time to time, until the task is cancelled.
  nonisolated func run() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Janitor.interval)
      if !Task.isCancelled { await tick() }
    }
  }

  private func tick() {
    do throws(StoreError) {
      guard try ledger.takeDuty("janitor", for: server) else { return }
      let dropped = try ledger.tidy(limits)
      guard dropped > 0 else { return }
      logger.notice(
        "feeds were evicted from the shared store", metadata: ["feeds": "\(dropped)"])
    } catch {
      // The follower reports outages.
      logger.debug("the shared store could not be tidied", metadata: ["reason": "\(error.reason)"])
    }
  }
}

extension PostgreSQLLedger.Limits {
  /// By a configuration.
  init(_ store: Configuration.Store) {
    self.init(
      bytesMax: Int64(store.maxMegabytes) << 20,
      answerBytesMax: (Int64(store.maxMegabytes) << 20) / Configuration.Store.answersShare,
      feedsMax: store.maxFeeds, remembers: .seconds(Int64(store.tombstoneDays) * 86_400))
  }
}
