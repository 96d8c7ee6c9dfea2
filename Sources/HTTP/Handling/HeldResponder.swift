import Synchronization

/// A responder behind a reference, for closures, tasks and lists of those who wait.
///
/// The first answer counts, from whichever thread it comes; later ones are dropped. When the last
/// reference goes without an answer, the client gets 500.
package final class HeldResponder: Sendable {
  /// The loop whose connection waits for the answer.
  package let loop: Loop
  private let responder: Mutex<Responder?>

  init(_ responder: consuming Responder) {
    loop = responder.loop
    self.responder = Mutex(consume responder)
  }

  /// Answers with `response` unless there was an answer before; never blocks.
  package func send(_ response: Response) {
    take()?.send(response)
  }

  /// Sends what comes before the answer, unless that has been given; never blocks.
  package func send(_ interim: InterimResponse) {
    responder.withLock { $0?.send(interim) }
  }

  /// Takes the responder out, for a use that `send` does not cover; nil when it was used.
  package func take() -> Responder? {
    responder.withLock { $0.take() }
  }
}

extension Responder {
  /// Puts the responder behind a reference, since a closure cannot hold what is used only once.
  package consuming func hold() -> HeldResponder {
    HeldResponder(self)
  }
}
