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

  private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT))
    guard code == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text).lowercased()
  }
}
