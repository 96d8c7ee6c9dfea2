/// What answers the requests of one event loop.
///
/// It is made on its loop's thread and called there only, so it may hold state without locks. It
/// must not block: the loop's other connections wait meanwhile.
package protocol Handler {
  /// Answers `request`, now or later, through `responder`.
  func handle(_ request: Request, _ responder: consuming Responder)

  /// Puts the answer to a plain request into `answer` and gives its body, empty for HEAD, when it
  /// has that ready; nil, and nothing put there, when the request is to go the long way.
  ///
  /// This is a path to make fast: no `Request` is made for it.
  func readyBody(for head: PlainHead, _ answer: borrowing ReadyAnswer) -> [UInt8]?

  /// The same for input that may be the very bytes of a plain head that came before, from whomever;
  /// nil where it is not, or where more than these bytes decides the answer.
  ///
  /// This is the path to make fastest: nothing of the input was looked at yet.
  func readyBody(
    repeating head: UnsafeRawBufferPointer, _ answer: borrowing ReadyAnswer
  ) -> [UInt8]?
}

extension Handler {
  /// Has nothing ready.
  package func readyBody(for head: PlainHead, _ answer: borrowing ReadyAnswer) -> [UInt8]? { nil }

  /// Knows no head again.
  package func readyBody(
    repeating head: UnsafeRawBufferPointer, _ answer: borrowing ReadyAnswer
  ) -> [UInt8]? { nil }
}

/// A handler without state: the same closure on every loop.
struct ClosureHandler: Handler {
  let body: @Sendable (Request, consuming Responder) -> Void

  func handle(_ request: Request, _ responder: consuming Responder) {
    body(request, responder)
  }
}

/// One event loop of a server, as the rest of the program sees it.
package struct Loop: Sendable {
  /// 0 for the first loop, counting up.
  package let index: Int
  let mailbox: Mailbox

  /// Runs `work` on the loop's thread, soon; dropped when the loop has ended. Never blocks.
  package func run(_ work: @escaping @Sendable () -> Void) {
    mailbox.post(.work(work))
  }
}
