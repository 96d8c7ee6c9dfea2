/// A final status code, 200 to 599 (RFC 9110 §15).
package struct Status: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The three digits as a number.
  package let code: Int

  /// Makes a status; a code outside 200…599 is our own mistake and traps.
  package init(_ code: Int) {
    precondition((200...599).contains(code), "a final status is within 200...599")
    self.code = code
  }

  /// Makes a status from a literal, so that `Response(status: 404)` reads as it should.
  package init(integerLiteral code: Int) {
    self.init(code)
  }

  /// Whether a response of this status never has a body (RFC 9110 §6.4.1).
  package var isBodiless: Bool { code == 204 || code == 304 }

  /// The words that follow the code in a status line; empty for codes we have no words for.
  package var reason: String {
    Self.reasons[code] ?? ""
  }

  private static let reasons: [Int: String] = [
    200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
    410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed",
    421: "Misdirected Request", 422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}
