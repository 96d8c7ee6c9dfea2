/// Where a source's API begins: `https://qiita.com/api/v2`.
package struct BaseURL: Hashable, Sendable {
  /// The longest base URL taken, in bytes.
  package static let bytesMax = 2048

  /// The URL without slashes at its end.
  package let text: String
  /// The slashes that were given at its end: what is asked for where nothing is added.
  package let slashes: String

  /// Qiita's own.
  package static let qiita = BaseURL(known: "https://qiita.com/api/v2")

  private init(known text: String) {
    (self.text, slashes) = (text, "")
  }

  /// The base of a server on this machine: `http://127.0.0.1:8080/api/v2`.
  package init(loopbackPort port: Int, path: StaticString = "/api/v2") {
    self.init(known: "http://127.0.0.1:\(port)\(path)")
  }

  /// A base, or nil when the text is no absolute `http` or `https` URL, or has a user, a query or
  /// a fragment, to which no path could be added.
  package init?(_ text: String) {
    guard text.utf8.count <= BaseURL.bytesMax,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#@\\".utf8.contains($0) }),
      text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://"),
      Origin(url: text) != nil
    else { return nil }
    let end = text.lastIndex { $0 != "/" }.map { text.index(after: $0) } ?? text.startIndex
    (self.text, slashes) = (String(text[..<end]), String(text[end...]))
  }

  /// The path of a URL below the base, as a recipe writes it; of another URL all but its query.
  func path(of url: String) -> String {
    let place = url.prefix { $0 != "?" }
    return place.hasPrefix("\(text)/") ? String(place.dropFirst(text.count + 1)) : String(place)
  }

  /// Whether a path leads up, however often a server on the way decodes it: `%2e%2e`, `.%252E` and
  /// `a%5c..` lead up like `..` (RFC 3986 §5.2.4, §6.2.2.2), and so does `..;x` where a server
  /// takes parameters off a segment first.
  static func leadsUp(_ path: [UInt8]) -> Bool {
    var path = path
    while true {
      if BaseURL.hasDotSegment(path) { return true }
      let decoded = BaseURL.decoded(path)
      if decoded.count == path.count { return false }
      path = decoded
    }
  }

  private static func hasDotSegment(_ path: [UInt8]) -> Bool {
    path.split { "/\\".utf8.contains($0) }.contains { segment in
      let name = segment.prefix { $0 != UInt8(ascii: ";") }
      return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
    }
  }

  /// A path with its escapes decoded once, where they mean a byte that is wanted; what is no escape
  /// stays.
  static func decoded(_ path: [UInt8], where isWanted: (UInt8) -> Bool = { _ in true }) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = path[...]
    while let byte = rest.popFirst() {
      let escape = byte == UInt8(ascii: "%") ? rest.prefix(2) : []
      let isEscape =
        escape.count == 2 && escape.allSatisfy { Unicode.Scalar($0).properties.isHexDigit }
      let meant = isEscape ? UInt8(String(decoding: escape, as: UTF8.self), radix: 16) : nil
      let taken = meant.flatMap { isWanted($0) ? $0 : nil }
      bytes.append(taken ?? byte)
      if taken != nil { rest = rest.dropFirst(2) }
    }
    return bytes
  }
}
