package import Bytes
import Freshness
package import Upstream

/// What each call carries besides its URL; the configuration names a variable for the secret in it.
package struct CallHeaders: Sendable {
  /// Why headers cannot be written down.
  package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A header is not `Name: value`, of visible ASCII and spaces.
    case notAHeader
    /// Of several secrets a configuration has one.
    case manySecrets
    /// A user is not `name:password`, of visible ASCII.
    case notAUser

    /// What to say of the option.
    package var description: String {
      switch self {
      case .notAHeader: "a header is 'Name: value', of visible ASCII"
      case .manySecrets: "a source has one secret: give --bearer-file, --user or one such --header"
      case .notAUser: "a user is 'name:password', of visible ASCII"
      }
    }
  }

  /// Who asks; nil where the API is asked without a secret.
  package private(set) var credential: Recipe.Credential?
  /// What is sent besides, and no secret.
  package private(set) var headers: [Recipe.HeaderLine] = []

  /// Nothing but a bearer's token, if any.
  package init(bearer: Secret? = nil) {
    credential = bearer.map { .bearer($0) }
  }

  /// Whether one of them says which types of answers are taken.
  var namesTypes: Bool { headers.contains { $0.name.lowercased() == "accept" } }

  /// The lines of a call.
  var lines: [String] {
    let plain = headers.map { "\($0.name): \($0.value)" }
    return (namesTypes ? [] : ["Accept: application/json"]) + plain
      + (credential?.headerLine.map { [$0] } ?? [])
  }

  /// Takes an answer of any type.
  mutating func takeAnyType() {
    headers.append(Recipe.HeaderLine(name: "Accept", value: "*/*"))
  }

  /// Adds a user as curl writes one, `name:password`.
  package mutating func add(user text: String) throws(Fault) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 2,
      let credential = Recipe.Credential.user(parts[0], password: parts[1])
    else { throw .notAUser }
    try set(credential)
  }

  /// Adds a header line as curl writes one, `Name: value`. One whose name speaks of a secret is who
  /// asks.
  package mutating func add(header text: String) throws(Fault) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, FieldLine.isHeaderName(String(parts[0])) else { throw .notAHeader }
    let (name, value) = (String(parts[0]), String(parts[1].drop { $0 == " " }))
    guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .notAHeader }
    let words = ["authorization", "token", "key", "secret", "auth", "session", "cookie"]
    guard words.contains(where: name.lowercased().contains) else {
      headers.append(Recipe.HeaderLine(name: name, value: value))
      return
    }
    let isBearer = name.lowercased() == "authorization" && value.lowercased().hasPrefix("bearer ")
    guard let secret = secret(isBearer ? String(value.dropFirst(7)) : value) else {
      throw .notAHeader
    }
    try set(isBearer ? .bearer(secret) : .header(name: name, value: secret))
  }

  private func secret(_ text: String) -> Secret? {
    Secret(phrase: text)
  }

  private mutating func set(_ credential: Recipe.Credential) throws(Fault) {
    guard self.credential == nil else { throw .manySecrets }
    self.credential = credential
  }
}
