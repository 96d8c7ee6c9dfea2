/// Whether a connection stays open after bytes that a handler wrote itself.
package enum RawEnding: Sendable {
  /// Sent, then closed in order: a body may so be cut short.
  case close
  /// Sent as far as the socket takes it, then reset.
  case reset
  /// Sent, and nothing more: the connection hangs until the client or the server goes.
  case keepOpen
}

/// A handler's answer to one request.
enum Answer: Sendable {
  case response(Response)
  case raw([UInt8], RawEnding)
  /// The head of a response whose body goes on, and what gets its events.
  case stream(Response, @Sendable (BodyStream.Event) -> Void)
  /// The responder went without an answer.
  case dropped
}

/// Names one use of a connection's slot, so that a late answer never reaches another connection.
struct Ticket: Hashable, Sendable {
  var slot: UInt32
  var generation: UInt32
}
