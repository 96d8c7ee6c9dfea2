import Bytes
internal import Feed
package import Freshness

extension FetchError {
  /// Why an answer is not a good one by its status; nil when the status is 200, or that of a page
  /// which came by a range of elements (206) or over a proxy that changed it (203).
  ///
  /// `now` is in seconds since 1970 by the upstream's clock, to measure a `Retry-After` date by.
  init?(
    status: Int, answer: Answer, fields: FieldList, rules: RefusalRules = RefusalRules(),
    now: Int64
  ) {
    let wait = fields.retryAfterSeconds(now: now)
    if rules.statuses.contains(status) {
      self = .rateLimited(retryAfterSeconds: wait)
      return
    }
    // A refusal of the limit in other words.
    let isLimit = !rules.isQiitas && (rules.isSpent || wait != nil)
    switch status {
    case 200, 203, 206: return nil
    case 401: self = .refused(status: status)
    case 403 where rules.isQiitas: self = FetchError.forbidden(answer.body, wait)
    case 403 where isLimit, 503 where rules.isSpent && isLimit:
      self = .rateLimited(retryAfterSeconds: wait)
    case 403: self = .refused(status: 403)
    case 404, 410: self = .notFound
    // Too slow, or too early: the same may work in a while (RFC 9110 §15.5.9, RFC 8470 §5.2).
    case 408, 425:
      self = .serverError(status: status, retryAfterSeconds: wait)
    // Not to be shown for legal reasons (RFC 7725).
    case 451: self = .refused(status: status)
    case 429: self = .rateLimited(retryAfterSeconds: wait)
    case 400..<500: self = .rejected(status: status)
    case 500..<600:
      self = .serverError(status: status, retryAfterSeconds: wait)
    default: self = .malformed(reason: "status \(status)")
    }
  }

  /// Qiita answers 403 to a spent budget and to what it refuses; only the body's `type` differs.
  private static func forbidden(
    _ body: Result<[UInt8], FetchError>, _ retryAfterSeconds: Int?
  ) -> FetchError {
    switch body {
    case .failure(let error): error
    case .success(let bytes):
      QiitaDialect.isSpent(bytes)
        ? .rateLimited(retryAfterSeconds: retryAfterSeconds) : .refused(status: 403)
    }
  }
}

/// What distinguishes a refusal by the rate limit from any other.
struct RefusalRules {
  /// Whether the body says so, as Qiita's does.
  var isQiitas = false
  /// Statuses that always are one.
  var statuses: [Int] = []
  /// Whether the same answer says that no calls are left.
  var isSpent = false
}

extension FieldList {
  /// `Retry-After` in any of the forms that APIs write it in, as seconds from `now` on; nil where
  /// there is none. `now` is in seconds since 1970 by the upstream's clock.
  package func retryAfterSeconds(now: Int64) -> Int? {
    guard let value = self["Retry-After"], let instant = WaitForm.instant(value, now: now) else {
      return nil
    }
    return Int(max(0, instant.clampedSubtracting(now)))
  }
}
