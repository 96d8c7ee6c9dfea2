/// Writes JSON as Rails does: no white space, Japanese as it is, `<`, `>`, `&` escaped.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  /// One value of a member.
  enum Value {
    case text(String)
    case number(Int)
    case flag(Bool)
    case null
    /// Bytes that are JSON already.
    case json([UInt8])
    /// Bytes that are escaped already and together are one text.
    case escaped([[UInt8]])
    case array([[UInt8]])
  }

  /// An object of these members, in this order.
  static func object(_ members: [(key: String, value: Value)]) -> [UInt8] {
    var writer = JSONWriter()
    writer.bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
      writer.append(.text(member.key))
      writer.bytes.append(UInt8(ascii: ":"))
      writer.append(member.value)
    }
    writer.bytes.append(UInt8(ascii: "}"))
    return writer.bytes
  }

  /// An array of elements that are JSON already.
  static func array(_ elements: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(elements.reduce(2) { $0 + $1.count + 1 })
    writer.append(.array(elements))
    return writer.bytes
  }

  /// What stands between the quotes of a text.
  static func escaped(_ text: String) -> [UInt8] {
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): result += #"\""#.utf8
      case UInt8(ascii: "\\"): result += #"\\"#.utf8
      case 0x0A: result += #"\n"#.utf8
      case 0x0D: result += #"\r"#.utf8
      case 0x09: result += #"\t"#.utf8
      case UInt8(ascii: "<"): result += #"\u003c"#.utf8
      case UInt8(ascii: ">"): result += #"\u003e"#.utf8
      case UInt8(ascii: "&"): result += #"\u0026"#.utf8
      case ..<0x20: result += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: result.append(byte)
      }
    }
    return result
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .text(let text): append(.escaped([Self.escaped(text)]))
    case .number(let number): bytes += String(number).utf8
    case .flag(let flag): bytes += (flag ? "true" : "false").utf8
    case .null: bytes += "null".utf8
    case .json(let json): bytes += json
    case .escaped(let pieces):
      bytes.append(UInt8(ascii: "\""))
      for piece in pieces { bytes += piece }
      bytes.append(UInt8(ascii: "\""))
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += element
      }
      bytes.append(UInt8(ascii: "]"))
    }
  }
}
