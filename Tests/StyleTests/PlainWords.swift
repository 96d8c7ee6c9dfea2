/// Words that are not used because a reader's first language may not be English: in what the
/// program says, and in every comment of `Sources`.
enum PlainWords {
  /// The banned words, each with what to say instead.
  static let banned: [(words: String, better: String)] = [
    ("told", "sent, named or returned"), ("tells", "says, sends or gives"),
    ("whoever", "the client, the reader"), ("nobody", "no client, no server"),
    ("lives", "is live"), ("at once", "immediately, or at the same time"), ("anew", "again"),
    ("what the servers share", "the shared store"), ("what servers share", "the shared store"),
    ("what several servers share", "the shared store"), ("what is here", "the local copy"),
    ("take away", "delete, purge or evict"), ("takes away", "deletes, purges or evicts"),
    ("taken away", "deleted, purged or evicted"), ("under way", "in progress"),
    ("shall", "is to, must"),
  ]

  /// Where texts are part of the contract: metrics' help, problem details, `--help`, log messages,
  /// configuration errors.
  static let surface = [
    "Sources/Assembly/", "Sources/HTTP/Messages/Refusal.swift", "Sources/Proxy/",
    "Sources/Settings/", "Sources/Sharing/", "Sources/Wire/", "Sources/tsugi/",
  ]

  /// The banned words in a file's texts and comments.
  static func offences(_ file: SourceFile) -> [Offence] {
    var found: [Offence] = []
    if surface.contains(where: file.path.hasPrefix) {
      for (line, text) in texts(of: file) { found += offences(in: text, file.path, line) }
    }
    if file.path.hasPrefix("Sources/") {
      for (index, comment) in file.comments.enumerated() {
        found += offences(in: comment, file.path, index + 1)
      }
    }
    return found
  }

  /// The literals of more than one word, by their lines.
  private static func texts(of file: SourceFile) -> [(line: Int, text: String)] {
    var isBlock = false
    return file.lines.enumerated().flatMap { index, line -> [(line: Int, text: String)] in
      guard !line.drop(while: \.isWhitespace).hasPrefix("//") else { return [] }
      if line.ranges(of: "\"\"\"").count == 1 {
        isBlock.toggle()
        return []
      }
      let texts =
        isBlock
        ? [line] : line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.output.1) }
      return texts.filter { $0.contains(" ") }.map { (index + 1, $0) }
    }
  }

  private static func offences(in text: String, _ path: String, _ line: Int) -> [Offence] {
    let padded = " " + text.lowercased().map { $0.isLetter ? "\($0)" : " " }.joined() + " "
    return banned.filter { padded.contains(" \($0.words) ") }.map {
      Offence(path: path, line: line, message: "“\($0.words)”: say \($0.better)")
    }
  }
}
