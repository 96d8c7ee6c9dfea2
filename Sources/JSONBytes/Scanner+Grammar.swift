/// The strict reading of texts, numbers and literals.
extension Scanner {
  /// Moves past a text, checking its escapes, its UTF-8 and that no control byte stands in it.
  mutating func validateText() throws(JSONError) {
    at += 1
    while true {
      moveOverPlainASCII()
      guard let byte = peek() else { throw .truncated(offset: end) }
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return
      case UInt8(ascii: "\\"): try validateEscape()
      case ..<0x20: throw .unexpectedByte(offset: at)
      case ..<0x80: at += 1
      default: try validateMultibyte(byte)
      }
    }
  }

  /// Moves past a number, `true`, `false` or `null`.
  mutating func validateScalar() throws(JSONError) {
    guard let first = peek() else { throw .truncated(offset: end) }
    switch first {
    case UInt8(ascii: "t"): try validateLiteral("true")
    case UInt8(ascii: "f"): try validateLiteral("false")
    case UInt8(ascii: "n"): try validateLiteral("null")
    default: try validateNumber()
    }
  }

  private mutating func validateLiteral(_ literal: StaticString) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      guard let byte = peek() else { throw .truncated(offset: end) }
      guard byte == literal.utf8Start[offset] else { throw .unexpectedByte(offset: at) }
      at += 1
    }
  }

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?` (RFC 8259 §6).
  private mutating func validateNumber() throws(JSONError) {
    if peek() == UInt8(ascii: "-") { at += 1 }
    if peek() == UInt8(ascii: "0") { at += 1 } else { try validateDigits() }
    if peek() == UInt8(ascii: ".") {
      at += 1
      try validateDigits()
    }
    guard peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") else { return }
    at += 1
    if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { at += 1 }
    try validateDigits()
  }

  /// At least one digit, and all that follow.
  private mutating func validateDigits() throws(JSONError) {
    guard let first = peek() else { throw .truncated(offset: end) }
    guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= first else { throw .unexpectedByte(offset: at) }
    while let byte = peek(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { at += 1 }
  }

  private mutating func validateEscape() throws(JSONError) {
    guard at + 1 < end else { throw .truncated(offset: end) }
    if Unescaper.simple(bytes[at + 1]) != nil {
      at += 2
      return
    }
    let start = at
    let first = try validateUnit()
    guard 0xD800..<0xE000 ~= first else { return }
    if first < 0xDC00, peek() == UInt8(ascii: "\\") {
      guard at + 1 < end else { throw .truncated(offset: end) }
      let second = at
      if bytes[at + 1] == UInt8(ascii: "u"), 0xDC00..<0xE000 ~= (try validateUnit()) { return }
      at = second
    }
    guard takesLoneSurrogates else { throw .invalidEscape(offset: start) }
    hasLoneSurrogates = true
  }

  /// Moves past `\uXXXX` and gives its value.
  private mutating func validateUnit() throws(JSONError) -> UInt32 {
    guard at + 1 < end else { throw .truncated(offset: end) }
    guard bytes[at + 1] == UInt8(ascii: "u") else { throw .invalidEscape(offset: at) }
    guard at + 6 <= end else { throw .truncated(offset: end) }
    var value: UInt32 = 0
    for offset in 2..<6 {
      guard let digit = Unescaper.digit(bytes[at + offset]) else {
        throw .invalidEscape(offset: at)
      }
      value = value << 4 | digit
    }
    at += 6
    return value
  }

  /// Moves past one character of two to four bytes, refusing overlong forms, surrogates and what
  /// lies above U+10FFFF (RFC 3629 §4).
  private mutating func validateMultibyte(_ lead: UInt8) throws(JSONError) {
    let (count, second): (Int, ClosedRange<UInt8>) =
      switch lead {
      case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: throw .invalidUTF8(offset: at)
      }
    guard at + count <= end else { throw .truncated(offset: end) }
    guard second ~= bytes[at + 1] else { throw .invalidUTF8(offset: at) }
    for offset in 2..<max(count, 2) where bytes[at + offset] & 0xC0 != 0x80 {
      throw .invalidUTF8(offset: at)
    }
    at += count
  }

  /// Moves over bytes that need no look: ASCII without controls, quote and backslash.
  private mutating func moveOverPlainASCII() {
    while at + 8 <= end {
      let word = word(at: at)
      let stops =
        zeroBytes(word ^ 0x2222_2222_2222_2222) | zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
        | (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
        | word & 0x8080_8080_8080_8080
      if stops != 0 {
        at += stops.trailingZeroBitCount >> 3
        return
      }
      at += 8
    }
  }
}
