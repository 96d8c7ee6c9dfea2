/// What Qiita answers, and how it reaches the client.
package struct Answer: Sendable {
  /// How the bytes are sent.
  package enum Delivery: Hashable, Sendable {
    /// All of them, in one piece.
    case whole
    /// The head promises all, but the connection closes after so many bytes of the body.
    case cut(bodyBytes: Int)
    /// The connection is reset before the head.
    case reset
    /// So many bytes of the body come, then no more; the connection stays open.
    case stall(bodyBytes: Int)
    /// Nothing is sent, and the connection stays open.
    case hang
  }

  /// The status, 200 to 599.
  package var status: Int
  /// The header fields without `content-length`, names in lower case.
  package var fields: [(name: String, value: String)]
  /// The bytes of the body.
  package var body: [UInt8]
  /// How it is sent.
  package var delivery = Delivery.whole
  /// How long it is held back before the first byte.
  package var delayMilliseconds = 0
  /// What went wrong on purpose.
  package var fault: Fault?

  /// The value of a field by its lower-case name; nil when it is not there.
  package func field(_ name: String) -> String? {
    fields.first { $0.name == name }?.value
  }

  /// An error of Qiita's, `{"message":…,"type":…}`.
  static func error(_ status: Int, _ message: String, _ type: String) -> Answer {
    let body = RailsJSON.object([("message", .text(message)), ("type", .text(type))])
    return Answer(status: status, fields: [Self.jsonType], body: body)
  }

  static let badRequest = error(400, "Bad request", "bad_request")
  static let unauthorized = error(401, "Unauthorized", "unauthorized")
  static let notFound = error(404, "Not found", "not_found")
  static let beyond = error(422, "Only the first items are available", "unprocessable_entity")
  static let rateLimited = error(403, "Rate limit exceeded", "rate_limit_exceeded")
  static let jsonType = (name: "content-type", value: "application/json; charset=utf-8")
  static let htmlType = (name: "content-type", value: "text/html; charset=utf-8")
}
