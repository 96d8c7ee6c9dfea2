import Bytes

extension Secret {
  /// The header line that carries it (RFC 6750 §2.1). Nothing else reads its text.
  var authorizationLine: String { "Authorization: Bearer \(text)" }
}
