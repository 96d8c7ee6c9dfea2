/// Walks over the structure of JSON: texts, brackets, commas.
///
/// It does not look inside numbers, literals and texts further than needed to find where they end.
/// Safe to keep only while the buffer it was made from is valid; `JSON` never lets it out of that
/// scope. No byte is read before a comparison with `end`.
struct Scanner {
  let bytes: UnsafeRawBufferPointer
  let end: Int
  var at = 0
  /// Whether half of a surrogate pair may stand alone, and whether one did.
  var takesLoneSurrogates = false
  var hasLoneSurrogates = false

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    end = bytes.count
  }

  /// The ranges of the elements of the array that is the whole text, moved by `base`; no more than
  /// `countMax`.
  mutating func elements(
    from base: Int, countMax: Int, passing: (Int) -> Void
  ) throws(JSONError) -> [Range<Int>] {
    skipWhiteSpace()
    guard let open = peek() else { throw .truncated(offset: at) }
    guard open == UInt8(ascii: "[") else { throw .notAnArray }
    at += 1
    skipWhiteSpace()
    var ranges: [Range<Int>] = []
    if peek() == UInt8(ascii: "]") {
      at += 1
    } else {
      repeat {
        skipWhiteSpace()
        let start = at
        try skipValue()
        guard ranges.count < countMax else { throw .tooManyElements(limit: countMax) }
        ranges.append(base + start..<base + at)
        passing(at - start)
        skipWhiteSpace()
      } while try continues(until: UInt8(ascii: "]"))
    }
    skipWhiteSpace()
    guard at == end else { throw .trailingBytes(offset: at) }
    return ranges
  }

  /// The ranges of the values under the wanted keys, of equal keys the last one's.
  mutating func members(
    _ wanted: [[UInt8]], from base: Int
  ) throws(JSONError) -> [Range<Int>?] {
    var found = [Range<Int>?](repeating: nil, count: wanted.count)
    guard try opensMembers() else { return found }
    repeat {
      skipWhiteSpace()
      let key = try skipKey()
      let start = at
      try skipValue()
      if let index = index(of: key, among: wanted, { $0 }) {
        found[index] = base + start..<base + at
      }
      skipWhiteSpace()
    } while try continues(until: UInt8(ascii: "}"))
    return found
  }

  /// The ranges of all keys and values.
  mutating func members(
    from base: Int
  ) throws(JSONError) -> [(key: Range<Int>, value: Range<Int>)] {
    var found: [(key: Range<Int>, value: Range<Int>)] = []
    guard try opensMembers() else { return found }
    repeat {
      skipWhiteSpace()
      let key = try skipKey()
      let start = at
      try skipValue()
      found.append((base + key.lowerBound..<base + key.upperBound, base + start..<base + at))
      skipWhiteSpace()
    } while try continues(until: UInt8(ascii: "}"))
    return found
  }

  /// Moves into an object; false where it has no member.
  private mutating func opensMembers() throws(JSONError) -> Bool {
    skipWhiteSpace()
    guard let open = peek() else { throw .truncated(offset: at) }
    guard open == UInt8(ascii: "{") else { throw .notAnObject }
    at += 1
    skipWhiteSpace()
    return peek() != UInt8(ascii: "}")
  }

  /// Moves past one value of any kind.
  mutating func skipValue() throws(JSONError) {
    guard let first = peek() else { throw .truncated(offset: at) }
    switch first {
    case UInt8(ascii: "\""): try skipText()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipContainer()
    default: try skipScalar()
    }
  }

  /// Moves past white space: space, tab, line feed, carriage return (RFC 8259 §2).
  mutating func skipWhiteSpace() {
    while at < end, bytes[at] <= 0x20 {
      guard bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09
      else { return }
      at += 1
    }
  }

  /// The byte at the present place; nil at the end.
  func peek() -> UInt8? {
    at < end ? bytes[at] : nil
  }

  /// Moves past a comma, giving true, or past the closing bracket, giving false.
  mutating func continues(until close: UInt8) throws(JSONError) -> Bool {
    guard let byte = peek() else { throw .truncated(offset: at) }
    guard byte == UInt8(ascii: ",") || byte == close else { throw .unexpectedByte(offset: at) }
    at += 1
    return byte != close
  }

  /// Moves past a key, its colon and the white space; the range is that of the text in quotes.
  mutating func skipKey() throws(JSONError) -> Range<Int> {
    guard let quote = peek() else { throw .truncated(offset: at) }
    guard quote == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: at) }
    let start = at
    try skipText()
    let key = start..<at
    skipWhiteSpace()
    guard let colon = peek() else { throw .truncated(offset: at) }
    guard colon == UInt8(ascii: ":") else { throw .unexpectedByte(offset: at) }
    at += 1
    skipWhiteSpace()
    return key
  }

  /// Which of some things, whose names differ, the key in quotes at `range` names; one with escapes
  /// is unescaped first.
  @inline(__always)
  func index<Named>(
    of range: Range<Int>, among named: [Named], _ name: (Named) -> [UInt8]
  ) -> Int? {
    let inner = UnsafeRawBufferPointer(
      rebasing: bytes[range.lowerBound + 1..<range.upperBound - 1])
    for index in named.indices where inner.elementsEqual(name(named[index])) { return index }
    guard inner.contains(UInt8(ascii: "\\")),
      // A key that cannot be unescaped names nothing: `validate` is where it becomes an error.
      let plain = try? Unescaper.bytes(of: inner[...])
    else { return nil }
    return named.firstIndex { name($0) == plain }
  }

  /// Moves past a number or literal: everything up to white space, a comma or a bracket.
  private mutating func skipScalar() throws(JSONError) {
    let start = at
    scan: while at < end {
      switch bytes[at] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x0A, 0x0D, 0x09:
        break scan
      case UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"):
        throw .unexpectedByte(offset: at)
      default: at += 1
      }
    }
    guard at > start else { throw .unexpectedByte(offset: at) }
  }
}
