import CSQLite
import Feed
import Glibc

/// A compiled statement: prepared once, bound and stepped many times, reset after each use.
///
/// ```swift
/// defer { statement.reset() }
/// try statement.bind(feed, position.order, position.tie)
/// while try statement.step() { keys.append(statement.integer(0)) }
/// ```
struct Statement: ~Copyable {
  private let handle: OpaquePointer

  /// Takes over a statement that ``Connection/prepare(_:)`` made.
  init(owning handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    // Its code repeats the last step's error, which was thrown then.
    sqlite3_finalize(handle)
  }

  /// Goes to the next row; false when there is none.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  /// Makes it ready for the next use. A read transaction that it held open ends here.
  func reset() {
    // Its code repeats the last step's error, which was thrown then.
    sqlite3_reset(handle)
  }

  /// Binds the parameters from the first on, runs to the end and resets. For statements whose
  /// rows, if any, do not matter.
  func run<each Value: Bindable>(_ value: repeat each Value) throws(StoreError) {
    defer { reset() }
    try bind(repeat each value)
    while try step() {}
  }

  /// The key of the row that its connection inserted last.
  var insertedKey: Int64 { sqlite3_last_insert_rowid(sqlite3_db_handle(handle)) }

  /// Binds the parameters from the first on. What is bound stays until it is bound again.
  func bind<each Value: Bindable>(_ value: repeat each Value) throws(StoreError) {
    var index: Int32 = 0
    for value in repeat each value {
      index += 1
      try value.bind(to: self, at: index)
    }
  }

  /// Binds an integer; parameters count from 1.
  func bind(integer: Int64, at index: Int32) throws(StoreError) {
    try check(sqlite3_bind_int64(handle, index, integer))
  }

  /// Binds SQL's NULL.
  func bindNull(at index: Int32) throws(StoreError) {
    try check(sqlite3_bind_null(handle, index))
  }

  /// Binds a BLOB; the bytes are copied.
  func bind(bytes: [UInt8], at index: Int32) throws(StoreError) {
    // No bytes may have no address, and a BLOB without an address would be NULL.
    guard !bytes.isEmpty else { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
    try check(
      sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), tsugi_sqlite_transient()))
  }

  /// Binds TEXT; the bytes are copied.
  func bind(text: String, at index: Int32) throws(StoreError) {
    // The count says where it ends; a NUL inside does not.
    let code = sqlite3_bind_text(
      handle, index, text, Int32(clamping: text.utf8.count), tsugi_sqlite_transient())
    try check(code)
  }

  /// The row's integer in a column; columns count from 0. NULL is 0.
  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  /// The row's integer in a column, or nil for NULL.
  func optionalInteger(_ column: Int32) -> Int64? {
    isNull(column) ? nil : integer(column)
  }

  /// Whether the row has NULL in a column.
  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// A copy of the row's BLOB, or of its TEXT's UTF-8, in a column. NULL is no bytes.
  func bytes(_ column: Int32) throws(StoreError) -> [UInt8] {
    guard let address = try address(column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: address, count: count))
  }

  /// Whether the row's BLOB in a column has these bytes.
  func column(_ column: Int32, equals bytes: [UInt8]) throws(StoreError) -> Bool {
    guard let address = try address(column) else { return bytes.isEmpty && !isNull(column) }
    guard bytes.count == Int(sqlite3_column_bytes(handle, column)) else { return false }
    return memcmp(bytes, address, bytes.count) == 0
  }

  /// Where the row's bytes stand until the next step; nil when there are none.
  private func address(_ column: Int32) throws(StoreError) -> UnsafeRawPointer? {
    if let address = sqlite3_column_blob(handle, column) { return address }
    guard sqlite3_errcode(sqlite3_db_handle(handle)) != SQLITE_NOMEM else {
      throw error(SQLITE_NOMEM)
    }
    return nil
  }

  private func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func error(_ code: Int32) -> StoreError {
    let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
    let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
    return StoreError(code: code, message: "\(message), in: \(sql)")
  }
}

/// A value that can stand for a `?` of a statement.
protocol Bindable {
  /// Binds itself to the parameter at `index`, counted from 1.
  func bind(to statement: borrowing Statement, at index: Int32) throws(StoreError)
}

extension Int64: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) throws(StoreError) {
    try statement.bind(integer: self, at: index)
  }
}

/// Bytes are always a BLOB: TEXT and BLOB never compare equal, and BLOBs compare as the engine's
/// byte order does.
extension [UInt8]: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) throws(StoreError) {
    try statement.bind(bytes: self, at: index)
  }
}

extension String: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) throws(StoreError) {
    try statement.bind(text: self, at: index)
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  func bind(to statement: borrowing Statement, at index: Int32) throws(StoreError) {
    guard let self else { return try statement.bindNull(at: index) }
    try self.bind(to: statement, at: index)
  }
}
