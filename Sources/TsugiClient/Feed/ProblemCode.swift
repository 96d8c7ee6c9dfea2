import Wire

/// Every error code that a server of this version sends. What it says of itself stands in
/// ``ProblemDetails``.
public enum ProblemCode: String, CaseIterable, Codable, Sendable {
  /// The request cannot be understood.
  case badRequest = "bad_request"
  /// A parameter is unknown, repeated, empty or contradicts another.
  case invalidParameter = "invalid_parameter"
  /// `limit` is not a whole number from 1 on.
  case invalidLimit = "invalid_limit"
  /// A cursor is not one, or was changed on the way.
  case invalidCursor = "invalid_cursor"
  /// A cursor was made for another feed.
  case cursorMismatch = "cursor_mismatch"
  /// `fields` names no paths, too many, or too deep ones.
  case invalidFields = "invalid_fields"
  /// No API key, or a wrong one.
  case unauthorized
  /// The request is not allowed from there.
  case forbidden
  /// There is nothing at this path.
  case notFound = "not_found"
  /// No source has this name.
  case sourceNotFound = "source_not_found"
  /// The source has no such feed.
  case feedNotFound = "feed_not_found"
  /// The item was never known.
  case itemNotFound = "item_not_found"
  /// The gap is not there, or no longer.
  case gapNotFound = "gap_not_found"
  /// The method is known but not allowed here.
  case methodNotAllowed = "method_not_allowed"
  /// The request did not arrive in time.
  case requestTimeout = "request_timeout"
  /// The item is known to have gone.
  case itemDeleted = "item_deleted"
  /// The position can no longer be found.
  case cursorExpired = "cursor_expired"
  /// The changes since that number are no longer kept.
  case sinceExpired = "since_expired"
  /// The body is too large.
  case contentTooLarge = "content_too_large"
  /// The request line is too long.
  case uriTooLong = "uri_too_long"
  /// One address asks too much.
  case tooManyRequests = "too_many_requests"
  /// The head is too large.
  case headerTooLarge = "header_too_large"
  /// Our own fault.
  case internalError = "internal_error"
  /// The method is not known.
  case methodUnknown = "method_unknown"
  /// The upstream's answer cannot be used.
  case upstreamBadResponse = "upstream_bad_response"
  /// The upstream's budget is spent.
  case upstreamRateLimited = "upstream_rate_limited"
  /// The upstream cannot be reached, or fails.
  case upstreamUnavailable = "upstream_unavailable"
  /// The server has too much to do.
  case overloaded
  /// The upstream did not answer within the time the client waits.
  case upstreamTimeout = "upstream_timeout"
  /// The HTTP version is not spoken here.
  case versionNotSupported = "version_not_supported"

  /// The HTTP status it goes with.
  public var status: Int { contract?.status ?? 500 }

  /// What it means, in a few words for people.
  fileprivate var title: String { contract?.title ?? rawValue }

  /// The same in the contract that the server is built from; a test holds both to each other.
  private var contract: Wire.ProblemCode? { Wire.ProblemCode(rawValue: rawValue) }
}

/// An error as the server sends it (RFC 9457).
public struct ProblemDetails: Codable, Hashable, Sendable {
  /// `urn:tsugi:problem:<code>`.
  public var type: String
  /// What happened, in a few words.
  public var title: String
  /// The HTTP status.
  public var status: Int
  /// What happened this time, and what is allowed.
  public var detail: String
  /// The code. Text, so that a client reads codes it does not know yet.
  public var code: String
  /// The parameter that is wrong.
  public var parameter: String?
  /// The part of a merged feed that failed.
  public var part: String?
  /// The request's id, to find it in the logs.
  public var requestId: String?
  /// Seconds after which another try may do better.
  public var retryAfterSeconds: Int?

  /// A problem of a code.
  public init(
    _ code: ProblemCode, detail: String, parameter: String? = nil, requestId: String? = nil,
    retryAfterSeconds: Int? = nil
  ) {
    type = "urn:tsugi:problem:\(code.rawValue)"
    title = code.title
    status = code.status
    self.detail = detail
    self.code = code.rawValue
    self.parameter = parameter
    self.requestId = requestId
    self.retryAfterSeconds = retryAfterSeconds
  }
}
