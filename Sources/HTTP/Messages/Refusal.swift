/// Why the server refuses a request before the handler sees it.
package struct Refusal: Error, Equatable, Sendable {
  /// The status to answer with.
  package var status: Status
  /// One sentence for people; never holds what the peer sent.
  package var detail: String

  /// Makes a refusal.
  package init(status: Status, detail: String) {
    self.status = status
    self.detail = detail
  }

  static func badRequest(_ detail: String) -> Refusal {
    Refusal(status: 400, detail: detail)
  }

  static var bodyTooLarge: Refusal {
    Refusal(status: 413, detail: "The request body is larger than this server takes.")
  }

  static var requestLineTooLong: Refusal {
    Refusal(status: 414, detail: "The request line is longer than this server takes.")
  }

  static var headTooLarge: Refusal {
    Refusal(status: 431, detail: "The request head is larger than this server takes.")
  }

  static var tooManyFields: Refusal {
    Refusal(status: 431, detail: "The request has more field lines than this server takes.")
  }

  static var tooSlow: Refusal {
    Refusal(status: 408, detail: "The request was not complete in time.")
  }

  static var methodUnknown: Refusal {
    Refusal(status: 501, detail: "This server does not know the request method.")
  }

  static var codingUnknown: Refusal {
    Refusal(status: 501, detail: "This server knows no transfer coding but chunked.")
  }

  static var versionNotSupported: Refusal {
    Refusal(status: 505, detail: "This server speaks HTTP/1.1 and HTTP/1.0.")
  }

  static var expectationFailed: Refusal {
    Refusal(status: 417, detail: "This server meets no expectation but 100-continue.")
  }

  static var unanswered: Refusal {
    Refusal(status: 500, detail: "The request was left without an answer.")
  }

  static var tooManyConnections: Refusal {
    Refusal(status: 503, detail: "This server has as many connections as it takes.")
  }
}
