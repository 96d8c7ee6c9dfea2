package import Bytes
package import Feed
package import Freshness

/// An HTTP response of any status.
package struct Reply: Sendable {
  /// The status code.
  package var status: Int
  /// The header fields.
  package var fields: FieldList
  /// The body, inflated.
  package var body: [UInt8]
  /// The URL that it is of: another one than was asked for where a redirect led there.
  package var url = ""
}

extension UpstreamClient {
  /// Asks for a URL and returns whatever came, an error status too: for the command line, which
  /// asks running servers by the same client that asks upstreams. Does not block a thread.
  ///
  /// `key` is sent as a bearer's.
  ///
  /// - Throws: `.unreachable`, `.timedOut`, `.tooLarge`, `.cut`, `.malformed`.
  package func reply(
    from url: String, key: Secret? = nil, headerLines: [String] = [],
    limits: TransferLimits = TransferLimits()
  ) async throws(FetchError) -> Reply {
    let answer = await get(
      GetRequest(
        url: url, headerLines: (key.map { [$0.authorizationLine] } ?? []) + headerLines),
      limits: limits)
    let body = try answer.body.get()
    guard let head = answer.head else { throw .cut }
    return Reply(status: head.status, fields: head.fields, body: body, url: answer.url)
  }
}
