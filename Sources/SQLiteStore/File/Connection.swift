import CSQLite
import Feed
import Glibc

/// One connection to the database file, closed when its owner lets it go.
///
/// It is opened without SQLite's own mutex: its owner sees to it that one thread at a time uses it
/// and the statements prepared on it.
struct Connection: ~Copyable {
  private let handle: OpaquePointer
  /// What it does from time to time; SQLite holds no reference of its own.
  private var pause: Pause?

  /// What a connection may do.
  enum Access {
    /// Reads and writes, and makes the file when there is none.
    case readWrite
    /// Reads a file that is there.
    case readOnly
  }

  /// How long a call waits for another process that holds the file, such as a backup.
  static let busyMilliseconds: Int32 = 5000

  /// SQLITE_IOERR_SHORT_READ, a macro that is not imported: what was read goes beyond the end.
  private static let shortRead = SQLITE_IOERR | (2 << 8)

  /// Opens the file at `path`. Nothing is read from it yet, so damage shows only later.
  init(path: String, access: Access) throws(StoreError) {
    let mode =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    var opened: OpaquePointer?
    var code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX, nil)
    if code == SQLITE_OK { code = sqlite3_extended_result_codes(opened, 1) }
    if code == SQLITE_OK { code = sqlite3_busy_timeout(opened, Connection.busyMilliseconds) }
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw StoreError(code: code, message: "\(message), opening \(path)")
    }
    handle = opened
  }

  deinit {
    // The second form also closes when a statement is finalized after it; it cannot fail.
    sqlite3_close_v2(handle)
  }

  /// Instructions of SQLite's machine between two pauses: some 0.1 ms.
  static let pacedInstructions: Int32 = 2_000

  private final class Pause {
    let take: @Sendable () -> Void

    init(_ take: @escaping @Sendable () -> Void) {
      self.take = take
    }
  }

  /// Calls `take` from time to time while it works, in the middle of a statement, too.
  mutating func pace(_ take: @escaping @Sendable () -> Void) {
    let pause = Pause(take)
    self.pause = pause
    sqlite3_progress_handler(
      handle, Connection.pacedInstructions,
      { pause in
        if let pause { Unmanaged<Pause>.fromOpaque(pause).takeUnretainedValue().take() }
        // Anything else would interrupt the statement.
        return 0
      }, Unmanaged.passUnretained(pause).toOpaque())
  }

  /// Runs SQL that brings no rows that matter; several statements may be given.
  func execute(_ sql: String) throws(StoreError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
  }

  /// Compiles a statement that will be used many times.
  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    try check(code, sql: sql)
    guard let prepared else { throw .failed(code: SQLITE_MISUSE, message: "no SQL: \(sql)") }
    return Statement(owning: prepared)
  }

  /// The integer that a query such as `PRAGMA user_version` brings.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The size of the file, without its write-ahead log.
  func fileBytes() throws(StoreError) -> Int64 {
    try integer("PRAGMA page_count") * integer("PRAGMA page_size")
  }

  /// The text that a query such as `PRAGMA quick_check` brings in its first row.
  func text(_ sql: String) throws(StoreError) -> String {
    let statement = try prepare(sql)
    return try statement.step() ? String(decoding: statement.bytes(0), as: UTF8.self) : ""
  }

  /// Does all of `body` or nothing: an error thrown in it, or met at the end, undoes it.
  func transaction<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    // Immediate: the one write lock is taken first, so that nothing fails half way for it.
    try transaction("BEGIN IMMEDIATE", body)
  }

  /// Reads one state of the file, however often `body` reads.
  func reading<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try transaction("BEGIN", body)
  }

  /// Does `body` and undoes it: nothing is written.
  func rehearsal<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try execute("BEGIN IMMEDIATE")
    defer { rollBack() }
    return try body()
  }

  private func transaction<Value>(
    _ begin: String, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try execute(begin)
    do throws(StoreError) {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      rollBack()
      throw error
    }
  }

  /// Ends the transaction in progress, if any, without its changes.
  func rollBack() {
    // SQLite itself has rolled back after some errors, a full disk among them. A rollback that
    // fails leaves nothing to do: the error that led here is the one to tell.
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  /// Writes the pages changed in the transaction in progress to the log, without ending it.
  func flush() throws(StoreError) {
    try check(sqlite3_db_cacheflush(handle))
  }

  /// Moves the log into the database file and empties it. Returns whether all of it was moved:
  /// a reader at work, or another process, may keep it from ending, and is waited for so long. On
  /// a connection that has not read from the file yet it does nothing.
  @discardableResult
  func checkpoint(
    waitMilliseconds: Int32 = Connection.busyMilliseconds
  ) throws(StoreError) -> Bool {
    sqlite3_busy_timeout(handle, waitMilliseconds)
    defer { sqlite3_busy_timeout(handle, Connection.busyMilliseconds) }
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard code & 0xff != SQLITE_BUSY else { return false }
    try check(code)
    return true
  }

  /// Reads the database file from its beginning to its end, and keeps nothing. Throws
  /// ``StoreError/failed(code:message:)`` where the disk does not bring it.
  func readWhole() throws(StoreError) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
    guard let file, let xRead = file.pointee.pMethods?.pointee.xRead else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: sqlite3_int64 = 0
    while true {
      let code = xRead(file, buffer.baseAddress, Int32(buffer.count), offset)
      if code == Connection.shortRead { return }
      guard code == SQLITE_OK else {
        throw .failed(errno: systemError ?? EIO, "reading the store")
      }
      offset += sqlite3_int64(buffer.count)
    }
  }

  /// What the system said when it last failed to read or write the database file; nil when it
  /// never has.
  var systemError: Int32? {
    var code: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &code)
    return code == 0 ? nil : code
  }

  /// Whether the file was renamed or removed since it was opened, or another one is in its place.
  var hasMoved: Bool {
    get throws(StoreError) {
      var code: Int32 = 0
      try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &code))
      return code != 0
    }
  }

  /// Which file has the name of the log; nil where none has. SQLite keeps it as long as somebody
  /// has the database open.
  var logFile: UInt64? {
    var status = stat()
    guard let path = sqlite3_db_filename(handle, "main"),
      stat(String(cString: path) + "-wal", &status) == 0
    else { return nil }
    return UInt64(status.st_ino)
  }

  /// Gives back as much of the page cache as is not in use. It cannot fail.
  func releaseMemory() {
    sqlite3_db_release_memory(handle)
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  private func check(_ code: Int32, sql: String? = nil) throws(StoreError) {
    guard code != SQLITE_OK else { return }
    let message = String(cString: sqlite3_errmsg(handle))
    throw StoreError(code: code, message: message + (sql.map { ", in: \($0)" } ?? ""))
  }
}
