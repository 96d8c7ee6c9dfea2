package import Feed
import SQLiteStore
import Synchronization

/// What any store does: read from the copy, written to what is shared first.
extension SharedStore: TimelineStore {
  package var epoch: String { copy.epoch }

  /// One that is not here is brought; and where it is not there either, that is remembered until
  /// its source has changed.
  package func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    if let timeline = try copy.timeline(of: feed) { return timeline }
    let (number, absent) = state.withLock { state in
      (state.known[feed.source]?.number ?? 0, state.absent[feed.name])
    }
    guard absent != number else { return nil }
    let rows = try call("bring") { () throws(StoreError) in try ledger.feed(feed.name) }
    guard let rows else {
      state.withLock { state in
        if state.absent.count >= SharedStore.absentMax { state.absent = [:] }
        state.absent[feed.name] = number
      }
      return nil
    }
    var news = StoreNews(
      source: feed.source, number: try copy.number(of: feed.source), epoch: copy.epoch)
    news.feeds = [.rows(checked(rows))]
    try copying { () throws(StoreError) in try copy.take(news) }
    return try copy.timeline(of: feed)
  }

  package var contentChanges: UInt64 { copy.contentChanges }

  package func known(
    in feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    try copy.known(in: feed, below: upper, above: lower)
  }

  package func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    try copy.known(in: feed, ids: ids)
  }

  /// The budget is what all share: see ``write(_:over:isEnd:)``.
  package func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64 {
    do throws(StoreError) {
      let (rows, base) = try copy.prepared(merges)
      let move = try write(rows, over: base, isEnd: budget != nil)
      try copying { () throws(StoreError) in
        try copy.take(rows, over: base, of: merges, number: move.number)
      }
      return rows.feed.timeline.sequence
    } catch {
      if error == .overtaken { count("fenced") }
      throw error
    }
  }

  /// Nil where the others cannot be asked: no call is made without them.
  package func budget(of source: String) throws(StoreError) -> Budget? {
    state.withLock { _ = $0.budgetNames.insert(source) }
    do throws(StoreError) {
      return try ledger.budget(of: source)?.withoutFuture(after: time.now + Ground.futureMax)
    } catch {
      guard case .unreachable = error else { throw error }
      return nil
    }
  }

  /// A budget is all servers' and kept with each call.
  package func keep(_ budget: Budget, of source: String) throws(StoreError) {}

  package func keep(
    _ item: PageItem, realm: String, sentAt: Timestamp
  ) throws(StoreError) {
    let (items, contents) = try copy.prepared(item, realm: realm, sentAt: sentAt)
    guard !items.isEmpty else { return }
    let move = try write("keep", of: realm.source) { (ending) throws(StoreError) in
      try ledger.write(
        items, contents: contents, of: realm.source, ending: ending, for: identity)
    }
    try copying { () throws(StoreError) in
      try copy.take(items, contents: contents, told: (realm.source, move.number))
    }
  }

  /// What becomes of the feeds here is in the next news.
  package func delete(
    _ ids: [Identity], realm: String, sentAt: Timestamp
  ) throws(StoreError) -> [String: Int64] {
    _ = try write("delete", of: realm.source) { (ending) throws(StoreError) in
      try ledger.delete(
        ids, realm: realm, of: realm.source, sentAt: sentAt, ending: ending, for: identity)
    }
    return [:]
  }

  package func makeReader() throws(StoreError) -> any TimelineReader { try copy.makeReader() }
}

extension String {
  /// The source of a realm, which begins with its name.
  fileprivate var source: String { String(prefix { $0 != "#" && $0 != "/" }) }
}

/// What keeps the copy small. What is shared has a keeper of its own: see ``Janitor``.
extension SharedStore: StoreHousekeeping {
  package var load: StoreLoad { copy.load }

  package func feeds() throws(StoreError) -> [StoredFeed] { try copy.feeds() }

  package func contentBytes(of name: String) throws(StoreError) -> Int64 {
    try copy.contentBytes(of: name)
  }

  /// A feed leaves the copy whole: its state would be none that is shared.
  package func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail? {
    guard var foot = try copy.foot(of: name, limit: limit) else { return nil }
    foot.order = .whole
    return foot
  }

  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {}

  /// It leaves the copy, and nothing else.
  package func drop(_ name: String) throws(StoreError) { try copy.drop(name) }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    try copy.note(reads)
    try ledger.note(reads)
  }

  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool { try copy.sweep(sweep) }

  package func shrink() throws(StoreError) -> Bool { try copy.shrink() }
}

extension SharedStore: StoreHealth {
  package var isDamaged: Bool { copy.isDamaged }

  /// The copy begins again. Its epoch is another file's of the same history.
  package func renew(from epoch: String) throws(StoreError) -> String? {
    guard epoch == copy.epoch, let moved = try copy.renew(from: epoch) else { return nil }
    let count = state.withLock { state in
      state.renewals += 1
      return state.renewals
    }
    try copy.begin(SequenceNumber.told(epoch) + "z" + String(count, radix: 36))
    return moved
  }

  package func check() throws(StoreError) {
    if let refusal = state.withLock({ $0.refusal }),
      time.now - refusal.at < SharedStore.refusalDuration
    {
      throw refusal.error
    }
    try copy.check()
  }
}

/// Nothing is held back: what cannot be written is not asked for.
extension SharedStore: UnbufferedStore {}
