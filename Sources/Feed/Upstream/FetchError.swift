/// Why an upstream call brought nothing that can be used.
package enum FetchError: Error, Hashable, Sendable {
  /// Nothing: the feed is still in the state that was named.
  case unchanged
  /// 429, or 403 whose `type` is `rate_limit_exceeded`. `retryAfterSeconds` where it was sent.
  case rateLimited(retryAfterSeconds: Int?)
  /// 401, or 403 of another type: this feed is refused, not the source.
  case refused(status: Int)
  /// 404: the feed or item is not there.
  case notFound
  /// 400 or another 4xx: the upstream does not take what was asked.
  case rejected(status: Int)
  /// 5xx. `retryAfterSeconds` where it was sent.
  case serverError(status: Int, retryAfterSeconds: Int? = nil)
  /// No connection, a TLS failure or the like: the request was not sent; `reason` in libcurl's
  /// words.
  case unreachable(reason: String)
  /// The request was sent, and the connection ended before an answer began.
  case noAnswer
  /// The total time, or the low-speed limit, was passed.
  case timedOut
  /// The body was over the limit of `limitBytes`.
  case tooLarge(limitBytes: Int)
  /// The body ended before its announced length, or its gzip stream did not end.
  case cut
  /// The answer is not what the contract of the upstream says: not JSON, not an array.
  case malformed(reason: String)
}

extension FetchError {
  /// What happened, as a word that stays the same: for metrics, and for who searches a log.
  package var word: String {
    switch self {
    case .unchanged: "unchanged"
    case .rateLimited: "rate_limited"
    case .refused: "refused"
    case .notFound: "not_found"
    case .rejected: "rejected"
    case .serverError: "server_error"
    case .unreachable: "unreachable"
    case .noAnswer: "no_answer"
    case .timedOut: "timed_out"
    case .tooLarge: "too_large"
    case .cut: "cut"
    case .malformed: "malformed"
    }
  }

  /// What happened, for people.
  package var reason: String {
    switch self {
    case .unchanged: "nothing has changed"
    case .rateLimited(let seconds): "no calls are left\(Self.retry(after: seconds))"
    case .refused(let status): "it answered \(status): the feed is refused"
    case .notFound: "it answered 404: there is nothing"
    case .rejected(let status): "it answered \(status): it does not take what was asked"
    case .serverError(let status, let seconds): "it answered \(status)\(Self.retry(after: seconds))"
    case .unreachable(let reason), .malformed(let reason): reason
    case .noAnswer: "the connection ended without an answer"
    case .timedOut: "it took too long"
    case .tooLarge(let limitBytes): "more than \(limitBytes) bytes"
    case .cut: "the answer ended too early"
    }
  }

  private static func retry(after seconds: Int?) -> String {
    seconds.map { ", to be asked again after \($0) s" } ?? ""
  }
}
