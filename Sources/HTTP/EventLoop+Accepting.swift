import Glibc

extension EventLoop {
  /// Connections over the limit that may be open at once to be told so; beyond, they are closed
  /// without a word.
  private static let refusedConnectionsMax = 128
  /// How long accepting pauses when the process has no descriptor left.
  private static let acceptPauseMilliseconds: Int64 = 100
  static let acceptedPerTurnMax = 64
  private static let shortages = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

  /// A descriptor kept so that one can be freed when there are none left.
  static func spare() -> Descriptor? {
    let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return number < 0 ? nil : Descriptor(Int(number))
  }

  /// Takes the clients that wait, a turn's worth or up to `clientsMax`.
  func acceptClients(_ clientsMax: Int = acceptedPerTurnMax) {
    for _ in 0..<clientsMax {
      do {
        guard let client = try listener?.accept() else { return }
        begin(client.descriptor, client.peer)
      } catch .systemCall(_, let code) where Self.shortages.contains(code) {
        shedClient()
        pauseAccepting()
        return
      } catch {
        // The client went while it waited (ECONNABORTED and the like): the next one is tried.
        continue
      }
    }
  }

  /// Frees the spare descriptor to take one client and close it: it learns at once that there is
  /// no room, where it would else wait for as long as the shortage lasts.
  private func shedClient() {
    spareDescriptor = nil
    if let client = try? listener?.accept() { _ = Glibc.close(client.descriptor) }
    spareDescriptor = Self.spare()
  }

  private func pauseAccepting() {
    // An error leaves the listener watched: accepting is then tried again in the next turn.
    if let number = listener?.number { try? poller.remove(number) }
    acceptsAgainAt = now + Self.acceptPauseMilliseconds
  }

  /// Watches the listener again, after a pause.
  func resumeAccepting() {
    acceptsAgainAt = nil
    guard let number = listener?.number else { return }
    do {
      try poller.add(number, token: Self.listenerToken, .inputLevel)
    } catch {
      acceptsAgainAt = now + Self.acceptPauseMilliseconds
    }
  }

  /// Serves a new client: reads straight away, since its request has mostly come with it, and
  /// watches the connection only when it is still open after that.
  private func begin(_ descriptor: Int32, _ peer: Peer) {
    let openCount = openConnections.open()
    guard openCount <= limits.connections + Self.refusedConnectionsMax else {
      openConnections.close()
      _ = Glibc.close(descriptor)
      return
    }
    let ticket = connections.insert(descriptor: descriptor, peer: peer)
    let connection = connections.pointer(ticket.slot)
    connection.pointee.mayRead = true
    if openCount > limits.connections {
      refuse(.tooManyConnections, on: connection, ticket)
      flush(connection, ticket)
    } else {
      wait(for: .head, connection, ticket)
    }
    proceed(connection, ticket)
    watch(connection, ticket)
  }

  private func watch(_ connection: Pointer, _ ticket: Ticket) {
    guard connections.connection(ticket) != nil else { return }
    let watchesOutput = connection.pointee.outgoing != nil
    connection.pointee.watchesOutput = watchesOutput
    do {
      try poller.add(
        connection.pointee.descriptor, token: ticket.token,
        watchesOutput ? .inputAndOutputEdge : .inputEdge)
    } catch {
      close(connection, ticket)
    }
  }

  /// Stops accepting and closes what is idle, after one more look at its input.
  func beginDraining(_ drain: Duration) {
    guard drainEnd == nil else { return }
    drainEnd = now + drain.milliseconds
    // The system has already greeted these clients: they are served, not reset.
    acceptClients(limits.connections)
    listener = nil
    for slot in connections.slots where connections.pointer(slot).pointee.phase == .reading {
      let connection = connections.pointer(slot)
      connection.pointee.mayRead = true
      proceed(connection, Ticket(slot: slot, generation: connection.pointee.generation))
    }
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
