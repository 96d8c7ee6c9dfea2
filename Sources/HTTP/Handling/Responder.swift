/// The one chance to answer a request.
///
/// It may be used immediately, on the loop's thread, or kept and used later from any thread. It can
/// be used once only; when it goes unused, the client gets 500. An answer to a client that has left
/// in the meantime is dropped.
package struct Responder: ~Copyable, Sendable {
  /// The loop whose connection waits for the answer.
  package let loop: Loop
  private let ticket: Ticket
  private var isUsed = false

  init(loop: Loop, ticket: Ticket) {
    self.loop = loop
    self.ticket = ticket
  }

  /// Answers with `response`; never blocks.
  package consuming func send(_ response: Response) {
    isUsed = true
    loop.mailbox.post(.answer(.response(response), ticket))
  }

  /// Sends what comes before the answer; never blocks.
  package borrowing func send(_ interim: InterimResponse) {
    loop.mailbox.post(.interim(interim, ticket))
  }

  /// Sends `bytes` as they are in place of an answer, then ends as `ending` says.
  ///
  /// For playing a broken server: a cut body, a reset, a hang. No later request of this
  /// connection is answered.
  package consuming func sendRaw(_ bytes: [UInt8], then ending: RawEnding) {
    isUsed = true
    loop.mailbox.post(.answer(.raw(bytes, ending), ticket))
  }

  /// Begins an answer whose body goes on for as long as the client listens; never blocks.
  ///
  /// It is sent chunked, and ends with the connection; the response's own body is left out. `tell`
  /// runs on the loop's thread and must not block; unless the client has gone before, it gets
  /// the end, once.
  package consuming func begin(
    _ response: Response, tell: @escaping @Sendable (BodyStream.Event) -> Void
  ) -> BodyStream {
    isUsed = true
    loop.mailbox.post(.answer(.stream(response, tell), ticket))
    return BodyStream(loop: loop, ticket: ticket)
  }

  deinit {
    if !isUsed { loop.mailbox.post(.answer(.dropped, ticket)) }
  }
}
