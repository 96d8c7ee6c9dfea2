import Bytes

/// The small grammar that field values share (RFC 9110 §5.6).
enum FieldText {
  /// Without the blanks around it.
  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let front = text.drop(while: FieldGrammar.isBlank)
    guard let last = front.lastIndex(where: { !FieldGrammar.isBlank($0) }) else { return [] }
    return front[...last]
  }

  /// What stands between commas, but for those in a quoted string; empty elements are none.
  static func elements(_ text: [UInt8]) -> [[UInt8]] {
    var elements: [[UInt8]] = []
    var rest = text[...]
    while !rest.isEmpty {
      let end = endOfElement(rest)
      let element = trimmed(rest[..<end])
      if !element.isEmpty { elements.append(Array(element)) }
      rest = rest[end...].dropFirst()
    }
    return elements
  }

  /// Where the first comma stands that is in no quoted string; the end where there is none.
  static func endOfElement(_ text: ArraySlice<UInt8>) -> Int {
    var isQuoted = false
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: ",") where !isQuoted: return index
      default: break
      }
      index += 1
    }
    return text.endIndex
  }

  /// A quoted string at the beginning, and what follows it; nil where there is none, or no end.
  static func quoted(_ text: ArraySlice<UInt8>) -> (value: [UInt8], rest: ArraySlice<UInt8>)? {
    guard text.first == UInt8(ascii: "\"") else { return nil }
    var value: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return (value, rest) }
      guard byte == UInt8(ascii: "\\") else {
        value.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      value.append(escaped)
    }
    return nil
  }

  /// A whole number of seconds: digits only, and what is more than 2^31 is 2^31 (RFC 9111 §1.2.2).
  /// Nil for anything else.
  static func deltaSeconds(_ text: some Collection<UInt8>) -> Int64? {
    guard !text.isEmpty, text.allSatisfy(FieldGrammar.isDigit) else { return nil }
    var seconds: Int64 = 0
    for digit in text { seconds = min(seconds * 10 + Int64(digit & 0x0F), deltaSecondsMax) }
    return seconds
  }

  static let deltaSecondsMax: Int64 = 1 << 31
}
