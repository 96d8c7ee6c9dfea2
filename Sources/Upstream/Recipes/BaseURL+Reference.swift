/// What an answer names as its next page: a URI reference (RFC 3986 §4.1, RFC 8288 §3.1), of which
/// only the path and the query are used, at the configured origin.
extension BaseURL {
  /// The URL below this base that a reference in the answer to `request` means; nil where it leads
  /// to another host or out of the base, or names nothing. What is no ASCII is percent-encoded.
  ///
  /// At the base `https://example.com/api`, in the answer to `https://example.com/api/posts?n=5`:
  /// - `?page=2` and `posts?page=2` are `https://example.com/api/posts?page=2`
  /// - so are `/api/posts?page=2`, `//EXAMPLE.com:443/api/posts?page=2` and, where TLS ends in
  ///   front of the API, `http://example.com/api/posts?page=2`
  /// - `/posts?page=2` and `https://example.org/api/posts?page=2` lead elsewhere
  package func resolved(_ reference: String, against request: String) -> String? {
    guard let bytes = BaseURL.plain(reference), let parts = Reference(bytes),
      let base = Reference(Array(request.utf8)), let own = Reference(Array(text.utf8))
    else { return nil }
    guard !parts.path.isEmpty || parts.query != nil || parts.authority != nil else { return nil }
    if let authority = parts.authority {
      guard isOwn(parts.scheme ?? base.scheme ?? "", authority) else { return nil }
    } else if parts.scheme != nil {
      return nil
    }
    var path = parts.path
    if parts.authority == nil, path.first != UInt8(ascii: "/") {
      let last = base.path.lastIndex(of: slash)
      path = (path.isEmpty ? base.path : last.map { base.path[...$0] } ?? [slash]) + path
    }
    path = Reference.normalized(path)
    let top = Reference.normalized(own.path)
    guard path.starts(with: top), [slash, nil].contains(path.dropFirst(top.count).first),
      !BaseURL.leadsUp(Array(path))
    else { return nil }
    let rest = path.dropFirst(top.count)
    let query = parts.query.map { [UInt8(ascii: "?")] + $0 } ?? []
    return text + String(decoding: rest + query, as: UTF8.self)
  }

  /// Whether scheme and authority are those of the base, or its own with TLS ended in front.
  private func isOwn(_ scheme: String, _ authority: ArraySlice<UInt8>) -> Bool {
    let authority = String(decoding: authority, as: UTF8.self)
    guard !authority.isEmpty, !authority.contains("@"),
      let other = Origin(url: "\(scheme)://\(authority)/"), let own = Origin(url: text)
    else { return false }
    return other == own || other.isSameBehindTLS(own)
  }

  /// The text without white space around it, what is no visible ASCII in it percent-encoded; nil
  /// where control characters or a backslash stand in it: readers disagree on what these mean.
  private static func plain(_ reference: String) -> [UInt8]? {
    let isSpace = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
    let bytes = reference.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
      return nil
    }
    return bytes.flatMap { byte -> [UInt8] in
      guard byte == 0x20 || byte > 0x7E else { return [byte] }
      return Array("%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8)
    }
  }
}

private let slash = UInt8(ascii: "/")

/// The parts of a URI reference, but for its fragment, which is never sent (RFC 3986 appendix B).
private struct Reference {
  var scheme: String?
  var authority: ArraySlice<UInt8>?
  var path: ArraySlice<UInt8>
  var query: ArraySlice<UInt8>?

  init?(_ bytes: [UInt8]) {
    var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(mark + 1)...]
      rest = rest[..<mark]
    }
    let word = rest.prefix { !":/".utf8.contains($0) }
    if rest.dropFirst(word.count).first == UInt8(ascii: ":") {
      guard !word.isEmpty else { return nil }
      scheme = String(decoding: word, as: UTF8.self).lowercased()
      rest = rest.dropFirst(word.count + 1)
    }
    if rest.starts(with: "//".utf8) {
      authority = rest.dropFirst(2).prefix { $0 != slash }
      rest = rest.dropFirst(2 + (authority?.count ?? 0))
    }
    path = rest
  }

  /// A path in which every other way to write it is undone: escapes of characters that need none
  /// (RFC 3986 §6.2.2.2), `.` and `..` (§5.2.4).
  static func normalized(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let plain = BaseURL.decoded(Array(path)) { byte in
      (byte < 0x80 && Unicode.Scalar(byte).properties.isAlphabetic)
        || "0123456789-._~".utf8.contains(byte)
    }
    var segments: [ArraySlice<UInt8>] = []
    let all = plain.split(separator: slash, omittingEmptySubsequences: false)
    for (index, segment) in all.enumerated() {
      let isUp = segment.elementsEqual("..".utf8)
      guard isUp || segment.elementsEqual(".".utf8) else {
        segments.append(segment)
        continue
      }
      if isUp, segments.count > 1 { segments.removeLast() }
      if index == all.count - 1 { segments.append([]) }
    }
    return ArraySlice(segments.joined(separator: [slash]))
  }
}
