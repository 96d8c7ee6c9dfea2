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
    repeat {
      try validateOpening()
    } while try moveToNextValue()
    guard scanner.at == scanner.end else { throw .trailingBytes(offset: scanner.at) }
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

  /// Closes what ends here; true when a comma says that another value follows, false at the end of
  /// the outermost one.
  private mutating func moveToNextValue() throws(JSONError) -> Bool {
    while true {
      scanner.skipWhiteSpace()
      guard let isObject = open.innermostIsObject else { return false }
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
  }

  private mutating func validateKey() throws(JSONError) {
    scanner.skipWhiteSpace()
    guard try next() == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: scanner.at) }
    try scanner.validateText()
    scanner.skipWhiteSpace()
    guard try next() == UInt8(ascii: ":") else { throw .unexpectedByte(offset: scanner.at) }
    scanner.at += 1
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
