/// Checks one JSON value against the whole grammar of RFC 8259, in one pass without recursion.
struct Validator {
  private var scanner: Scanner
  private var open = OpenContainers()

  init(_ scanner: Scanner) {
    self.scanner = scanner
  }

  /// Whether a lone surrogate was met where those are taken.
  var hasLoneSurrogates: Bool { scanner.hasLoneSurrogates }

  /// Checks that the text is one value with nothing but white space around it.
  mutating func validateDocument() throws(JSONError) {
    try validateValue()
    try validateEnd()
  }

  /// Checks a text that is one object, and finds the values under the wanted keys, whose ranges are
  /// moved by `base`; of equal keys the last one's.
  mutating func validateObject(
    _ wanted: [[UInt8]], from base: Int
  ) throws(JSONError) -> [Range<Int>?] {
    var found = [Range<Int>?](repeating: nil, count: wanted.count)
    scanner.skipWhiteSpace()
    guard try next() == UInt8(ascii: "{") else { throw .notAnObject }
    try push(isObject: true)
    if !closes(UInt8(ascii: "}")) {
      repeat {
        let key = try validateKey()
        scanner.skipWhiteSpace()
        let start = scanner.at
        try validateValue()
        if let index = scanner.index(of: key, among: wanted, { $0 }) {
          found[index] = base + start..<base + scanner.at
        }
        scanner.skipWhiteSpace()
      } while try scanner.continues(until: UInt8(ascii: "}"))
    }
    try validateEnd()
    return found
  }

  /// Checks that nothing but white space follows.
  private mutating func validateEnd() throws(JSONError) {
    scanner.skipWhiteSpace()
    guard scanner.at == scanner.end else { throw .trailingBytes(offset: scanner.at) }
  }

  /// Moves past one value and the white space before it.
  private mutating func validateValue() throws(JSONError) {
    let depth = open.count
    repeat {
      try validateOpening()
    } while try moveToNextValue(in: depth)
  }

  /// Moves past one scalar, or past the opening of a container down to where a value must follow;
  /// an empty container is closed immediately.
  private mutating func validateOpening() throws(JSONError) {
    while true {
      scanner.skipWhiteSpace()
      switch try next() {
      case UInt8(ascii: "\""):
        return try scanner.validateText()
      case UInt8(ascii: "{"):
        try push(isObject: true)
        if closes(UInt8(ascii: "}")) { return }
        try validateKey()
      case UInt8(ascii: "["):
        try push(isObject: false)
        if closes(UInt8(ascii: "]")) { return }
      default:
        return try scanner.validateScalar()
      }
    }
  }

  /// Closes what ends here; true when a comma says that another value follows, false when no more
  /// than `depth` containers are open.
  private mutating func moveToNextValue(in depth: Int) throws(JSONError) -> Bool {
    while open.count > depth {
      scanner.skipWhiteSpace()
      let isObject = open.innermostIsObject == true
      let byte = try next()
      scanner.at += 1
      switch byte {
      case UInt8(ascii: ","):
        if isObject { try validateKey() }
        return true
      case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
        _ = open.pop()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        throw .mismatchedBracket(offset: scanner.at - 1)
      default:
        throw .unexpectedByte(offset: scanner.at - 1)
      }
    }
    return false
  }

  /// Moves past a key and its colon; the range is that of the text in quotes.
  @discardableResult
  private mutating func validateKey() throws(JSONError) -> Range<Int> {
    scanner.skipWhiteSpace()
    guard try next() == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: scanner.at) }
    let start = scanner.at
    try scanner.validateText()
    let key = start..<scanner.at
    scanner.skipWhiteSpace()
    guard try next() == UInt8(ascii: ":") else { throw .unexpectedByte(offset: scanner.at) }
    scanner.at += 1
    return key
  }

  private func next() throws(JSONError) -> UInt8 {
    guard let byte = scanner.peek() else { throw .truncated(offset: scanner.end) }
    return byte
  }

  private mutating func push(isObject: Bool) throws(JSONError) {
    guard open.push(isObject: isObject) else { throw .tooDeep(offset: scanner.at) }
    scanner.at += 1
  }

  /// Closes the container just opened when it is empty.
  private mutating func closes(_ close: UInt8) -> Bool {
    scanner.skipWhiteSpace()
    guard scanner.peek() == close else { return false }
    scanner.at += 1
    _ = open.pop()
    return true
  }
}
