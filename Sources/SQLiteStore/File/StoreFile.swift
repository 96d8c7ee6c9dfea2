import CSQLite
import Feed
import Glibc

/// The database file and its companions: found sound, made new, or set aside.
struct StoreFile {
  /// Where the database is; `-wal`, `-shm`, `-lock` and `-damaged` stand beside it.
  let path: String
  /// What a commit waits for.
  let durability: TimelineDatabase.Durability
  /// How large the database may become, not counting its log; nil for as large as the disk.
  let bytesMax: Int64?
  /// Whether it is a copy of the shared store.
  var isCopy = false
  /// What the connection that writes does from time to time while it works.
  var pause: @Sendable () -> Void = {}
  /// Which file is the present one.
  let epoch = FileEpoch()
  /// Holds the file, whatever it is called.
  let lock = FileLock()

  /// A file up to this size is checked whole at every opening, in about 60 ms; a larger one only
  /// when damage was met in it, so that a start stays under a second.
  static let checkedBytesMax: Int64 = 64 << 20

  /// A connection that writes to a sound file.
  struct Opened: ~Copyable {
    /// Its only owner's.
    var connection: Connection
    /// Where a damaged file went; nil when there was none.
    var setAside: String?
  }

  /// Opens the file as the writer, brought to this program's version. A damaged one is set aside
  /// first and a new one begun; one that cannot be read is left where it is.
  func open() throws(StoreError) -> Opened {
    let stray = try setAsideStrayLog()
    do throws(StoreError) {
      return Opened(connection: try openSound(), setAside: stray)
    } catch StoreError.corrupt {
      return try openAgain(stray)
    }
  }

  /// Opens the file in which damage was met once more where it is sound, else a new one.
  private func openAgain(_ stray: String?) throws(StoreError) -> Opened {
    guard try isSound() else { return try replace() }
    do throws(StoreError) {
      return Opened(connection: try openSound(), setAside: stray)
    } catch StoreError.corrupt {
      // What is in it is damaged, though its pages are not.
      return try replace()
    }
  }

  /// Opens a new file in place of the present one, which is set aside. Returns where that is now.
  func replace() throws(StoreError) -> Opened {
    // Where an earlier try could not begin a new one, the damaged one is gone already.
    let moved = exists(path) ? try setAside() : path
    return Opened(connection: try openSound(), setAside: moved)
  }

  /// Opens a new file of this epoch in place of the present one, which is deleted.
  func begin(_ epoch: String) throws(StoreError) -> Connection {
    for companion in ["", "-wal", "-shm", "-damaged"] { unlink(path + companion) }
    return try openSound(epoch)
  }

  /// Passes on what `body` does; damage that it met in the file of an epoch is noted for the one
  /// that looks after the store, and for the next opening.
  func noting<Value>(
    in epoch: String, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      if error.isDamage, self.epoch.noteDamage(in: epoch) { markDamaged() }
      throw error
    }
  }

  /// Whether a file in which damage was met is sound all the same: SQLite calls it damage, too,
  /// where the disk fails to read a page. False where there is none; throws while it cannot be
  /// read.
  func isSound() throws(StoreError) -> Bool {
    guard exists(path) else { return false }
    let connection = try readWhole()
    do throws(StoreError) {
      return try connection.text("PRAGMA integrity_check(1)") == "ok"
    } catch StoreError.corrupt {
      return false
    }
  }

  /// Reads the file and its log as bytes, and gives the connection that did; throws where the disk
  /// does not bring them.
  @discardableResult
  func readWhole() throws(StoreError) -> Connection {
    // The file by SQLite: to close another descriptor of it would take SQLite's locks away.
    let connection = try Connection(path: path, access: .readOnly)
    try connection.readWhole()
    try readLog()
    return connection
  }

  private func readLog() throws(StoreError) {
    let name = "\(path)-wal"
    guard exists(name) else { return }
    let descriptor = Glibc.open(name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed(errno: errno, "opening \(name)") }
    defer { Glibc.close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return }
      guard count > 0 || errno == EINTR else { throw .failed(errno: errno, "reading \(name)") }
    }
  }

  /// Takes back that damage was met.
  func unmarkDamaged() {
    unlink("\(path)-damaged")
    epoch.forgetDamage()
  }

  /// Notes that damage was met, so that the next opening checks the whole file.
  private func markDamaged() {
    // Where not even this can be written there is nothing more to do: the error itself is thrown.
    let descriptor = Glibc.open("\(path)-damaged", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  private var isMarkedDamaged: Bool { exists("\(path)-damaged") }

  private func openSound(_ newEpoch: String? = nil) throws(StoreError) -> Connection {
    try lock.take(path)
    var connection = try Connection(path: path, access: .readWrite)
    connection.pace(pause)
    switch try Schema.owner(on: connection) {
    case .another:
      // Not ours to move: its owner may be at work in it.
      throw .failed(
        code: SQLITE_NOTADB, message: "\(path) is another program's database, not a Tsugi store")
    case .tsugi(let version):
      try checkWhole(connection)
      try configure(connection)
      try Schema.migrate(from: version, on: connection)
    case .unclaimed:
      // These two are settled by the first write, and never again.
      try connection.execute("PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL")
      try configure(connection)
      try Schema.migrate(from: 0, on: connection, epoch: newEpoch)
      // The file itself says whose it is, even without its write-ahead log.
      try connection.checkpoint()
    }
    return connection
  }

  /// Throws ``StoreError/corrupt(message:)`` when a check of the whole file finds damage.
  private func checkWhole(_ connection: borrowing Connection) throws(StoreError) {
    let bytes = try connection.fileBytes()
    guard isMarkedDamaged || bytes <= StoreFile.checkedBytesMax else { return }
    let check = isMarkedDamaged ? "integrity_check" : "quick_check"
    let finding = try connection.text("PRAGMA \(check)(1)")
    guard finding == "ok" else { throw .corrupt(message: finding) }
    unlink("\(path)-damaged")
  }

  /// - `secure_delete`: erased content leaves the file, not only the tables.
  /// - `wal_autocheckpoint`: after a commit that left 16 MB of log, by the writer, so off the
  ///   readers' path; `journal_size_limit` gives back what one large answer took.
  /// - `cache_size`: 16 MB. The writer is used some times a minute and holds the indexes' inner
  ///   pages; an answer of 15 MB spills into the log.
  /// - `synchronous`: what a copy loses in a power cut comes again with the news, since the number
  ///   that they are asked by is lost with it. So no commit of a copy waits for the disk.
  private func configure(_ connection: borrowing Connection) throws(StoreError) {
    let mode = try connection.text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw .failed(code: SQLITE_CANTOPEN, message: "\(path): no write-ahead log here: \(mode)")
    }
    try connection.execute(
      """
      PRAGMA synchronous = \(durability != .full ? "OFF" : isCopy ? "NORMAL" : "FULL");
      PRAGMA secure_delete = ON;
      PRAGMA foreign_keys = OFF;
      PRAGMA wal_autocheckpoint = 1000;
      PRAGMA journal_size_limit = \(64 << 20);
      PRAGMA cache_size = \(-16 << 10);
      """)
    guard let bytesMax else { return }
    let pages = max(1, bytesMax / (try connection.integer("PRAGMA page_size")))
    try connection.execute("PRAGMA max_page_count = \(pages)")
  }

  /// Renames the file and its companions, unless there is nothing in it, to `<path>.corrupt-1`, or
  /// to `<path>.corrupt-2` where that is taken. The first file has what was collected longest. Of
  /// later ones the last is kept, so that repeated damage does not fill the disk. The log keeps
  /// standing beside its file, so that `sqlite3` can still open the pair.
  private func setAside() throws(StoreError) -> String {
    // What an earlier try began and could not write.
    if isEmpty(path), !exists("\(path)-wal") {
      unlink(path)
      return path
    }
    let first = "\(path).corrupt-1"
    let isFree = ["", "-wal"].allSatisfy { !exists(first + $0) }
    let target = isFree ? first : "\(path).corrupt-2"
    for companion in ["", "-wal", "-shm"] { unlink(target + companion) }
    // The file first: should the process end here, the log is found as a stray one.
    for companion in ["", "-wal", "-shm"] where exists(path + companion) {
      try rename(path + companion, to: target + companion)
    }
    unlink("\(path)-damaged")
    return target
  }

  /// A log without its file would be taken for the new file's own.
  private func setAsideStrayLog() throws(StoreError) -> String? {
    guard !exists(path), exists("\(path)-wal") else { return nil }
    return try setAside()
  }

  private func rename(_ from: String, to target: String) throws(StoreError) {
    guard Glibc.rename(from, target) == 0 else {
      throw .failed(errno: errno, "renaming \(from)")
    }
  }

  private func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size == 0
  }

  private func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }
}
