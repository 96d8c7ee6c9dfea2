internal import Feed
internal import Freshness

/// A request for the transfer loop, with its completion.
struct TransferOrder: Sendable {
  let request: GetRequest
  let limits: TransferLimits
  let reply: CheckedContinuation<Answer, Never>

  /// Answers that nothing came.
  func fail(_ error: FetchError, redirects: Int = 0) {
    reply.resume(returning: Answer(head: nil, body: .failure(error), redirects: redirects))
  }
}

/// One GET: where to, and with what header lines.
struct GetRequest: Sendable {
  /// Absolute, ASCII, percent-encoded.
  var url: String
  /// Without line ends. They are sent again only to the same origin.
  var headerLines: [String] = []
  /// What makes it one for whatever there is; nil for a page of JSON, inflated, past redirects.
  var raw: RawForm?

  /// How whatever there is is asked for: the answer is given as it came.
  struct RawForm: Sendable {
    /// Whether only the head is asked for.
    var isHead: Bool
    /// Called with interim responses.
    var interim: @Sendable (Int, FieldList) -> Void
  }
}

/// Status and header fields of an answer, the last one's where interim ones came before.
struct ResponseHead: Hashable, Sendable {
  var status: Int
  var fields: FieldList
}

/// The result of a transfer: the head if it is complete, and the body or the error.
struct Answer: Sendable {
  var head: ResponseHead?
  var body: Result<[UInt8], FetchError>
  /// Redirects that were followed: requests the upstream answered besides.
  var redirects = 0
  /// What was asked for in the end, where redirects led (RFC 3986 §5.1.3).
  var url = ""
}
