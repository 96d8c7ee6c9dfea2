import Engine
import Feed
import Logging
import Proxy
import SharedStore
import Synchronization

/// Follows what other servers write, where a store is shared: asks once a second, and at once where
/// the database tells. Its beat is also how the others know that this server lives.
actor Follower {
  private let store: SharedStore
  private let clock: SharedTime
  private let logger: Logger
  private var readers: [String: FeedReader]
  /// Sources that are followed at this moment.
  private var following: Set<String> = []
  /// Sources whose last follow failed while the shared store could be reached.
  private var failing: Set<String> = []
  private nonisolated let executor = QueueExecutor(label: "tsugi.follower")
  /// Sources of which was told that something was written.
  private nonisolated let told = Mutex<Set<String>>([])
  private nonisolated let outage = Mutex(Outage())
  private nonisolated let wakes: AsyncStream<Void>
  private nonisolated let wake: AsyncStream<Void>.Continuation

  /// How often it asks.
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

  /// Takes note that something was written of these sources. Called on any thread.
  nonisolated func note(_ sources: Set<String>) {
    told.withLock { $0.formUnion(sources) }
    store.count("notifications")
    wake.yield()
  }

  /// Follows until the task is cancelled, each source by itself: one that waits for the shared
  /// store keeps neither the beats nor the other sources waiting.
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

  /// Asks how what is shared stands, and has followed where it is ahead.
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

  /// The readers that are to follow now. One that follows already is due when it has ended.
  private func due() -> [FeedReader] {
    let sources = told.withLock { told in
      let due = told.subtracting(following)
      told.subtract(due)
      return due
    }
    following.formUnion(sources.filter { readers[$0] != nil })
    return sources.sorted().compactMap { readers[$0] }
  }

  /// Has a source followed. The log says once that this fails though the shared store can be
  /// reached, and once that it works again.
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

  /// Takes note that a call to the shared store failed. The log says once when an outage begins.
  /// Called on any thread.
  nonisolated func noteFailure(_ error: StoreError) {
    guard outage.withLock({ $0.fail(at: .now) }) else { return }
    logger.warning(
      "the shared store cannot be reached: the local copy is served", metadata: error.logged)
  }

  /// Takes note that a beat came through. The log says once when an outage ends.
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
