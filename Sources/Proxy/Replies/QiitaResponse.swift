import Bytes
import Feed
import HTTP
import JSONBytes
import Wire

extension Response {
  /// How Qiita names JSON.
  static let qiitaJSON = "application/json; charset=utf-8"

  /// The answer that carries a page as Qiita's API has it: the items' bytes as a bare array.
  init(
    _ slice: Slice, _ page: QiitaPage, isRefresh: Bool, isShared: Bool,
    for context: RequestContext, by reply: ReplyPolicy
  ) {
    let link = page.link(for: slice)
    var digest = Digest()
    for item in slice.items { digest.add(item.bytes) }
    digest.add(Array((link ?? "").utf8))
    self.init(
      json: QiitaPage.array(of: slice.items), entityTag: digest.entityTag,
      freshness: slice.freshness, calls: slice.calls, isRefresh: isRefresh, isShared: isShared,
      for: context, by: reply)
    nameJSONAsQiita()
    if let link { fields.append("Link", link) }
    if let total = slice.total { fields.append("Total-Count", "\(total.value)") }
  }

  /// Adds the upstream calls left, as Qiita does in every reply.
  mutating func append(_ budget: Budget, at now: Timestamp) {
    for (name, value) in budget.qiitaFields(at: now) { fields.append(name, "\(value)") }
  }

  /// Calls the body what Qiita calls it.
  mutating func nameJSONAsQiita() {
    if fields.contains("Content-Type") { fields.set("Content-Type", Response.qiitaJSON) }
  }

  /// An error as Qiita sends it, `{"message":"Not found","type":"not_found"}`.
  ///
  /// What Qiita would answer 404 is 404, and a spent budget is its 403. Failures of the upstream
  /// keep their own status, which says more than Qiita's 500.
  init(asQiita rejection: Rejection) {
    let error = QiitaError(rejection.code)
    var json = JSONWriter()
    json.append(raw: "{\"message\":")
    json.append(error.message)
    json.appendName("type")
    json.append(error.type)
    json.append(raw: "}")
    self.init(status: Status(error.status), body: json.bytes)
    fields.append("Content-Type", Response.qiitaJSON)
    fields.append("Cache-Control", error.status == 404 ? Response.notFoundAge : "no-store")
    if let seconds = rejection.retryAfterSeconds { fields.append("Retry-After", "\(seconds)") }
    if let allow = rejection.allow { fields.append("Allow", allow) }
    if rejection.code == .unauthorized { fields.append("WWW-Authenticate", "Bearer") }
  }

  /// An error as the clients of a path expect it.
  init(_ rejection: Rejection, for context: RequestContext) {
    if context.isQiitas {
      self.init(asQiita: rejection)
    } else {
      self.init(rejection, requestID: context.requestID)
    }
  }
}

/// An error body as Qiita writes it: `{"message":"Not found","type":"not_found"}`.
struct QiitaError {
  /// The status.
  var status: Int
  /// What happened, for people.
  var message: String
  /// What happened, for programs.
  var type: String

  /// What Qiita would say of one of our codes.
  init(_ code: ProblemCode) {
    status = code.status
    switch code {
    case .unauthorized: (message, type) = ("Unauthorized", "unauthorized")
    case .forbidden: (message, type) = ("Forbidden", "forbidden")
    case .notFound, .sourceNotFound, .feedNotFound, .itemNotFound, .gapNotFound, .itemDeleted:
      (status, message, type) = (404, "Not found", "not_found")
    case .methodNotAllowed: (message, type) = ("Method not allowed", "method_not_allowed")
    case .upstreamRateLimited:
      (status, message, type) = (403, "Rate limit exceeded", "rate_limit_exceeded")
    case .tooManyRequests: (message, type) = ("Rate limit exceeded", "rate_limit_exceeded")
    case .badRequest, .invalidParameter, .invalidLimit, .invalidCursor, .cursorMismatch,
      .invalidFields, .cursorExpired, .sinceExpired, .requestTimeout, .contentTooLarge,
      .uriTooLong, .headerTooLarge:
      (message, type) = ("Bad request", "bad_request")
    case .internalError, .methodUnknown, .versionNotSupported, .upstreamBadResponse,
      .upstreamUnavailable, .overloaded, .upstreamTimeout:
      (message, type) = ("Internal server error", "internal_server_error")
    }
  }
}

extension QiitaPage {
  /// The items as a JSON array, byte for byte.
  static func array(of items: ArraySlice<Element>) -> [UInt8] {
    var json = JSONWriter(capacity: items.reduce(2) { $0 + $1.bytes.count + 1 })
    json.appendList(items) { $0.append(raw: $1.bytes) }
    return json.bytes
  }
}

extension Budget {
  /// `Rate-Limit`, `Rate-Remaining` and `Rate-Reset`. What no response has stated yet is what
  /// Qiita bears without a token.
  func qiitaFields(at now: Timestamp) -> [(name: StaticString, value: Int64)] {
    [
      ("Rate-Limit", Int64(limit ?? assumed.calls)), ("Rate-Remaining", Int64(remaining)),
      ("Rate-Reset", (resetAt ?? now + .seconds(3_600)).seconds),
    ]
  }
}
