import Bytes

/// What a client asks of Qiita, as far as it matters for the answer.
package struct Call: Hashable, Sendable {
  /// The path as sent, percent-encoded, with `/api/v2`.
  package var path: String
  /// What follows the `?`, as sent; nil without one.
  package var query: String?
  /// The `Authorization` header's token; nil without one. Any token is good.
  package var token: String?
  /// The `If-None-Match` header.
  package var ifNoneMatch: String?
  /// Scheme and authority for links, `http://127.0.0.1:8080`.
  package var origin: String

  /// A call; `target` is path and query as they stand in a request line.
  package init(
    _ target: String, token: String? = nil, ifNoneMatch: String? = nil,
    origin: String = "https://qiita.com"
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : nil
    self.token = token
    self.ifNoneMatch = ifNoneMatch
    self.origin = origin
  }

  /// The decoded parameters in the order sent.
  var parameters: [(name: String, value: String)] {
    (query ?? "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        percentDecoded(parts[0], plusIsSpace: true),
        parts.count > 1 ? percentDecoded(parts[1], plusIsSpace: true) : ""
      )
    }
  }

  /// The value of a parameter; of several the last, as Rails has it.
  func parameter(_ name: String) -> String? {
    parameters.last { $0.name == name }?.value
  }
}

/// A call that was answered, for tests to count.
package struct AnsweredCall: Hashable, Sendable {
  /// What was asked.
  package let call: Call
  /// The page asked for, 1 to 100; nil where the path has no pages or the number was refused.
  package let page: Int?
  /// The size asked for, 1 to 100; nil as for `page`.
  package let perPage: Int?
  /// The status sent.
  package let status: Int
  /// What went wrong on purpose.
  package let fault: Fault?
  /// The world's step that the answer shows.
  package let step: Int
  /// When, in seconds since 1970.
  package let atSeconds: Int64
}

/// The text meant; one that is not percent-encoded UTF-8 stays as it is.
func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
  let bytes = PercentCoding.decoded(text.utf8, plusIsSpace: plusIsSpace)
  return bytes.map { String(decoding: $0, as: UTF8.self) } ?? String(text)
}
