import Engine
import Feed
import Logging
import Proxy
import SharedStore
import Synchronization

/// Reads what other servers write to a shared store: once a second, and immediately after a
/// notification of the database. Its heartbeat shows the others that this server is live.
actor Follower {
  private let store: SharedStore
  private let clock: SharedTime
  private let logger: Logger
  private var readers: [String: FeedReader]
  /// Sources that are being read now.
  private var following: Set<String> = []
  /// Sources whose last read failed although the shared store was reachable.
  private var failing: Set<String> = []
  private nonisolated let executor = QueueExecutor(label: "tsugi.follower")
  /// Sources with notifications that are not handled yet.
  private nonisolated let told = Mutex<Set<String>>([])
  private nonisolated let outage = Mutex(Outage())
  private nonisolated let wakes: AsyncStream<Void>
  private nonisolated let wake: AsyncStream<Void>.Continuation

  /// The time between two heartbeats.
  static let interval = Duration.seconds(1)

  /// A follower for these readers.
  init(_ store: SharedStore, clock: SharedTime, readers: [FeedReader], logger: Logger) {
    self.store = store
    self.clock = clock
    self.logger = logger
    self.readers = Dictionary(readers.map { ($0.source, $0) }, uniquingKeysWith: { $1 })
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Follows for these readers, too.
  func adopt(_ readers: [FeedReader]) {
    for reader in readers { self.readers[reader.source] = reader }
  }

  /// Notes a notification of changes in these sources. Called on any thread.
  nonisolated func note(_ sources: Set<String>) {
    told.withLock { $0.formUnion(sources) }
    store.count("notifications")
    wake.yield()
  }

  /// Follows until the task is cancelled. Each source has a task of its own: one that waits for the
  /// shared store delays neither the heartbeat nor the other sources.
  nonisolated func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask {
        while !Task.isCancelled {
          await self.beat()
          try? await Task.sleep(for: Follower.interval)
        }
      }
      for await _ in wakes {
        for reader in await due() { group.addTask { await self.follow(reader) } }
      }
      group.cancelAll()
    }
  }

  /// Sends a heartbeat, and reads the sources in which the shared store is ahead.
  private func beat() {
    store.note(listenedFeeds: readers.values.reduce(0) { $0 + $1.listenedCount })
    let sentAt = clock.base.now
    do throws(StoreError) {
      let heartbeat = try store.beat()
      clock.note(heartbeat.now, between: sentAt, and: clock.base.now)
      noteBeat()
      var behind: Set<String> = []
      for source in readers.keys where try store.isBehind(heartbeat, of: source) {
        behind.insert(source)
      }
      guard !behind.isEmpty else { return }
      told.withLock { $0.formUnion(behind) }
      wake.yield()
    } catch {
      noteFailure(error)
    }
  }

  /// The readers to follow now. A source that is being read is due again when it has ended.
  private func due() -> [FeedReader] {
    let sources = told.withLock { told in
      let due = told.subtracting(following)
      told.subtract(due)
      return due
    }
    following.formUnion(sources.filter { readers[$0] != nil })
    return sources.sorted().compactMap { readers[$0] }
  }

  /// Reads a source. Logs once when this fails although the shared store is reachable, and once
  /// when it works again.
  private func follow(_ reader: FeedReader) async {
    let source = reader.source
    do throws(StoreError) {
      try await reader.follow()
      if failing.remove(source) != nil {
        logger.notice("a source follows the shared store again", metadata: ["source": "\(source)"])
      }
    } catch {
      if case .unreachable = error {
        noteFailure(error)
      } else if failing.insert(source).inserted {
        logger.warning(
          "a source cannot follow the shared store: its local copy is served",
          metadata: ["source": "\(source)", "reason": "\(error.reason)"])
      }
    }
    following.remove(source)
    if told.withLock({ $0.contains(source) }) { wake.yield() }
  }

  /// Counts a failed call to the shared store. Logs once when an outage begins.
  /// Called on any thread.
  nonisolated func noteFailure(_ error: StoreError) {
    guard outage.withLock({ $0.fail(at: .now) }) else { return }
    logger.warning(
      "the shared store cannot be reached: the local copy is served", metadata: error.logged)
  }

  /// Notes a successful heartbeat. Logs once when an outage ends.
  private func noteBeat() {
    guard let end = outage.withLock({ $0.reach(at: .now) }) else { return }
    logger.notice(
      "the shared store can be reached again",
      metadata: [
        "seconds": .stringConvertible(end.duration.components.seconds),
        "failedCalls": .stringConvertible(end.failures),
      ])
  }
}
