/// A request target taken apart (RFC 9112 §3.2).
struct Target: Equatable {
  /// Begins with `/`, or is `*`.
  var path: String
  var query: String?
  /// Only of a target in absolute-form.
  var authority: String?

  /// Reads origin-form, absolute-form and, for OPTIONS, asterisk-form.
  ///
  /// Raw bytes of 0x80 and above are taken when they are UTF-8, so that the text says exactly
  /// what was sent.
  init(_ bytes: Slice<UnsafeRawBufferPointer>, method: Method?) throws(Refusal) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .badRequest("The request target is not UTF-8.")
    }
    if bytes.first == UInt8(ascii: "/") {
      (path, query) = Self.split(text[...])
    } else if text == "*" && method == .options {
      path = text
    } else {
      let (authority, rest) = try Self.absolute(text)
      self.authority = authority
      (path, query) = Self.split(rest)
      if path.isEmpty { path = method == .options && query == nil ? "*" : "/" }
    }
  }

  private static func split(_ text: Substring) -> (path: String, query: String?) {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (String(text), nil) }
    return (String(text[..<mark]), String(text[text.utf8.index(after: mark)...]))
  }

  /// "http" or "https" "://" authority path-abempty [ "?" query ].
  private static func absolute(_ text: String) throws(Refusal) -> (String, Substring) {
    for scheme in ["http://", "https://"] as [StaticString]
    where Grammar.equalsIgnoringCase(text.utf8.prefix(scheme.utf8CodeUnitCount), scheme) {
      let rest = text.utf8.dropFirst(scheme.utf8CodeUnitCount)
      let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
      guard Grammar.isAuthority(authority) else { break }
      return (String(Substring(authority)), Substring(rest[authority.endIndex...]))
    }
    throw .badRequest("The request target is neither a path nor an absolute URL.")
  }
}
