/// A whole request: its head judged, its body read.
package struct Request: Sendable {
  /// The method.
  package var method: Method
  /// The target's path, still percent-encoded: begins with `/`, or is `*` for `OPTIONS *`.
  package var path: String
  /// What follows the first `?` of the target, still percent-encoded; nil without a `?`.
  package var query: String?
  /// Host and port as the client wrote them: from an absolute target, else from Host; empty when
  /// an HTTP/1.0 client named none.
  package var authority: String { named ?? fields["host"] ?? "" }
  /// The authority where the target names it.
  private let named: String?
  /// The field lines, in order.
  package var fields: Fields
  /// The body, without its chunked framing; always empty for GET, HEAD, DELETE and OPTIONS.
  package var body: [UInt8]
  /// The client's address, without its port.
  package var peer: Peer
  /// 0 for HTTP/1.0, 1 for HTTP/1.1 and every later 1.x.
  package var minorVersion: Int

  /// Makes a request as a peer could have sent it; for tests and for calls within the process.
  package init(
    method: Method, path: String, query: String? = nil, authority: String? = "localhost",
    fields: Fields = Fields(), body: [UInt8] = [], peer: Peer = .loopback, minorVersion: Int = 1
  ) {
    self.method = method
    self.path = path
    self.query = query
    named = authority
    self.fields = fields
    self.body = body
    self.peer = peer
    self.minorVersion = minorVersion
  }
}
