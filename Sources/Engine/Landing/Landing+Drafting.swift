import Feed

/// What an answer changes of a feed, as far as it is known: it is written in one transaction, and
/// published then.
struct Draft {
  /// What its evidence changes, one piece after the other; all of the same feed.
  var merges: [Merge] = []
  /// Whether it was laid in, so that what that led to is to be published.
  var isLaid = false
  /// Whether something was laid in that shows which changes of the feed were not sent.
  var tellsTop = false
  /// Items that left the list of all of a kind, and are to be erased everywhere.
  var gone: [Identity] = []

  /// What is known of places once it is written: see ``Merge/laid(over:adding:)``.
  func laid(over known: [KnownElement], adding isAsked: (KnownElement) -> Bool) -> [KnownElement] {
    merges.reduce(known) { $1.laid(over: $0, adding: isAsked) }
  }
}

/// The rows of a source's feeds that answers are compared with.
protocol StoredRows {
  /// Where these identities stand in a feed, tombstones included; in no order.
  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement]

  /// The elements known below `upper` and above `lower`, tombstones included, in feed order.
  func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]

  /// The last elements that stand in a range, so many at most, in feed order.
  func last(_ limit: Int, of feed: FeedID, in range: CutRange) throws(StoreError) -> [Element]

  /// The place of the element that stands below `upper` and so many others there.
  func position(at offset: Int, of feed: FeedID, below upper: Cut) throws(StoreError) -> Position?

  /// An item's content; nil when it is not known.
  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem?
}

/// Where identities stand as it is stored, once they were asked for.
final class LookedUp {
  var places: [Identity: [KnownElement]] = [:]
}

/// What is known with the draft laid over it.
extension Landing {
  /// Where elements are known to stand, or last stood.
  func known(_ ids: [Identity]) throws(StoreError) -> [Identity: KnownElement] {
    let asked = Set(ids)
    let stored = try stored(asked)
    return Dictionary(
      draft.laid(over: stored) { asked.contains($0.id) }.map { ($0.id, $0) },
      uniquingKeysWith: { $0.state == .removed ? $1 : $0 })
  }

  /// Where elements stand as it is stored: nothing of it changes while an answer lands.
  private func stored(_ ids: Set<Identity>) throws(StoreError) -> [KnownElement] {
    guard state.record.isStored else { return [] }
    let unread = ids.filter { lookedUp.places[$0] == nil }
    if !unread.isEmpty {
      let found = try rows.known(in: feed, ids: Array(unread))
      for id in unread { lookedUp.places[id] = [] }
      for element in found { lookedUp.places[element.id]?.append(element) }
    }
    return ids.flatMap { lookedUp.places[$0] ?? [] }
  }

  /// The elements known in a range, tombstones included, top first.
  func known(in range: CutRange) throws(StoreError) -> [KnownElement] {
    let stored =
      state.record.isStored
      ? try rows.known(in: feed, below: range.upper, above: range.lower) : []
    return draft.laid(over: stored) { range.holds($0.position) }
  }
}

extension FeedBook: StoredRows {
  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    try store.known(in: feed, ids: ids)
  }

  func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]
  {
    try store.known(in: feed, below: upper, above: lower)
  }

  func last(_ limit: Int, of feed: FeedID, in range: CutRange) throws(StoreError) -> [Element] {
    Array(
      try reader.lastElements(of: feed, below: range.upper, above: range.lower, limit: limit))
  }

  func position(at offset: Int, of feed: FeedID, below upper: Cut) throws(StoreError) -> Position? {
    try reader.position(at: offset, of: feed, below: upper, above: .bottom)
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    try reader.item(id, realm: realm)
  }
}
