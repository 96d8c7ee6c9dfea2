/// A file as the rules look at it. Of a file that is not Swift only the lines are there.
struct SourceFile: Sendable {
  /// A word, a number or a single sign of the code.
  struct Token {
    let text: String
    /// The line, from 1.
    let line: Int

    /// Whether it is a word or a number.
    var isWord: Bool { text.utf8.first.map(SourceFile.isWordByte) ?? false }
  }

  /// The path from the package's root.
  let path: String
  /// The lines as they are; line 1 is at index 0.
  let lines: [String]
  /// The comment on each line, trimmed; empty where there is none.
  let comments: [String]
  /// The code, without comments and what lies in strings.
  let tokens: [Token]
  /// The first token of each line, by the line's number.
  let leadingTokens: [Int: String]

  init(path: String, text: String) {
    self.path = path
    lines = Self.split(Array(text.utf8))
    guard path.hasSuffix(".swift") else {
      (comments, tokens, leadingTokens) = ([], [], [:])
      return
    }
    let scanner = SwiftScanner(text)
    comments = Self.split(scanner.comments).map { line in
      String(line.drop(while: \.isWhitespace))
    }
    tokens = Self.tokens(of: scanner.code)
    leadingTokens = Dictionary(tokens.map { ($0.line, $0.text) }, uniquingKeysWith: { a, _ in a })
  }

  /// What stands right above a line: comments, past attributes on lines of their own.
  func comments(above line: Int) -> [String] {
    var found: [String] = []
    for above in stride(from: line - 1, to: 0, by: -1) {
      let comment = comments[above - 1]
      if let token = leadingTokens[above] {
        guard token == "@" else { break }
      } else {
        guard !comment.isEmpty else { break }
      }
      found.append(comment)
    }
    return found.reversed()
  }

  /// The token that closes the brace at `open`; nil when none does.
  func closingBrace(of open: Int) -> Int? {
    var depth = 0
    for index in open..<tokens.count {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private static func split(_ bytes: [UInt8]) -> [String] {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // A file ends with a line feed; what follows it is no line.
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func tokens(of code: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    var line = 1
    var index = 0
    while index < code.count {
      var end = index + 1
      if isWordByte(code[index]) {
        while end < code.count, isWordByte(code[end]) { end += 1 }
      }
      if code[index] == UInt8(ascii: "\n") {
        line += 1
      } else if code[index] != UInt8(ascii: " ") {
        tokens.append(Token(text: String(decoding: code[index..<end], as: UTF8.self), line: line))
      }
      index = end
    }
    return tokens
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
