/// The rule that whatever another target sees has a `///`.
///
/// It speaks of declarations that say `package` or `public`, and of the requirements of such a
/// protocol. What only fulfils a protocol is documented there: operators, overrides, the
/// well-known requirements of the standard library, and members named like a requirement of one of
/// our own protocols that their file mentions.
struct Documentation {
  private static let kinds: Set = [
    "func", "var", "let", "init", "subscript", "struct", "class", "enum", "actor", "protocol",
    "typealias", "associatedtype", "macro",
  ]
  private static let modifiers: Set = [
    "static", "final", "mutating", "nonmutating", "consuming", "borrowing", "nonisolated",
    "required", "convenience", "lazy", "weak", "unowned", "indirect", "distributed", "dynamic",
    "private", "fileprivate", "internal", "package", "public", "open",
  ]
  /// Requirements of the standard library's protocols, by name or by an initialiser's first label.
  private static let knownRequirements: Set = [
    "hash", "description", "debugDescription", "encode", "init(from", "init(rawValue",
    "init(integerLiteral", "init(stringLiteral", "init(arrayLiteral", "init(dictionaryLiteral",
    "customMirror", "unownedExecutor", "enqueue", "makeIterator", "next", "startIndex", "endIndex",
  ]

  private struct Declaration {
    let kind: String
    let name: String
    let line: Int
  }

  /// What each of our protocols requires, by the protocol's name.
  private var requirements: [String: Set<String>] = [:]

  /// The rule for a tree of these files.
  init(_ files: [SourceFile]) {
    for file in files {
      for index in file.tokens.indices {
        guard let (name, members) = Self.protocolDeclared(at: index, in: file) else { continue }
        requirements[name, default: []].formUnion(members.map(\.name))
      }
    }
  }

  func undocumented(in file: SourceFile) -> [Offence] {
    let mentioned = Set(file.tokens.map(\.text))
    let fulfilled = requirements.filter { mentioned.contains($0.key) }
      .reduce(into: Self.knownRequirements) { $0.formUnion($1.value) }
    return file.tokens.indices.flatMap { index -> [Declaration] in
      guard let (declared, at) = Self.declarationSeenOutside(at: index, in: file) else { return [] }
      if declared.kind == "protocol" {
        return [declared] + (Self.protocolDeclared(at: at, in: file)?.members ?? [])
      }
      return fulfilled.contains(declared.name) ? [] : [declared]
    }
    .filter { declared in
      !file.comments(above: declared.line).contains { $0.hasPrefix("///") }
    }
    .map {
      Offence(path: file.path, line: $0.line, message: "\($0.kind) \($0.name) has no ///")
    }
  }

  /// The declaration whose `package` or `public` is at `index`, and where its keyword stands.
  private static func declarationSeenOutside(
    at index: Int, in file: SourceFile
  ) -> (Declaration, Int)? {
    let tokens = file.tokens
    guard ["package", "public"].contains(tokens[index].text) else { return nil }
    var keyword = index
    while keyword < tokens.count, modifiers.contains(tokens[keyword].text) {
      keyword += 1
      // The argument of a modifier, as in `private(set)`.
      if tokens[keyword...].first?.text == "(" { keyword += 3 }
    }
    guard keyword < tokens.count, kinds.contains(tokens[keyword].text),
      let name = name(after: keyword, in: file)
    else { return nil }
    let kind = tokens[keyword].text
    return (Declaration(kind: kind, name: name, line: tokens[index].line), keyword)
  }

  /// The name of a protocol whose keyword is at `index`, and what it requires.
  private static func protocolDeclared(
    at index: Int, in file: SourceFile
  ) -> (name: String, members: [Declaration])? {
    guard file.tokens[index].text == "protocol",
      let name = name(after: index, in: file),
      let open = file.tokens[index...].firstIndex(where: { $0.text == "{" }),
      let close = file.closingBrace(of: open)
    else { return nil }
    let members = (open..<close).compactMap { member -> Declaration? in
      let token = file.tokens[member]
      guard ["func", "var", "init", "subscript"].contains(token.text) else { return nil }
      return Self.name(after: member, in: file).map {
        Declaration(kind: token.text, name: $0, line: token.line)
      }
    }
    return (name, members)
  }

  /// A name to know a declaration by; nil for an operator, which fulfils a protocol nearly always.
  private static func name(after keyword: Int, in file: SourceFile) -> String? {
    let kind = file.tokens[keyword].text
    let next = file.tokens[(keyword + 1)...].prefix(2)
    switch kind {
    case "init", "subscript": return kind + next.map(\.text).joined()
    default: return next.first.flatMap { $0.isWord ? $0.text : nil }
    }
  }
}
