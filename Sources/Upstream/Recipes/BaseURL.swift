/// Where a source's API begins: `https://qiita.com/api/v2`.
package struct BaseURL: Hashable, Sendable {
  /// The longest base URL taken, in bytes.
  package static let bytesMax = 2048

  /// The URL without a slash at its end.
  package let text: String

  /// Qiita's own.
  package static let qiita = BaseURL(known: "https://qiita.com/api/v2")

  private init(known text: String) {
    self.text = text
  }

  /// The base of a server on this machine: `http://127.0.0.1:8080/api/v2`.
  package init(loopbackPort port: Int, path: StaticString = "/api/v2") {
    text = "http://127.0.0.1:\(port)\(path)"
  }

  /// A base, or nil when the text is no absolute `http` or `https` URL, or has a user, a query or
  /// a fragment, to which no path could be added.
  package init?(_ text: String) {
    guard text.utf8.count <= BaseURL.bytesMax,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#@\\".utf8.contains($0) }),
      text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://"),
      Origin(url: text) != nil
    else { return nil }
    self.text = String(text.reversed().drop { $0 == "/" }.reversed())
  }
}
