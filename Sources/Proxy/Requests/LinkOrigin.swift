import Bytes
import HTTP

/// The origin of absolute links: the public URL, else the request's host.
struct LinkOrigin {
  /// The public URL, without a slash at the end.
  let publicURL: String?
  /// The path of the public URL, below which relative links lead: `/tsugi`; empty for none.
  let path: String
  /// Who may say in `X-Forwarded-Proto` how the client came.
  let proxies: TrustedProxies

  /// The origin by what the server was configured with.
  init(publicURL: String? = nil, proxies: TrustedProxies = TrustedProxies()) {
    (self.publicURL, self.proxies) = (publicURL, proxies)
    let authority = publicURL.flatMap { url in
      url.firstRange(of: "://").map { url[$0.upperBound...] }
    }
    path = authority.map { String($0.drop { $0 != "/" }) } ?? ""
  }

  /// What the links of an answer to a request begin with; empty for a client that named no host.
  func text(for request: Request) -> String {
    if let publicURL { return publicURL }
    guard !request.authority.isEmpty else { return "" }
    return "\(scheme(of: request))://\(request.authority)"
  }

  /// What an answer hangs on besides its target: nil for nothing, else the host that was named.
  func host(of request: Request) -> String? { publicURL == nil ? request.authority : nil }

  /// Whether nothing else of a request changes its links.
  var hangsOnHostOnly: Bool { publicURL != nil || proxies.isEmpty }

  /// The last element is what the trusted peer itself added.
  private func scheme(of request: Request) -> String {
    guard proxies.trusts(request.peer),
      let last = request.fields.list("X-Forwarded-Proto")?.split(separator: ",").last
    else { return "http" }
    return ASCII.equalsIgnoringCase(last.trimmed.utf8, "https".utf8) ? "https" : "http"
  }
}
