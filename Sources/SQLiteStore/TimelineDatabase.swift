package import Feed
import Glibc
import Synchronization

/// The timeline store over the system's SQLite: one file, one owner who writes, many who read.
///
/// This target keeps timelines, elements, items and budgets on disk; what they mean, and
/// which rules join them, is `Feed`'s. Calls block on the disk, so they belong on a queue of
/// their own. ``Schema`` says what is in the file, ``StoreFile`` how it is opened and what becomes
/// of a damaged one, ``TimelineWriter`` how an answer is written, ``SliceReader`` how slices are
/// read.
///
/// After an error nothing was changed, and the next call may succeed. After
/// ``StoreError/corrupt(message:)`` the file has been marked: ``renew(from:)``, or the next
/// opening, sets it aside for a new one.
package final class TimelineDatabase:
  TimelineStore, LoneStore, StoreHousekeeping, StoreHealth, UnbufferedStore
{
  /// A random name made with the file, eight of `a-z0-9`.
  package var epoch: String { file.epoch.name }
  package var contentChanges: UInt64 { replacements.load(ordering: .acquiring) }
  /// Where a damaged file that was found at the opening is now; nil when there was none.
  package let setAside: String?

  private let file: StoreFile
  // Calls come from the queues of the sources' readers and of the store keeper, and
  // block inside the lock, one transaction each.
  private let held: Mutex<Held>
  private let gauge = LoadGauge()
  private let replacements = Atomic<UInt64>(0)

  /// What is held until the store is closed.
  private struct Held: ~Copyable {
    var writer: TimelineWriter?
    var lock: StoreLock?
    /// Why a file in which damage was met could not be read, and when.
    var readFailure: (at: ContinuousClock.Instant, error: StoreError)?
    /// When such a file was last found sound.
    var sparedAt: ContinuousClock.Instant?
  }

  /// How long a file that cannot be read is not looked at again.
  static let judgingInterval = Duration.seconds(1)
  /// Damage that is met within so long of the file having been found sound is believed.
  static let sparingInterval = Duration.seconds(3_600)

  /// What a commit waits for.
  package enum Durability: Sendable {
    /// The disk has it: it outlives a power cut, but for the last commits of a copy.
    case full
    /// The system has it: it outlives this process only. For tests: thousands of commits a second.
    case processOnly
  }

  /// Opens the store at `path`, and makes it when there is none.
  ///
  /// What would make it larger than `bytesMax`, not counting its log, throws
  /// ``StoreError/full``. A damaged file is renamed, never deleted, and a new one with a new epoch
  /// begun: see ``setAside``. Throws ``StoreError/locked(path:)`` when another holds the store, and
  /// ``StoreError/newerVersion(version:supported:)`` when a newer Tsugi made it,
  /// ``StoreError/foreign(path:)`` when it never was a database; the file is unchanged then, as it
  /// is when it is another program's database. ``StoreError/noFolder(path:)`` when there is no
  /// place for it.
  ///
  /// With `now` given, an instant in the file that lies more than a day after it was noted by a
  /// clock that had slipped, and is forgotten.
  ///
  /// Where it is a copy of the shared store, what commits touch is noted for the others.
  ///
  /// A write calls `pause` each 0.1 ms of SQLite's work, so that others get the processor.
  package init(
    path: String, durability: Durability = .full, bytesMax: Int64? = nil, now: Timestamp? = nil,
    isCopy: Bool = false, pause: @escaping @Sendable () -> Void = {}
  ) throws(StoreError) {
    let path = StoreLock.realPath(path)
    try StoreLock.refuseForeignFile(at: path)
    let lock = try StoreLock(path: path)
    file = StoreFile(
      path: path, durability: durability, bytesMax: bytesMax, isCopy: isCopy, pause: pause)
    let found = try file.open()
    var moved = found.setAside
    let sound: TimelineWriter?
    do throws(StoreError) {
      let writer = try TimelineWriter(on: found.connection, bytesMax: bytesMax, isCopy: isCopy)
      try writer.checkFoundations(now: now)
      sound = writer
    } catch {
      // A table that is missing is no fault of the disk's, and would be missing at each start.
      guard error.isDamage || error.isSchemaFault else { throw error }
      sound = nil
    }
    let writer: TimelineWriter
    if let sound {
      writer = sound
    } else {
      let new = try file.replace()
      moved = new.setAside
      writer = try TimelineWriter(on: new.connection, bytesMax: bytesMax, isCopy: isCopy)
    }
    setAside = moved
    file.epoch.begin(try writer.epoch())
    try gauge.read(writer)
    held = Mutex(Held(writer: writer, lock: lock))
  }

  deinit {
    close()
  }

  /// Moves the log into the file and lets the store go; calls after it fail. Readers that are
  /// still open go on reading.
  package func close() {
    held.withLock { held in
      // A log that could not be moved is moved at the next opening: nothing is lost.
      try? held.writer?.checkpoint()
      held.writer = nil
      held.lock = nil
    }
    file.lock.release()
  }

  package func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    try write { (writer) throws(StoreError) in try writer.timeline(of: feed) }
  }

  package func known(
    in feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    try write { (writer) throws(StoreError) in
      try writer.known(in: feed, below: upper, above: lower)
    }
  }

  package func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    try write { (writer) throws(StoreError) in try writer.known(in: feed, ids: ids) }
  }

  package func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64 {
    try write { (writer) throws(StoreError) in
      try check(merges)
      return try writer.commit(merges, budget: budget)
    }
  }

  package func budget(of source: String) throws(StoreError) -> Budget? {
    try write { (writer) throws(StoreError) in try writer.budget(of: source) }
  }

  package func keep(_ budget: Budget, of source: String) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.keep(budget, of: source) }
  }

  package func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    try write { (writer) throws(StoreError) in
      try writer.keep(item, realm: realm, sentAt: sentAt)
    }
  }

  package func delete(
    _ ids: [Identity], realm: String, sentAt: Timestamp
  ) throws(StoreError) -> [String: Int64] {
    try write { (writer) throws(StoreError) in
      try writer.delete(ids, realm: realm, sentAt: sentAt)
    }
  }

  /// How full it is, as of the last write.
  package var load: StoreLoad { gauge.load }

  package func feeds() throws(StoreError) -> [StoredFeed] {
    try write { (writer) throws(StoreError) in try writer.allFeeds() }
  }

  package func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail? {
    try write { (writer) throws(StoreError) in try writer.foot(of: name, limit: limit) }
  }

  package func contentBytes(of name: String) throws(StoreError) -> Int64 {
    try write { (writer) throws(StoreError) in try writer.contentBytes(of: name) }
  }

  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {
    try write { (writer) throws(StoreError) in
      try check(timeline)
      gauge.count(places: try writer.cut(name, below: cut, leaving: timeline))
    }
  }

  package func drop(_ name: String) throws(StoreError) {
    try write { (writer) throws(StoreError) in
      guard let count = try writer.drop(name) else { return }
      gauge.count(feeds: 1, places: count)
    }
  }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.note(reads) }
  }

  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool {
    try write { (writer) throws(StoreError) in
      let swept = try writer.sweep(sweep)
      gauge.count(places: swept.placeCount)
      return swept.isAround
    }
  }

  package func shrink() throws(StoreError) -> Bool {
    try write { (writer) throws(StoreError) in try writer.shrink() }
  }

  package func makeReader() throws(StoreError) -> any TimelineReader {
    try SliceReader(file: file)
  }

  package func check() throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.check() }
  }

  package var isDamaged: Bool { file.epoch.isDamaged }

  package func renew(from epoch: String) throws(StoreError) -> String? {
    try held.withLock { (held) throws(StoreError) in
      guard file.epoch.name == epoch else { return nil }
      guard held.lock != nil else { throw .closed }
      guard try !spares(&held) else { return nil }
      held.writer = nil
      let renewal = try renewed()
      held.writer = renewal.writer
      return renewal.setAside
    }
  }

  /// Takes the file away and begins a new one of this epoch.
  package func begin(_ epoch: String) throws(StoreError) {
    try held.withLock { (held) throws(StoreError) in
      guard held.lock != nil else { throw .closed }
      held.writer = nil
      let writer = try TimelineWriter(
        on: file.begin(epoch), bytesMax: file.bytesMax, isCopy: file.isCopy)
      try gauge.read(writer)
      file.epoch.begin(try writer.epoch())
      held.writer = writer
    }
  }

  /// Whether the file is kept although damage was met in it: it is sound, and what failed was the
  /// reading. Throws while it cannot be read.
  private func spares(_ held: inout Held) throws(StoreError) -> Bool {
    // Without a writer a renewal was begun, and the damage believed.
    guard held.writer != nil, file.epoch.isDamaged else { return false }
    let now = ContinuousClock.now
    if let failure = held.readFailure, now - failure.at < Self.judgingInterval {
      throw failure.error
    }
    let wasSpared = held.sparedAt.map { now - $0 < Self.sparingInterval } ?? false
    var isSound = false
    do throws(StoreError) {
      if wasSpared { try file.readWhole() } else { isSound = try file.isSound() }
    } catch {
      held.readFailure = (now, error)
      throw error
    }
    guard isSound else { return false }
    held.sparedAt = now
    file.unmarkDamaged()
    return true
  }

  /// A writer on a new file in place of the present one.
  private func renewed() throws(StoreError) -> sending (writer: TimelineWriter, setAside: String?) {
    let new = try file.replace()
    let moved = new.setAside
    let writer = try TimelineWriter(
      on: new.connection, bytesMax: file.bytesMax, isCopy: file.isCopy)
    try gauge.read(writer)
    file.epoch.begin(try writer.epoch())
    return (writer, moved)
  }

  /// See ``check(_:)`` of a timeline.
  func check(_ merges: [Merge]) throws(StoreError) {
    for merge in merges { try check(merge.timeline) }
  }

  /// Throws ``StoreError/replaced`` where a timeline was read from a file that is no longer this.
  func check(_ timeline: Timeline) throws(StoreError) {
    guard timeline.epoch.isEmpty || timeline.epoch == epoch else { throw .replaced }
  }

  /// Calls the writer, one call at a time, and notes damage that it meets.
  func write<Value: Sendable>(
    _ body: (TimelineWriter) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    var systemError: Int32?
    do throws(StoreError) {
      return try file.noting(in: epoch) { () throws(StoreError) in
        try held.withLock { (held) throws(StoreError) in
          guard let writer = held.writer else { throw StoreError.closed }
          defer {
            systemError = writer.connection.systemError
            if writer.takeHasReplaced() { replacements.add(1, ordering: .releasing) }
          }
          let value = try body(writer)
          // What was written is written, also where its size cannot be read.
          try? gauge.read(writer)
          return value
        }
      }
    } catch {
      // What the disk fails to read is no damage where the caller can wait until it works again.
      if error.isDamage, let systemError { throw .failed(errno: systemError, "reading the store") }
      throw error
    }
  }
}
