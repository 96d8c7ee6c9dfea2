private import Bytes
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
    package var description: String {
      let shown = value.map { $0.isEmpty ? "\"\"" : $0 } ?? "not told"
      return "\(key): \(shown) (\(evidence))"
    }
  }

  /// A key of a part of the source, with its value.
  struct Note {
    /// The part, as keys of it begin in a finding.
    enum Part: String { case pages = "pages.", list = "", rate = "rate." }

    let part: Part
    let key: String
    let value: JSONTree?
    let evidence: String

    static func pages(_ key: String, _ value: JSONTree?, _ evidence: String) -> Note {
      Note(part: .pages, key: key, value: value, evidence: evidence)
    }

    static func list(_ key: String, _ value: JSONTree?, _ evidence: String) -> Note {
      Note(part: .list, key: key, value: value, evidence: evidence)
    }

    static func rate(_ key: String, _ value: JSONTree?, _ evidence: String) -> Note {
      Note(part: .rate, key: key, value: value, evidence: evidence)
    }
  }

  /// The calls that were made, each with its status.
  package internal(set) var calls: [String] = []
  /// What was seen, in the order of the keys.
  package private(set) var findings: [Finding] = []
  /// The questions that calls were missing for.
  package private(set) var open: [String] = []
  /// Why no further call was made though some were left.
  package internal(set) var busy: Busy?

  /// Where the list is, as far as that is known.
  var address: ListAddress
  private(set) var headers: CallHeaders
  private var members: [Note.Part: [JSONTree.Member]] = [:]

  init(_ address: ListAddress, _ headers: CallHeaders) {
    (self.address, self.headers) = (address, headers)
  }

  /// The name of the source.
  package var source: String { address.sourceName }
  /// The name of its feed.
  package var feed: String { address.feedName }

  /// Notes keys in their order.
  mutating func note(_ notes: [Note]) {
    for note in notes { self.note(note) }
  }

  /// Notes a key. A later value replaces an earlier one; none takes it out.
  private mutating func note(_ note: Note) {
    let value = note.value.map { $0.scalar ?? Report.line($0) }
    let key = note.part.rawValue + note.key
    findings.append(Finding(key: key, value: value, evidence: note.evidence))
    let others = (members[note.part] ?? []).filter { $0.name != note.key }
    members[note.part] = others + (note.value.map { [.init(note.key, $0)] } ?? [])
  }

  /// Notes that a question stays open for want of calls.
  mutating func leaveOpen(_ question: String) {
    if !open.contains(question) { open.append(question) }
  }

  /// Notes that the list is elsewhere at the same origin.
  mutating func move(to address: ListAddress) {
    self.address = address
    calls.append("the URL where a redirect leads")
    findings.append(
      Finding(key: "path", value: address.word, evidence: "a redirect leads there"))
  }

  /// Notes that an answer of another type is to be taken.
  mutating func takeAnyType() {
    headers.takeAnyType()
    findings.append(
      Finding(key: "headers.Accept", value: "*/*", evidence: "application/json was refused"))
  }

  /// A value on one line.
  private static func line(_ value: JSONTree) -> String {
    value.pretty().split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
  }

  /// The names of variables that the configuration takes secrets from.
  package var variables: [String] {
    guard auth != nil else { return [] }
    return ["TSUGI_KEY", variable("TOKEN")] + furtherSecrets.map { variable("QUERY_\($0)") }
  }

  /// The variable that holds all of a header's value, scheme and all, and how that header begins;
  /// nil where there is none.
  var headerVariable: (name: String, header: String)? {
    guard case .header(let header, let value) = headers.credential else { return nil }
    // Only of this header the first of two words is known to be no secret (RFC 9110 §11.6.2).
    let words = value.text.split(separator: " ", maxSplits: 1)
    let hasScheme = header.lowercased() == "authorization" && words.count == 2
    return (variable("TOKEN"), "\(header): \(hasScheme ? "\(words[0]) …" : "…")")
  }

  /// What the variables hold, a line each.
  package var advice: [String] {
    guard auth != nil else { return [] }
    var lines: [String] = []
    if let (name, header) = headerVariable {
      lines.append("\(name) is all that stands after the colon of \(header)")
    }
    if case .basic(let user, _) = headers.credential {
      lines.append("\(variable("TOKEN")) is the password of \(user) alone")
    }
    let key = "TSUGI_KEY is what readers ask with; if everyone may read what the API shows to you, "
    return lines + [key + #"write "public": true into the source, and leave out apiKeys"#]
  }

  private func variable(_ name: String) -> String {
    "\(source)_\(name)".uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
  }

  /// The parameters of the URL that are secrets besides the one that says who asks.
  private var furtherSecrets: [String] {
    address.secrets.dropFirst(headers.credential == nil ? 1 : 0).map(\.name)
  }

  private var auth: JSONTree? {
    let secret = JSONTree.text("${\(variable("TOKEN"))}")
    return switch headers.credential {
    case .bearer: .object([.init("bearer", secret)])
    case .basic(let user, _): .object([.init("basic", .array([.text(user), secret]))])
    case .header(let name, _): .object([.init("header", .text(name)), .init("value", secret)])
    case .query, nil:
      address.secrets.first.map {
        .object([.init("query", .text($0.name)), .init("value", secret)])
      }
    }
  }

  /// The configuration, as it would be written down.
  package var configuration: String {
    var source: [JSONTree.Member] = [
      .init("kind", .text("http")), .init("baseURL", .text(address.base.text)),
    ]
    if !headers.headers.isEmpty {
      let lines = headers.headers.map { JSONTree.Member($0.name, .text($0.value)) }
      source.append(.init("headers", .object(lines)))
    }
    if let auth { source.append(.init("auth", auth)) }
    for (name, part) in [("rate", Note.Part.rate), ("pages", .pages)] {
      if let members = members[part], !members.isEmpty {
        source.append(.init(name, .object(members)))
      }
    }
    var place: [JSONTree.Member] = []
    if feed != address.word { place.append(.init("path", .text(address.word))) }
    // What says where a page begins goes with each call as it is.
    let said = (members[.pages] ?? []).filter { ["at", "size"].contains($0.name) }
    let paging = said.compactMap(\.value.scalar)
    let kept = address.kept.filter { !paging.contains($0.name) }
    let query = kept + furtherSecrets.map { Parameter($0, "${\(variable("QUERY_\($0)"))}") }
    if !query.isEmpty {
      let members = query.map { JSONTree.Member($0.name, .text($0.value)) }
      place.append(.init("query", .object(members)))
    }
    source.append(.init("feeds", .object([.init(feed, .object(place + (members[.list] ?? [])))])))
    var all = [JSONTree.Member("sources", .object([.init(self.source, .object(source))]))]
    if auth != nil {
      all.append(.init("server", .object([.init("apiKeys", .array([.text("${TSUGI_KEY}")]))])))
    }
    return JSONTree.object(all).pretty() + "\n"
  }
}
