import Bytes

/// Cache control for some caches only, such as `CDN-Cache-Control` (RFC 9213).
///
/// The field is a dictionary (RFC 9651 §3.2). It counts as a whole or not at all: one that breaks
/// the grammar, or whose ages are no whole numbers, is as if it were not there (RFC 9213 §2.1).
enum TargetedDirectives {
  /// What a field's value says; nil where it does not count.
  static func read(_ text: [UInt8]) -> Directives? {
    var rest = FieldText.trimmed(text[...])
    guard !rest.isEmpty else { return nil }
    var arguments: [String: [UInt8]?] = [:]
    while true {
      guard let key = key(&rest) else { return nil }
      var value = Item.boolean(true)
      if take("=", &rest) {
        guard let item = itemOrList(&rest) else { return nil }
        value = item
      }
      guard skipParameters(&rest) else { return nil }
      if key.hasSuffix("age"), !value.isInteger { return nil }
      // Of a key that comes more than once the last counts (RFC 9651 §4.2.2).
      arguments[key] = value.argument
      rest = rest.drop(while: FieldGrammar.isBlank)
      guard !rest.isEmpty else { return Directives(arguments) }
      guard take(",", &rest) else { return nil }
      rest = rest.drop(while: FieldGrammar.isBlank)
      // A comma at the end breaks the grammar.
      guard !rest.isEmpty else { return nil }
    }
  }

  /// A value, as far as directives have use for it.
  private enum Item {
    case integer([UInt8])
    case boolean(Bool)
    case other([UInt8])

    var isInteger: Bool {
      if case .integer = self { true } else { false }
    }

    /// Nil where the directive is switched off, which is as if it were not there.
    var argument: [UInt8]?? {
      switch self {
      case .integer(let text), .other(let text): .some(text)
      case .boolean(let isOn): isOn ? .some(nil) : nil
      }
    }
  }

  private static func take(_ byte: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest.removeFirst()
    return true
  }

  private static func isLower(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
  }

  private static func key(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let first = rest.first, isLower(first) || first == UInt8(ascii: "*") else { return nil }
    let key = rest.prefix {
      isLower($0) || FieldGrammar.isDigit($0) || "_-.*".utf8.contains($0)
    }
    rest = rest[key.endIndex...]
    return String(decoding: key, as: UTF8.self)
  }

  private static func skipParameters(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while take(";", &rest) {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      guard key(&rest) != nil else { return false }
      if take("=", &rest), item(&rest) == nil { return false }
    }
    return true
  }

  private static func itemOrList(_ rest: inout ArraySlice<UInt8>) -> Item? {
    guard take("(", &rest) else { return item(&rest) }
    while true {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      if take(")", &rest) { return .other([]) }
      guard item(&rest) != nil, skipParameters(&rest) else { return nil }
      guard rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: ")") else { return nil }
    }
  }

  private static func item(_ rest: inout ArraySlice<UInt8>) -> Item? {
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return number(&rest)
    case UInt8(ascii: "\""):
      guard let (value, after) = FieldText.quoted(rest),
        rest[..<after.startIndex].allSatisfy({ 0x20...0x7E ~= $0 })
      else { return nil }
      rest = after
      return .other(value)
    case UInt8(ascii: "?"):
      rest.removeFirst()
      if take("1", &rest) { return .boolean(true) }
      return take("0", &rest) ? .boolean(false) : nil
    case UInt8(ascii: ":"):
      guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = Array(rest[..<end].dropFirst())
      rest = rest[(end + 1)...]
      return .other(value)
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "*"):
      let token = rest.prefix {
        FieldGrammar.isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/")
      }
      rest = rest[token.endIndex...]
      return .other(Array(token))
    default:
      return nil
    }
  }

  /// A number of at most 15 digits, or 12 and three more (RFC 9651 §4.2.4).
  private static func number(_ rest: inout ArraySlice<UInt8>) -> Item? {
    let text = rest
    _ = take("-", &rest)
    let digits = rest.prefix(while: FieldGrammar.isDigit)
    rest = rest[digits.endIndex...]
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    guard take(".", &rest) else { return .integer(Array(text[..<rest.startIndex])) }
    let decimals = rest.prefix(while: FieldGrammar.isDigit)
    rest = rest[decimals.endIndex...]
    guard (1...3).contains(decimals.count), digits.count <= 12 else { return nil }
    return .other(Array(text[..<rest.startIndex]))
  }
}
