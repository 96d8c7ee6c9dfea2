import Logging

/// One JSON object on one line, member by member.
struct LogLine {
  private var bytes: [UInt8] = []

  /// Adds a member. The caller sees to it that no name comes twice.
  mutating func append(_ name: String, _ value: Logger.Metadata.Value) {
    bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
    appendText(name)
    bytes.append(UInt8(ascii: ":"))
    append(value)
  }

  /// The line with its end; nothing is added afterwards.
  consuming func finished() -> [UInt8] {
    bytes += bytes.isEmpty ? "{}\n".utf8 : "}\n".utf8
    return bytes
  }

  private mutating func append(_ value: Logger.Metadata.Value) {
    switch value {
    case .string(let text): appendText(text)
    case .stringConvertible(let number as any FixedWidthInteger):
      bytes += String(describing: number).utf8
    case .stringConvertible(let other): appendText(other.description)
    case .array(let values):
      appendList(values, "[", "]") { line, value in line.append(value) }
    case .dictionary(let members):
      appendList(members.sorted { $0.key < $1.key }, "{", "}") { line, member in
        line.appendText(member.key)
        line.bytes.append(UInt8(ascii: ":"))
        line.append(member.value)
      }
    }
  }

  private mutating func appendList<Element>(
    _ elements: [Element], _ opening: Unicode.Scalar, _ closing: Unicode.Scalar,
    _ body: (inout LogLine, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: opening))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      body(&self, element)
    }
    bytes.append(UInt8(ascii: closing))
  }

  /// A text in quotes, escaped (RFC 8259 §7); so a line end inside never ends the line.
  private mutating func appendText(_ text: String) {
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case 0..<0x20: bytes += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
