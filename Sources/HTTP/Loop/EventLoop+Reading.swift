import Glibc

extension EventLoop {
  /// Takes a connection as far as it goes without waiting.
  ///
  /// Reading stops while output is blocked or a handler has not answered: what a client can make
  /// us hold is one read's worth of requests and one answer.
  func proceed(_ connection: Pointer, _ ticket: Ticket) {
    calledInTurn = 0
    for _ in 0..<Self.turnsMax where calledInTurn < Self.calledPerTurnMax {
      switch connection.pointee.phase {
      case .reading where connection.pointee.outgoing == nil:
        guard readOn(connection, ticket) else { return }
      case .lingering:
        guard drop(connection, ticket) else { return }
      case .hanging where connection.pointee.peerEnding,
        .streaming where connection.pointee.peerEnding:
        close(connection, ticket)
        return
      default:
        return
      }
    }
    // One that has ended left its slot to the next.
    guard connection.pointee.phase != .free, !connection.pointee.isUnfinished else { return }
    connection.pointee.isUnfinished = true
    unfinished.append(ticket)
  }

  /// Answers the requests at hand, or reads; true when there may be more to do.
  private func readOn(_ connection: Pointer, _ ticket: Ticket) -> Bool {
    let held = connection.pointee.incoming?.bytes.isEmpty == false
    if held && connection.pointee.waiting == .nothing {
      // Requests that came with the one just answered.
      answerInput(UnsafeRawBufferPointer(start: nil, count: 0), connection, ticket)
      return true
    }
    guard connection.pointee.mayRead else {
      rest(connection, ticket)
      return false
    }
    switch readInput(connection) {
    case .some(.done(0)):
      // The client ended its side, between requests or in the middle of one.
      close(connection, ticket)
      return false
    case .some(.done(let count)):
      connection.pointee.mayRead = count == readBuffer.count || connection.pointee.peerEnding
      answerInput(UnsafeRawBufferPointer(rebasing: readBuffer[..<count]), connection, ticket)
      return true
    case .some(.wouldBlock):
      connection.pointee.mayRead = false
      return true
    case nil:
      close(connection, ticket)
      return false
    }
  }

  /// Reads once; nil when the connection is broken.
  private func readInput(_ connection: Pointer) -> CallOutcome? {
    // A broken connection is closed whatever the error says.
    try? systemCall("read") {
      read(connection.pointee.descriptor, readBuffer.baseAddress, readBuffer.count)
    }
  }

  /// Answers every whole request of what was held back and what has come; holds back the rest.
  private func answerInput(
    _ input: UnsafeRawBufferPointer, _ connection: Pointer, _ ticket: Ticket
  ) {
    let incoming = connection.pointee.incoming.take()
    if let incoming { swap(&parser, &incoming.parser) }
    if let incoming, !incoming.bytes.isEmpty {
      incoming.bytes.append(contentsOf: input)
      let used = incoming.bytes.withUnsafeBytes { answerRequests($0, connection, ticket) }
      incoming.bytes.removeFirst(used)
      hold(incoming.bytes.isEmpty, connection) { incoming }
    } else {
      let used = answerRequests(input, connection, ticket)
      hold(used == input.count, connection) {
        let incoming = incoming ?? Connection.Incoming(now: now, held: held)
        incoming.bytes = Array(input[used...])
        return incoming
      }
    }
    flush(connection, ticket)
  }

  /// Keeps unused input and the parser's place in it, if there is either and it still matters.
  private func hold(
    _ isUsedUp: Bool, _ connection: Pointer, _ rest: () -> Connection.Incoming
  ) {
    let phase = connection.pointee.phase
    guard phase == .reading || phase == .answering, connection.pointee.ending == .none else {
      parser = RequestParser()
      return
    }
    if isUsedUp && parser.isBetweenRequests { return }
    let incoming = rest()
    swap(&parser, &incoming.parser)
    incoming.count()
    connection.pointee.incoming = incoming
  }

  /// Parses and answers while nothing has to be waited for; gives the number of bytes used up.
  private func answerRequests(
    _ input: UnsafeRawBufferPointer, _ connection: Pointer, _ ticket: Ticket
  ) -> Int {
    // While the server stops, every answer closes its connection: none is ready.
    let mayBeReady = drainEnd == nil
    var position = 0
    while connection.pointee.phase == .reading && connection.pointee.outgoing == nil
      && connection.pointee.ending == .none && calledInTurn < Self.calledPerTurnMax
    {
      let rest = UnsafeRawBufferPointer(rebasing: input[position...])
      if mayBeReady, parser.isUntouched, !rest.isEmpty,
        let ready = handler?.readyAnswer(repeating: rest, &ownLines)
      {
        connection.pointee.waiting = .nothing
        send(ready, on: connection, ticket, isLast: true)
        return input.count
      }
      let peer = connection.pointee.peer
      if mayBeReady,
        let head = parser.plainHead(in: input, at: position, limits: limits, peer: peer),
        let ready = handler?.readyAnswer(to: head, &ownLines)
      {
        if head.closes { end(after: connection) }
        parser.passHead(from: &position)
        connection.pointee.waiting = .nothing
        send(ready, on: connection, ticket, isLast: position == input.count)
        continue
      }
      switch parser.parse(input, from: &position, limits: limits, peer: peer) {
      case .request(let request):
        call(request, connection, ticket, isLast: position == input.count)
      case .refused(let refusal):
        refuse(refusal, of: parser, on: connection, ticket)
      case .incomplete:
        awaitRest(connection, ticket)
        return position
      }
    }
    return position
  }

  /// Says that the answer which is ready is the last one, as the client asked.
  private func end(after connection: Pointer) {
    ownLines.append("Connection: close\r\n")
    connection.pointee.clientCloses = true
    connection.pointee.ending = .linger
  }

  /// Gives a request to the handler, and sends the response if it comes immediately.
  private func call(
    _ request: consuming Request, _ connection: Pointer, _ ticket: Ticket, isLast: Bool
  ) {
    calledInTurn += 1
    connection.pointee.waiting = .nothing
    connection.pointee.isHead = request.method == .head
    connection.pointee.minorVersion = UInt8(request.minorVersion)
    connection.pointee.closes = parser.closes
    connection.pointee.clientCloses = parser.closes
    connection.pointee.phase = .answering
    connection.pointee.interimCount = 0
    handler?.handle(request, Responder(loop: loop, ticket: ticket))
    if let answer = loop.mailbox.takeOwnAnswer(for: ticket) {
      send(answer, on: connection, ticket, isLast: isLast)
    } else {
      wait(for: .nothing, connection, ticket)
    }
  }

  /// A request has begun and is not whole: sets its deadline, and asks for its body.
  private func awaitRest(_ connection: Pointer, _ ticket: Ticket) {
    if parser.owesContinue {
      parser.owesContinue = false
      encoder.append("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }
    if parser.isInBody {
      wait(for: .body, connection, ticket)
    } else if !parser.isBetweenRequests {
      wait(for: .head, connection, ticket)
    } else if connection.pointee.waiting == .nothing {
      wait(for: .idle, connection, ticket)
    }
  }

  /// Nothing is left to do for a connection that waits for its next request, or for the rest of
  /// one: what came before that may have had to be sent first.
  private func rest(_ connection: Pointer, _ ticket: Ticket) {
    let begun = connection.pointee.incoming.flatMap {
      $0.parser.isBetweenRequests ? nil : $0.parser
    }
    if begun == nil && drainEnd != nil {
      // What was let in is heard: a request may be on its way.
      guard now < graceEnd || hasInput(connection) else { return close(connection, ticket) }
      if connection.pointee.waiting == .nothing { connection.pointee.waiting = .idle }
      wheel.set(graceEnd, slot: ticket.slot, in: connections)
    } else if connection.pointee.waiting == .nothing {
      wait(for: begun.map { $0.isInBody ? .body : .head } ?? .idle, connection, ticket)
    }
  }

  /// Reads and drops input; true when there may be more.
  private func drop(_ connection: Pointer, _ ticket: Ticket) -> Bool {
    guard connection.pointee.mayRead else { return false }
    switch readInput(connection) {
    case .some(.done(let count)) where count > 0:
      return true
    case .some(.wouldBlock):
      connection.pointee.mayRead = false
      return false
    case .some(.done), nil:
      close(connection, ticket)
      return false
    }
  }
}
