import Glibc

extension EventLoop {
  /// How long it pauses for a connection that may go soon, and no other is looked for meanwhile:
  /// at least, since looking at all of them takes some time, and at most.
  private static let roomPauses: ClosedRange<Int64> = 2...10

  /// Makes room for one more client, in any loop, or says how long it may take.
  func room(isShort: Bool) -> Shedding.Verdict {
    let verdict = makeRoom(isShort: isShort)
    guard verdict == .refuse else { return verdict }
    switch peerRoom.step(now: now) {
    case .refuse: return .refuse
    case .ask:
      for peer in peers { peer.post(.makeRoom(isShort: isShort, for: loop.mailbox)) }
      fallthrough
    case .wait: return .wait(Self.roomPauses.upperBound)
    }
  }

  /// Closes connections of this loop that only wait, if there are such, as ``Shedding`` decides.
  func makeRoom(isShort: Bool) -> Shedding.Verdict {
    guard now >= looksForRoomAt else { return noRoom }
    let candidates = connections.slots.compactMap {
      connections.pointer($0).pointee.candidate(slot: $0, patience: patience)
    }
    var verdict = Shedding.verdict(on: candidates, now: now, limits: limits, isShort: isShort)
    var pause = Self.roomPauses.upperBound
    switch verdict {
    case .shed(let slots):
      let shed = slots.filter(shed)
      if !shed.isEmpty { return .shed(shed) }
      verdict = .wait(pause)
    case .wait(let first):
      pause = min(max(first, Self.roomPauses.lowerBound), pause)
      verdict = .wait(pause)
    case .refuse: break
    }
    noRoom = verdict
    looksForRoomAt = now + pause
    return verdict
  }

  /// Closes a connection that waits, unless what it waits for has come while the loop was busy.
  private func shed(_ slot: UInt32) -> Bool {
    let connection = connections.pointer(slot)
    let waitsForInput = connection.pointee.phase == .reading && connection.pointee.outgoing == nil
    if waitsForInput && hasInput(connection) { return false }
    close(connection, Ticket(slot: slot, generation: connection.pointee.generation))
    return true
  }

  func hasInput(_ connection: Pointer) -> Bool {
    var byte: UInt8 = 0
    let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
    return recv(connection.pointee.descriptor, &byte, 1, flags) > 0
  }
}
