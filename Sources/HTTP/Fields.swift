/// Where one field line's name and value lie in a head's bytes.
struct FieldSpan: Equatable, Sendable {
  var nameStart: UInt32
  var nameEnd: UInt32
  var valueStart: UInt32
  var valueEnd: UInt32
}

/// The field lines of a message, in order, as bytes (RFC 9110 §5).
///
/// Names are looked up without regard to letter case; each lookup costs O(lines) and makes a
/// `String` only for what is found. A request's fields share one copy of its head.
package struct Fields: Sendable {
  private(set) var bytes: [UInt8]
  private(set) var spans: [FieldSpan]
  /// Whether each line stands in the bytes as it is sent: with a colon, a space and a CRLF.
  let isWireFormat: Bool
  /// A bit for the length of each name: most names that are looked up are told apart by that.
  private var nameLengths: UInt64 = 0

  /// Makes an empty list.
  package init() {
    bytes = []
    spans = []
    isWireFormat = true
  }

  /// Takes over a request's head and where its field lines lie in it.
  init(bytes: [UInt8], spans: [FieldSpan]) {
    self.bytes = bytes
    self.spans = spans
    isWireFormat = false
    for span in spans { nameLengths |= Fields.bit(ofLength: Int(span.nameEnd - span.nameStart)) }
  }

  private static func bit(ofLength count: Int) -> UInt64 { 1 << UInt64(count & 63) }

  /// The number of field lines.
  package var count: Int { spans.count }

  /// The bytes of all lines.
  package var byteCount: Int { bytes.count }

  /// Adds a line at the end.
  ///
  /// The name must be a token: anything else is our own mistake and traps. CR, LF, NUL and other
  /// controls in the value become spaces (RFC 9110 §5.5), so that no value can begin a new line.
  package mutating func append(_ name: String, _ value: String) {
    var value = value
    value.withUTF8 { append(name, $0) }
  }

  /// Adds a line at the end, its value by its bytes; see ``append(_:_:)-(String,String)``.
  package mutating func append(_ name: String, _ value: [UInt8]) {
    value.withUnsafeBufferPointer { append(name, $0) }
  }

  /// Adds a line at the end, its value by its bytes; see ``append(_:_:)-(String,String)``.
  package mutating func append(_ name: String, _ value: UnsafeBufferPointer<UInt8>) {
    precondition(Grammar.isToken(name), "a field name is a token")
    if spans.isEmpty {
      // Room for what most answers have.
      bytes.reserveCapacity(768)
      spans.reserveCapacity(12)
    }
    let nameStart = UInt32(bytes.count)
    bytes.append(contentsOf: name.utf8)
    let nameEnd = UInt32(bytes.count)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(Grammar.space)
    let valueStart = UInt32(bytes.count)
    if value.holds(below: Grammar.space, or: 0x7F, 0x7F) {
      bytes.append(contentsOf: value.map { Grammar.isFieldContent($0) ? $0 : Grammar.space })
    } else {
      bytes.append(contentsOf: value)
    }
    let valueEnd = UInt32(bytes.count)
    bytes.append(Grammar.carriageReturn)
    bytes.append(Grammar.lineFeed)
    nameLengths |= Fields.bit(ofLength: Int(nameEnd - nameStart))
    spans.append(
      FieldSpan(
        nameStart: nameStart, nameEnd: nameEnd, valueStart: valueStart, valueEnd: valueEnd))
  }

  /// Replaces every line of this name by one at the end.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Removes every line of this name.
  package mutating func remove(_ name: String) {
    guard contains(name) else { return }
    spans = spans.filter { !isNamed(name, $0) }
  }

  /// The value of the first line of this name.
  package subscript(_ name: String) -> String? {
    guard mayHold(name) else { return nil }
    return spans.first { isNamed(name, $0) }.map(value)
  }

  /// The values of all lines of this name, in order.
  package func values(of name: String) -> [String] {
    spans.lazy.filter { isNamed(name, $0) }.map(value)
  }

  /// All lines of this name as one comma-separated list (RFC 9110 §5.3); nil when there are none.
  package func list(_ name: String) -> String? {
    guard mayHold(name) else { return nil }
    var list: String?
    for span in spans where isNamed(name, span) {
      list = list.map { "\($0), \(value(span))" } ?? value(span)
    }
    return list
  }

  /// Tells whether there is a line of this name.
  package func contains(_ name: String) -> Bool {
    mayHold(name) && spans.contains { isNamed(name, $0) }
  }

  /// A line as it is sent, where it stands so; see ``isWireFormat``.
  func wireLine(_ span: FieldSpan) -> ArraySlice<UInt8> {
    bytes[Int(span.nameStart)..<Int(span.valueEnd) + 2]
  }

  func name(_ span: FieldSpan) -> ArraySlice<UInt8> {
    bytes[Int(span.nameStart)..<Int(span.nameEnd)]
  }

  func valueBytes(_ span: FieldSpan) -> ArraySlice<UInt8> {
    bytes[Int(span.valueStart)..<Int(span.valueEnd)]
  }

  private func value(_ span: FieldSpan) -> String {
    String(decoding: valueBytes(span), as: UTF8.self)
  }

  private func mayHold(_ name: String) -> Bool {
    nameLengths & Fields.bit(ofLength: name.utf8.count) != 0
  }

  private func isNamed(_ name: String, _ span: FieldSpan) -> Bool {
    guard Int(span.nameEnd - span.nameStart) == name.utf8.count else { return false }
    var index = Int(span.nameStart)
    for byte in name.utf8 {
      guard Grammar.lowercased(bytes[index]) == Grammar.lowercased(byte) else { return false }
      index += 1
    }
    return true
  }
}

extension Fields: Sequence {
  /// Walks the lines in order, as pairs of name and value.
  package func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    spans.lazy.map {
      (name: String(decoding: self.name($0), as: UTF8.self), value: self.value($0))
    }.makeIterator()
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Makes a list from a literal; a name may stand in it more than once.
  package init(dictionaryLiteral lines: (String, String)...) {
    self.init()
    for (name, value) in lines {
      append(name, value)
    }
  }
}

extension Fields: Equatable {
  /// Two lists are equal when they have the same names and values, byte by byte, in one order.
  package static func == (left: Fields, right: Fields) -> Bool {
    left.count == right.count
      && zip(left.spans, right.spans).allSatisfy {
        left.name($0) == right.name($1) && left.valueBytes($0) == right.valueBytes($1)
      }
  }
}
