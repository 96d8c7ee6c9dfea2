internal import Feed
internal import Freshness

/// Collects the heads of one answer as they come: interim ones are kept apart from the final one,
/// and every line is kept, in order and as often as it came.
struct HeadReader {
  /// The status of the head that is being read, or was last.
  private(set) var status = 0
  /// Its lines.
  private(set) var fields = FieldList()
  private(set) var isWhole = false

  /// Takes the line that begins a head: `HTTP/1.1 200 OK`.
  mutating func begin(_ line: some Collection<UInt8>) {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
    status = Int(String(decoding: Array(digits), as: UTF8.self)) ?? 0
    fields = FieldList()
    isWhole = false
  }

  /// Takes a field line with its line end.
  mutating func append(_ line: some Collection<UInt8>) { fields.append(line: line) }

  /// Takes the empty line. Gives the interim answer that it ended; nil where it was the final one.
  mutating func end() -> (Int, FieldList)? {
    if (100..<200).contains(status) { return (status, fields) }
    isWhole = true
    return nil
  }
}
