/// One way in which an answer fails.
package enum Fault: String, CaseIterable, Hashable, Sendable {
  /// 500 with Qiita's own error body.
  case serverError = "500"
  /// 502 with an HTML body from the machine in front.
  case badGateway = "502html"
  /// 503 with an HTML body.
  case unavailable = "503"
  /// 429 with the body of an exhausted budget, though calls are left.
  case tooManyRequests = "429"
  /// 403 of a type that is not the rate limit.
  case forbidden = "403other"
  /// The connection is reset before the head.
  case reset
  /// The body ends after half of what `content-length` promised.
  case cut
  /// Half of the body comes, then no more; the connection stays open.
  case slow
  /// Nothing is ever sent.
  case hang
  /// 200 with `application/json`, but the body is HTML.
  case notJSON = "notjson"
  /// One element has no id, no date that can be read, or is broken inside.
  case badItem = "baditem"
  /// One element stands twice, and the last is pushed out.
  case twice = "dupid"
  /// Two elements have changed places.
  case disorder
  /// One element has bytes that are not UTF-8 in its title.
  case badUTF8 = "badutf8"
  /// One element has a body of three million bytes.
  case huge

  /// How large the body of a `huge` element is.
  static let hugeBytes = 3_000_000

  /// Reads `KIND=P`, the probability from 0 to 1: `502html=0.05`; nil for anything else.
  package static func probability(parsing text: String) -> (fault: Fault, probability: Double)? {
    let pair = text.split(separator: "=", omittingEmptySubsequences: false)
    guard pair.count == 2, let fault = Fault(rawValue: String(pair[0])),
      let probability = Double(pair[1]), 0...1 ~= probability
    else { return nil }
    return (fault, probability)
  }
}
