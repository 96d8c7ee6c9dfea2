/// An answer, whole in memory.
///
/// The server adds what belongs to the connection: Content-Length, Connection, and Date where the
/// fields hold none. To a HEAD request it sends the same fields without the body.
package struct Response: Sendable, Equatable {
  /// The status.
  package var status: Status
  /// The field lines. Content-Length, Transfer-Encoding and Keep-Alive in here are left out;
  /// `Connection: close` ends the connection after this answer.
  package var fields: Fields
  /// The body; not sent for 204, 304 and HEAD.
  package var body: [UInt8]
  /// To HEAD, what Content-Length says in place of the body's; nil leaves it at that.
  package var announcedBytes: Int?

  /// Makes an answer.
  package init(status: Status = 200, fields: Fields = Fields(), body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Makes a short answer of plain UTF-8 text.
  package init(status: Status = 200, text: String) {
    self.init(
      status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
  }
}
