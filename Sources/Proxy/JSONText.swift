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
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        append(raw: "\\u00")
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default:
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a member of an object: `,"name":` before its value.
  mutating func appendName(_ name: StaticString) {
    append(raw: ",\"")
    append(raw: name)
    append(raw: "\":")
  }
}
