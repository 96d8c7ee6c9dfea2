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
    if bytes.first == UInt8(ascii: "/") {
      (path, query) = try Self.split(bytes)
    } else if bytes.elementsEqual("*".utf8) && method == .options {
      path = "*"
    } else {
      let (authority, rest) = try Self.absolute(bytes)
      self.authority = authority
      (path, query) = try Self.split(rest)
      if path.isEmpty { path = method == .options && query == nil ? "*" : "/" }
    }
  }

  private static func split(
    _ bytes: Slice<UnsafeRawBufferPointer>
  ) throws(Refusal) -> (path: String, query: String?) {
    let mark = bytes.base.index(of: UInt8(ascii: "?"), in: bytes.startIndex..<bytes.endIndex)
    let path = bytes[..<(mark ?? bytes.endIndex)]
    let query = bytes[path.endIndex...].dropFirst()
    return (try text(path), path.endIndex == bytes.endIndex ? nil : try text(query))
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) throws(Refusal) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes).bindMemory(to: UInt8.self)
    // Nearly all are ASCII, which needs no judging by the Unicode standard.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .badRequest("The request target is not UTF-8.")
    }
    return text
  }

  /// "http" or "https" "://" authority path-abempty [ "?" query ].
  private static func absolute(
    _ bytes: Slice<UnsafeRawBufferPointer>
  ) throws(Refusal) -> (String, Slice<UnsafeRawBufferPointer>) {
    // That it is not UTF-8 is the first error.
    _ = try text(bytes)
    for scheme in ["http://", "https://"] as [StaticString]
    where Grammar.equalsIgnoringCase(bytes.prefix(scheme.utf8CodeUnitCount), scheme) {
      let rest = bytes.dropFirst(scheme.utf8CodeUnitCount)
      let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
      guard Grammar.isAuthority(authority) else { break }
      return (try text(authority), rest[authority.endIndex...])
    }
    throw .badRequest("The request target is neither a path nor an absolute URL.")
  }
}
