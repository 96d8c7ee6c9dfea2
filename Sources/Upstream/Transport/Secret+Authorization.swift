import Bytes

extension Secret {
  /// The header line that carries it (RFC 6750 §2.1). Nothing else reads its text.
  var authorizationLine: String { "Authorization: Bearer \(text)" }
}

extension Recipe.Credential {
  /// The header line that carries it; nil where a parameter does.
  package var headerLine: String? {
    switch self {
    case .bearer(let token): token.authorizationLine
    case .basic(let user, let password):
      "Authorization: \(Recipe.Credential.basicValue(user: user, password: password.text))"
    case .header(let name, let value): "\(name): \(value.text)"
    case .query: nil
    }
  }

  /// The value of `Authorization` for a user (RFC 7617 §2).
  package static func basicValue(user: String, password: String) -> String {
    "Basic \(Base64URL.padded(Array("\(user):\(password)".utf8)))"
  }

  /// A URL with the parameter that carries it; as it is where a header line does.
  func added(to url: String) -> String {
    guard case .query(let name, let value) = self else { return url }
    return url + (url.contains("?") ? "&" : "?")
      + "\(percentEncoded(name.utf8))=\(percentEncoded(value.text.utf8))"
  }

  /// What distinguishes one caller from another; it never leaves the process.
  package var identity: String {
    switch self {
    case .query(let name, let value): "\(name)=\(value.text)"
    case .bearer, .basic, .header: headerLine ?? ""
    }
  }
}
