import Feed

/// Lands answers in a book: each answer's ``Landing`` decides, and what comes out is written in one
/// transaction and published here. It belongs to the actor of the source.
final class Lander {
  private let book: FeedBook
  private let time: any TimeSource
  private let random: @Sendable (ClosedRange<Int64>) -> Int64
  private let report: @Sendable (Incident) -> Void
  /// What was edited a short while ago.
  private var recentEdits = RecentEdits()
  /// When it began to know of edits: what was seen before is asked of the store.
  private let begunAt: Timestamp
  /// What is known of the upstream's clock.
  private var clock = UpstreamClock()
  /// How the last answer moved the latest `Date`; nil where it did not.
  private(set) var moved: (from: UpstreamDate?, to: UpstreamDate)?

  /// Lands answers in a book.
  init(
    in book: FeedBook, time: any TimeSource,
    random: @escaping @Sendable (ClosedRange<Int64>) -> Int64,
    report: @escaping @Sendable (Incident) -> Void
  ) {
    self.book = book
    self.time = time
    self.random = random
    self.report = report
    begunAt = time.now
  }

  /// A page as old as it says: see ``dated(_:newest:)``.
  func dated(_ answer: Fetched<Page>, in unit: KeyUnit) -> Fetched<Page> {
    dated(answer, newest: (try? answer.result.get())?.newest.flatMap(unit.second))
  }

  /// An answer as old as it says: what it proves is of when it was made, not of when it was asked
  /// for. A `Date` that cannot be trusted is left out; `newest` is the newest time of an element of
  /// the answer.
  func dated<Value>(_ answer: Fetched<Value>, newest: Int64?) -> Fetched<Value> {
    moved = nil
    // What failed on the way says nothing of the upstream's clock.
    guard answer.date != nil || answer.age != nil else { return answer }
    var answer = answer
    let before = clock.latest
    let reading = clock.read(
      date: answer.date, age: answer.age, newest: newest, sentAt: answer.sentAt,
      receivedAt: answer.receivedAt)
    if let latest = clock.latest, latest != before { moved = (before, latest) }
    answer.sentAt = reading.madeAt
    answer.date = reading.clock
    return answer
  }

  /// Takes the latest `Date` of the source's answers to other servers.
  func adopt(_ latest: UpstreamDate?) {
    clock.adopt(latest)
  }

  /// Takes in an answer to a call for a window of a feed. Returns what became of it, and the calls
  /// that it leads to.
  func land(
    _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID
  ) -> (result: Landed, followUps: [FollowUp]) {
    if case .failure(.unchanged) = answer.result {
      book.renew(feed, at: answer.sentAt)
      return (.taken(nil), [])
    }
    var unstored: Unstored?
    do throws(StoreError) {
      return try book.retryingOnce { () throws(StoreError) in
        do throws(StoreError) {
          return try landOnce(answer, to: ask, of: feed, &unstored)
        } catch {
          // A second time from the beginning where too much was held.
          guard error == .full, book.discardBuffered() else { throw error }
          return try landOnce(answer, to: ask, of: feed, &unstored)
        }
      }
    } catch {
      // It is as if the answer had not come, but for what it claims as a whole: that is heard once,
      // however often storing was tried.
      if let unstored, book[feed] != nil {
        book.keep(unstored.heard, of: feed)
        writeDoubts(of: feed, after: unstored.before, at: answer.sentAt)
      }
      if case .failure(let failure) = answer.result { return (.failed(failure), []) }
      report(.notStored(error))
      return (.notStored(error), [])
    }
  }

  /// What is known of a feed where an answer could not be stored.
  private struct Unstored {
    var before: FeedState
    /// See ``Landing/heard``.
    var heard: FeedState
  }

  private func landOnce(
    _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID, _ unstored: inout Unstored?
  ) throws(StoreError) -> (result: Landed, followUps: [FollowUp]) {
    let before = try book.state(of: feed)
    var landing = Landing(
      on: before, of: feed, rows: book, policy: book.slices.policy, at: time.now, clock: clock,
      recentEdits: recentEdits, recallsEdits: recallsEdits(answer), newLineage: newLineage)
    do throws(StoreError) {
      let result = try landing.land(answer, to: ask)
      try perform(&landing, sentAt: answer.sentAt)
      (recentEdits, clock) = (landing.recentEdits, landing.clock)
      landing.incidents.forEach(report)
      if landing.draft.merges.isEmpty { writeDoubts(of: feed, after: before, at: answer.sentAt) }
      return (result, landing.followUps)
    } catch {
      unstored = Unstored(before: before, heard: landing.heard)
      throw error
    }
  }

  /// Whether the store may know of edits that this process has not seen: a copy that lags behind
  /// may come from before them.
  private func recallsEdits(_ answer: Fetched<Page>) -> Bool {
    book.store.isShared || answer.sentAt - begunAt < RecentEdits.settlingTime
  }

  private func newLineage() -> Lineage {
    Lineage(name: UInt64(random(1...Int64.max)))
  }

  /// Writes what a landing changes, and publishes it.
  private func perform(_ landing: inout Landing, sentAt: Timestamp) throws(StoreError) {
    let feed = landing.feed
    if landing.isReordered { return try reorder(landing) }
    guard landing.draft.isLaid else { return book.keep(landing.state, of: feed) }
    try book.change { () throws(StoreError) in
      try write(&landing)
      book.keep(landing.state, of: feed)
      book.publish(feed)
    }
    guard !landing.draft.gone.isEmpty else { return }
    try book.delete(landing.draft.gone, realm: feed.realm, sentAt: sentAt)
  }

  /// Writes the draft with what is claimed of its feed and the calls left.
  private func write(_ landing: inout Landing) throws(StoreError) {
    guard let last = landing.draft.merges.indices.last else { return }
    landing.state.doubts.keep(
      landing.state.untold, opened: landing.state.opened, runs: landing.state.timeline.runs.count)
    landing.draft.merges[last].timeline.doubts = landing.state.doubts
    let number = try book.store.commit(landing.draft.merges, budget: book.slices.budget)
    landing.state.timeline.sequence = number
    landing.state.record.isStored = true
    if landing.draft.tellsTop { landing.state.untold?.sequence = number }
    noteHolding(of: landing.feed, &landing.state)
    landing.heard = landing.state
  }

  /// Gives positions a lineage of their own while changes are held: should they be lost, no client
  /// takes the positions for those that are given instead.
  private func noteHolding(of feed: FeedID, _ state: inout FeedState) {
    let period = book.store.holdingPeriod(of: feed)
    if let period, period != state.record.holdingPeriod, feed.pattern.order != .value {
      state.timeline.begin(newLineage())
    }
    state.record.holdingPeriod = period
  }

  /// Drops a feed that is served in another order from now on.
  private func reorder(_ landing: Landing) throws(StoreError) {
    let feed = landing.feed
    try book.change(withdrawing: feed) { () throws(StoreError) in
      if landing.state.record.isStored {
        try book.store.dropEverywhere(feed.name, of: feed.source, unless: nil)
      }
      book.slices.reordered.insert(feed)
      book.forget(feed)
    }
    book.listeners.tell(feed)
  }

  /// Writes what is claimed of a feed where that was not written with what an answer has changed.
  /// Readers see nothing of it, and the call goes on: it may have failed. A store that fails here
  /// is reported by the next commit.
  private func writeDoubts(of feed: FeedID, after before: FeedState, at sentAt: Timestamp) {
    guard var state = book[feed], state.record.isStored || state.doubts.makes(.hollow),
      !state.doubts.isStored(as: before.doubts)
    else { return }
    let merge = Merge(feed: feed, sentAt: sentAt, timeline: state.timeline)
    guard (try? book.store.commit([merge], budget: nil)) != nil else { return }
    state.record.isStored = true
    book.keep(state, of: feed)
  }

  /// Takes in an answer to a call for one item.
  func land(_ answer: Fetched<PageItem>, of name: ItemName) -> LandedItem {
    let realm = name.realm(of: book.slices.source)
    do throws(StoreError) {
      switch answer.result {
      case .success(let item):
        let item = recentEdits.settled(item, realm: realm, sentAt: answer.sentAt)
        try book.retryingOnce { () throws(StoreError) in
          try book.change { () throws(StoreError) in
            try book.store.keep(item, realm: realm, sentAt: answer.sentAt)
          }
        }
        return .taken
      case .failure(.notFound):
        let isKnown = try book.retryingOnce { () throws(StoreError) in
          guard try book.reader.item(name.id, realm: realm) != nil else { return false }
          try book.delete([name.id], realm: realm, sentAt: answer.sentAt)
          return true
        }
        return isKnown ? .deleted : .failed(.notFound)
      case .failure(let error):
        return .failed(error)
      }
    } catch {
      report(.notStored(error))
      return .notStored(error)
    }
  }
}
