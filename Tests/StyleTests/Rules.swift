/// The rules that look at one file or name and that neither the compiler nor the linter knows.
///
/// Which target may import which is in ``Arrows``; what needs a `///` in ``Documentation``.
enum Rules {
  static let fileLinesMax = 400
  static let functionLinesMax = 70
  static let columnsMax = 100
  /// Names that say nothing of a file's subject.
  static let vagueNames = ["Utils", "Helpers", "Common", "Manager"]

  /// What a reader finds first, apart from files whose names begin with a dot.
  static let topLevelNames: Set = [
    "Package.swift", "Sources", "Tests", "docker", "config.json", "README.md",
  ]

  static func fileLength(_ file: SourceFile) -> [Offence] {
    guard file.lines.count > fileLinesMax else { return [] }
    return [
      Offence(
        path: file.path, line: file.lines.count,
        message: "\(file.lines.count) lines, more than \(fileLinesMax)")
    ]
  }

  static func lineLength(_ file: SourceFile) -> [Offence] {
    file.lines.enumerated().compactMap { index, line in
      // Bytes first: counting characters is slow, and most lines are short.
      guard line.utf8.count > columnsMax, line.count > columnsMax else { return nil }
      return Offence(
        path: file.path, line: index + 1,
        message: "\(line.count) columns, more than \(columnsMax)")
    }
  }

  /// Functions, initialisers, subscripts and computed properties, from the keyword to the brace.
  static func functionLength(_ file: SourceFile) -> [Offence] {
    file.tokens.indices.compactMap { index in
      guard let open = bodyStart(from: index, in: file), let end = file.closingBrace(of: open)
      else { return nil }
      let first = file.tokens[index].line
      let count = file.tokens[end].line - first + 1
      guard count > functionLinesMax else { return nil }
      return Offence(
        path: file.path, line: first,
        message: "a function of \(count) lines, more than \(functionLinesMax)")
    }
  }

  static func emptyCatch(_ file: SourceFile) -> [Offence] {
    file.tokens.indices.compactMap { index in
      guard file.tokens[index].text == "catch",
        let open = file.tokens[index...].firstIndex(where: { $0.text == "{" }),
        file.closingBrace(of: open) == open + 1
      else { return nil }
      return Offence(path: file.path, line: file.tokens[index].line, message: "an empty catch")
    }
  }

  static func openWork(_ file: SourceFile) -> [Offence] {
    file.comments.enumerated().compactMap { index, comment in
      guard comment.contains(/\b(TODO|FIXME)\b/), !comment.contains(/#[0-9]/) else { return nil }
      return Offence(
        path: file.path, line: index + 1, message: "open work without an issue's number")
    }
  }

  /// Of what is `package` other targets inline nothing.
  static func inlining(_ file: SourceFile) -> [Offence] {
    file.tokens.indices.compactMap { index in
      let words = file.tokens[index...].prefix { !["func", "var", "init"].contains($0.text) }
      guard file.tokens[index].text == "inlinable", words.contains(where: { $0.text == "package" })
      else { return nil }
      return Offence(
        path: file.path, line: file.tokens[index].line, message: "inlinable, and not public")
    }
  }

  static func unsafeClaims(_ file: SourceFile) -> [Offence] {
    file.tokens.indices.compactMap { index in
      let words = file.tokens[index...].prefix(3).map(\.text)
      let isClaim =
        words.prefix(2) == ["@", "unchecked"] || words == ["nonisolated", "(", "unsafe"]
      guard isClaim else { return nil }
      let line = file.tokens[index].line
      let comments = file.comments(above: line) + [file.comments[line - 1]]
      guard !comments.contains(where: { $0.contains(/^\/+ Safe because\b/) }) else { return nil }
      return Offence(
        path: file.path, line: line,
        message: "no comment beginning \"Safe because\" above what the compiler cannot check")
    }
  }

  static func fileName(_ file: SourceFile) -> [Offence] {
    let name = file.path.split(separator: "/").last ?? ""
    guard let word = vagueNames.first(where: { name.contains($0) }) else { return [] }
    return [Offence(path: file.path, line: 1, message: "a file named \(word): name its subject")]
  }

  /// What has no place at the top level, of the names that lie there.
  static func topLevel(_ names: Set<String>) -> [Offence] {
    names.subtracting(topLevelNames).filter { !$0.hasPrefix(".") }.sorted()
      .map { Offence(path: $0, line: 1, message: "has no place at the top level") }
  }

  /// The brace that opens the body of the function declared at `index`; nil when none is declared
  /// there, or it has no body.
  private static func bodyStart(from index: Int, in file: SourceFile) -> Int? {
    let tokens = file.tokens
    let keyword = tokens[index]
    guard ["func", "init", "deinit", "subscript", "var"].contains(keyword.text),
      index == 0 || tokens[index - 1].text != "."
    else { return nil }
    var depth = 0
    for next in tokens.indices.dropFirst(index + 1) {
      switch tokens[next].text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return next
      // A requirement of a protocol is over where the next one or the protocol's end comes.
      case "}", "func", "init", "subscript", "var", "let", "case", "associatedtype":
        if depth <= 0 { return nil }
      // A stored property: what follows is not its body.
      case "=" where keyword.text == "var" && depth == 0: return nil
      default: break
      }
      if keyword.text == "var", depth == 0, tokens[next].line > keyword.line { return nil }
    }
    return nil
  }
}
