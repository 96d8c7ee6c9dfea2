import Engine
import Feed
import Logging
import PostgreSQLStore
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
  private var isUp = true
  private nonisolated let executor = QueueExecutor(label: "tsugi.follower")
  /// Sources of which was told that something was written.
  private nonisolated let told = Mutex<Set<String>>([])
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

  /// Follows until the task is cancelled.
  nonisolated func run() async {
    let beats = Task(executorPreference: executor) {
      while !Task.isCancelled {
        await self.beat()
        try? await Task.sleep(for: Follower.interval)
      }
    }
    for await _ in wakes { await follow() }
    beats.cancel()
    await beats.value
  }

  /// Asks how what is shared stands, and follows where it is ahead.
  private func beat() async {
    var listened = 0
    for reader in readers.values { listened += await reader.listenedCount }
    store.note(listenedFeeds: listened)
    let sentAt = clock.base.now
    do throws(StoreError) {
      let heartbeat = try store.beat()
      clock.note(heartbeat.now, between: sentAt, and: clock.base.now)
      note(isUp: true, nil)
      for (source, reader) in readers
      where try store.number(of: source) != heartbeat.numbers[source] ?? 0 {
        try await reader.follow()
      }
    } catch {
      note(isUp: false, error)
    }
  }

  /// Follows what was told.
  private func follow() async {
    let sources = told.withLock { told in
      defer { told = [] }
      return told
    }
    for source in sources.sorted() {
      do throws(StoreError) {
        try await readers[source]?.follow()
      } catch {
        note(isUp: false, error)
      }
    }
  }

  /// Says once that the others cannot be reached, and once that they can again.
  private func note(isUp: Bool, _ error: StoreError?) {
    guard isUp != self.isUp else { return }
    self.isUp = isUp
    if isUp {
      logger.notice("what the servers share can be reached again")
    } else {
      logger.warning(
        "what the servers share cannot be reached: what is here is served",
        metadata: ["reason": "\(error?.reason ?? "")"])
    }
  }
}
