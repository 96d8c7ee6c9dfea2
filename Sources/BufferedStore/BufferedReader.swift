import Feed

/// A snapshot of the buffered writes of one feed and of the items in its realm.
struct BufferedView {
  /// The places that differ from those stored.
  var rows: BufferedRows
  /// The items that differ from those stored.
  var items: [Identity: StoredItem]
  /// The items whose deletion waits to be written, with when each was sent.
  var deletions: [Identity: [Timestamp]] = [:]

  /// What is known of places once it is laid over those stored in a range, in feed order.
  func laid(
    over stored: some Sequence<KnownElement>, below upper: Cut, above lower: Cut
  ) -> [KnownElement] {
    var rest = rows.between(upper, lower)
    var laid: [KnownElement] = []
    for place in stored {
      while let held = rest.first, held.position > place.position {
        laid.append(held)
        rest.removeFirst()
      }
      if let held = rest.first, held.position == place.position {
        laid.append(held)
        rest.removeFirst()
      } else {
        laid.append(standing(place))
      }
    }
    return laid + rest
  }

  /// What is known of identities once it is laid over where they are stored.
  func laid(over stored: [KnownElement], of ids: [Identity]) -> [KnownElement] {
    stored.filter { rows[$0.position] == nil }.map(standing) + Set(ids).flatMap { rows.of($0) }
  }

  /// A stored place, which is a tombstone where its item has gone everywhere.
  func standing(_ place: KnownElement) -> KnownElement {
    guard place.state != .removed, let sentAt = deletions[place.id]?.first else { return place }
    var place = place
    place.leave(at: sentAt)
    return place
  }
}

/// Reads slices of what is stored with what is held laid over it.
///
/// What is held is looked at first: what is written meanwhile is then found below, and what is
/// found twice is the same.
final class BufferedReader: TimelineReader {
  private let base: any TimelineReader
  private let store: BufferedStore

  var epoch: String { base.epoch }

  /// A reader over another.
  init(over base: any TimelineReader, of store: BufferedStore) {
    self.base = base
    self.store = store
  }

  /// While something is held, it has to be looked at before the file: a state of the file taken
  /// first would lack what is written in between.
  func inOneState<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    store.isHolding ? try body() : try base.inOneState(body)
  }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    guard let held = store.held(of: feed) else {
      return try base.elements(of: feed, below: upper, above: lower, limit: limit)
    }
    var elements: [Element] = []
    var upper = upper
    while elements.count < limit {
      let stored = try base.elements(of: feed, below: upper, above: lower, limit: limit)
      let isLast = stored.count < limit
      let end = isLast ? lower : stored.last.map { .below($0.position) } ?? lower
      elements += try laid(held, over: stored, of: feed, below: upper, above: end)
      if isLast { break }
      upper = end
    }
    return elements.prefix(max(0, limit))
  }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    guard let held = store.held(of: feed) else {
      return try base.lastElements(of: feed, below: upper, above: lower, limit: limit)
    }
    var elements: [Element] = []
    var lower = lower
    while elements.count < limit {
      let stored = try base.lastElements(of: feed, below: upper, above: lower, limit: limit)
      let isLast = stored.count < limit
      let end = isLast ? upper : stored.first.map { .above($0.position) } ?? upper
      elements = try laid(held, over: stored, of: feed, below: end, above: lower) + elements
      if isLast { break }
      lower = end
    }
    return elements.suffix(max(0, limit))
  }

  /// The elements of a range of which those stored are all that are stored.
  private func laid(
    _ held: BufferedView, over stored: ArraySlice<Element>, of feed: FeedID, below upper: Cut,
    above lower: Cut
  ) throws(StoreError) -> [Element] {
    var contents: [Position: [UInt8]] = [:]
    let places = stored.map { element in
      contents[element.position] = element.bytes
      return KnownElement(
        position: element.position, id: element.id, updatedAt: nil, state: .live)
    }
    var elements: [Element] = []
    for place in held.laid(over: places, below: upper, above: lower) where place.state != .removed {
      var bytes = held.items[place.id]?.bytes ?? contents[place.position]
      if bytes == nil { bytes = try base.item(place.id, realm: feed.realm)?.bytes }
      if let bytes {
        elements.append(Element(position: place.position, id: place.id, bytes: bytes))
      }
    }
    return elements
  }

  func hasElement(
    of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Bool {
    guard store.isHolding else {
      return try base.hasElement(of: feed, below: upper, above: lower)
    }
    return try !elements(of: feed, below: upper, above: lower, limit: 1).isEmpty
  }

  func position(
    at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Position? {
    guard store.held(of: feed) != nil else {
      return try base.position(at: offset, of: feed, below: upper, above: lower)
    }
    // Counted by whole elements, in steps: slower, and only while something is held.
    var rest = offset
    var upper = upper
    while true {
      let limit = min(rest + 1, SliceRequest.limitMax)
      let some = try elements(of: feed, below: upper, above: lower, limit: limit)
      if some.count > rest { return some[rest].position }
      guard some.count == limit, let last = some.last else { return nil }
      rest -= some.count
      upper = .below(last.position)
    }
  }

  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    let held = store.held(of: feed)
    let stored = try base.position(of: id, in: feed)
    guard let held else { return stored }
    let places = held.rows.of(id)
    if let standing = places.first(where: { $0.state != .removed }) { return standing.position }
    if let stored, held.rows[stored] == nil { return stored }
    return places.last?.position ?? stored
  }

  /// What is held has taken no number yet, so it is not sent before it is written; only what is
  /// known to have gone is not sent any more.
  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) throws(StoreError) -> ChangeReading {
    let held = store.held(of: feed)
    let stored = try base.changes(of: feed, after: number, limit: limit, learned: learned)
    guard let held, case .changes(var changes) = stored else { return stored }
    changes.changes.removeAll { held.deletions[$0.id] != nil }
    return .changes(changes)
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    let held = store.heldItem(id, realm: realm)
    let stored = try base.item(id, realm: realm)
    guard let held else { return stored }
    return stored.map { $0.sentAt > held.sentAt ? $0 : held } ?? held
  }
}
