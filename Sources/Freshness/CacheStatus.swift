/// How a cache handled a request: the field `Cache-Status` (RFC 9211).
package struct CacheStatus: Hashable, Sendable {
  /// Why a request was forwarded to the upstream (RFC 9211 §2.2).
  package enum Forward: String, Sendable {
    /// Nothing is stored for its target.
    case uriMiss = "uri-miss"
    /// Nothing is stored for its variant.
    case varyMiss = "vary-miss"
    /// The stored answer is no longer fresh.
    case stale
    /// The client asked for it.
    case request
  }

  /// Why it was forwarded; nil for a hit.
  package var forward: Forward?
  /// The upstream's status.
  package var status: Int?
  /// For how many more seconds the answer is fresh; negative if it is stale.
  package var ttl: Int64?
  /// Whether the answer was stored.
  package var isStored = false
  /// Whether another request's call served this one.
  package var isCollapsed = false
  /// A word for people.
  package var detail: String?

  /// A hit that is fresh for `ttl` more seconds; negative if it is stale.
  package static func hit(ttl: Int64, detail: String? = nil) -> CacheStatus {
    var status = CacheStatus()
    (status.ttl, status.detail) = (ttl, detail)
    return status
  }

  /// A forwarded request.
  package static func forwarded(_ forward: Forward) -> CacheStatus {
    var status = CacheStatus()
    status.forward = forward
    return status
  }

  /// The field's value.
  package var text: String {
    var text = "Tsugi; "
    text += forward.map { "fwd=\($0.rawValue)" } ?? "hit"
    if let status { text += "; fwd-status=\(status)" }
    if let ttl { text += "; ttl=\(ttl)" }
    if isStored { text += "; stored" }
    if isCollapsed { text += "; collapsed" }
    if let detail { text += "; detail=\(detail)" }
    return text
  }
}
