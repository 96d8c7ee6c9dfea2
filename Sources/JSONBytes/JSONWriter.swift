public import Bytes

/// Writes JSON around bytes that are JSON already.
public struct JSONWriter: ~Copyable {
  @usableFromInline var text: ByteText
  /// Whether `<`, `>` and `&` are escaped too, as Rails does.
  private var escapesMarkup = false

  /// An empty text with room for `capacity` bytes.
  package init(capacity: Int = 512, escapesMarkup: Bool = false) {
    text = ByteText(capacity: capacity)
    self.escapesMarkup = escapesMarkup
  }

  private init(_ text: consuming ByteText) {
    self.text = text
  }

  /// The bytes written so far.
  package var bytes: [UInt8] { text.bytes }

  /// What `write` writes, as an array that it writes into where `capacity` bytes suffice.
  package static func bytes(capacity: Int, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
    ByteText.bytes(capacity: capacity) { text in
      var json = JSONWriter(text)
      write(&json)
      text = json.text
    }
  }

  /// Appends JSON as it is.
  @inlinable
  public mutating func append(raw json: [UInt8]) {
    text.append(json)
  }

  /// Appends JSON as it is.
  @inlinable
  public mutating func append(raw json: StaticString) {
    text.append(json)
  }

  /// Appends bytes that need no escaping, such as digits, as they are.
  @inlinable
  public mutating func append(ascii bytes: UnsafeRawBufferPointer) {
    text.append(bytes)
  }

  /// Appends a whole number.
  @inlinable
  public mutating func append(_ number: Int64) {
    text.append(number)
  }

  /// Appends a whole number.
  @inlinable
  public mutating func append(_ number: Int) {
    text.append(number)
  }

  /// Appends `true` or `false`.
  @inlinable
  public mutating func append(_ flag: Bool) {
    append(raw: flag ? "true" : "false")
  }

  /// Appends a text in quotes, escaped (RFC 8259 §7); nil is `null`.
  package mutating func append(_ text: String?) {
    guard var text else { return append(raw: "null") }
    text.withUTF8 { append(quoted: $0) }
  }

  /// Appends a text in quotes, escaped (RFC 8259 §7), by its UTF-8; nil is `null`.
  package mutating func append(quoted text: [UInt8]?) {
    guard let text else { return append(raw: "null") }
    text.withUnsafeBufferPointer { append(quoted: $0) }
  }

  private mutating func append(quoted plain: UnsafeBufferPointer<UInt8>) {
    text.append(UInt8(ascii: "\""))
    append(escaped: plain)
    text.append(UInt8(ascii: "\""))
  }

  /// Appends a text's UTF-8 escaped, without quotes around it.
  package mutating func append(escaped plain: UnsafeBufferPointer<UInt8>) {
    let mayEscape = plain.holds(below: 0x20, or: UInt8(ascii: "\""), UInt8(ascii: "\\"))
    if mayEscape || escapesMarkup {
      for byte in plain { append(escaping: byte) }
    } else {
      text.append(UnsafeRawBufferPointer(plain))
    }
  }

  private mutating func append(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(raw: #"\""#)
    case UInt8(ascii: "\\"): append(raw: #"\\"#)
    case UInt8(ascii: "\n"): append(raw: #"\n"#)
    case UInt8(ascii: "\r"): append(raw: #"\r"#)
    case UInt8(ascii: "\t"): append(raw: #"\t"#)
    case ..<0x20: append(escape: byte)
    case UInt8(ascii: "<") where escapesMarkup, UInt8(ascii: ">") where escapesMarkup,
      UInt8(ascii: "&") where escapesMarkup:
      append(escape: byte)
    default: text.append(byte)
    }
  }

  /// `\u001f` for 31.
  private mutating func append(escape byte: UInt8) {
    append(raw: #"\u00"#)
    for digit in [byte >> 4, byte & 15] {
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// Appends an array.
  @inlinable
  public mutating func appendList<Element>(
    _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
  ) {
    append(raw: "[")
    var isFirst = true
    for element in elements {
      if !isFirst { append(raw: ",") }
      isFirst = false
      body(&self, element)
    }
    append(raw: "]")
  }

  /// Appends a member of an object: `,"name":` before its value.
  @inlinable
  public mutating func appendName(_ name: StaticString) {
    text.append(member: name)
  }

  /// Appends a text as a member's name: `"name":`.
  package mutating func append(memberName name: String) {
    append(name)
    text.append(UInt8(ascii: ":"))
  }
}
