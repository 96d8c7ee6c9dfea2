package import Freshness

/// The fields of an upstream's answer as texts; their names in any letter case.
extension FieldList {
  /// The value of the first field of this name.
  package subscript(name: String) -> String? {
    texts(of: name).first
  }

  /// The values of all fields of this name, in order.
  package func texts(of name: String) -> [String] {
    values(of: name.lowercased()).map { String(decoding: $0, as: UTF8.self) }
  }

  /// All of them in order, each with its name in lower case.
  package var texts: [(name: String, value: String)] {
    lines.map { ($0.name.lowercased(), String(decoding: $0.value, as: UTF8.self)) }
  }

  /// The most digits of a number: enough for seconds until the year 33,658, and few enough that
  /// no sum or product of it overflows.
  package static let digitsMax = 12

  /// A field's value as a whole number of 1 to ``digitsMax`` digits; nil when it is anything else.
  package func number(_ name: String) -> Int64? {
    guard let value = self[name], (1...FieldList.digitsMax).contains(value.utf8.count),
      value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int64(value)
  }

  /// Adds one line as received, its line end included. One that begins with white space goes on
  /// with the one before (RFC 9112 §5.2); one without a name is no field and is left out. Blanks
  /// after a name are no part of it (§5.1). What no value may hold becomes a blank (RFC 9110 §5.5).
  mutating func append(line: some Collection<UInt8>) {
    let text = FieldList.trimmed(line)
    if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      guard let last = lines.indices.last else { return }
      lines[last].value += [UInt8(ascii: " ")] + text
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let name = FieldList.trimmed(text[..<colon])
      guard FieldLine.isName(name) else { return }
      lines.append(
        FieldLine(String(decoding: name, as: UTF8.self), FieldList.trimmed(text[(colon + 1)...])))
    }
  }

  private static func trimmed(_ text: some Collection<UInt8>) -> [UInt8] {
    let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
    return text.drop(while: isSpace).reversed().drop(while: isSpace).reversed().map { byte in
      byte < 0x20 && byte != 0x09 || byte == 0x7F ? UInt8(ascii: " ") : byte
    }
  }
}
