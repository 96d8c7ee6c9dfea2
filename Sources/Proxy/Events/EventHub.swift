import Feed
import HTTP
import Synchronization

/// Sends the changes of feeds to listening clients.
///
/// Clients of the same feed with the same `fields` share a ``Channel``, and what is sent there
/// is encoded once. A client begins where it left off: what it missed is read for it as fast as it
/// takes it, then it gets what all others get.
actor EventHub {
  /// What a channel sends.
  struct Key: Hashable {
    var feed: FeedID
    var fields: FieldSelection?
  }

  /// One client that listens.
  struct Listener {
    var key: Key
    var stream: BodyStream
    /// The last change it was sent.
    var position: SequenceNumber
  }

  /// Those who listen to the same.
  struct Channel {
    /// Distinguishes it from an earlier one of the same key.
    var serial: UInt64
    var source: SourceBinding
    /// The last change that all who are up to date were sent.
    var position: SequenceNumber
    /// Who is up to date, by loop and in no order.
    var live: [Int: [UInt64: BodyStream]] = [:]
    /// Who waits for the others to come to the change that it has already.
    var ahead: Set<UInt64> = []
    /// Who missed something that could not be read.
    var stalled: Set<UInt64> = []
    /// Everybody, whatever it waits for.
    var count = 0
    var listening: Listening?
    var isPumping = false
    var pumpsAgain = false
    /// Whether what could not be read is tried again in a while.
    var isRetrying = false
    var recent = RecentEvents()
  }

  /// The pause after something was sent: what changes meanwhile is sent together, so that a
  /// thousand clients do not have each change cost a thousand writes.
  static let pause = Duration.milliseconds(50)
  /// Between two tries to read what changed, where the store fails.
  static let retryPause = Duration.seconds(1)
  /// The most changes that are read and sent together.
  static let changesMax = 50
  /// Between two signs of life.
  static let commentInterval = Duration.seconds(15)

  let time: any TimeSource
  nonisolated let executor = QueueExecutor(label: "tsugi.events")
  var channels: [Key: Channel] = [:]
  var listeners: [UInt64: Listener] = [:]
  /// What is kept of all channels' batches at most, in bytes.
  let recentBytesMax: Int
  /// Where what changed is counted until it is encoded.
  let backlog: RenderingBacklog
  var recentBytes = 0
  private var lastID: UInt64 = 0
  private var comments: Task<Void, Never>?
  private nonisolated let listening = Atomic(0)
  private nonisolated let cut = Atomic(0)

  /// A hub without clients.
  init(time: any TimeSource, backlog: RenderingBacklog, recentBytesMax: Int) {
    self.time = time
    self.backlog = backlog
    self.recentBytesMax = recentBytesMax
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How many clients listen now, and how many were cut for being too far behind.
  nonisolated var counts: (listening: Int, cut: Int) {
    (listening.load(ordering: .relaxed), cut.load(ordering: .relaxed))
  }

  /// How many clients listen to a feed, whatever fields they chose.
  func count(of feed: FeedID) -> Int {
    channels.reduce(0) { $1.key.feed == feed ? $0 + $1.value.count : $0 }
  }

  /// Begins a response that sends what changes after a number; `present` is the last one there is.
  func listen(
    _ key: Key, of source: SourceBinding, after position: SequenceNumber, present: SequenceNumber,
    _ response: Response, _ responder: consuming Responder
  ) async {
    lastID += 1
    let id = lastID
    let stream = responder.begin(response) { [executor, weak self] event in
      Task(executorPreference: executor) { await self?.handle(event, of: id) }
    }
    listeners[id] = Listener(key: key, stream: stream, position: position)
    listening.add(1, ordering: .relaxed)
    // One that nothing stands for is followed by a reset, whose place it has.
    if !position.epoch.isEmpty { stream.write(BodyPart(EventText.place(position))) }
    beginComments()
    await join(id, source, present)
    await advance(id)
  }

  /// Makes the channel where it is not there, and counts one more.
  private func join(_ id: UInt64, _ source: SourceBinding, _ present: SequenceNumber) async {
    guard let key = listeners[id]?.key else { return }
    if channels[key] != nil {
      channels[key]?.count += 1
      return
    }
    let channel = Channel(serial: id, source: source, position: present, count: 1)
    channels[key] = channel
    let listening = await source.reader.listen(to: key.feed) { [executor, weak self] in
      Task(executorPreference: executor) { await self?.pump(key) }
    }
    guard channels[key]?.serial == channel.serial else {
      return await source.reader.unlisten(listening)
    }
    channels[key]?.listening = listening
    // What changed before it listened.
    await pump(key)
  }

  /// Handles an event of a client's stream.
  private func handle(_ event: BodyStream.Event, of id: UInt64) async {
    switch event {
    case .taken: await advance(id)
    case .ended(let ending):
      if ending == .behind { cut.add(1, ordering: .relaxed) }
      await leave(id)
    }
  }

  private func leave(_ id: UInt64) async {
    guard let listener = listeners.removeValue(forKey: id) else { return }
    listening.subtract(1, ordering: .relaxed)
    if listeners.isEmpty {
      comments?.cancel()
      comments = nil
    }
    let key = listener.key
    channels[key]?.live[listener.stream.loop.index]?[id] = nil
    channels[key]?.ahead.remove(id)
    channels[key]?.stalled.remove(id)
    channels[key]?.count -= 1
    guard let channel = channels[key], channel.count == 0 else { return }
    recentBytes -= channels.removeValue(forKey: key)?.recent.bytes ?? 0
    if let listening = channel.listening { await channel.source.reader.unlisten(listening) }
  }

  /// Sends everybody a sign of life from time to time.
  private func beginComments() {
    guard comments == nil else { return }
    comments = Task(executorPreference: executor) { [time, weak self] in
      while !Task.isCancelled {
        await time.sleep(until: time.now + EventHub.commentInterval)
        guard !Task.isCancelled, let self else { return }
        await self.comment()
      }
    }
  }

  private func comment() {
    let part = BodyPart(EventText.comment)
    for (_, streams) in Dictionary(grouping: listeners.values.map(\.stream), by: \.loop.index) {
      streams.first?.loop.write(part, to: streams)
    }
  }
}

/// What a channel sent lately, for those who missed it together, as after a restart: each
/// change is then still encoded once.
struct RecentEvents {
  /// What is kept at most, in bytes.
  static let bytesMax = 256 << 10

  private var batches: [EventBatch] = []
  /// What they take, in bytes.
  private(set) var bytes = 0

  /// What was sent after a number.
  func batch(after position: SequenceNumber) -> EventBatch? {
    batches.last { $0.after == position }
  }

  /// Appends a batch. One with a deletion is the end of all before it: what was deleted is
  /// sent no more.
  mutating func append(_ batch: EventBatch) {
    guard !batch.tellsDeletion else {
      self = RecentEvents()
      return
    }
    guard let count = batch.part?.count, count <= RecentEvents.bytesMax else { return }
    batches.append(batch)
    bytes += count
    while bytes > RecentEvents.bytesMax {
      bytes -= batches.removeFirst().part?.count ?? 0
    }
  }
}

/// Encoded changes.
struct EventBatch {
  /// The number they come after.
  var after: SequenceNumber
  /// The number they lead to.
  var next: SequenceNumber
  /// Whether there is more after that already.
  var hasMore: Bool
  /// Whether a content was deleted by them.
  var tellsDeletion = false
  /// The events; nil where nothing changed.
  var part: BodyPart?
}
