import HTTP
import Wire

/// Who may ask: API keys, host names, and pages of other origins (CORS).
package struct Gate: Sendable {
  /// The keys that open the server; none lets everyone in.
  package var apiKeys: [[UInt8]] = []
  /// What `Host` may say, in lower case, with or without a port; none allows any.
  package var allowedHosts: Set<String> = []
  /// Origins whose pages may read replies; `*` is any.
  package var allowedOrigins: Set<String> = []

  /// A gate that stands open.
  package init() {}

  /// Lets a request pass, or says why not. Probes and preflights carry no key.
  func check(_ request: Request, isProbe: Bool) throws(Rejection) {
    let authority = request.authority.lowercased()
    if !allowedHosts.isEmpty, !allowedHosts.contains(authority),
      !allowedHosts.contains(Gate.hostAlone(authority))
    {
      throw Rejection(.forbidden, "This host name is not served here.")
    }
    guard !apiKeys.isEmpty, !isProbe, request.method != .options else { return }
    let credentials = (request.fields["Authorization"] ?? "").split(separator: " ")
    guard credentials.count == 2, credentials[0].lowercased() == "bearer",
      isKey(Array(credentials[1].utf8))
    else { throw Rejection(.unauthorized, "An API key is needed: Authorization: Bearer <key>.") }
  }

  /// Compares with every key, in a time that depends on lengths only.
  private func isKey(_ candidate: [UInt8]) -> Bool {
    apiKeys.reduce(false) { found, key in
      let isEqual = key.count == candidate.count
      let difference = zip(key, candidate).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) }
      return found || (isEqual && difference == 0)
    }
  }

  private static func hostAlone(_ authority: String) -> String {
    guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else {
      return authority
    }
    return String(authority[..<colon])
  }

  /// Tells a browser whether a page of this origin may read the reply (Fetch, CORS protocol).
  func stamp(_ response: inout Response, origin: String?) {
    guard !allowedOrigins.isEmpty else { return }
    response.fields.append("Vary", "Origin")
    guard let origin, allowedOrigins.contains(origin) || allowedOrigins.contains("*") else {
      return
    }
    response.fields.append("Access-Control-Allow-Origin", origin)
    response.fields.append(
      "Access-Control-Expose-Headers",
      "Age, Cache-Status, ETag, Link, Retry-After, X-Request-Id")
    guard response.status == 204 else { return }
    response.fields.append("Access-Control-Allow-Methods", Route.allow)
    response.fields.append(
      "Access-Control-Allow-Headers",
      "Authorization, Cache-Control, If-None-Match, Last-Event-ID, X-Request-Id")
    response.fields.append("Access-Control-Max-Age", "600")
  }
}
