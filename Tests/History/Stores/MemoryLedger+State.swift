import Feed
import SharedStore

extension MemoryLedger.State {
  func isLiving(_ flight: MemoryLedger.Flight, to judge: String, at now: Timestamp) -> Bool {
    guard !flight.holder.isEmpty, flight.until > now else { return false }
    guard flight.holder != judge, let seen = servers[judge],
      now - seen.since >= MemoryLedger.silence, now - seen.at < MemoryLedger.silence
    else { return true }
    return servers[flight.holder].map { now - $0.at < MemoryLedger.silence } ?? false
  }

  /// Ends a call, if one is given. Returns false where the revision is another.
  mutating func end(_ ending: CallEnding?) -> Bool {
    guard let ending else { return true }
    guard sources[ending.call.source]?.revision == ending.end.revision else { return false }
    end(ending.call, ending.token, ending.end)
    return true
  }

  /// Keeps what a call leaves, and ends it where it is still that of the token.
  mutating func end(_ call: SharedCall, _ token: Token, _ end: SharedEnd) {
    sources[call.source]?.budgets[call.budget] = end.budget
    sources[call.source]?.latest = end.latest
    sources[call.source]?.flights[call.key]?.ended = token
    guard var flight = sources[call.source]?.flights[call.key], flight.token == token else {
      return
    }
    flight.token += 1
    flight.holder = ""
    flight.pause = end.pause
    sources[call.source]?.flights[call.key] = flight
  }

  /// What a source has come to.
  func move(of source: String) -> SharedMove {
    SharedMove(
      revision: sources[source]?.revision ?? 0, number: sources[source]?.number ?? 0)
  }

  /// Tells of a change, and returns its number.
  mutating func tell(
    _ feed: String, _ state: SharedState, _ kind: MemoryLedger.LogRow.Kind, of source: String
  ) -> Int64 {
    sources[source, default: MemoryLedger.Source()].revision += 1
    let number = (sources[source]?.number ?? 0) + 1
    sources[source]?.number = number
    sources[source]?.log.append(
      MemoryLedger.LogRow(number: number, feed: feed, state: state, kind: kind))
    return number
  }

  mutating func keep(_ items: [SharedItem], _ contents: [Identity: [UInt8]], number: Int64) {
    for item in items {
      guard var known = self.items[item.realm]?[item.id] else {
        self.items[item.realm, default: [:]][item.id] = MemoryLedger.Item(
          item: item, number: number, bytes: contents[item.id])
        continue
      }
      guard known.item.sentAt <= item.sentAt else { continue }
      if known.item.digest != item.digest {
        guard item.digest == nil || contents[item.id] != nil else { continue }
        known.number = number
        known.bytes = contents[item.id]
      }
      known.item = item
      self.items[item.realm]?[item.id] = known
    }
  }

  func items(of elements: [SharedElement], in realm: String) -> [SharedItem] {
    Set(elements.map(\.known.id)).compactMap { items[realm]?[$0]?.item }
  }
}
