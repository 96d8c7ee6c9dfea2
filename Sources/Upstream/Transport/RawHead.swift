internal import Feed
internal import Freshness

/// Collects the heads of one answer as they come: interim ones are told apart from the final one,
/// and every line is kept, in order and as often as it came.
struct RawHead {
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

  /// Takes a field line with its line end. One that begins with white space goes on with the one
  /// before (RFC 9112 §5.2); one without a name is no field and is left out, and blanks after a
  /// name are no part of it (§5.1). What no value may hold becomes a blank (RFC 9110 §5.5).
  mutating func append(_ line: some Collection<UInt8>) {
    let text = RawHead.trimmed(line)
    if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      guard let last = fields.lines.indices.last else { return }
      fields.lines[last].value += [UInt8(ascii: " ")] + text
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let name = RawHead.trimmed(text[..<colon])
      guard FieldLine.isName(name) else { return }
      fields.lines.append(
        FieldLine(String(decoding: name, as: UTF8.self), RawHead.trimmed(text[(colon + 1)...])))
    }
  }

  /// Takes the empty line. Gives the interim answer that it ended; nil where it was the final one.
  mutating func end() -> (Int, FieldList)? {
    if (100..<200).contains(status) { return (status, fields) }
    isWhole = true
    return nil
  }

  private static func trimmed(_ text: some Collection<UInt8>) -> [UInt8] {
    let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
    return text.drop(while: isSpace).reversed().drop(while: isSpace).reversed().map { byte in
      byte < 0x20 && byte != 0x09 || byte == 0x7F ? UInt8(ascii: " ") : byte
    }
  }
}
