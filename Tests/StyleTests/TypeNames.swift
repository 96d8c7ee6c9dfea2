/// No file sees two types of one name: those of its target, and what others than its target see of
/// the targets that it imports.
enum TypeNames {
  /// What the client has of the contract as its own, so that an app imports one module: it takes
  /// the place of the other there.
  private static let ownOfTheClient: Set = ["ProblemCode", "ProblemDetails"]

  private struct Declaration {
    let name: String
    let isVisible: Bool
    let line: Int
  }

  /// The names that stand in two targets of which a third, or one of both, sees both.
  static func offences(_ files: [SourceFile]) -> [Offence] {
    var declared: [String: [Declaration]] = [:]
    var imported: [String: Set<String>] = [:]
    for file in files {
      let folders = file.path.split(separator: "/").map(String.init)
      guard folders.count > 2, folders[0] == "Sources" else { continue }
      declared[folders[1], default: []] += declarations(in: file)
      for (index, token) in file.tokens.enumerated().dropLast() where token.text == "import" {
        imported[folders[1], default: []].insert(file.tokens[index + 1].text)
      }
    }
    return declared.keys.sorted().flatMap { target in
      var homes: [String: Set<String>] = [:]
      for declaration in declared[target] ?? [] { homes[declaration.name, default: []] = [target] }
      for other in imported[target] ?? [] where other != target {
        for declaration in declared[other] ?? [] where declaration.isVisible {
          homes[declaration.name, default: []].insert(other)
        }
      }
      if target == "TsugiClient" { for name in ownOfTheClient { homes[name] = nil } }
      return homes.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { name, homes in
        Offence(
          path: "Sources/\(target)", line: 1,
          message: "\(name) is of \(homes.sorted().joined(separator: " and of "))")
      }
    }
  }

  private static func declarations(in file: SourceFile) -> [Declaration] {
    let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var found: [Declaration] = []
    var depth = 0
    for (index, token) in file.tokens.enumerated() {
      if token.text == "{" { depth += 1 }
      if token.text == "}" { depth -= 1 }
      guard depth == 0, kinds.contains(token.text), index + 1 < file.tokens.count else { continue }
      let before = file.tokens[..<index].suffix(4).filter { $0.line == token.line }.map(\.text)
      guard !before.contains("private"), !before.contains("fileprivate"),
        !before.contains("import")
      else { continue }
      found.append(
        Declaration(
          name: file.tokens[index + 1].text,
          isVisible: before.contains("package") || before.contains("public"), line: token.line))
    }
    return found
  }
}
