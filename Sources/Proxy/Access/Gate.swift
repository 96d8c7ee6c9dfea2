import Bytes
import HTTP
import Wire

/// Access control: API keys, host names, and origins of web pages (CORS).
package struct Gate: Sendable {
  /// The keys that open the server; none lets everyone in.
  package var apiKeys: [[UInt8]] = []
  /// What `Host` may say, in lower case, with or without a port; none allows any.
  package var allowedHosts: Set<String> = [] {
    didSet { hosts = allowedHosts.map { Array($0.utf8) } }
  }
  /// The same, as bytes that are compared with each head's.
  private var hosts: [[UInt8]] = []
  /// Origins whose pages may read replies; `*` is any.
  package var allowedOrigins: Set<String> = []
  /// Scheme and host at which browsers find the server, where that is not what `Host` says; in
  /// lower case.
  package var publicOrigin: String?

  /// A gate that stands open.
  package init() {}

  /// Lets a request pass, or says why not. Preflights carry no key, and probes neither a key nor a
  /// name that could be known: an orchestrator asks at an address it gave itself. The page holds no
  /// secret, and a browser has no key to ask for it by.
  func check(_ request: Request, isProbe: Bool, isPage: Bool = false) throws(Rejection) {
    guard !isProbe else { return }
    // A browser names a host in every request, so only other programs come without (HTTP/1.0).
    let namesHost = request.fields.contains("Host") || !request.authority.isEmpty
    guard !namesHost || admits(host: request.authority) else {
      throw Rejection(.forbidden, "This host name is not served here.")
    }
    guard request.method != .options else { return }
    guard request.method != .post || admits(originOf: request) else {
      throw Rejection(.forbidden, "Pages of this origin may not ask for this.")
    }
    guard isPage || isOpen(to: request) else {
      throw Rejection(.unauthorized, "An API key is needed: Authorization: Bearer <key>.")
    }
  }

  /// Whether a request carries what opens the server.
  func isOpen(to request: Request) -> Bool {
    admits(authorization: (request.fields["Authorization"] ?? "").utf8)
  }

  /// Whether a plain request may pass, and is answered as one without an origin would be.
  func admits(_ head: PlainHead) -> Bool {
    guard allowedOrigins.isEmpty || head[.origin] == nil else { return false }
    if !hosts.isEmpty {
      guard let host = head[.host], admits(host: host) else { return false }
    }
    if apiKeys.isEmpty { return true }
    guard let authorization = head[.authorization] else { return false }
    return admits(authorization: authorization)
  }

  /// Whether what a request asks to be done may be asked from where it comes: a browser's page
  /// says so in `Origin`, and must be one of this server's own address or an allowed one.
  private func admits(originOf request: Request) -> Bool {
    guard let origin = request.fields["Origin"] else { return true }
    if allowedOrigins.contains(origin) || allowedOrigins.contains("*") { return true }
    if let publicOrigin, ASCII.equalsIgnoringCase(origin.utf8, publicOrigin.utf8) { return true }
    guard let scheme = origin.firstRange(of: "://") else { return false }
    return ASCII.equalsIgnoringCase(origin[scheme.upperBound...].utf8, request.authority.utf8)
  }

  private func admits(host authority: String) -> Bool {
    guard !hosts.isEmpty else { return true }
    var authority = authority
    return authority.withUTF8 { admits(host: UnsafeRawBufferPointer($0)) }
  }

  private func admits(host authority: UnsafeRawBufferPointer) -> Bool {
    var name = authority
    if authority.last != UInt8(ascii: "]"), let colon = authority.lastIndex(of: UInt8(ascii: ":")) {
      name = UnsafeRawBufferPointer(rebasing: authority[..<colon])
    }
    return hosts.contains { host in
      host.withUnsafeBytes {
        ASCII.equalsIgnoringCase($0, authority) || ASCII.equalsIgnoringCase($0, name)
      }
    }
  }

  /// `Bearer <key>`, the scheme in any letter case (RFC 9110 §11.1).
  private func admits(authorization: some Collection<UInt8>) -> Bool {
    guard !apiKeys.isEmpty else { return true }
    let space = UInt8(ascii: " ")
    let scheme = authorization.prefix { $0 != space }
    let key = authorization[scheme.endIndex...].drop { $0 == space }
    return ASCII.equalsIgnoringCase(scheme, "bearer".utf8) && isKey(key)
  }

  /// Compares with every key, in a time that depends on lengths only.
  private func isKey(_ candidate: some Collection<UInt8>) -> Bool {
    apiKeys.reduce(false) { found, key in
      let isEqual = key.count == candidate.count
      let difference = zip(key, candidate).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) }
      return found || (isEqual && difference == 0)
    }
  }

  /// Adds that a browser may not guess a content's type (Fetch, `nosniff`), and whether
  /// a page of this origin may read the reply (Fetch, CORS protocol).
  /// The page itself is no other origin's to read.
  func setBrowserHeaders(_ response: inout Response, origin: String?, isPage: Bool = false) {
    response.fields.append("X-Content-Type-Options", "nosniff")
    guard !isPage, !allowedOrigins.isEmpty else { return }
    response.fields.append("Vary", "Origin")
    guard let origin, allowedOrigins.contains(origin) || allowedOrigins.contains("*") else {
      return
    }
    response.fields.append("Access-Control-Allow-Origin", origin)
    response.fields.append(
      "Access-Control-Expose-Headers",
      "Age, Cache-Status, ETag, Link, Rate-Limit, Rate-Remaining, Rate-Reset, Retry-After, "
        + "Total-Count, X-Request-Id")
    guard response.status == 204 else { return }
    response.fields.append(
      "Access-Control-Allow-Methods", response.fields["Allow"] ?? Route.allow)
    response.fields.append(
      "Access-Control-Allow-Headers",
      "Authorization, Cache-Control, If-None-Match, Last-Event-ID, X-Request-Id")
    response.fields.append("Access-Control-Max-Age", "600")
  }
}
