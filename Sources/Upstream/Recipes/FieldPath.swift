private import Bytes
package import Freshness
private import JSONBytes

/// Where a value stands in JSON: keys from the outside in, or none for the whole value.
///
/// Written dotted (`data.items`), or as a JSON Pointer (RFC 6901) where it begins with `/`, as for
/// keys with a dot in them (`/@odata.nextLink`). The empty text is the value itself.
package struct FieldPath: Hashable, Sendable {
  /// The most keys of one path, and the most bytes of its text.
  package static let keysMax = 16
  /// See ``keysMax``.
  package static let bytesMax = 256

  /// The keys, the outermost first.
  package let keys: [String]
  /// The path as it was written.
  package let text: String

  /// A path from its text; nil where a key is empty, or the text is too long.
  package init?(_ text: String) {
    guard text.utf8.count <= FieldPath.bytesMax else { return nil }
    self.text = text
    if text.isEmpty {
      keys = []
      return
    }
    let isPointer = text.utf8.first == UInt8(ascii: "/")
    let words = (isPointer ? text.dropFirst() : text[...]).split(
      separator: isPointer ? "/" : ".", omittingEmptySubsequences: false)
    guard words.count <= FieldPath.keysMax, words.allSatisfy({ !$0.isEmpty }) else { return nil }
    keys = words.map { isPointer ? FieldPath.unescaped($0) : String($0) }
  }

  private init(keys: [String], text: String) {
    (self.keys, self.text) = (keys, text)
  }

  /// The path of some keys: dotted, or as a pointer where a key has a dot in it.
  package init(keys: [String]) {
    self.init(keys: keys, text: JSON.text(ofPath: keys))
  }

  /// The value itself.
  package static let whole = FieldPath(keys: [], text: "")

  /// The path of one key.
  package init(key: String) {
    self.init(keys: [key], text: key)
  }

  /// What is left of the path inside the value at another one; nil where it stands elsewhere.
  package func inside(_ outer: FieldPath) -> [String]? {
    keys.starts(with: outer.keys) ? Array(keys.dropFirst(outer.keys.count)) : nil
  }

  /// RFC 6901 §3: `~1` is `/`, and `~0` is `~`.
  private static func unescaped(_ word: Substring) -> String {
    word.split(separator: "~1", omittingEmptySubsequences: false)
      .map { $0.split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~") }
      .joined(separator: "/")
  }

  /// The range of the value in a document; nil where there is none.
  func range(in json: ArraySlice<UInt8>) -> Range<Int>? {
    do throws(JSONError) {
      return try JSON.member(at: keys, of: json)
    } catch {
      return nil
    }
  }
}

/// Where a response says something of itself.
package enum AnswerPlace: Hashable, Sendable {
  /// In its body.
  case body(FieldPath)
  /// In a field of its head: `header:X-Total`.
  case field(String)
  /// As the target of a link of this relation (RFC 8288): `link:next`.
  case link(String)
  /// Nowhere: `none`.
  case nowhere

  /// A place as a recipe writes it; nil where the text is none.
  package init?(_ text: String) {
    if text.hasPrefix("header:") {
      let name = String(text.dropFirst("header:".count))
      guard FieldLine.isHeaderName(name) else { return nil }
      self = .field(name)
    } else if text.hasPrefix("link:") {
      let relation = String(text.dropFirst("link:".count)).lowercased()
      guard FieldLine.isHeaderName(relation) else { return nil }
      self = .link(relation)
    } else {
      guard let path = FieldPath(text), !path.keys.isEmpty else { return nil }
      self = .body(path)
    }
  }

  /// The place as a recipe writes it.
  package var text: String {
    switch self {
    case .body(let path): path.text
    case .field(let name): "header:\(name)"
    case .link(let relation): "link:\(relation)"
    case .nowhere: "none"
    }
  }
}

extension FieldLine {
  /// Whether a text is a field's name (RFC 9110 §5.1), of at most 64 bytes.
  package static func isHeaderName(_ text: String) -> Bool {
    text.utf8.count <= 64 && isName(text.utf8)
  }
}
