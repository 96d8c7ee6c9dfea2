package import Freshness

/// Which of a client's fields go upstream: those that are named, and no others.
package struct ForwardedFields: Hashable, Sendable {
  private let named: Set<String>
  private let isOpen: Bool

  /// Fields that are never forwarded: they belong to one connection or to the authority, or are
  /// answered here.
  private static let never: Set = [
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "range", "te", "trailer", "transfer-encoding",
    "upgrade", "via",
  ]
  /// Fields that `*` does not mean, besides `X-Forwarded-…`.
  private static let mustBeNamed: Set = ["authorization", "cookie", "forwarded"]

  /// The rule of these names; `*` is every end-to-end field but those that must be named.
  package init(_ names: [String]) {
    named = Set(names.map { $0.lowercased() })
    isOpen = named.contains("*")
  }

  /// Whether a field may be named.
  package static func mayName(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "*"
      || FieldLine.isName(name.utf8) && !never.contains(name) && !name.hasPrefix("if-")
  }

  /// Whether a field is named itself.
  package func names(_ name: String) -> Bool { named.contains(name) }

  /// What goes upstream of a client's end-to-end fields.
  package func forwarded(of fields: FieldList) -> FieldList {
    FieldList(fields.lines.filter { forwards($0.name.lowercased()) })
  }

  /// Whether an answer is the same for every request for its target, since it varies by nothing
  /// that is forwarded.
  package func isSameForAll(_ answer: StoredAnswer) -> Bool {
    !answer.variesBy.contains { $0 == "*" || forwards($0) }
  }

  /// Whether a field goes upstream; its name is in lower case.
  private func forwards(_ name: String) -> Bool {
    guard name != "*" else { return false }
    if named.contains(name) { return true }
    return isOpen && ForwardedFields.mayName(name)
      && !ForwardedFields.mustBeNamed.contains(name) && !name.hasPrefix("x-forwarded-")
  }
}
