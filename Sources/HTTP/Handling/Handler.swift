/// What answers the requests of one event loop.
///
/// It is made on its loop's thread and called there only, so it may hold state without locks. It
/// must not block: the loop's other connections wait meanwhile.
package protocol Handler: AnyObject {
  /// Answers `request`, now or later, through `responder`.
  func handle(_ request: Request, _ responder: consuming Responder)

  /// A turn of the loop begins: what comes ready in it was asked before now, or shortly after.
  func beginTurn()

  /// Gives the answer to a plain request when it has that ready, and adds what that has of its own
  /// this time to `own`; nil, and nothing added, when the request takes the uncached path.
  ///
  /// This is a path to make fast: no `Request` is made for it.
  func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply?

  /// The same for input that may be the very bytes of a plain head that came before, from whomever;
  /// nil where it is not, or where more than these bytes decides the answer.
  ///
  /// This is the path to make fastest: nothing of the input was looked at yet.
  func readyAnswer(
    repeating head: UnsafeRawBufferPointer, _ own: inout PerReplyFields
  ) -> CachedReply?
}

extension Handler {
  /// Does nothing.
  package func beginTurn() {}

  /// Has nothing ready.
  package func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply? { nil }

  /// Knows no head again.
  package func readyAnswer(
    repeating head: UnsafeRawBufferPointer, _ own: inout PerReplyFields
  ) -> CachedReply? { nil }
}

/// A handler without state: the same closure on every loop.
final class ClosureHandler: Handler {
  private let body: @Sendable (Request, consuming Responder) -> Void

  init(_ body: @escaping @Sendable (Request, consuming Responder) -> Void) {
    self.body = body
  }

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
