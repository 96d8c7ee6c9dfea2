import CSQLite
import Foundation

/// The file on disk: whose it is, how it is made, opened and begun again.
struct StoreFile {
  /// `TSUG`: whose file it is (SQLite's header, bytes 68 to 71).
  static let applicationID: UInt32 = 0x5453_5547
  /// The form of the tables.
  static let version: Int64 = 1

  /// Whose file lies at a place.
  enum Owner: Equatable {
    /// There is none, or an empty one.
    case none
    /// Ours, of whatever version and however damaged.
    case ours
    /// Another's, or none that can be read.
    case other
  }

  let url: URL

  /// Reads whose it is, without SQLite: a file of another stays byte for byte.
  var owner: Owner {
    var info = stat()
    guard stat(url.path, &info) == 0 else { return .none }
    // A folder, or a device as `/dev/null`.
    guard info.st_mode & S_IFMT == S_IFREG else { return .other }
    guard let file = try? FileHandle(forReadingFrom: url) else { return .other }
    defer { try? file.close() }  // It was read from only.
    guard let head = try? file.read(upToCount: 100) ?? Data() else { return .other }
    guard !head.isEmpty else { return .none }
    let id = head.dropFirst(68).prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard head.starts(with: Data("SQLite format 3\0".utf8)), id == Self.applicationID else {
      return .other
    }
    return .ours
  }

  /// Opens it for writing, and makes it where there is none.
  ///
  /// - Throws: also where it is of another version.
  func open() throws(SQLiteFailure) -> Connection {
    let connection = try Connection(url.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try Self.prepare(connection)
    return connection
  }

  /// Opens it to read what is written elsewhere; makes no file, not even beside it.
  func openReadOnly() throws(SQLiteFailure) -> Connection {
    let hasLog = FileManager.default.fileExists(atPath: url.path + "-wal")
    // Without a log no list writes, and SQLite would make one to see that.
    let path = percentEncodedPath + (hasLog ? "?mode=ro" : "?mode=ro&immutable=1")
    return try Connection("file:" + path, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  }

  private var percentEncodedPath: String {
    url.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? url.path
  }

  /// Sets a connection up, and makes the tables where there are none.
  static func prepare(_ connection: Connection) throws(SQLiteFailure) {
    let tables = try connection.number("SELECT count(*) FROM sqlite_schema")
    if tables == 0 {
      // Only before the first table: later it is silently none.
      try connection.run("PRAGMA auto_vacuum = INCREMENTAL")
      try connection.transaction { () throws(SQLiteFailure) in
        try connection.run("PRAGMA application_id = \(applicationID)")
        try connection.run("PRAGMA user_version = \(version)")
        for table in schema { try connection.run(table) }
      }
    }
    let found = try connection.number("PRAGMA user_version")
    guard found == version else {
      throw SQLiteFailure(code: SQLITE_NOTADB, message: "is of version \(found)")
    }
    for pragma in [
      "journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON",
      "wal_autocheckpoint = 100", "journal_size_limit = 524288",
    ] {
      try connection.run("PRAGMA \(pragma)")
    }
    for table in ["scope", "list", "segment", "row", "item"] {
      do throws(SQLiteFailure) {
        _ = try connection.number("SELECT count(*) FROM (SELECT 1 FROM \"\(table)\" LIMIT 1)")
      } catch  where error.code == SQLITE_ERROR {
        throw SQLiteFailure(code: SQLITE_CORRUPT, message: error.message)
      }
    }
  }

  private static let schema = [
    """
    CREATE TABLE scope (id INTEGER PRIMARY KEY, server TEXT NOT NULL, account TEXT NOT NULL,
      UNIQUE (server, account))
    """,
    """
    CREATE TABLE list (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, name TEXT NOT NULL,
      type TEXT NOT NULL, revision INTEGER NOT NULL, since TEXT, top_place TEXT, resume TEXT,
      head BLOB NOT NULL, used_at REAL NOT NULL, UNIQUE (scope, name, type))
    """,
    """
    CREATE TABLE segment (id INTEGER PRIMARY KEY, list INTEGER NOT NULL, position INTEGER NOT NULL,
      start TEXT NOT NULL, "end" TEXT NOT NULL, seq TEXT, gap_above INTEGER NOT NULL)
    """,
    "CREATE INDEX segment_of_list ON segment (list, position)",
    """
    CREATE TABLE "row" (segment INTEGER NOT NULL, ordinal INTEGER NOT NULL, item INTEGER NOT NULL,
      PRIMARY KEY (segment, ordinal)) WITHOUT ROWID
    """,
    "CREATE INDEX row_of_item ON \"row\" (item)",
    """
    CREATE TABLE item (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, type TEXT NOT NULL,
      identity TEXT NOT NULL, body BLOB NOT NULL, read_at REAL NOT NULL,
      UNIQUE (scope, type, identity))
    """,
  ]

  /// Removes it, with its log; never a folder.
  func remove() {
    for name in ["", "-wal", "-shm", "-journal"] {
      // What is not there need not be removed; what cannot be is seen when it is opened.
      _ = unlink(url.path + name)
    }
  }

  /// Makes its folder, so that it can be made.
  func makeFolder() {
    // Where that fails, opening the file says why.
    try? FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  /// It can be written while the device is locked, once it was unlocked, and is in no backup.
  func protect() {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      for name in ["", "-wal", "-shm"] {
        var file = URL(filePath: url.path + name)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        // A file that is not there yet is protected as the others when it is.
        try? file.setResourceValues(values)
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
          ofItemAtPath: file.path)
      }
    #endif
  }
}
