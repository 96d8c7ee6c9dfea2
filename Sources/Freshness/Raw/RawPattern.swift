/// Which targets a source shows: `users/:id`, `search?q&page`, `images/**`.
///
/// Words between slashes; `:name` stands for one part, `**` at the end for any, none among them.
/// After `?` stand the query names that may be sent, in any order and number; `?*` allows any.
package struct RawPattern: Hashable, Sendable {
  /// As it is written.
  package let text: String
  /// Its words, without `**` at the end.
  package let words: [String]
  /// Whether `**` is at its end.
  package let isOpen: Bool
  /// The names that a query may have; nil for any.
  package let names: Set<String>?

  /// What a query is to a pattern.
  package enum Fit: Hashable, Sendable {
    /// The path is another.
    case none
    /// The query has this name, which is not allowed.
    case excess(String)
    /// It fits.
    case fits
  }

  /// The longest text, in bytes.
  package static let bytesMax = 512

  /// A pattern; nil where the text is none.
  package init?(_ text: String) {
    guard (1...RawPattern.bytesMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else { return nil }
    self.text = text
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var words = halves[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    isOpen = words.last == "**"
    if isOpen { words.removeLast() }
    let isWord = { (word: Substring) in
      !word.isEmpty && word.utf8.allSatisfy(RawPattern.isOfWord)
    }
    guard isOpen || !words.isEmpty,
      words.allSatisfy({ word in
        isWord(word.hasPrefix(":") ? word.dropFirst() : word[...]) && word != "." && word != ".."
      })
    else { return nil }
    self.words = words
    guard halves.count == 2, halves[1] != "*" else {
      names = halves.count == 2 ? nil : []
      return
    }
    let names = halves[1].split(separator: "&", omittingEmptySubsequences: false)
    let isName = { (name: Substring) in
      !name.isEmpty
        && name.utf8.allSatisfy { byte in
          RawPattern.isOfWord(byte) && !"=+".utf8.contains(byte) || "[]:".utf8.contains(byte)
        }
    }
    guard names.allSatisfy(isName) else { return nil }
    self.names = Set(names.map(String.init))
  }

  /// Whether a path, its parts decoded, and the decoded names of a query fit.
  ///
  /// A part with a slash or a backslash fits nothing: to an upstream that decodes first,
  /// `users/1%2Fsecrets` is a path of three parts.
  package func fit(_ parts: [[UInt8]], query: some Sequence<[UInt8]>) -> Fit {
    guard isOpen ? parts.count >= words.count : parts.count == words.count,
      !parts.contains(where: { $0.contains { "/\\".utf8.contains($0) } }),
      zip(words, parts).allSatisfy({ word, part in
        word.hasPrefix(":") || word.utf8.elementsEqual(part)
      })
    else { return .none }
    guard let names else { return .fits }
    let excess = query.first { name in
      !names.contains { $0.utf8.elementsEqual(name) }
    }
    return excess.map { .excess(String(decoding: $0, as: UTF8.self)) } ?? .fits
  }

  /// What may stand in a word: what a path may have as it is (RFC 3986 §3.3), but colons.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "-._~@!$'()+,;=".utf8.contains(byte)
    }
  }
}
