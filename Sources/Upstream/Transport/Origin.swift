private import CCurl

/// Scheme, host and port of a URL: what a secret may be sent to (RFC 6454 §4).
struct Origin: Hashable, Sendable {
  private let scheme: String
  private let host: String
  private let port: String

  /// The origin of an absolute URL as libcurl reads it; nil when it is none, or is not of HTTP.
  init?(url: String) {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK,
      let scheme = Origin.part(CURLUPART_SCHEME, of: parts),
      let host = Origin.part(CURLUPART_HOST, of: parts),
      let port = Origin.part(CURLUPART_PORT, of: parts),
      scheme == "http" || scheme == "https"
    else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// Whether this is what an API writes of another origin that is its own: where TLS ends in front
  /// of it, it takes the scheme to be `http`, and the port to be the default one or the same.
  func isSameBehindTLS(_ other: Origin) -> Bool {
    let hasOwnPort = { (origin: Origin) in origin.port == (origin.scheme == "http" ? "80" : "443") }
    return host == other.host && scheme != other.scheme
      && (port == other.port || hasOwnPort(self) && hasOwnPort(other))
  }

  /// A URL that an answer leads to, at this origin, which is that of the request `asked`; nil where
  /// it lies at another one. What an API behind TLS calls `http` is asked for over TLS.
  func ownURL(_ url: String, asIn asked: String) -> String? {
    guard let other = Origin(url: url) else { return nil }
    if other == self { return url }
    guard scheme == "https", other.isSameBehindTLS(self) else { return nil }
    let isHost = { (character: Character) in character != "/" && character != "?" }
    let own = asked.dropFirst("https://".count).prefix(while: isHost)
    return "https://\(own)" + url.dropFirst("http://".count).drop(while: isHost)
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT))
    guard code == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text).lowercased()
  }
}
