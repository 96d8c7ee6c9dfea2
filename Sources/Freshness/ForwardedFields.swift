/// Which of a client's fields go upstream: those that are named, and no others.
package struct ForwardedFields: Hashable, Sendable {
  private let named: Set<String>
  private let isOpen: Bool

  /// Fields that are never forwarded: they belong to one connection or to the authority, or are
  /// answered here.
  private static let never: Set = [
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "range", "te", "trailer", "transfer-encoding",
    "upgrade", "via",
  ]
  /// Fields that `*` does not mean. But for credentials they are what servers and frameworks take
  /// for the path, the method, the host or the client of a request: an answer to them would be kept
  /// for every client, under a target that it is not for.
  private static let mustBeNamed: Set = [
    "authorization", "base-url", "client-ip", "cluster-client-ip", "cookie", "destination",
    "front-end-https", "http-host", "http-url", "host-name", "incap-client-ip", "max-forwards",
    "path-info", "real-ip", "redirect", "remote-addr", "request-uri", "rsc", "script-name",
    "surrogate-capability", "true-client-ip", "uri", "url", "wl-proxy-client-ip", "x-arr-ssl",
    "x-custom-ip-authorization", "x-destination", "x-invoke-path", "x-invoke-query",
    "x-matched-path", "x-now-route-matches", "x-path", "x-path-info", "x-prerender-revalidate",
    "x-request-path", "x-request-uri", "x-scheme", "x-script-name", "x-server-name", "x-true-ip",
    "x-uri", "x-wap-profile",
  ]
  /// How other such fields begin.
  private static let mustBeNamedPrefixes = [
    "cf-", "cloudfront-", "fastly-", "forwarded", "next-router-", "proxy-", "x-accel-",
    "x-appengine-", "x-azure-", "x-backend", "x-client-", "x-cluster-", "x-envoy-", "x-forward",
    "x-host", "x-http-", "x-method", "x-middleware-", "x-nextjs-", "x-origin", "x-override",
    "x-proxy", "x-real-", "x-remote-", "x-rewrite", "x-url",
  ]

  /// The rule of these names; `*` is every end-to-end field but those that must be named.
  package init(_ names: [String]) {
    named = Set(names.map { $0.lowercased() })
    isOpen = named.contains("*")
  }

  /// Whether a field may be named.
  package static func mayName(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == "*"
      || FieldLine.isName(name.utf8) && !never.contains(name) && !name.hasPrefix("if-")
  }

  /// Whether a field is named itself.
  package func names(_ name: String) -> Bool { named.contains(name) }

  /// What goes upstream of a client's end-to-end fields.
  package func forwarded(of fields: FieldList) -> FieldList {
    FieldList(fields.lines.filter { forwards($0.name.lowercased()) })
  }

  /// Whether an answer is the same for every request for its target, since it varies by nothing
  /// that is forwarded.
  package func isSameForAll(_ answer: StoredAnswer) -> Bool {
    !answer.variesBy.contains { $0 == "*" || forwards($0) }
  }

  /// Whether a field goes upstream; its name is in lower case.
  private func forwards(_ name: String) -> Bool {
    guard name != "*" else { return false }
    if named.contains(name) { return true }
    return isOpen && ForwardedFields.mayName(name) && !ForwardedFields.reroutes(name)
  }

  /// Whether a field must be named. To an upstream that hands fields on as variables (RFC 3875
  /// §4.1.18), `X_Original_URL` is `X-Original-URL`.
  private static func reroutes(_ name: String) -> Bool {
    let name = String(name.map { $0 == "_" ? "-" : $0 })
    return mustBeNamed.contains(name) || mustBeNamedPrefixes.contains(where: name.hasPrefix)
  }
}
