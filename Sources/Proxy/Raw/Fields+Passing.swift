import Freshness
import HTTP

extension Fields {
  /// The lines of an upstream's answer, interim or final, that pass on to clients: in order and as
  /// often as they came.
  ///
  /// Left out are those that speak for a whole origin, which is not the upstream's here, those by
  /// which a proxy in front of this server does something for its upstream, and those that this
  /// server adds itself.
  init(passing list: FieldList) {
    self.init()
    for line in list.lines where Fields.passes(line.name.lowercased()) {
      append(named: line.name, bytes: line.value)
    }
  }

  private static func passes(_ name: String) -> Bool {
    !withheldNames.contains(name) && !withheldPrefixes.contains(where: name.hasPrefix)
  }

  private static let withheldPrefixes = [
    "access-control-", "attribution-reporting-", "x-accel-", "x-lighttpd-", "x-sendfile",
  ]

  private static let withheldNames: Set = [
    // What a browser keeps for the origin, and does for all of its pages.
    "accept-ch", "accept-ch-lifetime", "activate-storage-access", "alt-svc", "clear-site-data",
    "critical-ch", "expect-ct", "nel", "observe-browsing-topics", "origin-agent-cluster",
    "public-key-pins", "public-key-pins-report-only", "report-to", "reporting-endpoints",
    "sec-session-registration", "secure-session-registration", "service-worker-allowed",
    "set-login", "speculation-rules", "strict-transport-security", "supports-loading-mode",
    "timing-allow-origin", "use-as-dictionary", "x-permitted-cross-domain-policies",
    // What a proxy obeys.
    "x-reproxy-url",
    // What this server says.
    "x-content-type-options", "x-request-id",
  ]
}
