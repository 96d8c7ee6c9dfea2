import Glibc

extension EventLoop {
  /// Sends the head of an answer whose body goes on, and keeps the connection for what follows.
  func begin(
    _ response: Response, _ tell: @escaping @Sendable (BodyStream.Event) -> Void,
    on connection: Pointer, _ ticket: Ticket
  ) {
    let isChunked = connection.pointee.minorVersion > 0
    let context = ResponseEncoder.Context(
      isHead: connection.pointee.isHead, minorVersion: Int(connection.pointee.minorVersion),
      closes: !isChunked || connection.pointee.closes || drainEnd != nil)
    encoder.appendHead(ofStream: response, context, dateLine: clock.line)
    guard !context.isHead else {
      if context.closes { connection.pointee.ending = .linger }
      tell(.ended(.gone))
      return
    }
    connection.pointee.phase = .streaming
    streams[ticket.slot] = OpenStream(isChunked: isChunked, tell: tell)
    // What the system holds for a client counts for nothing with us, so it is kept small.
    var size = Int32(limits.streamSocketBytes)
    setsockopt(
      connection.pointee.descriptor, SOL_SOCKET, SO_SNDBUF, &size,
      socklen_t(MemoryLayout<Int32>.size))
    flush(connection, ticket)
    if drainEnd != nil { endStream(ticket, .finished) }
  }

  /// Gives a part to each of these streams that is still open; it is sent when their turn comes.
  func write(_ part: BodyPart, to tickets: [Ticket], tellsWhenTaken: Bool) {
    var plain: [UInt8]?
    for ticket in tickets {
      guard let connection = connections.connection(ticket),
        let isChunked = streams[ticket.slot]?.isChunked
      else { continue }
      if !isChunked, plain == nil { plain = part.plain }
      let bytes = isChunked ? part.chunk : plain ?? []
      if tellsWhenTaken { streams[ticket.slot]?.owesTaken = true }
      add(bytes, on: connection, ticket)
    }
  }

  /// Sends to the streams whose turn it is. The other connections have theirs before the next are
  /// written to, so that a part for a thousand clients delays no other; what a stream is given
  /// meanwhile is sent with the rest.
  func writeDueStreams() {
    guard !dueStreams.isEmpty else { return }
    for ticket in dueStreams.takeTurn() {
      guard let connection = connections.connection(ticket) else { continue }
      streams[ticket.slot]?.isDue = false
      if !connection.pointee.isBlocked { sendOutgoing(connection, ticket) }
    }
  }

  private func add(_ bytes: [UInt8], on connection: Pointer, _ ticket: Ticket) {
    if isBehind(connection) {
      // Only what the socket does not take is the client's fault.
      if !connection.pointee.isBlocked { sendOutgoing(connection, ticket) }
      guard connection.pointee.phase == .streaming else { return }
      if isBehind(connection) {
        cutStream(connection, ticket)
        return
      }
    }
    if let outgoing = connection.pointee.outgoing {
      outgoing.append(bytes)
    } else {
      connection.pointee.outgoing = Connection.Outgoing(
        [bytes], now: now, limits: limits, isEndless: true)
    }
    guard !connection.pointee.isBlocked, streams[ticket.slot]?.isDue == false else { return }
    streams[ticket.slot]?.isDue = true
    dueStreams.append(ticket)
  }

  private func isBehind(_ connection: Pointer) -> Bool {
    guard let outgoing = connection.pointee.outgoing else { return false }
    return OpenStream.step(
      waitingBytes: outgoing.byteCount, limitBytes: limits.streamBacklogBytes) == .cut
  }

  /// The socket has taken all that was written.
  func noteTaken(_ ticket: Ticket) {
    guard streams[ticket.slot]?.owesTaken == true else { return }
    streams[ticket.slot]?.owesTaken = false
    streams[ticket.slot]?.tell(.taken)
  }

  /// A client is too far behind: it is better served by coming again. One that has no stream is
  /// reset.
  func cutStream(_ connection: Pointer, _ ticket: Ticket) {
    streams.removeValue(forKey: ticket.slot)?.tell(.ended(.behind))
    reset(connection, ticket)
  }

  /// Ends a stream in order: what waits is still sent, then the connection closes.
  func endStream(_ ticket: Ticket, _ ending: BodyStream.Ending) {
    guard let connection = connections.connection(ticket),
      let stream = streams.removeValue(forKey: ticket.slot)
    else { return }
    connection.pointee.phase = .reading
    connection.pointee.ending = .linger
    if stream.isChunked { encoder.append(BodyPart.end.utf8) }
    flush(connection, ticket)
    stream.tell(.ended(ending))
    proceed(connection, ticket)
  }
}
