private import Bytes

/// A text with names in braces, each of which stands for a value: `issue/{issue}/comment`.
package struct TextTemplate: Hashable, Sendable {
  /// A piece of the text.
  enum Piece: Hashable, Sendable {
    case literal(String)
    case name(String)
  }

  /// The text as it was written.
  package let text: String
  let pieces: [Piece]

  /// A template from its text; nil where a brace has no partner, or holds no name of `a-z`, `A-Z`,
  /// `0-9`, `_`. An empty pair of braces is the name "".
  package init?(_ text: String) {
    self.text = text
    var pieces: [Piece] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      guard !rest[..<open].contains("}"), let close = rest[open...].firstIndex(of: "}") else {
        return nil
      }
      if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
      let name = rest[rest.index(after: open)..<close]
      guard name.utf8.allSatisfy(\.isWord) else { return nil }
      pieces.append(.name(String(name)))
      rest = rest[rest.index(after: close)...]
    }
    guard !rest.contains("}") else { return nil }
    if !rest.isEmpty { pieces.append(.literal(String(rest))) }
    self.pieces = pieces
  }

  /// How a place is written: `{}` stands for it, and once at most `{size}` for how many elements
  /// are wanted. Any other brace is one. Nil where it has not one `{}`.
  package init?(place text: String) {
    self.text = text
    var pieces: [Piece] = []
    var literal = ""
    var rest = text[...]
    while let first = rest.first {
      if let name = ["", "size"].first(where: { rest.hasPrefix("{\($0)}") }) {
        pieces += [.literal(literal), .name(name)]
        literal = ""
        rest = rest.dropFirst(name.count + 2)
      } else {
        literal.append(first)
        rest = rest.dropFirst()
      }
    }
    self.pieces = (pieces + [.literal(literal)]).filter { $0 != .literal("") }
    guard names == [""] || Set(names) == ["", "size"] && names.count == 2 else { return nil }
  }

  /// The names in it.
  package var names: [String] {
    pieces.compactMap { if case .name(let name) = $0 { name } else { nil } }
  }

  /// Names that are only a part of the text.
  package var partNames: [String] { pieces.count > 1 ? names : [] }

  /// The text with `value` of each name, and `literal` of what stands between: by default itself.
  func filled(
    literal: (String) -> String = { $0 }, value: (String) -> String
  ) -> String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): literal(text)
      case .name(let name): value(name)
      }
    }.joined()
  }
}
