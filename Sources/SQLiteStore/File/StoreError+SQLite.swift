import CSQLite
package import Feed
import Glibc

extension StoreError {
  /// The error behind an extended result code. `message` is SQLite's own words and the SQL text,
  /// in which every value is a `?`, so that no content gets into a log.
  init(code: Int32, message: String) {
    switch code & 0xff {
    case SQLITE_FULL: self = .full
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt(message: message)
    default: self = .failed(code: code, message: message)
    }
  }

  /// What the system said of something done with a file.
  static func failed(errno code: Int32, _ doing: String) -> StoreError {
    .failed(code: code, message: "\(String(cString: strerror(code))), \(doing)")
  }

  /// Whether SQL that this program wrote does not fit the tables that are there.
  var isSchemaFault: Bool {
    if case .failed(SQLITE_ERROR, _) = self { true } else { false }
  }

  /// What every call after the store's end is answered with.
  package static let closed = StoreError.failed(code: SQLITE_MISUSE, message: "the store is closed")
}
