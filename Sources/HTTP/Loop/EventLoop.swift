import CEpoll
import Glibc

/// One thread's share of the server: an epoll set, a listener, connections and their deadlines.
///
/// It is made by `Server.start` and then used by its own thread only, which `run` occupies until
/// the server stops. A handler is called between a connection's read and write and can reach the
/// loop through its mailbox only, so nothing here is ever entered twice. What each request uses is
/// not checked for that as it runs, which took a twelfth of our own time.
final class EventLoop {
  typealias Pointer = ConnectionTable.Pointer

  static let listenerToken = UInt64.max
  static let mailboxToken = UInt64.max - 1
  /// Turns at reading or draining one connection before the others have theirs.
  static let turnsMax = 16
  /// Requests of one connection that a handler is given in a turn before the others have theirs: a
  /// slice that is not ready takes some 0.1 ms, the largest some 2 ms.
  static let calledPerTurnMax = 4

  let loop: Loop
  @exclusivity(unchecked) private(set) var configuration: ServerOptions {
    didSet { patience = Patience(limits) }
  }
  /// The configuration's times as the deadlines are counted.
  @exclusivity(unchecked) private(set) var patience: Patience
  let openConnections: OpenConnections
  @exclusivity(unchecked) var poller: Poller
  var listener: Listener?
  var spareDescriptor: Descriptor?
  @exclusivity(unchecked) var acceptsAgainAt: Int64?
  /// Whether clients may have stood in the system's queue for a while.
  @exclusivity(unchecked) var hasQueue = false
  @exclusivity(unchecked) var firstReads = FirstReads()
  /// When connections are next looked through for some to close, and the verdict until then.
  var looksForRoomAt = Int64.min
  var noRoom = Shedding.Verdict.refuse
  /// The other loops of the server, and what they can do where this one has nothing to close.
  let peers: [Mailbox]
  var peerRoom: PeerRoom
  @exclusivity(unchecked) var connections = ConnectionTable()
  @exclusivity(unchecked) var wheel: DeadlineWheel
  @exclusivity(unchecked) var parser = RequestParser()
  @exclusivity(unchecked) var encoder = ResponseEncoder()
  /// What the answer has of its own that is being sent.
  @exclusivity(unchecked) var ownLines = PerReplyFields()
  @exclusivity(unchecked) var clock = DateClock()
  /// Milliseconds of CLOCK_MONOTONIC, taken once per turn.
  @exclusivity(unchecked) var now: Int64
  @exclusivity(unchecked) var unfinished: [Ticket] = []
  @exclusivity(unchecked) var gathering = WriteBatch()
  /// Bodies that have no end yet, by their connections' slots.
  var streams: [UInt32: OpenStream] = [:]
  /// Those of them that have something to be written.
  @exclusivity(unchecked) var dueStreams = DueStreams()
  @exclusivity(unchecked) var handler: (any Handler)?
  /// When draining ends; nil while the server is not stopping.
  @exclusivity(unchecked) var drainEnd: Int64?
  /// Until when clients are accepted whose handshake began before the server stopped.
  var handshakeEnd: Int64 = 0
  /// Until when a connection without a request may bring one, while the server stops.
  var graceEnd: Int64 = 0
  /// Requests of the connection at hand that a handler was given in this turn.
  @exclusivity(unchecked) var calledInTurn = 0
  /// What is held for this loop's peers.
  let held: HeldBytes
  let readBuffer: UnsafeMutableRawBufferPointer

  var limits: Limits { configuration.limits }

  init(
    _ loop: Loop, peers: [Mailbox], _ listener: consuming Listener,
    _ configuration: ServerOptions, _ openConnections: OpenConnections, _ budget: MemoryBudget
  ) throws(ServerError) {
    held = HeldBytes(budget, loops: configuration.loops)
    self.loop = loop
    self.peers = peers
    peerRoom = PeerRoom(loops: peers.count)
    self.configuration = configuration
    patience = Patience(configuration.limits)
    self.openConnections = openConnections
    poller = try Poller()
    now = Self.milliseconds()
    wheel = DeadlineWheel(now: now)
    spareDescriptor = Self.spare()
    readBuffer = .allocate(byteCount: configuration.limits.pipelinedBytes, alignment: 16)
    try poller.add(loop.mailbox.wakeup.number, token: Self.mailboxToken, .inputLevel)
    try poller.add(listener.number, token: Self.listenerToken, .inputLevel)
    self.listener = consume listener
  }

  deinit {
    readBuffer.deallocate()
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Serves until the server stops; occupies the calling thread.
  func run(_ makeHandler: (Loop) -> any Handler) {
    // So that tools show which threads are loops.
    pthread_setname_np(pthread_self(), "tsugi.loop.\(loop.index)")
    // A client may go while a file is sent to it, which takes no flag against the signal.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    loop.mailbox.open()
    handler = makeHandler(loop)
    while !hasDrained {
      let count = poller.wait(milliseconds: waitMilliseconds)
      now = Self.milliseconds()
      clock.update()
      handler?.beginTurn()
      gathering.isOpen = count > 1
      for position in 0..<count {
        handle(poller.event(position))
        if gathering.isFull { sendGathered() }
      }
      resumeUnfinished()
      handleOwnMessages()
      sendGathered()
      writeDueStreams()
      expireConnections()
      if drainEnd != nil, now >= handshakeEnd { closeListener() }
      if held.isExceeded { makeRoomInMemory() }
    }
    closeEverything()
  }

  private var waitMilliseconds: Int64? {
    let hasMore = !unfinished.isEmpty || !gathering.isEmpty || !dueStreams.isEmpty
    if hasMore || loop.mailbox.hasOwnMessages { return 0 }
    var wait = wheel.milliseconds(from: now) ?? .max
    if let acceptsAgainAt { wait = min(wait, max(0, acceptsAgainAt - now)) }
    if let drainEnd {
      wait = min(wait, max(0, (listener == nil ? drainEnd : handshakeEnd) - now))
    }
    return wait == .max ? nil : wait
  }

  private var hasDrained: Bool {
    guard let drainEnd else { return false }
    return connections.count == 0 && listener == nil || now >= drainEnd
  }

  private func handle(_ event: Poller.Event) {
    switch event.token {
    case Self.listenerToken:
      acceptClients()
    case Self.mailboxToken:
      handle(loop.mailbox.takeMessages())
    default:
      guard let connection = connections.connection(Ticket(token: event.token)) else { return }
      handle(event, on: connection, Ticket(token: event.token))
    }
  }

  private func handle(_ event: Poller.Event, on connection: Pointer, _ ticket: Ticket) {
    if event.isOver {
      close(connection, ticket)
      return
    }
    if event.isReadable || event.peerEnded { connection.pointee.mayRead = true }
    if event.peerEnded { connection.pointee.peerEnding = true }
    if event.isWritable && connection.pointee.outgoing != nil { sendOutgoing(connection, ticket) }
    // Who still has to go on does so after the others, once.
    if !connection.pointee.isUnfinished { proceed(connection, ticket) }
  }

  private func resumeUnfinished() {
    guard !unfinished.isEmpty else { return }
    let tickets = unfinished
    unfinished = []
    for ticket in tickets {
      guard let connection = connections.connection(ticket) else { continue }
      connection.pointee.isUnfinished = false
      proceed(connection, ticket)
    }
  }

  private func handleOwnMessages() {
    while loop.mailbox.hasOwnMessages {
      handle(loop.mailbox.takeOwnMessages())
    }
  }

  private func handle(_ messages: [Mailbox.Message]) {
    if messages.count > 1 { gathering.isOpen = true }
    for message in messages {
      handle(message)
      if gathering.isFull { sendGathered() }
    }
  }

  private func handle(_ message: Mailbox.Message) {
    switch message {
    case .answer(let answer, let ticket):
      guard let connection = connections.connection(ticket),
        connection.pointee.phase == .answering
      else {
        if case .stream(_, let tell) = answer { tell(.ended(.gone)) }
        return
      }
      send(answer, on: connection, ticket, isLast: true)
      flush(connection, ticket)
      proceed(connection, ticket)
    case .interim(let interim, let ticket):
      send(interim, to: ticket)
    case .part(let part, let tickets, let tellsWhenTaken):
      write(part, to: tickets, tellsWhenTaken: tellsWhenTaken)
    case .endOfBody(let ticket):
      endStream(ticket, .finished)
    case .work(let work):
      work()
    case .patience(let head, let idle):
      configuration.limits.headDeadline = head
      configuration.limits.idleTime = idle
    case .makeRoom(let isShort, let peer):
      peer.post(.room(makeRoom(isShort: isShort) != .refuse))
    case .room(let hasRoom):
      peerRoom.take(hasRoom: hasRoom, now: now)
    case .stop(let drain):
      beginDraining(drain)
    }
  }

  private func expireConnections() {
    if let time = acceptsAgainAt, time <= now { resumeAccepting() }
    for slot in wheel.expired(now: now, in: connections) {
      let connection = connections.pointer(slot)
      expire(connection, Ticket(slot: slot, generation: connection.pointee.generation))
    }
  }
}

extension Ticket {
  init(token: UInt64) {
    self.init(slot: UInt32(truncatingIfNeeded: token), generation: UInt32(token >> 32))
  }

  /// What the poller keeps for a connection. Never a loop's own token: a slot is far below 2³².
  var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}
