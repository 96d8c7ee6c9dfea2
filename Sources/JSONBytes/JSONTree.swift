/// A JSON value as a tree, for what is small and read by people: configurations, and answers that
/// nothing is known of yet. Feeds are read by ``JSON``, which makes no copies.
package enum JSONTree: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number in the characters it was written with.
  case number(String)
  case text(String)
  case array([JSONTree])
  /// The members in their order; a key may stand twice.
  case object([Member])

  /// A name and its value.
  package struct Member: Hashable, Sendable {
    /// The name, decoded.
    package let name: String
    /// The value.
    package let value: JSONTree

    /// A member.
    package init(_ name: String, _ value: JSONTree) {
      self.name = name
      self.value = value
    }
  }

  /// The members of an object; nil for another value.
  package var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

extension JSONTree {
  /// The value of an object's first member of this name; nil where there is none.
  package subscript(name: String) -> JSONTree? {
    members?.first { $0.name == name }?.value
  }

  /// The value that keys lead to, from the outside in; nil where there is none.
  package func value(at keys: some Collection<String>) -> JSONTree? {
    keys.reduce(self) { value, key in value?[key] }
  }

  /// What a text says, or the characters of a number; nil for any other value.
  package var scalar: String? {
    switch self {
    case .text(let text), .number(let text): text
    case .null, .bool, .array, .object: nil
    }
  }

  /// Reads one JSON value: the whole grammar of RFC 8259.
  ///
  /// - Throws: what `JSON.validate` throws.
  package init(json: [UInt8]) throws(JSONError) {
    try JSON.validate(json[...])
    var parser = Parser(rest: json[...])
    self = try parser.value()
  }

  /// Walks over a text that `JSON.validate` has passed: places are trusted, never indices.
  private struct Parser {
    var rest: ArraySlice<UInt8>

    mutating func value() throws(JSONError) -> JSONTree {
      skipWhiteSpace()
      switch rest.first {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return .text(try text())
      default: return scalar()
      }
    }

    private mutating func object() throws(JSONError) -> JSONTree {
      var members: [Member] = []
      while !closes(UInt8(ascii: "}")) {
        let name = try text()
        skip(UInt8(ascii: ":"))
        members.append(Member(name, try value()))
      }
      return .object(members)
    }

    private mutating func array() throws(JSONError) -> JSONTree {
      var elements: [JSONTree] = []
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

    private mutating func scalar() -> JSONTree {
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

extension JSONTree {
  /// The value as JSON, two spaces for each level, no line feed at the end.
  package func pretty(indent: String = "") -> String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let characters): characters
    case .text(let text): JSONTree.quoted(text)
    case .array(let elements):
      lines(elements.map { $0.pretty(indent: indent + "  ") }, "[", "]", indent)
    case .object(let members):
      lines(
        members.map {
          "\(JSONTree.quoted($0.name)): \($0.value.pretty(indent: indent + "  "))"
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
  package static func quoted(_ text: String) -> String {
    var json = JSONWriter()
    json.append(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
