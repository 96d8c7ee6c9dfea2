@testable import Freshness

/// An answer that came at a second of the tests' clock, by its fields as text.
func answer(
  _ status: Int = 200, _ fields: [(String, String)], to request: FieldList = [],
  askedAt: Int64 = 0, respondedAt: Int64 = 0
) -> StoredAnswer {
  StoredAnswer(
    status: status, fields: list(fields), to: request,
    askedAt: (second + askedAt) * 1_000, respondedAt: (second + respondedAt) * 1_000)
}

/// Fields by their text.
func list(_ fields: [(String, String)]) -> FieldList {
  FieldList(fields.map { FieldLine($0.0, $0.1) })
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
let second: Int64 = 784_111_777
/// The same, as a date.
let date = "Sun, 06 Nov 1994 08:49:37 GMT"

/// A time so many seconds after that one, in milliseconds since 1970.
func after(_ seconds: Int64) -> Int64 { (second + seconds) * 1_000 }
