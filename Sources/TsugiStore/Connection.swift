import CSQLite
import Foundation

/// What SQLite answered with an error.
struct SQLiteFailure: Error {
  /// Its result code.
  let code: Int32
  /// What it says of it.
  let message: String

  /// Whether the file is damaged, or none of SQLite's.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }
}

/// One connection to the file, used by one thread at a time; its statements are compiled once.
final class Connection {
  /// How long a call waits for another process that writes.
  static let busyMilliseconds: Int32 = 250

  /// What a parameter can be.
  enum Value {
    case integer(Int64), text(String), blob(Data), null

    /// A text, or nothing.
    init(_ text: String?) { self = text.map(Value.text) ?? .null }
  }

  /// A row that was stepped to.
  struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String? {
      guard let bytes = sqlite3_column_text(statement, column) else { return nil }
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> Data {
      guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
      return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }
  }

  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file, or a database in memory by `:memory:`; `path` may be a URI.
  init(_ path: String, flags: Int32) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    var code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    if code == SQLITE_OK { code = sqlite3_busy_timeout(opened, Self.busyMilliseconds) }
    guard code == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      throw SQLiteFailure(code: code, message: message)
    }
    handle = opened
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Ends what is running on it, from any thread: the system wants the app to stand still.
  func interrupt() { sqlite3_interrupt(handle) }

  /// Runs a statement, and hands over its rows.
  func run(
    _ sql: String, _ values: Value..., row: (Row) -> Void = { _ in }
  ) throws(SQLiteFailure) {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let index = Int32(index + 1)
      switch value {
      case .integer(let number): try check(sqlite3_bind_int64(statement, index, number))
      case .null: try check(sqlite3_bind_null(statement, index))
      case .text(let text):
        let count = Int32(clamping: text.utf8.count)
        try check(sqlite3_bind_text(statement, index, text, count, tsugi_sqlite_transient()))
      case .blob(let data):
        let code = data.withUnsafeBytes { bytes in
          sqlite3_bind_blob64(
            statement, index, bytes.baseAddress, UInt64(bytes.count), tsugi_sqlite_transient())
        }
        try check(code)
      }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: row(Row(statement: statement))
      case SQLITE_DONE: return
      case let code: throw failure(code)
      }
    }
  }

  /// The number that a statement gives; 0 where it gives none.
  func number(_ sql: String, _ value: Value = .null) throws(SQLiteFailure) -> Int64 {
    var number: Int64 = 0
    if case .null = value {
      try run(sql) { number = $0.integer(0) }
    } else {
      try run(sql, value) { number = $0.integer(0) }
    }
    return number
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// The key of the row that was inserted last.
  var insertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs statements, all or none.
  func transaction<Result>(
    _ body: () throws(SQLiteFailure) -> Result
  ) throws(SQLiteFailure) -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // Where that fails too SQLite has rolled back by itself.
      try? run("ROLLBACK")
      throw error
    }
  }

  private func prepare(_ sql: String) throws(SQLiteFailure) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil))
    guard let statement else { throw SQLiteFailure(code: SQLITE_MISUSE, message: "no statement") }
    statements[sql] = statement
    return statement
  }

  private func check(_ code: Int32) throws(SQLiteFailure) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> SQLiteFailure {
    SQLiteFailure(code: code, message: String(cString: sqlite3_errmsg(handle)))
  }
}
