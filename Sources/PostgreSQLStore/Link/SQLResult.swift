import CPostgreSQL
import Feed

/// The rows that a statement brought, in binary form (PostgreSQL, 55.2.4).
final class SQLResult {
  private let handle: OpaquePointer

  /// Takes over a result of libpq.
  init(owning handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    PQclear(handle)
  }

  /// How many there are.
  var count: Int { Int(PQntuples(handle)) }

  /// Its rows.
  var rows: [SQLRow] { (0..<Int32(count)).map { SQLRow(result: self, index: $0) } }

  /// Its first row; nil where it has none.
  var first: SQLRow? { count > 0 ? SQLRow(result: self, index: 0) : nil }

  fileprivate func value(_ row: Int32, _ column: Int32) -> UnsafeBufferPointer<UInt8>? {
    guard PQgetisnull(handle, row, column) == 0, let bytes = PQgetvalue(handle, row, column) else {
      return nil
    }
    let count = Int(PQgetlength(handle, row, column))
    return bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      UnsafeBufferPointer(start: $0, count: count)
    }
  }

  fileprivate func type(of column: Int32) -> SQLType? {
    SQLType(rawValue: PQftype(handle, column))
  }
}

/// The types whose binary form is not their text, by the numbers that `pg_type` gives them.
private enum SQLType: UInt32 {
  case int8 = 20
  case int2 = 21
  case int4 = 23
  case jsonb = 3802

  var isInteger: Bool { self != .jsonb }
}

/// A row. Columns count from 0. What is not of the type that is asked for
/// is ``StoreError/unreadable(message:)``.
struct SQLRow {
  fileprivate let result: SQLResult
  fileprivate let index: Int32

  /// Whether a column is NULL.
  func isNull(_ column: Int32) -> Bool { result.value(index, column) == nil }

  /// The text of a column of text or JSON; empty for NULL.
  func text(_ column: Int32) -> String {
    guard let value = result.value(index, column) else { return "" }
    // The first byte of JSON is the version of its form.
    let isJSON = result.type(of: column) == .jsonb
    return String(decoding: isJSON ? value.dropFirst() : value[...], as: UTF8.self)
  }

  /// The integer of a column of integers, or of their text; nil for NULL.
  func optional(_ column: Int32) throws(StoreError) -> Int64? {
    guard let value = result.value(index, column) else { return nil }
    if result.type(of: column)?.isInteger ?? false, let first = value.first {
      let sign: Int64 = first < 0x80 ? 0 : -1
      return value.reduce(sign) { $0 << 8 | Int64($1) }
    }
    let text = text(column)
    guard let integer = Int64(text) else {
      throw .unreadable(message: "no integer: \(text.prefix(40))")
    }
    return integer
  }

  /// The integer of a column as it is, to be compared; 0 for NULL.
  func integer(_ column: Int32) throws(StoreError) -> Int64 { try optional(column) ?? 0 }

  /// The integer of a column for values that are computed with; 0 for NULL.
  func stored(_ column: Int32) throws(StoreError) -> StoredInteger {
    StoredInteger(try integer(column))
  }

  /// The instant of a column of milliseconds, or nil for NULL.
  func instant(_ column: Int32) throws(StoreError) -> Timestamp? {
    isNull(column) ? nil : try stored(column).instant
  }

  /// Whether a column is true.
  func flag(_ column: Int32) -> Bool { result.value(index, column)?.first == 1 }

  /// The bytes of a column of `bytea`; none for NULL.
  func bytes(_ column: Int32) -> [UInt8] { result.value(index, column).map { Array($0) } ?? [] }
}
