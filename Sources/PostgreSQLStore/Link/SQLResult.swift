import CPostgreSQL
import Feed

/// The rows that a statement brought.
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
    guard PQgetisnull(handle, row, column) == 0, let text = PQgetvalue(handle, row, column) else {
      return nil
    }
    let count = Int(PQgetlength(handle, row, column))
    return text.withMemoryRebound(to: UInt8.self, capacity: count) {
      UnsafeBufferPointer(start: $0, count: count)
    }
  }
}

/// A row. Columns count from 0. What is not of the type that is asked for
/// is ``StoreError/unreadable(message:)``.
struct SQLRow {
  fileprivate let result: SQLResult
  fileprivate let index: Int32

  /// Whether a column is NULL.
  func isNull(_ column: Int32) -> Bool { result.value(index, column) == nil }

  /// The text of a column; empty for NULL.
  func text(_ column: Int32) -> String {
    result.value(index, column).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The integer of a column, or nil for NULL.
  func optional(_ column: Int32) throws(StoreError) -> Int64? {
    guard !isNull(column) else { return nil }
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
  func flag(_ column: Int32) -> Bool { text(column) == "t" }

  /// The bytes of a column of `bytea`; none for NULL.
  func bytes(_ column: Int32) throws(StoreError) -> [UInt8] {
    guard let text = result.value(index, column) else { return [] }
    guard text.count >= 2, text.count.isMultiple(of: 2), text[0] == UInt8(ascii: "\\"),
      text[1] == UInt8(ascii: "x")
    else { throw .unreadable(message: "no bytes") }
    return [UInt8](unsafeUninitializedCapacity: text.count / 2 - 1) { bytes, count in
      count = text.count / 2 - 1
      for place in 0..<count {
        bytes[place] = SQLRow.digit(text[2 + 2 * place]) << 4 | SQLRow.digit(text[3 + 2 * place])
      }
    }
  }

  private static func digit(_ letter: UInt8) -> UInt8 {
    letter <= UInt8(ascii: "9") ? letter - UInt8(ascii: "0") : letter - UInt8(ascii: "a") + 10
  }
}
