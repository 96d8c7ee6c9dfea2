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

  /// A user and a password. A name without a password is the secret itself, as an API key is: then
  /// all of the field's value is. Nil where the name has a colon or a blank, or one of the two is
  /// no text for a secret.
  package static func user(_ name: String, password: String) -> Self? {
    guard !name.contains(":"), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    guard password.isEmpty, Secret(phrase: name) != nil else {
      return Secret(phrase: password).map { .basic(user: name, password: $0) }
    }
    return Secret(phrase: basicValue(user: name, password: "")).map {
      .header(name: "Authorization", value: $0)
    }
  }

  /// The value of `Authorization` for a user (RFC 7617 §2).
  private static func basicValue(user: String, password: String) -> String {
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
