import Feed

/// The store's rules over plain dictionaries, as slowly and simply as they can be said.
struct StoreModel {
  struct Place: Equatable {
    var id: Identity
    var state: KnownElement.State
    var updatedAt: Int64?
    var missingSince: Timestamp?
    var sentAt: Timestamp
  }

  var places: [String: [Position: Place]] = [:]
  var sequences: [String: Int64] = [:]
  var contents: [Identity: StoredItem] = [:]
  var floor: Int64 = 0

  mutating func keep(_ item: PageItem, sentAt: Timestamp) {
    if let known = contents[item.id], known.sentAt > sentAt { return }
    contents[item.id] = StoredItem(bytes: item.bytes, sentAt: sentAt)
  }

  mutating func commit(_ merge: Merge) {
    var feed = places[merge.feed.name] ?? [:]
    var sequence = sequences[merge.feed.name] ?? floor
    for (positions, removes) in [(merge.removed, true), (merge.missing, false)] {
      for position in positions {
        guard var place = feed[position], place.state != .removed, place.sentAt <= merge.sentAt
        else { continue }
        if !removes, place.missingSince != nil { continue }
        place.sentAt = merge.sentAt
        place.missingSince = removes ? nil : merge.sentAt
        if removes { place.state = .removed }
        if removes { sequence += 1 }
        feed[position] = place
      }
    }
    for seen in merge.seen {
      keep(seen.item, sentAt: merge.sentAt)
      let others = feed.filter { $0.value.id == seen.item.id }
      guard contents[seen.item.id]?.bytes != nil,
        others.allSatisfy({ $0.value.sentAt <= merge.sentAt })
      else { continue }
      for (position, place) in others where place.state != .removed {
        feed[position]?.state = .removed
        feed[position]?.missingSince = nil
        feed[position]?.sentAt = merge.sentAt
      }
      feed[seen.position] = Place(
        id: seen.item.id, state: seen.state, updatedAt: seen.item.updatedAt,
        sentAt: merge.sentAt)
      if seen.takesNumber { sequence += 1 }
    }
    places[merge.feed.name] = feed
    sequences[merge.feed.name] = sequence
  }

  mutating func delete(_ id: Identity, sentAt: Timestamp) {
    guard let known = contents[id], known.sentAt <= sentAt else { return }
    contents[id] = StoredItem(bytes: nil, sentAt: sentAt)
    for (name, feed) in places {
      for (position, place) in feed where place.id == id && place.state != .removed {
        places[name]?[position]?.state = .removed
        places[name]?[position]?.missingSince = nil
        places[name]?[position]?.sentAt = max(place.sentAt, sentAt)
        sequences[name, default: 0] += 1
      }
    }
  }

  mutating func cut(_ feed: String, below cut: Cut) {
    let gone = (places[feed] ?? [:]).filter { !cut.isBelow($0.key) }
    places[feed] = places[feed]?.filter { cut.isBelow($0.key) }
    release(gone.values.map(\.id))
  }

  mutating func drop(_ feed: String) {
    cut(feed, below: .top)
    if let sequence = sequences[feed] { floor = max(floor, sequence + 1) }
    places[feed] = nil
    sequences[feed] = nil
  }

  mutating func sweep(goneBefore: Timestamp, looseBefore: Timestamp) {
    for (feed, all) in places {
      let gone = all.filter { $0.value.state == .removed && $0.value.sentAt < goneBefore }
      places[feed] = all.filter { gone[$0.key] == nil }
      release(gone.values.map(\.id))
    }
    let loose = contents.filter { $0.value.bytes != nil && $0.value.sentAt < looseBefore }
    release(Array(loose.keys))
    contents = contents.filter { $0.value.bytes != nil || $0.value.sentAt >= goneBefore }
  }

  /// Forgets items that stand in no feed; what is known to be deleted stays known.
  private mutating func release(_ ids: [Identity]) {
    for id in ids where contents[id]?.bytes != nil && isLoose(id) { contents[id] = nil }
  }

  /// Whether an item stands in no feed.
  func isLoose(_ id: Identity) -> Bool {
    !places.values.contains { feed in
      feed.values.contains { $0.id == id && $0.state != .removed }
    }
  }

  func known(in feed: String) -> [KnownElement] {
    (places[feed] ?? [:]).sorted { $0.key > $1.key }.map { position, place in
      KnownElement(
        position: position, id: place.id, updatedAt: place.updatedAt, state: place.state,
        missingSince: place.missingSince, sentAt: place.sentAt)
    }
  }

  func contentBytes(in feed: String) -> Int64 {
    elements(in: feed).reduce(0) { $0 + Int64($1.bytes.count) }
  }

  func elements(in feed: String) -> [Element] {
    known(in: feed).filter { $0.state != .removed }.map {
      Element(position: $0.position, id: $0.id, bytes: contents[$0.id]?.bytes ?? [])
    }
  }
}
