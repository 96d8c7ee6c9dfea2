import Bytes

/// Where one field line's name and value lie in a head's bytes.
struct FieldSpan: Equatable, Sendable {
  var nameStart: UInt32
  var nameEnd: UInt32
  var valueStart: UInt32
  var valueEnd: UInt32
}

extension FieldSpan {
  /// Where a line lies that begins at a place and stands as it is sent.
  fileprivate init(at start: Int, nameCount: Int, valueCount: Int) {
    nameStart = UInt32(start)
    nameEnd = UInt32(start + nameCount)
    valueStart = nameEnd + 2
    valueEnd = valueStart + UInt32(valueCount)
  }
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
  /// Whether its lines are all there is in the bytes.
  private var isWhole: Bool
  /// A bit for the length of each name: it distinguishes most names that are looked up.
  private var nameLengths: UInt64 = 0

  /// Makes an empty list.
  package init() {
    bytes = []
    spans = []
    (isWireFormat, isWhole) = (true, true)
  }

  /// Takes over a request's head and where its field lines lie in it.
  init(bytes: [UInt8], spans: [FieldSpan]) {
    self.bytes = bytes
    self.spans = spans
    (isWireFormat, isWhole) = (false, false)
    for span in spans { nameLengths |= Fields.bit(ofLength: Int(span.nameEnd - span.nameStart)) }
  }

  private static func bit(ofLength count: Int) -> UInt64 { 1 << UInt64(count & 63) }

  /// The number of field lines.
  package var count: Int { spans.count }

  /// The bytes of all lines.
  package var byteCount: Int { bytes.count }

  /// Adds a line at the end. CR, LF, NUL and other controls in the value become spaces (RFC 9110
  /// §5.5), so that no value can begin a new line.
  package mutating func append(_ name: StaticString, _ value: String) {
    var value = value
    value.withUTF8 { append(name, $0) }
  }

  /// Adds a line at the end, its value by its bytes; see ``append(_:_:)-(StaticString,String)``.
  package mutating func append(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    assert(name.allSatisfy { FieldGrammar.isToken($0) }, "a field name is a token")
    append(name: name, value)
  }

  /// Adds a line at the end whose name is none of our own texts. It must be a token: anything else
  /// is our own mistake and traps.
  package mutating func append(named name: String, _ value: String) {
    precondition(Grammar.isToken(name), "a field name is a token")
    var (name, value) = (name, value)
    name.withUTF8 { name in value.withUTF8 { append(name: name, $0) } }
  }

  /// The same, its value by its bytes.
  package mutating func append(named name: String, bytes value: [UInt8]) {
    precondition(Grammar.isToken(name), "a field name is a token")
    var name = name
    name.withUTF8 { name in value.withUnsafeBufferPointer { append(name: name, $0) } }
  }

  /// The lines in order, values by their bytes.
  package var lines: [(name: String, value: [UInt8])] {
    spans.map { (String(decoding: name($0), as: UTF8.self), Array(valueBytes($0))) }
  }

  private mutating func append(
    name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) {
    if spans.isEmpty {
      // Room for what most answers have.
      bytes.reserveCapacity(768)
      spans.reserveCapacity(12)
    }
    let span = FieldSpan(at: bytes.count, nameCount: name.count, valueCount: value.count)
    let holdsControls = value.holds(below: Grammar.space, or: 0x7F, 0x7F)
    // Put together where it is cheap, since each append to an array costs as much as a short line.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.count + value.count + 4) { line in
      var end = line[...].update(fromContentsOf: name)
      line[end] = UInt8(ascii: ":")
      line[end + 1] = Grammar.space
      end += 2
      if holdsControls {
        for byte in value {
          line[end] = Grammar.isFieldContent(byte) ? byte : Grammar.space
          end += 1
        }
      } else {
        end = line[end...].update(fromContentsOf: value)
      }
      line[end] = Grammar.carriageReturn
      line[end + 1] = Grammar.lineFeed
      bytes.append(contentsOf: UnsafeBufferPointer(line))
    }
    nameLengths |= Fields.bit(ofLength: name.count)
    spans.append(span)
  }

  /// Replaces every line of this name by one at the end.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(named: name, value)
  }

  /// Removes every line of this name.
  package mutating func remove(_ name: String) {
    guard contains(name) else { return }
    isWhole = false
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

  /// Whether there is a line of this name.
  package func contains(_ name: String) -> Bool {
    mayHold(name) && spans.contains { isNamed(name, $0) }
  }

  /// All lines as they are sent, where they stand so and none has a name of these lengths.
  func wireLines(withoutNamesOf lengths: [Int]) -> [UInt8]? {
    guard isWireFormat, isWhole else { return nil }
    for length in lengths where nameLengths & Fields.bit(ofLength: length) != 0 { return nil }
    return bytes
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
      append(named: name, value)
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
