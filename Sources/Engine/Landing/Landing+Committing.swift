import Feed

/// What an answer changes of a feed, as far as it is known: it is written in one transaction, and
/// published then.
struct Draft {
  /// What its evidence changes, one piece after the other; all of the same feed.
  var merges: [Merge] = []
  /// Whether it was laid in, so that what that led to is to be published.
  var isLaid = false
  /// Whether something was laid in that tells what is untold of the feed's changes.
  var tellsTop = false
  /// Items that left the list of all of a kind, and are to be erased everywhere.
  var gone: [Identity] = []

  /// What is known of places once it is written: see ``Merge/laid(over:adding:)``.
  func laid(over known: [KnownElement], adding isAsked: (KnownElement) -> Bool) -> [KnownElement] {
    merges.reduce(known) { $1.laid(over: $0, adding: isAsked) }
  }
}

/// Reading what is known with the draft laid over it, and writing that.
extension Landing {
  /// Where elements are known to stand, or last stood.
  func known(_ ids: [Identity], in feed: FeedID) throws(StoreError)
    -> [Identity: KnownElement]
  {
    guard let state = book[feed] else { return [:] }
    let asked = Set(ids)
    let stored = state.record.isStored ? try book.store.known(in: feed, ids: ids) : []
    return Dictionary(
      draft.laid(over: stored) { asked.contains($0.id) }.map { ($0.id, $0) },
      uniquingKeysWith: { $0.state == .removed ? $1 : $0 })
  }

  /// The elements known in a range, tombstones included, top first.
  func known(in range: CutRange, of feed: FeedID) throws(StoreError) -> [KnownElement] {
    let stored =
      book[feed]?.record.isStored == true
      ? try book.store.known(in: feed, below: range.upper, above: range.lower) : []
    return draft.laid(over: stored) { range.holds($0.position) }
  }

  /// Writes the draft, and publishes what it leads to.
  func commit(_ feed: FeedID, sentAt: Timestamp) throws(StoreError) {
    guard draft.isLaid, var state = book[feed] else { return }
    try book.change { () throws(StoreError) in
      if let last = draft.merges.indices.last {
        draft.merges[last].timeline.doubts = state.doubts
        written = state.doubts
        state.timeline.sequence = try book.store.commit(draft.merges, budget: budget)
        state.record.isStored = true
        if draft.tellsTop { state.untold?.sequence = state.timeline.sequence }
        noteHolding(of: feed, &state)
      }
      book.keep(state, of: feed)
      book.publish(feed)
    }
    guard !draft.gone.isEmpty else { return }
    try book.delete(draft.gone, realm: feed.realm, sentAt: sentAt)
  }

  /// Gives positions a lineage of their own while changes are held: should they be lost, no client
  /// takes the positions for those that are given instead.
  private func noteHolding(of feed: FeedID, _ state: inout FeedState) {
    let period = book.store.holdingPeriod(of: feed)
    if let period, period != state.record.holdingPeriod, feed.pattern.order != .value {
      state.timeline.begin(Lineage(name: UInt64(random(1...Int64.max))))
    }
    state.record.holdingPeriod = period
  }
}
