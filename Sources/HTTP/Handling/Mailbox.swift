import CEpoll
import Glibc
import Synchronization

/// How other threads reach an event loop: a list of messages and an eventfd that wakes it.
///
/// Messages posted on the loop's own thread take neither the lock nor the eventfd.
final class Mailbox: Sendable {
  enum Message: Sendable {
    case answer(Answer, Ticket)
    /// What comes before it.
    case interim(InterimResponse, Ticket)
    case work(@Sendable () -> Void)
    /// More of bodies that have no end yet.
    case part(BodyPart, [Ticket], tellsWhenTaken: Bool)
    case endOfBody(Ticket)
    /// How long clients may take from now on: for a head, and between two requests.
    case patience(head: Duration, idle: Duration)
    /// Another loop has no room and nothing to close: close what only waits, and answer it.
    case makeRoom(isShort: Bool, for: Mailbox)
    /// Whether the loop that was asked for room has closed a connection or will soon.
    case room(Bool)
    /// Finish what is in progress within this time, then end.
    case stop(Duration)
  }

  private struct Inbox {
    var messages: [Message] = []
    var isClosed = false
  }

  /// Becomes readable when there are messages.
  let wakeup: Descriptor
  private let inbox = Mutex(Inbox())
  /// The `pthread_self` of the loop's thread while it runs, else 0.
  private let owner = Atomic<UInt>(0)
  // Safe because only the thread that `owner` names touches it.
  @exclusivity(unchecked) nonisolated(unsafe) private var own: [Message] = []

  init() throws(ServerError) {
    wakeup = Descriptor(
      try plainSystemCall("eventfd") { eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) })
  }

  private var isOnLoop: Bool { owner.load(ordering: .relaxed) == pthread_self() }

  /// Hands a message to the loop; dropped when the loop has ended.
  func post(_ message: Message) {
    if isOnLoop {
      own.append(message)
      return
    }
    let mustWake = inbox.withLock { inbox in
      guard !inbox.isClosed else { return false }
      inbox.messages.append(message)
      return inbox.messages.count == 1
    }
    if mustWake { _ = eventfd_write(wakeup.number, 1) }
  }

  /// Makes the calling thread the loop's.
  func open() {
    owner.store(pthread_self(), ordering: .relaxed)
  }

  /// Drops what is left and all that comes later.
  func close() {
    own = []
    owner.store(0, ordering: .relaxed)
    let left = inbox.withLock { inbox in
      inbox.isClosed = true
      defer { inbox.messages = [] }
      return inbox.messages
    }
    // Dropped here, outside the lock: a message may own a responder that posts as it goes.
    _ = consume left
  }

  /// Whether the loop's own thread has posted something that was not taken yet.
  var hasOwnMessages: Bool { !own.isEmpty }

  /// The answer for `ticket` that was just posted on this thread, if any.
  func takeOwnAnswer(for ticket: Ticket) -> Answer? {
    guard
      let position = own.lastIndex(where: {
        if case .answer(_, ticket) = $0 { true } else { false }
      }), case .answer(let answer, _) = own.remove(at: position)
    else { return nil }
    return answer
  }

  /// Takes all that this thread posted to itself.
  func takeOwnMessages() -> [Message] {
    defer { own = [] }
    return own
  }

  /// Takes all that other threads posted, after `wakeup` became readable.
  func takeMessages() -> [Message] {
    var count: eventfd_t = 0
    _ = eventfd_read(wakeup.number, &count)
    return inbox.withLock { inbox in
      defer { inbox.messages = [] }
      return inbox.messages
    }
  }
}
