/// How a cache has handled a request, as `Cache-Status` tells it (RFC 9211).
package struct CacheStatus: Hashable, Sendable {
  /// Why a request went on to the upstream (RFC 9211 §2.2).
  package enum Forward: String, Sendable {
    /// Nothing is kept for its target.
    case uriMiss = "uri-miss"
    /// Nothing is kept for its variant.
    case varyMiss = "vary-miss"
    /// What is kept is no longer fresh.
    case stale
    /// The client asked for it.
    case request
  }

  /// Why it went on; nil for a hit.
  package var forward: Forward?
  /// What the upstream answered.
  package var status: Int?
  /// How many seconds the answer is fresh yet.
  package var ttl: Int64?
  /// Whether the answer is kept now.
  package var isStored = false
  /// Whether another request's call served this one, too.
  package var isCollapsed = false
  /// A word for people.
  package var detail: String?

  /// A hit that is fresh for so many seconds yet, negative past that.
  package static func hit(ttl: Int64, detail: String? = nil) -> CacheStatus {
    var status = CacheStatus()
    (status.ttl, status.detail) = (ttl, detail)
    return status
  }

  /// A request that went on.
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
