import Glibc

extension EventLoop {
  /// How long accepting pauses when the process has no descriptor left.
  private static let shortagePauseMilliseconds: Int64 = 100
  static let acceptedPerTurnMax = 64
  private static let shortages = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

  /// A descriptor kept so that one can be freed when there are none left.
  static func spare() -> Descriptor? {
    let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return number < 0 ? nil : Descriptor(Int(number))
  }

  /// Takes the clients that wait, a turn's worth or up to `clientsMax`.
  func acceptClients(_ clientsMax: Int = acceptedPerTurnMax) {
    for _ in 0..<clientsMax where acceptsAgainAt == nil {
      do {
        guard let client = try listener?.accept() else {
          hasQueue = false
          return
        }
        begin(client.descriptor, client.peer)
      } catch .systemCall(_, let code) where Self.shortages.contains(code) {
        makeDescriptor()
      } catch {
        // The client went while it waited (ECONNABORTED and the like): the next one is tried.
        continue
      }
    }
    hasQueue = true
  }

  /// The process has no descriptor for the next client: makes one, or lets clients wait.
  private func makeDescriptor() {
    switch room(isShort: true) {
    case .shed: break
    case .wait(let pause): pauseAccepting(pause)
    case .refuse:
      turnAwayClient()
      pauseAccepting(Self.shortagePauseMilliseconds)
    }
  }

  /// Frees the spare descriptor to accept one client and close it: it learns immediately that there
  /// is no room, where it would else wait for as long as the shortage lasts.
  private func turnAwayClient() {
    spareDescriptor = nil
    if let client = try? listener?.accept() { _ = Glibc.close(client.descriptor) }
    spareDescriptor = Self.spare()
  }

  /// Takes no client for a while: they wait in the system's queue.
  private func pauseAccepting(_ milliseconds: Int64) {
    guard acceptsAgainAt == nil else { return }
    // An error leaves the listener watched: accepting is then tried again in the next turn.
    if let number = listener?.number { try? poller.remove(number) }
    acceptsAgainAt = now + milliseconds
  }

  /// Watches the listener again, after a pause.
  func resumeAccepting() {
    acceptsAgainAt = nil
    hasQueue = true
    guard let number = listener?.number else { return }
    do {
      try poller.add(number, token: Self.listenerToken, .inputLevel)
    } catch {
      acceptsAgainAt = now + Self.shortagePauseMilliseconds
    }
  }

  /// Serves a new client: reads straight away where requests lately came with their clients, and
  /// watches the connection only when it is still open after that.
  private func begin(_ descriptor: Int32, _ peer: Peer) {
    let openCount = openConnections.open()
    guard openCount <= limits.connections + limits.spareConnections else {
      openConnections.close()
      _ = Glibc.close(descriptor)
      return
    }
    let hasRoom = openCount <= limits.connections || findRoom(openCount: openCount)
    let ticket = connections.insert(descriptor: descriptor, peer: peer)
    let connection = connections.pointer(ticket.slot)
    connection.pointee.mayRead = true
    if hasRoom {
      wait(for: .head, connection, ticket)
    } else {
      refuse(.tooManyConnections, on: connection, ticket)
      flush(connection, ticket)
    }
    if !hasRoom || firstReads.isDue || drainEnd != nil {
      // It may have come after the turn began.
      handler?.beginTurn()
      proceed(connection, ticket)
      guard connections.connection(ticket) != nil else { return firstReads.note(isInVain: false) }
    }
    let isMute = connection.pointee.isMute
    firstReads.note(isInVain: isMute)
    if isMute, hasQueue, drainEnd == nil { countTimeInQueue(connection, ticket) }
    watch(connection, ticket)
  }

  /// Counts the wait for a head from when the client's connection was made, not from when it was
  /// taken: where thousands stand in the system's queue, a client that has sent nothing when its
  /// turn comes had all that time.
  private func countTimeInQueue(_ connection: Pointer, _ ticket: Ticket) {
    let age = min(patience.head, Listener.millisecondsWithoutData(connection.pointee.descriptor))
    wheel.set(now + patience.head - age, slot: ticket.slot, in: connections)
  }

  /// Whether a client above the limit can be served: in the place of others, or until one of them
  /// goes, and then no further client is taken before that. Half of the places above the limit are
  /// kept for those that are refused.
  private func findRoom(openCount: Int) -> Bool {
    switch room(isShort: limits.areShort) {
    case .shed: return true
    case .wait(let pause) where openCount <= limits.connections + limits.spareConnections / 2:
      pauseAccepting(pause)
      return true
    case .wait, .refuse: return false
    }
  }

  private func watch(_ connection: Pointer, _ ticket: Ticket) {
    let watchesOutput = connection.pointee.isBlocked
    connection.pointee.watchesOutput = watchesOutput
    do {
      try poller.add(
        connection.pointee.descriptor, token: ticket.token,
        watchesOutput ? .inputAndOutputEdge : .inputEdge)
    } catch {
      close(connection, ticket)
    }
  }

  /// Stops accepting. A connection without a request may still bring one for a moment: a client
  /// that was accepted, or kept, and sends it now could not know.
  func beginDraining(_ drain: Duration) {
    guard drainEnd == nil else { return }
    drainEnd = now + drain.milliseconds
    graceEnd = now + min(limits.drainGrace, drain / 2).milliseconds
    handshakeEnd = min(graceEnd, now + limits.handshakeGrace.milliseconds)
    listener?.refuseNew()
    if acceptsAgainAt != nil { resumeAccepting() }
    for slot in connections.slots where connections.pointer(slot).pointee.phase == .reading {
      let connection = connections.pointer(slot)
      connection.pointee.mayRead = true
      proceed(connection, Ticket(slot: slot, generation: connection.pointee.generation))
    }
    for slot in streams.keys.sorted() {
      let generation = connections.pointer(slot).pointee.generation
      endStream(Ticket(slot: slot, generation: generation), .finished)
    }
  }

  /// Accepts the last clients, which the system would else reset, and closes the listener.
  func closeListener() {
    guard listener != nil else { return }
    acceptsAgainAt = nil
    acceptClients(limits.connections)
    listener = nil
  }

  /// Closes every connection, whatever it is doing; the loop has ended.
  func closeEverything() {
    for slot in connections.slots where connections.pointer(slot).pointee.phase != .free {
      let connection = connections.pointer(slot)
      close(connection, Ticket(slot: slot, generation: connection.pointee.generation))
    }
    listener = nil
    handler = nil
    loop.mailbox.close()
  }
}
