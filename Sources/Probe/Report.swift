internal import JSONBytes
internal import Upstream

/// What was found out of an API: a configuration that works, and what each key of it rests on.
package struct Report: Sendable {
  /// A key of the source, and what was seen.
  package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The key as it stands in the recipe, or what was looked for: `pages.size`.
    package let key: String
    /// What the recipe says there; nil where it does not.
    package let value: String?
    /// What was seen, in words.
    package let evidence: String

    /// `pages.size: per_page (asked for 5, it gave 5)`
    package var description: String { "\(key): \(value ?? "not told") (\(evidence))" }
  }

  /// The name of the source.
  package let source: String
  /// The name of its feed.
  package let feed: String
  /// How many calls it took.
  package internal(set) var callCount = 0
  /// What was seen, in the order of the keys.
  package private(set) var findings: [Finding] = []

  private let url: ProbedURL
  private let hasBearer: Bool
  private var pages: [JSONTree.Member] = []
  private var list: [JSONTree.Member] = []
  private var rate: [JSONTree.Member] = []

  init(_ url: ProbedURL, hasBearer: Bool) {
    self.url = url
    self.hasBearer = hasBearer
    source = url.sourceName
    feed = url.feedName
    if feed != url.word { list.append(.init("path", .text(url.word))) }
    if !url.kept.isEmpty {
      list.append(
        .init("query", .object(url.kept.map { .init($0.name, .text($0.value)) })))
    }
  }

  /// Notes a key of the pages.
  mutating func notePages(_ key: String, _ value: JSONTree?, _ evidence: String) {
    note("pages.\(key)", value, evidence)
    if let value { pages.append(.init(key, value)) }
  }

  /// Notes a key of the list.
  mutating func noteList(_ key: String, _ value: JSONTree?, _ evidence: String) {
    note(key, value, evidence)
    if let value { list.append(.init(key, value)) }
  }

  /// Notes a key of the source's rate.
  mutating func noteRate(_ key: String, _ value: JSONTree?, _ evidence: String) {
    note("rate.\(key)", value, evidence)
    if let value { rate.append(.init(key, value)) }
  }

  private mutating func note(_ key: String, _ value: JSONTree?, _ evidence: String) {
    findings.append(
      Finding(key: key, value: value.map { $0.scalar ?? Report.line($0) }, evidence: evidence))
  }

  /// Whether a page is named by its number.
  var isByPage: Bool { pages.contains(.init("by", .text("page"))) }

  /// Whether the pages say a key.
  func tells(_ key: String) -> Bool { pages.contains { $0.name == key } }

  /// A value on one line.
  private static func line(_ value: JSONTree) -> String {
    value.pretty().split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  /// The names of variables that the configuration takes secrets from.
  package var variables: [String] {
    (hasBearer || url.secret != nil) ? ["TSUGI_KEY", secretName] : []
  }

  private var secretName: String {
    source.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() + "_TOKEN"
  }

  /// The configuration, as it would be written down.
  package var configuration: String {
    var source: [JSONTree.Member] = [
      .init("kind", .text("http")), .init("baseURL", .text(url.base.text)),
    ]
    var rest: [JSONTree.Member] = []
    let secret = JSONTree.text("${\(secretName)}")
    if hasBearer {
      source.append(.init("auth", .object([.init("bearer", secret)])))
    } else if let name = url.secret?.name {
      source.append(
        .init("auth", .object([.init("query", .text(name)), .init("value", secret)])))
    }
    if !variables.isEmpty {
      rest = [.init("server", .object([.init("apiKeys", .array([.text("${TSUGI_KEY}")]))]))]
    }
    if !rate.isEmpty { source.append(.init("rate", .object(rate))) }
    if !pages.isEmpty { source.append(.init("pages", .object(pages))) }
    source.append(.init("feeds", .object([.init(feed, .object(list))])))
    let sources = JSONTree.object([.init(self.source, .object(source))])
    return JSONTree.object([.init("sources", sources)] + rest).pretty() + "\n"
  }
}

extension ProbedURL {
  /// `github` for `api.github.com`; `api` where the host is an address.
  var sourceName: String {
    let host = base.text.drop { $0 != ":" }.dropFirst(3).prefix { !"/:".contains($0) }.lowercased()
    let labels = host.split(separator: ".").filter { !["www", "api"].contains($0) }
    let isAddress = labels.allSatisfy { $0.allSatisfy(\.isNumber) } || host == "localhost"
    let label = labels.count > 1 ? labels[labels.count - 2] : labels.first ?? ""
    let name = String(label.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    return isAddress || name.isEmpty || name.first?.isLetter != true ? "api" : name
  }

  /// The word without what no feed's name has: `questions` for `questions.json`.
  var feedName: String {
    let plain = word.hasSuffix(".json") ? String(word.dropLast(5)) : word
    let name = String(
      plain.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.~".contains($0)) ? $0 : "-" })
    return [".", ".."].contains(name) || name.isEmpty ? "items" : name
  }
}
