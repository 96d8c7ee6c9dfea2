import Bytes
internal import Feed
private import JSONBytes

extension FetchError {
  /// Why an answer is not a good one by its status; nil when the status is 200.
  ///
  /// `now` is in seconds since 1970 by the upstream's clock, to measure a `Retry-After` date by.
  init?(status: Int, answer: Answer, fields: HeaderFields, now: Int64) {
    switch status {
    case 200: return nil
    case 401: self = .refused(status: status)
    case 403: self = FetchError.forbidden(answer.body, retryAfter(fields, now: now))
    case 404, 410: self = .notFound
    // Too slow, or too early: the same may work in a while (RFC 9110 §15.5.9, RFC 8470 §5.2).
    case 408, 425:
      self = .serverError(status: status, retryAfterSeconds: retryAfter(fields, now: now))
    // Not to be shown for legal reasons (RFC 7725).
    case 451: self = .refused(status: status)
    case 429: self = .rateLimited(retryAfterSeconds: retryAfter(fields, now: now))
    case 400..<500: self = .rejected(status: status)
    case 500..<600:
      self = .serverError(status: status, retryAfterSeconds: retryAfter(fields, now: now))
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
      errorType(in: bytes) == Array("rate_limit_exceeded".utf8)
        ? .rateLimited(retryAfterSeconds: retryAfterSeconds) : .refused(status: 403)
    }
  }
}

/// The `type` of Qiita's error object; nil when the body is none.
private func errorType(in body: [UInt8]) -> [UInt8]? {
  do throws(JSONError) {
    guard let range = try JSON.member("type", of: body[...]) else { return nil }
    return try JSON.text(body[range])
  } catch {
    return nil
  }
}

/// `Retry-After` (RFC 9110 §10.2.3), a number of seconds or a date, as seconds from `now` on.
private func retryAfter(_ fields: HeaderFields, now: Int64) -> Int? {
  if let seconds = fields.number("Retry-After") { return Int(seconds) }
  guard let value = fields["Retry-After"], let date = HTTPDate.parse(value, now: now) else {
    return nil
  }
  return Int(max(0, date - now))
}
