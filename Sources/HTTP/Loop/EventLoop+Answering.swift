import Glibc

extension EventLoop {
  /// Encoded answers are sent when they reach this size, or when no request is left to answer.
  private static let batchBytes = 64 * 1024

  /// Encodes an answer and sends it, or lets it wait for those that follow in the same input; the
  /// last of its input waits for others of the same round.
  func send(
    _ answer: consuming Answer, on connection: Pointer, _ ticket: Ticket, isLast: Bool
  ) {
    connection.pointee.phase = .reading
    switch answer {
    case .response(let response):
      if isLast { gathering.offer() }
      encode(response, connection, ticket)
    case .dropped:
      encode(configuration.errorResponse(.unanswered, Fields()), connection, ticket)
    case .stream(let response, let tell):
      begin(response, tell, on: connection, ticket)
    case .raw(let bytes, let ending):
      encoder.append(bytes)
      switch ending {
      case .close: connection.pointee.ending = .linger
      case .reset: connection.pointee.ending = .reset
      case .keepOpen: connection.pointee.phase = .hanging
      }
      flush(connection, ticket)
    }
  }

  /// Sends an interim response to a client that still waits and may get one: a client of
  /// HTTP/1.0 may not (RFC 9110 §15.2).
  func send(_ interim: InterimResponse, to ticket: Ticket) {
    guard let connection = connections.connection(ticket),
      connection.pointee.phase == .answering, connection.pointee.minorVersion > 0,
      connection.pointee.interimCount < InterimResponse.countMax
    else { return }
    connection.pointee.interimCount += 1
    encoder.append(interim)
    flush(connection, ticket)
  }

  private func encode(_ response: Response, _ connection: Pointer, _ ticket: Ticket) {
    let asksToClose = response.fields.list("connection")?.lowercased() == "close"
    let closes = connection.pointee.closes || asksToClose || drainEnd != nil
    let context = ResponseEncoder.Context(
      isHead: connection.pointee.isHead, minorVersion: Int(connection.pointee.minorVersion),
      closes: closes)
    let body = encoder.append(response, context, dateLine: clock.line)
    if closes { connection.pointee.ending = .linger }
    if !body.isEmpty || encoder.bytes.count >= Self.batchBytes || closes {
      flush(connection, ticket, body)
    }
  }

  /// Sends an answer that was ready: from where it lies if it is alone, else with the others of the
  /// same input.
  func send(
    _ ready: CachedReply, on connection: Pointer, _ ticket: Ticket, isLast: Bool
  ) {
    let answer = ready.answer
    let start = answer.begin(ownLines, dateLine: clock.line)
    ownLines.reset()
    if !ready.isHead, let file = answer.bodyFile(areDescriptorsShort: limits.areShort) {
      encoder.append(answer.bytes[start...])
      connection.pointee.outgoing = Connection.Outgoing(
        [Array(encoder.bytes)], file: file, now: now, limits: limits)
      encoder.reset()
      sendOutgoing(connection, ticket)
      return
    }
    if isLast, !ready.isHead, encoder.bytes.isEmpty {
      sendAtOnce(answer.bytes, answer.body, from: start, connection, ticket)
      return
    }
    encoder.append(answer.bytes[start..<(ready.isHead ? answer.headEnd : answer.bytes.count)])
    let body = ready.isHead ? [] : answer.body
    if !body.isEmpty || encoder.bytes.count >= Self.batchBytes { flush(connection, ticket, body) }
  }

  /// Answers what a parser has read with an error of our own; the connection ends after it.
  func refuse(
    _ refusal: Refusal, of parser: RequestParser? = nil, on connection: Pointer, _ ticket: Ticket
  ) {
    connection.pointee.isHead = parser?.isHead ?? false
    connection.pointee.closes = true
    connection.pointee.clientCloses = false
    let response = configuration.errorResponse(refusal, parser?.fields ?? Fields())
    encode(response, connection, ticket)
  }

  /// Sends what is encoded, and `body` behind it.
  func flush(_ connection: Pointer, _ ticket: Ticket, _ body: [UInt8] = []) {
    defer { encoder.reset() }
    let mayWait = gathering.takeOffer()
    guard connection.pointee.phase != .free else { return }
    guard !encoder.bytes.isEmpty || !body.isEmpty else {
      // A handler may end the connection without a byte.
      let isSent = connection.pointee.outgoing == nil && connection.pointee.phase != .lingering
      if isSent { finish(connection, ticket) }
      return
    }
    if let outgoing = connection.pointee.outgoing {
      outgoing.append(encoder.bytes)
      outgoing.append(body)
      return
    }
    if mayWait {
      gathering.add(encoder.bytes.count + body.count, for: ticket)
      connection.pointee.outgoing = Connection.Outgoing(
        [Array(encoder.bytes), body], now: now, limits: limits)
      return
    }
    sendAtOnce(encoder.bytes, body, from: 0, connection, ticket)
  }

  /// Sends two segments, beginning `offset` bytes into them, and keeps what the socket did not
  /// take.
  private func sendAtOnce(
    _ first: [UInt8], _ second: [UInt8], from offset: Int, _ connection: Pointer, _ ticket: Ticket
  ) {
    guard let sent = write(connection, first, second, from: offset) else {
      close(connection, ticket)
      return
    }
    if offset + sent == first.count + second.count {
      finish(connection, ticket)
    } else {
      keep(first, second, offset + sent, connection, ticket)
    }
  }

  /// Sends the answers that waited for each other, and goes on with their connections.
  func sendGathered() {
    guard !gathering.isEmpty else { return }
    for ticket in gathering.takeAll() {
      guard let connection = connections.connection(ticket) else { continue }
      sendOutgoing(connection, ticket)
      proceed(connection, ticket)
    }
  }

  /// Keeps what the socket did not take, and watches for when it takes more.
  private func keep(
    _ head: [UInt8], _ body: [UInt8], _ sent: Int, _ connection: Pointer, _ ticket: Ticket
  ) {
    connection.pointee.outgoing = Connection.Outgoing(
      [head, body], sent: sent, now: now, limits: limits,
      isEndless: connection.pointee.phase == .streaming)
    awaitOutput(connection, ticket)
  }

  /// The socket is full: watches for when it takes more, which it must do in time.
  private func awaitOutput(_ connection: Pointer, _ ticket: Ticket) {
    wait(for: .output, connection, ticket)
    connection.pointee.outgoing?.count(in: held)
    guard !connection.pointee.watchesOutput else { return }
    connection.pointee.watchesOutput = true
    // A connection just accepted is not watched yet: `watch` will ask for output too.
    try? poller.change(
      connection.pointee.descriptor, token: ticket.token, .inputAndOutputEdge)
  }

  /// Sends on what the socket did not take before.
  func sendOutgoing(_ connection: Pointer, _ ticket: Ticket) {
    guard let outgoing = connection.pointee.outgoing else { return }
    var wasTaken = false
    while !outgoing.isEmpty {
      let before = outgoing.byteCount
      guard let isWhole = sendNext(of: outgoing, connection) else {
        close(connection, ticket)
        return
      }
      if outgoing.byteCount < before {
        outgoing.lastTakenAt = now
        wasTaken = true
      }
      guard isWhole else {
        if wasTaken || !connection.pointee.isBlocked { awaitOutput(connection, ticket) }
        return
      }
    }
    connection.pointee.outgoing = nil
    wait(for: .nothing, connection, ticket)
    if connection.pointee.phase == .streaming { noteTaken(ticket) }
    finish(connection, ticket)
  }

  /// Sends the first segments, or the file where there are none; false where the socket did not
  /// take all of them, nil when the connection is broken.
  private func sendNext(of outgoing: Connection.Outgoing, _ connection: Pointer) -> Bool? {
    if outgoing.segments.isEmpty, let file = outgoing.file {
      guard let sent = file.send(from: outgoing.sent, to: connection.pointee.descriptor) else {
        return nil
      }
      outgoing.sent += sent
      guard outgoing.sent == file.byteCount else { return false }
      outgoing.removeFile()
      return true
    }
    outgoing.joinSmall()
    let first = outgoing.segments[0]
    let second = outgoing.segments.count > 1 ? outgoing.segments[1] : []
    let hasMore = outgoing.segments.count <= 2 && outgoing.file != nil
    guard let sent = write(connection, first, second, from: outgoing.sent, hasMore: hasMore)
    else { return nil }
    outgoing.sent += sent
    guard outgoing.sent == first.count + second.count else { return false }
    outgoing.removeFirst()
    return true
  }

  /// Writes two segments with one call, beginning `offset` bytes into them; nil when the
  /// connection is broken, 0 when the socket is full.
  private func write(
    _ connection: Pointer, _ first: [UInt8], _ second: [UInt8], from offset: Int,
    hasMore: Bool = false
  ) -> Int? {
    first.withUnsafeBytes { first in
      second.withUnsafeBytes { second in
        let skipped = min(offset, first.count)
        let parts = (
          Self.part(first, from: skipped), Self.part(second, from: offset - skipped)
        )
        let descriptor = connection.pointee.descriptor
        // A client that has gone is an error value, never a SIGPIPE; what has more behind it need
        // not leave immediately, if only the connection's end, which goes with the last bytes then.
        let isFollowed = hasMore || connection.pointee.ending == .linger
        let flags = Int32(MSG_NOSIGNAL) | (isFollowed ? Int32(MSG_MORE) : 0)
        let outcome =
          parts.1.isEmpty
          ? Self.send(parts.0, to: descriptor, flags)
          : Self.send(parts.0, parts.1, to: descriptor, flags)
        return switch outcome {
        case .done(let count): count
        case .wouldBlock: 0
        case nil: nil
        }
      }
    }
  }

  private static func send(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ flags: Int32
  ) -> CallOutcome? {
    try? systemCall("send") { Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) }
  }

  private static func send(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, to descriptor: Int32,
    _ flags: Int32
  ) -> CallOutcome? {
    var vectors = (iovec(first), iovec(second))
    return withUnsafeMutablePointer(to: &vectors) { pointer in
      var message = msghdr()
      message.msg_iov = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: iovec.self)
      message.msg_iovlen = 2
      return try? systemCall("sendmsg") { sendmsg(descriptor, &message, flags) }
    }
  }

  private static func part(
    _ bytes: UnsafeRawBufferPointer, from offset: Int
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[offset...])
  }

  /// All output is sent: ends the connection if that was its last.
  private func finish(_ connection: Pointer, _ ticket: Ticket) {
    switch connection.pointee.ending {
    case .none:
      break
    case .linger where connection.pointee.clientCloses && !connection.pointee.mayRead:
      // Nothing is left to read, and a client that asked for this sends no more (RFC 9112 §9.6):
      // no reset can overtake the answer.
      close(connection, ticket)
    case .linger:
      _ = shutdown(connection.pointee.descriptor, Int32(SHUT_WR))
      connection.pointee.phase = .lingering
      connection.pointee.incoming = nil
      connection.pointee.mayRead = true
      wait(for: .linger, connection, ticket)
    case .reset:
      reset(connection, ticket)
    }
  }

  /// Closes the connection so that the system drops what it still holds for it.
  func reset(_ connection: Pointer, _ ticket: Ticket) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      connection.pointee.descriptor, SOL_SOCKET, SO_LINGER, &option,
      socklen_t(MemoryLayout<linger>.size))
    close(connection, ticket)
  }

  /// Sets the deadline for what a connection waits for. A total deadline, once set, stays.
  func wait(for reason: Connection.Waiting, _ connection: Pointer, _ ticket: Ticket) {
    let isTotal = reason == .head || reason == .body || reason == .linger
    if isTotal && connection.pointee.waiting == reason { return }
    connection.pointee.waiting = reason
    let duration: Int64? =
      switch reason {
      case .nothing: nil
      case .idle: patience.idle
      case .head: patience.head
      case .body: patience.body
      case .output: patience.output
      case .linger: patience.linger
      }
    var deadline = duration.map { now + $0 } ?? DeadlineWheel.Links.never
    if let outgoing = connection.pointee.outgoing { deadline = min(deadline, outgoing.deadline) }
    wheel.set(deadline, slot: ticket.slot, in: connections)
  }

  /// A deadline has passed: ends the connection, with a word where a request was begun.
  func expire(_ connection: Pointer, _ ticket: Ticket) {
    switch connection.pointee.waiting {
    case .head, .body:
      let parser = connection.pointee.incoming?.parser
      guard let parser, !parser.isBetweenRequests else {
        closeWithoutRequest(connection, ticket)
        return
      }
      refuse(.tooSlow, of: parser, on: connection, ticket)
      flush(connection, ticket)
      proceed(connection, ticket)
    case .output:
      connection.pointee.ending = .reset
      finish(connection, ticket)
    case .idle:
      closeWithoutRequest(connection, ticket)
    case .linger:
      close(connection, ticket)
    case .nothing:
      break
    }
  }

  /// Closes a connection that waits for a request. One that came while the loop was busy is
  /// answered: the system would reset its connection.
  private func closeWithoutRequest(_ connection: Pointer, _ ticket: Ticket) {
    guard hasInput(connection) else { return close(connection, ticket) }
    connection.pointee.waiting = .nothing
    connection.pointee.mayRead = true
    proceed(connection, ticket)
  }

  /// Closes the socket and frees the slot.
  func close(_ connection: Pointer, _ ticket: Ticket) {
    wheel.unlink(ticket.slot, in: connections)
    // Closing takes the descriptor out of the epoll set too.
    _ = Glibc.close(connection.pointee.descriptor)
    let stream = streams.isEmpty ? nil : streams.removeValue(forKey: ticket.slot)
    connections.remove(ticket.slot)
    openConnections.close()
    stream?.tell(.ended(.gone))
  }
}

extension iovec {
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
  }
}
