import Bytes
import Dispatch
import Feed
import HTTP
import Logging
import Synchronization

/// What stays while the server runs, whatever its configuration becomes: the store, what is
/// counted, who listens, who waits.
final class ServerState: Sendable {
  let store: any FeedStore
  let time: any TimeSource
  let logger: Logger
  /// When the server was made.
  let startedAt: Timestamp
  /// What distinguishes this start from others.
  let boot = base36(.random(in: 0..<1_679_616))
  let executor: any TaskExecutor
  /// Runs what reads through the store for an operator.
  let lists = QueueExecutor(label: "tsugi.lists")
  let metrics = Metrics()
  /// Takes what was answered; nil keeps no access log.
  let accessLog: AccessLog?
  /// Sends events to clients that listen to feeds.
  let events: EventHub
  /// What waits for being rendered.
  let backlog: RenderingBacklog
  /// Gives back what rendering leaves behind.
  let trimmer = MemoryTrimmer()
  /// Event loops.
  let loops: Int
  /// How much of the memory is held for peers.
  let memory: MemoryShares
  /// The most requests that wait for the upstream.
  let waitingMax: Int
  /// Runs work off the loops that may block.
  let checks = DispatchQueue(label: "tsugi.readiness")
  private let waiting = Atomic(0)
  private let isDraining = Atomic(false)
  /// When the store was last found to work.
  private let workedAt = Mutex<ContinuousClock.Instant?>(nil)
  /// For what is rendered on `executor`; each loop has its own.
  private let gzip = Mutex(Gzip())

  /// The state of a server that is about to start.
  init(
    store: any FeedStore, time: any TimeSource, logger: Logger, accessLog: AccessLog?,
    loops: Int, memory: MemoryShares, waitingMax: Int
  ) {
    self.store = store
    self.time = time
    startedAt = time.now
    self.logger = logger
    self.accessLog = accessLog
    self.loops = loops
    self.memory = memory
    backlog = RenderingBacklog(bytesMax: memory.backlogBytes)
    self.waitingMax = waitingMax
    executor = QueueExecutor(label: "tsugi.replies")
    events = EventHub(time: time, backlog: backlog, recentBytesMax: memory.eventBytes)
  }

  /// Counts one more request that waits for the upstream; false, and not counted, when too many do.
  func beginWaiting() -> Bool {
    guard waiting.add(1, ordering: .relaxed).newValue <= waitingMax else {
      endWaiting()
      return false
    }
    return true
  }

  /// Counts one less.
  func endWaiting() {
    waiting.subtract(1, ordering: .relaxed)
  }

  /// From now on it is not ready.
  func beginDraining() {
    isDraining.store(true, ordering: .relaxed)
  }

  /// Whether it has begun to stop.
  var drains: Bool { isDraining.load(ordering: .relaxed) }

  /// Notes that the store was found to work.
  func noteWorking() {
    workedAt.withLock { $0 = .now }
  }

  /// Whether it was within the last second.
  var hasJustWorked: Bool {
    workedAt.withLock { $0.map { .now - $0 < .seconds(1) } ?? false }
  }

  /// A reply compressed where its client takes that; not for a loop's thread.
  func encoded(_ response: Response, for context: RequestContext) -> Response {
    gzip.withLock { response.encoded(as: context.coding, with: &$0) }
  }
}
