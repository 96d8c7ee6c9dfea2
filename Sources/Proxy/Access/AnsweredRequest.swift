package import HTTP

/// A line of the access log.
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
  /// Bytes of the body; 0 for a stream of events, which is logged when it begins.
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
