import Feed

/// What is known of a source's feeds: the one place where their states change, in memory, in the
/// store and in what is published of them.
///
/// It belongs to one actor. What another process writes to the store has to arrive here.
final class FeedBook {
  /// The store that all of it is kept in.
  let store: any FeedStore
  /// The actor's own connection to it.
  let reader: any TimelineReader
  /// Where states are published.
  let slices: StoredSlices
  /// Who hears of changes.
  let listeners = Listeners()
  /// The epoch of the store that the states are of.
  private(set) var epoch: String
  private(set) var states: [FeedID: FeedState] = [:]
  /// Requests and calls in progress, by feed: those feeds are not evicted meanwhile.
  private var uses: [FeedID: Int] = [:]
  let report: @Sendable (Incident) -> Void
  let time: any TimeSource
  /// Whether something was deleted whose news were not taken in yet.
  var hasDeleted = false
  /// When feeds were dropped that another configuration had stored, by name.
  var dropped: [String: Timestamp] = [:]

  /// The most feeds whose state is kept in memory; the rest is read from the store again.
  static let statesMax = 1 << 14
  /// How often one call begins again because the store was replaced under it.
  static let renewalsMax = 2

  /// A book of which nothing is read yet.
  init(
    store: any FeedStore, slices: StoredSlices, time: any TimeSource,
    report: @escaping @Sendable (Incident) -> Void
  ) throws(StoreError) {
    self.store = store
    self.slices = slices
    self.time = time
    self.report = report
    epoch = store.epoch
    reader = try store.makeReader()
  }

  /// What is in memory of a feed.
  subscript(_ feed: FeedID) -> FeedState? {
    get { states[feed] }
    _modify { yield &states[feed] }
  }

  /// How many feeds are in memory, the gaps between their runs, and the places in them at which an
  /// element stays that cannot be used.
  var counts: (feeds: Int, gaps: Int, unusablePlaces: Int) {
    (
      states.count, states.values.reduce(0) { $0 + max(0, $1.timeline.runs.count - 1) },
      states.values.reduce(0) { $0 + $1.doubts.unusableCount }
    )
  }

  /// The plan for a feed as it stands, its timeline read from the store the first time.
  func plan(for feed: FeedID, at now: Timestamp) throws(ReadError) -> Plan {
    guard slices.isServed(feed) else { throw .reordered }
    let state: FeedState
    do throws(StoreError) {
      state = try retryingOnce { () throws(StoreError) in try self.state(of: feed) }
    } catch {
      throw slices.isServed(feed) ? .store(error) : .reordered
    }
    return state.plan(of: feed.pattern, by: slices.policy, at: now)
  }

  /// What is known of a feed, kept in memory once there is something to keep: names that strangers
  /// make up leave nothing until they are asked for upstream.
  func state(of feed: FeedID) throws(StoreError) -> FeedState {
    adoptStoreEpoch()
    if let state = states[feed] {
      if state.recipe == feed.pattern.recipe { return state }
      // Another configuration is in force than when it was read.
      change { _ = slices.published.withdraw(feed) }
      forget(feed)
    }
    var state = FeedState(feed.pattern)
    state.timeline.epoch = epoch
    guard var timeline = try stored(feed) else { return state }
    timeline.epoch = epoch
    state.timeline = timeline
    state.adoptPageSize()
    state.untold = Untold(stored: timeline)
    state.opened = Territory.opened(stored: timeline)
    state.record.isStored = true
    keep(state, of: feed)
    publish(feed)
    return state
  }

  /// Keeps what is known of a feed in memory.
  func keep(_ state: FeedState, of feed: FeedID) {
    if states[feed] == nil, states.count >= FeedBook.statesMax { forgetIdleStates() }
    states[feed] = state
  }

  /// Drops from memory what the store still has, and feeds without use.
  private func forgetIdleStates() {
    // What could not be noted is only when they were read.
    try? store.note(takeReads())
    for feed in states.keys where uses[feed] == nil {
      states[feed] = nil
    }
    slices.published.withdrawAll(but: Set(states.keys))
  }

  /// Whether what an ask was made for has come meanwhile: its place was proven, or proven again, or
  /// the top was looked at again.
  func isDone(_ ask: Ask, for key: FlightKey) -> Bool {
    guard case .feed(let feed) = key, let timeline = states[feed]?.timeline else { return false }
    return switch ask.place {
    case .top: timeline.lookedAt != ask.seenAt
    case .below(let cut), .again(_, let cut): timeline.isProven(below: cut, after: ask.seenAt)
    case .above(let cut): timeline.isProven(above: cut)
    case .sought, .rank: false
    }
  }

  /// Whether a call that no request waits for is due. For a look at the top, what readers outside
  /// the actor see does not tell of one that proved nothing later; further down, a doubted end is
  /// not settled by answers of one moment.
  func isDue(_ ask: Ask, of feed: FeedID, at now: Timestamp) -> Bool {
    if ask.goesOn, settling(of: feed, at: now) != nil { return false }
    guard ask.isLook, let askedAt = states[feed]?.askedAt else { return true }
    let policy = slices.policy
    return now - askedAt >= .seconds(min(policy.freshSeconds, policy.refreshSeconds))
  }

  /// From when on a second answer can settle an end that is doubted; nil where it can now, or where
  /// none is.
  func settling(of feed: FeedID, at now: Timestamp) -> Timestamp? {
    states[feed]?.doubts.endSettles(after: now)
  }

  /// Notes a call that failed by what it asked for: smaller windows may pass.
  func noteFailure(_ error: FetchError, perPage: Int, of feed: FeedID) throws(StoreError) {
    var state = try state(of: feed)
    switch error {
    case .tooLarge: state.pageSize.shrink(after: perPage, isTooLarge: true)
    case .timedOut, .cut: state.pageSize.shrink(after: perPage, isTooLarge: false)
    default: break
    }
    keep(state, of: feed)
  }

  /// Forgets what is in memory of a feed.
  func forget(_ feed: FeedID) {
    states[feed] = nil
  }

  /// Forgets by which revision the upstream knows what is stored: another fetcher counts them from
  /// the start.
  func forgetRevisions() {
    for feed in states.keys { states[feed]?.revision = nil }
  }

  /// Notes that a request or a call for a feed is in progress.
  func begin(_ feed: FeedID) {
    uses[feed, default: 0] += 1
  }

  /// Notes that one has ended.
  func end(_ feed: FeedID) {
    guard let count = uses[feed] else { return }
    uses[feed] = count > 1 ? count - 1 : nil
  }

  /// Lets readers outside the actor see a feed's timeline.
  func publish(_ feed: FeedID) {
    guard let state = states[feed] else { return }
    let published = Published(
      timeline: state.timeline, mark: state.record.mark, recipe: state.recipe)
    let before = slices.published.publish(published, of: feed)?.timeline
    let isChanged =
      before?.sequence != state.timeline.sequence || before?.epoch != state.timeline.epoch
    if isChanged { listeners.tell(feed) }
  }

  /// Changes what is stored, or what is published of it; then the version moves, whether or not
  /// that succeeded.
  func change<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    try slices.published.change(body)
  }

  /// Notes that what is stored of a feed was all there is at an instant. In memory only: after a
  /// restart it is read again in any case.
  func renew(_ feed: FeedID, at sentAt: Timestamp) {
    guard var timeline = states[feed]?.timeline else { return }
    for index in timeline.proofs.indices { timeline.proofs[index].provenAt = sentAt }
    timeline.lookedAt = sentAt
    timeline.total?.asOf = sentAt
    states[feed]?.timeline = timeline
    publish(feed)
  }

  /// Erases items' contents everywhere: they are known to have gone. Where others share the store,
  /// what becomes of the feeds here is in the next news.
  func delete(_ ids: [Identity], realm: String, sentAt: Timestamp) throws(StoreError) {
    hasDeleted = store.isShared
    try change { () throws(StoreError) in
      for (feed, sequence) in try store.delete(ids, realm: realm, sentAt: sentAt) {
        renumber(feed, to: sequence)
      }
    }
  }

  /// Sets the last number of a feed that another's answer touched.
  private func renumber(_ name: String, to sequence: Int64) {
    guard let feed = states.keys.first(where: { $0.name == name }),
      let last = states[feed]?.timeline.sequence
    else { return }
    // What was written after these numbers were taken may be known already.
    states[feed]?.timeline.sequence = max(last, sequence)
    publish(feed)
  }

  /// Takes over the numbers that held changes took when they were written.
  func noteRecovery(_ numbers: [(feed: String, sequence: Int64)]) {
    change { for (name, sequence) in numbers { renumber(name, to: sequence) } }
  }

  /// Goes back to what is written of the source's feeds, where too much is held of them in memory
  /// to hold more. Returns false when nothing is.
  func discardBuffered() -> Bool {
    let held = states.keys.filter { store.holdingPeriod(of: $0) != nil }
    guard !held.isEmpty else { return false }
    change {
      for feed in held { slices.published.withdraw(feed) }
      store.discardBuffered(of: slices.source)
      for feed in held { states[feed] = nil }
    }
    return true
  }
}

/// Evicting feeds.
extension FeedBook {
  /// When the feeds in memory were last read, by name.
  var reads: [String: Timestamp] {
    var reads: [String: Timestamp] = [:]
    for (feed, state) in states where state.record.isStored {
      reads[feed.name] = state.record.mark.readAt
    }
    return reads
  }

  /// When feeds were last read that were read since this was last asked, by name.
  func takeReads() -> [String: Timestamp] {
    var reads: [String: Timestamp] = [:]
    for (feed, state) in states where state.record.isStored {
      guard let readAt = state.record.mark.readAt, readAt != state.record.readAtTaken else {
        continue
      }
      states[feed]?.record.readAtTaken = readAt
      reads[feed.name] = readAt
    }
    return reads
  }

  /// Takes one step of giving up a feed, of at most ``Eviction/placesMax`` places where no second
  /// holds more.
  ///
  /// What its readers see and what is stored change in the order in which neither can be taken for
  /// the other: no timeline is published while rows go, so that a loop that has read some of them
  /// finds that its timeline no longer stands and asks here, where both are whole again.
  func evictStep(_ victim: Eviction.Victim) throws(StoreError) -> EvictionResult {
    adoptStoreEpoch()
    let feed = states.keys.first { $0.name == victim.name }
    if let feed, isInUse(feed, by: victim) { return .not }
    let step = try store.step(of: victim, standing: feed.flatMap { states[$0]?.timeline })
    switch step {
    case .needsMore, .nothing: return .not
    case .drop, .cut: break
    }
    try change(withdrawing: feed) { () throws(StoreError) in
      try store.take(step, of: victim)
      if let feed { keep(step, of: feed) }
    }
    return step == .drop ? .wholly : .partly
  }

  /// Takes rows of a feed away while no timeline of it is published; where that fails nothing was
  /// changed, and its timeline is published again.
  func change(
    withdrawing feed: FeedID?, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try change { () throws(StoreError) in
      let before = feed.flatMap { slices.published.withdraw($0) }
      do throws(StoreError) {
        try body()
      } catch {
        if let feed, let before { slices.published.publish(before, of: feed) }
        throw error
      }
    }
  }

  /// Whether somebody waits for a feed, or has read one that is to go whole.
  private func isInUse(_ feed: FeedID, by victim: Eviction.Victim) -> Bool {
    guard uses[feed] == nil else { return true }
    return !victim.keepsTop && states[feed]?.record.mark.readAt.map { $0 > victim.readAt } ?? false
  }

  /// Goes on with what a step has left of a feed.
  private func keep(_ step: Eviction.Step, of feed: FeedID) {
    guard case .cut(_, let timeline) = step, var state = states[feed] else {
      states[feed] = nil
      return
    }
    state.timeline = timeline
    // What is asked for next is to come whole.
    state.revision = nil
    state.attempts = state.attempts.filter { timeline.isBound($0.key) }
    states[feed] = state
    publish(feed)
  }
}

/// A damaged store file is set aside and a new one begun: then all that was read is forgotten.
extension FeedBook {
  /// Does something with the store, a second time where the file was damaged or replaced.
  func retryingOnce<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      guard isReplaced(after: error) else { throw error }
      return try body()
    }
  }

  /// Has a damaged file replaced, or takes note that it was. Returns whether another is there now.
  func isReplaced(after error: StoreError) -> Bool {
    let before = epoch
    if error.isDamage {
      do throws(StoreError) {
        if let moved = try store.renew(from: before) { report(.storeReplaced(damaged: moved)) }
      } catch {
        report(.notStored(error))
      }
    }
    adoptStoreEpoch()
    return epoch != before
  }

  /// Forgets what was read from a file that is no longer the store's.
  func adoptStoreEpoch() {
    let present = store.epoch
    guard present != epoch else { return }
    change {
      epoch = present
      states.removeAll()
      slices.published.withdrawAll()
    }
    listeners.tellAll()
  }
}
