private import Bytes
internal import Upstream

/// A parameter of a query, name and value decoded.
struct Parameter: Hashable, Sendable {
  var name: String
  var value: String

  init(_ name: String, _ value: String) {
    (self.name, self.value) = (name, value)
  }

  /// The pair as a query has it.
  var encoded: String { "\(percentEncoded(name.utf8))=\(percentEncoded(value.utf8))" }

  /// The parameters of a query.
  static func all(of query: some StringProtocol) -> [Parameter] {
    query.split(separator: "&").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = halves.map { half in
        PercentCoding.decoded(half.utf8, plusIsSpace: true)
          .map { String(decoding: $0, as: UTF8.self) } ?? String(half)
      }
      return Parameter(decoded[0], decoded.count > 1 ? decoded[1] : "")
    }
  }
}

/// The URL of a list as a person knows it, in the parts that a recipe has: where the API begins,
/// the list's own word, and what is asked for besides a place.
package struct ListAddress: Hashable, Sendable {
  /// Scheme, host and all of the path but its last word.
  let base: BaseURL
  /// The last word of the path as it was given, with a slash at its end where it has one; empty
  /// where only the query says which list it is: `/?rest_route=/wp/v2/posts`.
  let word: String
  /// What is always asked for.
  private(set) var kept: [Parameter]
  /// What says where and how much: it was taken out, and shows what the names are.
  private(set) var paging: [Parameter]
  /// What looks like a secret: it goes with each call, and is never printed.
  let secrets: [Parameter]

  /// A list's URL; nil where it is no absolute `http` or `https` URL with a path.
  package init?(_ text: String) {
    let plain = text.prefix { $0 != "#" }
    let parts = plain.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first.map(String.init),
      let scheme = ["http://", "https://"].first(where: { path.lowercased().hasPrefix($0) })
    else { return nil }
    let given = Parameter.all(of: parts.count > 1 ? parts[1] : "")
    let inner = path.hasSuffix("/") ? path.dropLast() : path[...]
    let slash = inner.dropFirst(scheme.count).lastIndex(of: "/")
    let end = slash ?? inner.endIndex
    guard slash != nil || (path.hasSuffix("/") && !given.isEmpty),
      let base = BaseURL(String(path[..<end])), path[..<end].utf8.count > scheme.utf8.count
    else { return nil }
    self.base = base
    word = String(path[end...].dropFirst())
    guard slash == nil || !word.isEmpty, word.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    secrets = given.filter { Names.secrets.contains(Names.folded($0.name)) }
    paging = given.filter { Names.isPaging($0) }
    kept = given.filter { [secrets, paging] in !(secrets + paging).contains($0) }
  }

  /// What the URL says of the place of the first page: some answer otherwise without it.
  private var standing: [Parameter] {
    paging.filter { parameter in
      ["0", "1"].contains(parameter.value)
        && (Names.isPage(parameter.name) || Names.isOffset(parameter.name))
    }
  }

  /// The words in what says how the list is sorted, folded.
  var sortWords: Set<String> {
    let values = kept.filter { parameter in
      ["sort", "order"].contains(where: Names.folded(parameter.name).contains)
    }
    return Set(
      values.flatMap { $0.value.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
        .map(Names.folded))
  }

  /// The URL with what is always asked for, and these.
  func text(_ parameters: [Parameter]) -> String {
    let names = parameters.map(\.name)
    let first = standing.filter { !names.contains($0.name) }
    let query = (kept + first + parameters + secrets).map(\.encoded).joined(separator: "&")
    return path + (query.isEmpty ? "" : "?\(query)")
  }

  private var path: String { "\(base.text)/\(word)" }

  /// Scheme and host.
  private var origin: BaseURL? {
    let scheme = base.text.prefix { $0 != "/" }.count + 2
    return BaseURL(
      String(base.text.prefix { $0 != "/" } + "//")
        + base.text.dropFirst(scheme).prefix { $0 != "/" })
  }

  /// The URL of another path of the same origin.
  func text(ofPath path: String) -> String? { origin.map { "\($0.text)\(path)" } }

  /// The list where a redirect has led; nil where it has the same path.
  func moved(to url: String) -> ListAddress? {
    guard !url.isEmpty, url.prefix(while: { $0 != "?" }) != path else { return nil }
    let query = text([]).drop { $0 != "?" }
    return ListAddress(url.contains("?") ? url : url + query)
  }

  /// What a text asks this same list for, where it is a URL of it: `?page=2`, `/posts?page=2`.
  /// Nil where it is none, or has no parameters.
  func parameters(ofReference text: String) -> [Parameter]? {
    guard text.contains("?"), let url = origin?.resolved(text, against: path) else { return nil }
    let parts = url.split(separator: "?", maxSplits: 1)
    let slashed = [String(parts[0]), path].map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    guard parts.count == 2, slashed[0] == slashed[1] else { return nil }
    return Parameter.all(of: parts[1])
  }

  /// Whether a text is a URL of this list, or of what is below it.
  func isURL(_ text: String) -> Bool {
    let isBelow = text.hasPrefix("/") || Signs.isURL(text)
    return parameters(ofReference: text) != nil
      || isBelow && !word.isEmpty && text.contains("/\(word)/") && resolved(text) != nil
  }

  /// What a URL of another origin asks for whose path ends as this list's does: what an API says of
  /// itself that is reached by another name.
  func parameters(ofForeign text: String) -> [Parameter]? {
    let parts = text.split(separator: "?", maxSplits: 1)
    guard Signs.isURL(text), parts.count == 2, parts[0].split(separator: "/").last ?? "" == word
    else { return nil }
    return Parameter.all(of: parts[1])
  }

  /// The URL of the next page that an answer names; nil where it leads out of the base.
  func resolved(_ reference: String) -> String? { base.resolved(reference, against: path) }

  /// A URL with the secrets that are none of its parameters.
  func withSecrets(_ url: String) -> String {
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let names = Parameter.all(of: query).map(\.name)
    let missing = secrets.filter { !names.contains($0.name) }.map(\.encoded)
    return missing.isEmpty
      ? url : url + (query.isEmpty ? "?" : "&") + missing.joined(separator: "&")
  }

  /// The same list, where a parameter that was always asked for is one that says how much.
  func offering(_ size: Parameter) -> ListAddress {
    var address = self
    address.kept.removeAll { $0 == size }
    address.paging.append(size)
    return address
  }

  /// What another URL of this list asks for besides; nil where it is one of another list.
  func second(_ other: ListAddress) -> [Parameter]? {
    other.base == base && other.word == word ? added(other.kept + other.paging) : nil
  }

  /// Those of some parameters that are not asked for always.
  func added(_ parameters: [Parameter]) -> [Parameter] {
    parameters.filter { !kept.contains($0) && !secrets.map(\.name).contains($0.name) }
  }
}

extension ListAddress {
  /// `github` for `api.github.com`; `api` where the host is an address.
  var sourceName: String {
    let host = base.text.drop { $0 != ":" }.dropFirst(3).prefix { !"/:".contains($0) }.lowercased()
    let labels = host.split(separator: ".").filter { !["www", "api"].contains($0) }
    let isAddress = labels.allSatisfy { $0.allSatisfy(\.isNumber) } || host == "localhost"
    let label = labels.count > 1 ? labels[labels.count - 2] : labels.first ?? ""
    let name = String(label.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    return isAddress || name.isEmpty || name.first?.isLetter != true ? "api" : name
  }

  /// The word without what no feed's name has: `questions` for `questions.json`; that of a path in
  /// the query where there is none.
  var feedName: String {
    let inQuery = kept.first { $0.value.hasPrefix("/") }?.value.split(separator: "/").last
    let last = word.split(separator: "/").first ?? inQuery ?? ""
    let plain = last.hasSuffix(".json") ? last.dropLast(5) : last
    let name = String(
      plain.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.~".contains($0)) ? $0 : "-" })
    return [".", ".."].contains(name) || name.isEmpty ? "items" : name
  }
}
