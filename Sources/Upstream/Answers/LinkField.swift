/// The `Link` field (RFC 8288 §3), read as freely as servers write it: any white space, any order
/// of parameters, several relations in one `rel`, several links or fields.
///
///     <https://qiita.com/api/v2/items?page=2>; rel="next", <…?page=34025>; rel="last"
package enum LinkField {
  /// The target of the first link of these field values that has this relation (lower case); it
  /// may be empty. One that says of itself that nothing is there, `results="false"`, is none: an
  /// extension (RFC 8288 §3.4.2) of APIs that always link a next page.
  package static func target(relation: String, in values: [String]) -> String? {
    for value in values {
      var parser = LinkParser(value)
      while let link = parser.nextLink() {
        if link.relations.contains(relation), !link.isEmpty { return link.target }
      }
    }
    return nil
  }
}

/// Walks over the links of one field value.
private struct LinkParser {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ value: String) {
    bytes = Array(value.utf8)
  }

  /// The target and the relations, in lower case, of the next link, and whether it says that
  /// nothing is there; nil when there is no further one.
  mutating func nextLink() -> (target: String, relations: [String], isEmpty: Bool)? {
    skip { $0 == "," || isSpace($0) }
    guard offset < bytes.count else { return nil }
    var target = ""
    if skip("<") {
      target = take { $0 != ">" }
      offset = min(offset + 1, bytes.count)
    }
    var relations: [String]?
    var isEmpty = false
    while let (name, value) = nextParameter() {
      // RFC 8288 §3.3: of several `rel` only the first counts.
      if name == "rel", relations == nil {
        relations = value.lowercased().split { $0 == " " || $0 == "\t" }.map(String.init)
      }
      if name == "results", value.lowercased() == "false" { isEmpty = true }
    }
    return (target, relations ?? [], isEmpty)
  }

  /// The next parameter of the link; nil at its end, which is a comma or the field's end.
  private mutating func nextParameter() -> (name: String, value: String)? {
    // What stands before the semicolon and belongs to nothing is passed over.
    skip { $0 != ";" && $0 != "," }
    guard skip(";") else { return nil }
    skip(isSpace)
    let name = take { $0 != "=" && $0 != ";" && $0 != "," && !isSpace($0) }.lowercased()
    skip(isSpace)
    guard skip("=") else { return (name, "") }
    skip(isSpace)
    return (name, skip("\"") ? quotedRest() : take { $0 != ";" && $0 != "," && !isSpace($0) })
  }

  /// A quoted text whose opening quote was passed; a backslash makes the next byte plain.
  private mutating func quotedRest() -> String {
    var text: [UInt8] = []
    while offset < bytes.count, !skip("\"") {
      if skip("\\"), offset == bytes.count { break }
      text.append(bytes[offset])
      offset += 1
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func take(while isWanted: (Unicode.Scalar) -> Bool) -> String {
    let begin = offset
    skip(isWanted)
    return String(decoding: bytes[begin..<offset], as: UTF8.self)
  }

  private mutating func skip(_ isWanted: (Unicode.Scalar) -> Bool) {
    while offset < bytes.count, isWanted(Unicode.Scalar(bytes[offset])) { offset += 1 }
  }

  private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, Unicode.Scalar(bytes[offset]) == mark else { return false }
    offset += 1
    return true
  }
}

private func isSpace(_ byte: Unicode.Scalar) -> Bool {
  byte == " " || byte == "\t"
}
