import HTTP
import JSONBytes
import Wire

extension Response {
  /// How long a 404 is kept.
  static let notFoundAge = "max-age=30"

  /// A problem as `application/problem+json` (RFC 9457).
  init(_ rejection: Rejection, requestID: String?) {
    let problem: JSONObject = [
      "type": "urn:tsugi:problem:\(rejection.code.rawValue)", "title": rejection.code.title,
      "status": rejection.status, "detail": rejection.detail, "code": rejection.code.rawValue,
    ]
    let body =
      problem.with("parameter", rejection.parameter).with("part", rejection.part)
      .with("requestId", requestID).with("retryAfterSeconds", rejection.retryAfterSeconds).bytes()
      + "\n".utf8
    self.init(status: Status(rejection.status), body: body)
    fields.append("Content-Type", "application/problem+json")
    // A path that is not there may be asked for again and again by mistake.
    fields.append("Cache-Control", rejection.status == 404 ? Response.notFoundAge : "no-store")
    if let seconds = rejection.retryAfterSeconds { fields.append("Retry-After", "\(seconds)") }
    if let allow = rejection.allow { fields.append("Allow", allow) }
    if rejection.code == .unauthorized { fields.append("WWW-Authenticate", "Bearer") }
  }
}

extension Rejection {
  /// What the HTTP server itself refused, as a code of the contract.
  init(_ refusal: Refusal) {
    let code: ProblemCode =
      switch refusal.status.code {
      case 400: .badRequest
      case 405: .methodNotAllowed
      case 408: .requestTimeout
      case 413: .contentTooLarge
      case 414: .uriTooLong
      case 431: .headerTooLarge
      case 501: .methodUnknown
      case 503: .overloaded
      case 505: .versionNotSupported
      default: refusal.status.code < 500 ? .badRequest : .internalError
      }
    let keepsStatus = code == .badRequest || code == .internalError
    self.init(
      code, refusal.detail, status: keepsStatus ? refusal.status.code : nil,
      retryAfterSeconds: code == .overloaded ? 1 : nil)
  }
}
