/// Writes JSON around bytes that are JSON already.
struct JSONText {
  /// What was written so far.
  private(set) var bytes: [UInt8] = []

  /// An empty text with room for `capacity` bytes.
  init(capacity: Int = 512) {
    bytes.reserveCapacity(capacity)
  }

  /// Appends JSON as it is.
  mutating func append(raw json: some Sequence<UInt8>) {
    bytes.append(contentsOf: json)
  }

  /// Appends JSON as it is.
  mutating func append(raw json: StaticString) {
    json.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends a whole number.
  mutating func append(_ number: some BinaryInteger) {
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Appends `true` or `false`.
  mutating func append(_ flag: Bool) {
    append(raw: flag ? "true" : "false")
  }

  /// Appends a text in quotes, escaped (RFC 8259 §7); nil is `null`.
  mutating func append(_ text: String?) {
    guard let text else { return append(raw: "null") }
    var plain = text
    bytes.append(UInt8(ascii: "\""))
    plain.withUTF8 { text in
      if text.contains(where: JSONText.isEscaped) {
        for byte in text { append(escaping: byte) }
      } else {
        bytes.append(contentsOf: text)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func append(escaping byte: UInt8) {
    guard JSONText.isEscaped(byte) else { return bytes.append(byte) }
    guard byte < 0x20 else {
      bytes += [UInt8(ascii: "\\"), byte]
      return
    }
    let low = byte & 15
    append(raw: byte < 0x10 ? "\\u000" : "\\u001")
    bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
  }

  /// Appends a member of an object: `,"name":` before its value.
  mutating func appendName(_ name: StaticString) {
    append(raw: ",\"")
    append(raw: name)
    append(raw: "\":")
  }
}
