internal import Freshness

/// The header fields of an answer, in the order they came; names in any letter case.
package struct HeaderFields: Hashable, Sendable {
  private struct Field: Hashable, Sendable {
    let name: String
    var value: String
  }

  private var fields: [Field] = []

  /// No fields.
  package init() {}

  /// The fields of a head whose lines were read already.
  init(_ list: FieldList) {
    fields = list.lines.map { line in
      Field(name: line.name.lowercased(), value: String(decoding: line.value, as: UTF8.self))
    }
  }

  /// The value of the first field of this name.
  package subscript(name: String) -> String? {
    values(of: name).first
  }

  /// The values of all fields of this name, in order.
  package func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name == name }.map(\.value)
  }

  /// The first value of each field whose name, in lower case, is wanted.
  func first(_ isWanted: (String) -> Bool) -> [String: String] {
    let pairs = fields.filter { isWanted($0.name) }.map { ($0.name, $0.value) }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// All of them in order, each with its name in lower case.
  package var all: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

  /// The most digits of a number: enough for seconds until the year 33,658, and few enough that
  /// no sum or product of it overflows.
  package static let digitsMax = 12

  /// A field's value as a whole number of 1 to ``digitsMax`` digits; nil when it is anything else.
  package func number(_ name: String) -> Int64? {
    guard let value = self[name], (1...HeaderFields.digitsMax).contains(value.utf8.count),
      value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int64(value)
  }

  /// Adds one line as received. A line that begins with white space goes on with the one before
  /// (RFC 9112 §5.2); one without a colon is no field and is left out.
  mutating func append(line: some Collection<UInt8>) {
    guard let first = line.first else { return }
    let text = String(decoding: line, as: UTF8.self)
    if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      guard let last = fields.indices.last else { return }
      fields[last].value += " " + trimmed(text)
    } else if let colon = text.firstIndex(of: ":") {
      let name = text[..<colon].lowercased()
      fields.append(Field(name: name, value: trimmed(text[text.index(after: colon)...])))
    }
  }

  private func trimmed(_ text: some StringProtocol) -> String {
    let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
    let front = text.utf8.drop(while: isSpace)
    return String(decoding: front.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
  }
}
