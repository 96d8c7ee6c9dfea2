import JSONBytes

/// A JSON value of the configuration as a tree: what a key is read from and printed as.
enum ConfigurationValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number in the characters it was written with.
  case number(String)
  case text(String)
  case array([ConfigurationValue])
  /// The members in their order; a key may stand twice.
  case object([Member])

  struct Member: Hashable, Sendable {
    let name: String
    let value: ConfigurationValue

    init(_ name: String, _ value: ConfigurationValue) {
      self.name = name
      self.value = value
    }
  }

  /// The members of an object; nil for another value.
  var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

extension ConfigurationValue {
  /// Reads one JSON value: the whole grammar of RFC 8259.
  ///
  /// - Throws: what `JSON.validate` throws.
  init(json: [UInt8]) throws(JSONError) {
    try JSON.validate(json[...])
    var parser = Parser(rest: json[...])
    self = try parser.value()
  }

  /// Walks over a text that `JSON.validate` has passed: places are trusted, never indices.
  private struct Parser {
    var rest: ArraySlice<UInt8>

    mutating func value() throws(JSONError) -> ConfigurationValue {
      skipWhiteSpace()
      switch rest.first {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return .text(try text())
      default: return scalar()
      }
    }

    private mutating func object() throws(JSONError) -> ConfigurationValue {
      var members: [Member] = []
      while !closes(UInt8(ascii: "}")) {
        let name = try text()
        skip(UInt8(ascii: ":"))
        members.append(Member(name, try value()))
      }
      return .object(members)
    }

    private mutating func array() throws(JSONError) -> ConfigurationValue {
      var elements: [ConfigurationValue] = []
      while !closes(UInt8(ascii: "]")) { elements.append(try value()) }
      return .array(elements)
    }

    /// Moves past the opening bracket or a comma to what follows, or past the closing bracket.
    private mutating func closes(_ bracket: UInt8) -> Bool {
      skipWhiteSpace()
      if rest.first != bracket { rest = rest.dropFirst() }
      skipWhiteSpace()
      guard rest.isEmpty || rest.first == bracket else { return false }
      rest = rest.dropFirst()
      return true
    }

    private mutating func text() throws(JSONError) -> String {
      var isEscaped = false
      let close = rest.dropFirst().firstIndex { byte in
        if isEscaped {
          isEscaped = false
          return false
        }
        isEscaped = byte == UInt8(ascii: "\\")
        return byte == UInt8(ascii: "\"")
      }
      let end = close.map { $0 + 1 } ?? rest.endIndex
      defer { rest = rest[end...] }
      return String(decoding: try JSON.text(rest[..<end]), as: UTF8.self)
    }

    private mutating func scalar() -> ConfigurationValue {
      let characters = rest.prefix { !",]} \t\r\n".utf8.contains($0) }
      rest = rest.dropFirst(characters.count)
      let literal = String(decoding: characters, as: UTF8.self)
      return switch literal {
      case "null": .null
      case "true": .bool(true)
      case "false": .bool(false)
      default: .number(literal)
      }
    }

    private mutating func skip(_ byte: UInt8) {
      skipWhiteSpace()
      if rest.first == byte { rest = rest.dropFirst() }
    }

    private mutating func skipWhiteSpace() {
      rest = rest.drop { " \t\r\n".utf8.contains($0) }
    }
  }
}

extension ConfigurationValue {
  /// The value as JSON, two spaces for each level, no line feed at the end.
  func pretty(indent: String = "") -> String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let characters): characters
    case .text(let text): ConfigurationValue.quoted(text)
    case .array(let elements):
      lines(elements.map { $0.pretty(indent: indent + "  ") }, "[", "]", indent)
    case .object(let members):
      lines(
        members.map {
          "\(ConfigurationValue.quoted($0.name)): \($0.value.pretty(indent: indent + "  "))"
        }, "{", "}", indent)
    }
  }

  private func lines(
    _ lines: [String], _ open: String, _ close: String, _ indent: String
  ) -> String {
    guard !lines.isEmpty else { return open + close }
    let inner = lines.map { "\(indent)  \($0)" }.joined(separator: ",\n")
    return "\(open)\n\(inner)\n\(indent)\(close)"
  }

  /// The text in quotes, escaped (RFC 8259 §7).
  static func quoted(_ text: String) -> String {
    var json = JSONWriter()
    json.append(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
