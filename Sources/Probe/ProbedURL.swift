private import Bytes
internal import Upstream

/// The URL of a list as a person knows it, in the parts that a recipe has: where the API begins,
/// the list's own word, and what is asked for besides a place.
package struct ProbedURL: Hashable, Sendable {
  /// A parameter of a query, name and value decoded.
  struct Parameter: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// Scheme, host and all of the path but its last word.
  let base: BaseURL
  /// The last word of the path.
  let word: String
  /// What is always asked for.
  let kept: [Parameter]
  /// What says where and how much: it was taken out, and tells what the names are.
  let paging: [Parameter]
  /// What looks like a secret: it goes with each call, and is never printed.
  let secret: Parameter?

  /// A list's URL; nil where it is no absolute `http` or `https` URL with a path.
  package init?(_ text: String) {
    let plain = text.prefix { $0 != "#" }
    let parts = plain.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path = String(parts[0])
    while path.hasSuffix("/") { path.removeLast() }
    guard let scheme = ["http://", "https://"].first(where: { path.lowercased().hasPrefix($0) }),
      let slash = path.dropFirst(scheme.count).lastIndex(of: "/"),
      let base = BaseURL(String(path[..<slash])), path[..<slash].utf8.count > scheme.utf8.count
    else { return nil }
    self.base = base
    word = String(path[path.index(after: slash)...])
    guard !word.isEmpty, word.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let given = ProbedURL.parameters(of: parts.count > 1 ? String(parts[1]) : "")
    secret = given.first { Names.secrets.contains($0.name.lowercased()) }
    paging = given.filter { Names.isPaging($0.name, $0.value) }
    kept = given.filter { [secret, paging] in $0 != secret && !paging.contains($0) }
  }

  /// The URL with what is always asked for, and these.
  func text(_ parameters: [Parameter]) -> String {
    let query = (kept + parameters + (secret.map { [$0] } ?? [])).map {
      "\(percentEncoded($0.name.utf8))=\(percentEncoded($0.value.utf8))"
    }.joined(separator: "&")
    return "\(base.text)/\(word)" + (query.isEmpty ? "" : "?\(query)")
  }

  /// The parameters of a query.
  static func parameters(of query: String) -> [Parameter] {
    query.split(separator: "&").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = halves.map { half in
        PercentCoding.decoded(half.utf8, plusIsSpace: true)
          .map { String(decoding: $0, as: UTF8.self) } ?? String(half)
      }
      return Parameter(name: decoded[0], value: decoded.count > 1 ? decoded[1] : "")
    }
  }

  /// The parameters of a whole URL; nil where a text is none.
  static func parameters(ofURL text: String) -> [Parameter]? {
    guard text.hasPrefix("http://") || text.hasPrefix("https://") || text.hasPrefix("/"),
      let mark = text.firstIndex(of: "?")
    else { return nil }
    return parameters(of: String(text[text.index(after: mark)...].prefix { $0 != "#" }))
  }
}
