package import HTTP

/// A request that was answered, as an access log tells it.
///
/// It holds no secret: of the target only the path, since a search text may be one; no key, no
/// header.
package struct AnsweredRequest: Sendable, Equatable {
  /// Who asked; behind a trusted proxy, on whose behalf.
  package var client: Peer
  /// The method as it was sent.
  package var method: String
  /// The path as it was sent.
  package var path: String
  /// The kind of route it took, as the metrics name it.
  package var route: String
  /// The status.
  package var status: Int
  /// Bytes of the body; 0 for a stream of events, which is told when it begins.
  package var bytes: Int
  /// From its head to its reply.
  package var duration: Duration
  /// What the reply says as `X-Request-Id`.
  package var requestID: String

  /// An answered request from its parts.
  package init(
    client: Peer, method: String, path: String, route: String, status: Int, bytes: Int,
    duration: Duration, requestID: String
  ) {
    (self.client, self.method, self.path, self.route) = (client, method, path, route)
    (self.status, self.bytes, self.duration) = (status, bytes, duration)
    self.requestID = requestID
  }
}

/// Takes what was answered. It is called on the loops' threads, so it must not block.
package typealias AccessLog = @Sendable (AnsweredRequest) -> Void

extension [Configuration.Network] {
  /// Who asks: the peer, or the last address in `X-Forwarded-For` that no trusted proxy has. What
  /// stands before it could be anybody's invention.
  func client(behind peer: Peer, forwardedFor: @autoclosure () -> String?) -> Peer {
    guard !isEmpty, trusts(peer), let list = forwardedFor() else { return peer }
    var client = peer
    for element in list.split(separator: ",", omittingEmptySubsequences: false).reversed() {
      let text = element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      guard let address = Peer(forwarded: text) else { return client }
      client = address
      guard trusts(address) else { return client }
    }
    return client
  }

  private func trusts(_ peer: Peer) -> Bool {
    contains { $0.contains(peer) }
  }
}

extension Peer {
  /// Reads an address as proxies write it, some with its port: `192.0.2.1`, `192.0.2.1:4711`,
  /// `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`; nil when it is none.
  fileprivate init?(forwarded text: Substring) {
    var address = text
    if address.first == "[" {
      guard let end = address.firstIndex(of: "]"),
        Peer.isPort(address[address.index(after: end)...])
      else { return nil }
      address = address[..<end].dropFirst()
      guard address.contains(":") else { return nil }
    } else if let colon = address.firstIndex(of: ":"), colon == address.lastIndex(of: ":") {
      guard Peer.isPort(address[colon...]) else { return nil }
      address = address[..<colon]
    }
    self.init(String(address))
  }

  /// Nothing, or a colon and a port.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || (text.first == ":" && UInt16(text.dropFirst()) != nil)
  }
}

extension Service {
  /// Tells the access log of a reply that is about to be sent.
  func log(_ response: Response, for context: RequestContext) {
    guard let log = state.accessLog else { return }
    let hasBody = context.method != .head && ![204, 304].contains(response.status.code)
    log(
      AnsweredRequest(
        client: links.trustedProxies.client(
          behind: context.peer, forwardedFor: context.forwardedFor),
        method: context.method.rawValue, path: context.path, route: context.route.rawValue,
        status: response.status.code, bytes: hasBody ? response.body.count : 0,
        duration: context.arrivedAt.duration(to: .now), requestID: context.requestID))
  }
}
