import CEpoll
import Glibc

/// Waits until descriptors become ready: the only place that knows epoll.
///
/// Where there is no epoll a type of the same few functions can stand here. Connections are
/// watched edge by edge: an event comes once for each change, and code that reads or writes less
/// than there is must remember to go on.
struct Poller: ~Copyable, Sendable {
  /// The events to watch for.
  enum Interest {
    /// Always while readable: for a listener and the mailbox.
    case inputLevel
    /// Each time input, or the peer's end, arrives: for a connection.
    case inputEdge
    /// Also each time a full socket can take output again.
    case inputAndOutputEdge

    fileprivate var mask: UInt32 {
      let edges = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
      return switch self {
      case .inputLevel: EPOLLIN.rawValue
      case .inputEdge: edges
      case .inputAndOutputEdge: edges | EPOLLOUT.rawValue
      }
    }
  }

  /// What happened to the descriptor that was added with this token.
  struct Event {
    var token: UInt64
    fileprivate var mask: UInt32

    var isReadable: Bool { mask & EPOLLIN.rawValue != 0 }
    var isWritable: Bool { mask & EPOLLOUT.rawValue != 0 }
    /// The peer has ended its side; nothing comes after what can be read.
    var peerEnded: Bool { mask & EPOLLRDHUP.rawValue != 0 }
    /// Both sides have ended, or the connection was reset.
    var isOver: Bool { mask & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
  }

  private static let eventsMax = 256
  private let descriptor: Descriptor
  // Safe because only the one owner of this value, the loop, writes here, in `wait`.
  nonisolated(unsafe) private let events: UnsafeMutablePointer<epoll_event>

  init() throws(ServerError) {
    descriptor = Descriptor(
      try plainSystemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
    events = .allocate(capacity: Self.eventsMax)
  }

  deinit {
    events.deallocate()
  }

  func add(_ descriptor: Int32, token: UInt64, _ interest: Interest) throws(ServerError) {
    try control(EPOLL_CTL_ADD, descriptor, token, interest.mask)
  }

  func change(_ descriptor: Int32, token: UInt64, _ interest: Interest) throws(ServerError) {
    try control(EPOLL_CTL_MOD, descriptor, token, interest.mask)
  }

  func remove(_ descriptor: Int32) throws(ServerError) {
    try control(EPOLL_CTL_DEL, descriptor, 0, 0)
  }

  private func control(
    _ operation: Int32, _ descriptor: Int32, _ token: UInt64, _ mask: UInt32
  ) throws(ServerError) {
    var event = epoll_event(events: mask, data: epoll_data_t(u64: token))
    try plainSystemCall("epoll_ctl") {
      epoll_ctl(self.descriptor.number, operation, descriptor, &event)
    }
  }

  /// Waits for events, at most this long (nil: for ever), and gives their number.
  func wait(milliseconds: Int64?) -> Int {
    let timeout = milliseconds.map { Int32(clamping: $0) } ?? -1
    let count = epoll_wait(descriptor.number, events, Int32(Self.eventsMax), timeout)
    // The only error possible here is EINTR: nothing has happened, the loop goes round.
    return max(0, Int(count))
  }

  /// The event of this position, below the number that `wait` gave.
  func event(_ position: Int) -> Event {
    Event(token: events[position].data.u64, mask: events[position].events)
  }
}
