import Feed
import HTTP

/// Writes JSON around bytes that are JSON already.
struct JSONText: ~Copyable {
  private var text: ByteText

  /// An empty text with room for `capacity` bytes.
  init(capacity: Int = 512) {
    text = ByteText(capacity: capacity)
  }

  private init(_ text: consuming ByteText) {
    self.text = text
  }

  /// What was written so far.
  var bytes: [UInt8] { text.bytes }

  /// What `write` writes, as an array that it writes into where `capacity` bytes suffice.
  static func bytes(capacity: Int, _ write: (inout JSONText) -> Void) -> [UInt8] {
    ByteText.bytes(capacity: capacity) { text in
      var json = JSONText(text)
      write(&json)
      text = json.text
    }
  }

  /// Appends JSON as it is.
  mutating func append(raw json: [UInt8]) {
    text.append(json)
  }

  /// Appends JSON as it is.
  mutating func append(raw json: StaticString) {
    text.append(json)
  }

  /// Appends a whole number.
  mutating func append(_ number: Int64) {
    text.append(number)
  }

  /// Appends a whole number.
  mutating func append(_ number: Int) {
    text.append(number)
  }

  /// Appends `true` or `false`.
  mutating func append(_ flag: Bool) {
    append(raw: flag ? "true" : "false")
  }

  /// Appends a text in quotes, escaped (RFC 8259 §7); nil is `null`.
  mutating func append(_ text: String?) {
    guard var text else { return append(raw: "null") }
    text.withUTF8 { append(quoted: $0) }
  }

  /// Appends a text in quotes, escaped (RFC 8259 §7), by its UTF-8; nil is `null`.
  mutating func append(quoted text: [UInt8]?) {
    guard let text else { return append(raw: "null") }
    text.withUnsafeBufferPointer { append(quoted: $0) }
  }

  /// Appends an instant as text (RFC 3339).
  mutating func append(_ instant: Timestamp) {
    text.append(UInt8(ascii: "\""))
    RFC3339.withText(instant) { text.append($0) }
    text.append(UInt8(ascii: "\""))
  }

  /// Appends a change's number as text.
  mutating func append(_ number: SequenceNumber) {
    var epoch = number.epoch
    text.append(UInt8(ascii: "\""))
    epoch.withUTF8 { append(escaped: $0) }
    text.append(UInt8(ascii: "."))
    text.append(number.number)
    text.append(UInt8(ascii: "\""))
  }

  private mutating func append(quoted plain: UnsafeBufferPointer<UInt8>) {
    text.append(UInt8(ascii: "\""))
    append(escaped: plain)
    text.append(UInt8(ascii: "\""))
  }

  private mutating func append(escaped plain: UnsafeBufferPointer<UInt8>) {
    if plain.holds(below: 0x20, or: UInt8(ascii: "\""), UInt8(ascii: "\\")) {
      for byte in plain { append(escaping: byte) }
    } else {
      text.append(UnsafeRawBufferPointer(plain))
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func append(escaping byte: UInt8) {
    guard JSONText.isEscaped(byte) else { return text.append(byte) }
    guard byte < 0x20 else {
      text.append(UInt8(ascii: "\\"))
      return text.append(byte)
    }
    let low = byte & 15
    append(raw: byte < 0x10 ? "\\u000" : "\\u001")
    text.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
  }

  /// Appends a member of an object: `,"name":` before its value.
  mutating func appendName(_ name: StaticString) {
    text.append(member: name)
  }
}
