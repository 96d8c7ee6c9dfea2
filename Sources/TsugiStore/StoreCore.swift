import CSQLite
import Dispatch
import Foundation
import TsugiClient

/// The file and what waits to be written to it, shared by all copies of a ``FeedStore``.
///
/// Changes are collected and written together, 100 ms after the first of them, each batch in one
/// transaction on the queue that writes. Reads use a connection of their own, and see what is not
/// written yet.
///
/// Safe because the connections are touched on their queues only, and all else that changes under
/// the lock only.
final class StoreCore: @unchecked Sendable {
  /// How long changes are collected.
  private static let collecting = DispatchTimeInterval.milliseconds(100)

  let maxBytes: Int
  let access: FeedStore.Access
  private let file: StoreFile?
  private let log: (@Sendable (FeedEvent) -> Void)?
  /// Fails a transaction with a code of SQLite, for tests; 0 fails none.
  private let fault: @Sendable () -> Int32

  private let writing = DispatchQueue(label: "tsugi.store.writing")
  private let reading: DispatchQueue
  private var writer: StoreWriter?
  private var readConnection: Connection?

  let lock = NSLock()
  private var pending = StoreChanges()
  private var inProgress = StoreChanges()
  private var isScheduled = false
  private var screens: [StoreKey: Set<String>] = [:]
  private var onDisk = false
  /// The connection that a transaction runs on.
  private var running: Connection?
  var hubs: [HubKey: Hub] = [:]

  init(
    _ url: URL?, maxBytes: Int, access: FeedStore.Access, log: (@Sendable (FeedEvent) -> Void)?,
    fault: @escaping @Sendable () -> Int32 = { 0 }
  ) {
    file = url.map(StoreFile.init)
    (self.maxBytes, self.access, self.log, self.fault) = (max(0, maxBytes), access, log, fault)
    reading = url == nil ? writing : DispatchQueue(label: "tsugi.store.reading")
    writing.sync { open() }
  }

  /// Whether it is on disk.
  var isPersistent: Bool { lock.withLock { onDisk } }

  // MARK: Opening

  private func open() {
    guard access == .readWrite else { return lock.withLock { onDisk = file?.owner == .ours } }
    guard let file else { return openInMemory() }
    file.makeFolder()
    switch file.owner {
    case .other: fail("the file is of another")
    case .none:
      file.remove()
      openFile(file)
    case .ours: openFile(file)
    }
    if writer == nil { openInMemory() }
  }

  private func openFile(_ file: StoreFile) {
    do {
      try connect(file)
    } catch  where error.isDamage {
      begin(file, because: error)
    } catch {
      fail(error.message)
    }
  }

  private func connect(_ file: StoreFile) throws(SQLiteFailure) {
    let connection = try file.open()
    let reader = try Connection(file.url.path, flags: SQLITE_OPEN_READONLY)
    file.protect()
    writer = StoreWriter(connection)
    if reading === writing {
      readConnection = reader
    } else {
      reading.sync { readConnection = reader }
    }
    lock.withLock { onDisk = true }
  }

  /// Begins the file again.
  private func begin(_ file: StoreFile, because failure: SQLiteFailure) {
    writer = nil
    reading.sync { readConnection = nil }
    file.remove()
    log?(.storeReset(reason: failure.message))
    do { try connect(file) } catch { fail(error.message) }
  }

  private func openInMemory() {
    lock.withLock { onDisk = false }
    do {
      let connection = try Connection(
        ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      try StoreFile.prepare(connection)
      writer = StoreWriter(connection)
    } catch {
      fail(error.message)
    }
  }

  private func fail(_ reason: String) { log?(.storeFailed(reason: reason)) }

  // MARK: Writing

  /// Takes changes in, to be written soon.
  func put(_ change: (inout StoreChanges) -> Void) {
    guard access == .readWrite else { return }
    let isFirst = lock.withLock {
      change(&pending)
      defer { isScheduled = true }
      return !isScheduled
    }
    guard isFirst else { return }
    writing.asyncAfter(deadline: .now() + Self.collecting) { self.writeBeforeExpiry() }
  }

  /// Notes which rows of a list are on the screen.
  func put(screen: [String], of key: StoreKey) {
    lock.withLock { screens[key] = Set(screen) }
    put { $0.screens[key] = screen }
  }

  /// Forgets which rows of a list are on the screen.
  func leave(_ key: StoreKey) {
    lock.withLock { screens[key] = nil }
  }

  /// Waits until all that was put is written, or cannot be.
  func flush() async {
    await onWriting { core in core.write() }
  }

  /// Runs a body on the queue that writes.
  private func onWriting(_ body: @escaping @Sendable (StoreCore) -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      writing.async {
        body(self)
        done.resume()
      }
    }
  }

  /// Writes while the system lets the app run, and stops when it does not any more: an app that is
  /// suspended while it holds the file's lock is ended.
  private func writeBeforeExpiry() {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      ProcessInfo.processInfo.performExpiringActivity(withReason: "tsugi.store") { isExpired in
        if isExpired {
          self.lock.withLock { self.running?.interrupt() }
        } else {
          self.writing.sync { self.write() }
        }
      }
    #else
      write()
    #endif
  }

  private func write() {
    let changes = lock.withLock {
      isScheduled = false
      (inProgress, pending) = (pending, StoreChanges())
      return inProgress
    }
    guard !changes.isEmpty else { return }
    let start = ContinuousClock.now
    do {
      let (rows, bytes, evicted) = try perform { writer throws(SQLiteFailure) in
        try self.write(changes, &writer)
      }
      lock.withLock { inProgress = StoreChanges() }
      log?(.stored(rows: rows, bytes: bytes, took: start.duration(to: .now)))
      if evicted.lists + evicted.items > 0 {
        log?(.evicted(lists: evicted.lists, items: evicted.items))
      }
    } catch {
      lock.withLock {
        // It is tried again with the next change.
        inProgress.merge(pending)
        (pending, inProgress) = (inProgress, StoreChanges())
      }
      recover(error)
    }
  }

  private func write(
    _ changes: StoreChanges, _ writer: inout StoreWriter
  ) throws(SQLiteFailure) -> (Int, Int, (lists: Int, items: Int)) {
    var (rows, bytes) = (0, 0)
    for (key, item) in changes.items {
      let body = item.flatMap { $0() }
      // One that has no JSON, or so large that all others would go for it, is not kept.
      let isKept = body.map { $0.count <= maxBytes / 8 } ?? false
      bytes += try writer.write(key, isKept ? body : nil)
      if isKept { rows += 1 }
    }
    for (key, list) in changes.lists { try writer.write(key, list) }
    for (key, screen) in changes.screens { try writer.write(resume: screen.first, of: key) }
    return (rows, bytes, try evict(to: maxBytes, &writer))
  }

  private func evict(
    to bytes: Int, _ writer: inout StoreWriter
  ) throws(SQLiteFailure) -> (lists: Int, items: Int) {
    try writer.evict(to: bytes, keeping: lock.withLock { screens })
  }

  /// Runs a transaction.
  private func perform<Result>(
    _ body: (inout StoreWriter) throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    if writer == nil, let file { try connect(file) }
    guard var changed = writer else {
      throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "closed")
    }
    let code = fault()
    guard code == 0 else { throw SQLiteFailure(code: code, message: "code \(code)") }
    let connection = changed.connection
    lock.withLock { running = connection }
    defer { lock.withLock { running = nil } }
    let result = try connection.transaction { () throws(SQLiteFailure) in try body(&changed) }
    // What was not committed is not known as written.
    writer = changed
    // Pages that are free go back to the system; where they cannot, they are used again.
    try? connection.run("PRAGMA incremental_vacuum")
    return result
  }

  private func recover(_ failure: SQLiteFailure) {
    guard failure.isDamage, let file, isPersistent else { return fail(failure.message) }
    begin(file, because: failure)
  }

  // MARK: Removing

  /// Removes until no more than so many bytes are in use.
  func trim(toBytes bytes: Int) async {
    await onWriting { core in
      core.write()
      core.remove { writer throws(SQLiteFailure) in
        let evicted = try core.evict(to: max(0, bytes), &writer)
        core.log?(.evicted(lists: evicted.lists, items: evicted.items))
      }
    }
  }

  /// Removes all of an account, in the log too.
  func removeAll(of account: String) async {
    await retire(account)
    await onWriting { core in
      core.lock.withLock { core.pending.remove(account: account) }
      core.write()
      core.remove { writer throws(SQLiteFailure) in try writer.removeAll(of: account) }
    }
  }

  private func remove(_ body: (inout StoreWriter) throws(SQLiteFailure) -> Void) {
    guard access == .readWrite else { return }
    do {
      try perform(body)
      guard isPersistent else { return }
      try writer?.connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      recover(error)
    }
  }

  // MARK: Reading

  /// What is not written yet of an item: nil for nothing, a closure that gives nil for one that is
  /// gone.
  private func unwritten(_ key: StoreKey) -> (() -> Data?)? {
    let change = lock.withLock { pending.items[key] ?? inProgress.items[key] }
    return change.map { body in { body.flatMap { $0() } } }
  }

  /// An item as it is kept, or will be.
  func body(_ key: StoreKey) -> Data? {
    if let unwritten = unwritten(key) { return unwritten() }
    return read { reader throws(SQLiteFailure) in try reader.body(key) }
  }

  /// The items that are there of these.
  func bodies(_ identities: [String], of scope: StoreScope) -> [String: Data] {
    var bodies: [String: Data] = [:]
    var missing: [String] = []
    for identity in identities {
      if let unwritten = unwritten(StoreKey(scope: scope, name: identity)) {
        bodies[identity] = unwritten()
      } else {
        missing.append(identity)
      }
    }
    guard !missing.isEmpty else { return bodies }
    let stored = read { reader throws(SQLiteFailure) in try reader.bodies(missing, of: scope) }
    return bodies.merging(stored ?? [:]) { first, _ in first }
  }

  /// A list as it is kept, or will be.
  func list(_ key: StoreKey) -> KeptList? {
    let (change, screen) = lock.withLock {
      (
        pending.lists[key] ?? inProgress.lists[key],
        pending.screens[key] ?? inProgress.screens[key]
      )
    }
    var list =
      change ?? read { reader throws(SQLiteFailure) in try reader.list(key) }
    if let resume = screen?.first { list?.resume = resume }
    return list
  }

  /// The bytes of the pages in use.
  var usedBytes: Int {
    read { reader throws(SQLiteFailure) in try reader.usedBytes() } ?? 0
  }

  /// Reads; nil where that fails.
  private func read<Result>(
    _ body: (StoreReader) throws(SQLiteFailure) -> Result?
  ) -> Result? {
    reading.sync { () -> Result? in
      do throws(SQLiteFailure) {
        guard let connection = try connectionToRead() else { return nil }
        return try body(StoreReader(connection: connection))
      } catch {
        if access == .readWrite, error.isDamage {
          writing.async { self.recover(error) }
        }
        return nil
      }
    }
  }

  private func connectionToRead() throws(SQLiteFailure) -> Connection? {
    if access == .readOnly {
      guard let file, file.owner == .ours else { return nil }
      return try file.openReadOnly()
    }
    return isPersistent ? readConnection : writer?.connection
  }
}
