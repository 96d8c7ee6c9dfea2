import Synchronization

extension FeedReader {
  /// The plan for a feed as it stands, its timeline read from the store the first time.
  func plan(for feed: FeedID) throws(ReadError) -> Plan {
    guard isServed(feed) else { throw .reordered }
    let state = try fromStore { () throws(StoreError) in
      try retryingOnceOnReplacedFile { () throws(StoreError) in try self.state(of: feed) }
    }
    var plan = Plan(timeline: state.timeline, policy: policy, now: time.now)
    plan.order = feed.pattern.order
    plan.attempts = state.attempts
    plan.perPageMax = state.pageSize.perPageMax
    plan.perPageSure = state.pageSize.perPageSure
    plan.perPageFailed = state.pageSize.perPageFailed
    plan.askedAt = state.askedAt
    plan.restsUntil = state.barrenness.restsUntil
    return plan
  }

  /// What is known of a feed, kept in memory once there is something to keep: names that strangers
  /// make up leave nothing until they are asked for upstream.
  func state(of feed: FeedID) throws(StoreError) -> FeedState {
    adoptStoreEpoch()
    if let state = states[feed] { return state }
    var state = FeedState()
    state.timeline.epoch = epoch
    guard var timeline = try store.timeline(of: feed) else { return state }
    timeline.epoch = epoch
    state.timeline = timeline
    state.untold = Untold(stored: timeline)
    state.opened = Territory.opened(stored: timeline)
    state.isStored = true
    keep(state, of: feed)
    publish(feed)
    return state
  }

  /// Keeps what is known of a feed in memory.
  func keep(_ state: FeedState, of feed: FeedID) {
    if states[feed] == nil, states.count >= FeedReader.statesMax { forgetIdleStates() }
    states[feed] = state
  }

  /// Drops from memory what the store still has, and feeds nobody could use.
  private func forgetIdleStates() {
    // What could not be noted is only when they were read.
    try? store.note(takeReads())
    for feed in states.keys where flights[.feed(feed)] == nil && waiting[feed] == nil {
      states[feed] = nil
    }
    let kept = Set(states.keys)
    published.withLock { timelines in timelines = timelines.filter { kept.contains($0.key) } }
  }

  /// What a page proves: by value from the page alone, whole of everything, else by what is known
  /// of its elements; nil when it proves nothing.
  func evidence(of page: Page, _ answer: Fetched<Page>, to ask: Ask, of feed: FeedID)
    throws(StoreError) -> Evidence?
  {
    let state = try state(of: feed)
    if states[feed] == nil { keep(state, of: feed) }
    // A feed's flights go one after the other. Where ages are told in whole seconds, the later of
    // two copies may seem older by one.
    let sentAt = state.timeline.proofs.reduce(answer.sentAt) { sentAt, proof in
      let lead = proof.provenAt - sentAt
      return lead > .zero && lead <= FeedReader.ageTolerance ? proof.provenAt : sentAt
    }
    if feed.pattern.order != .whole,
      let look = emptyLook(at: page, ask.window, sentAt: sentAt, state, of: feed)
    {
      return look
    }
    if feed.pattern.order == .value {
      return evidence(byValue: page, answer, to: ask, sentAt: sentAt, of: feed)
    }
    if feed.pattern.order == .whole {
      let rows =
        state.isStored ? try store.known(in: feed, below: .top, above: .bottom) : []
      return Replacement(page, rows: rows, timeline: state.timeline)
        .evidence(window: ask.window, sentAt: sentAt)
    }
    var page = page
    if states[feed]?.doubtedEnd.doubts(
      page, to: ask.window, sentAt: sentAt, known: 0, timeline: state.timeline) == true
    {
      page.hasNext = true
    }
    let sighting = OrderMatch(
      page, to: ask.window, sentAt: sentAt,
      known: try known(page.items.map(\.item.id), in: feed),
      timeline: state.timeline)
    let rows = try sighting.range.map { range throws(StoreError) in
      try store.known(in: feed, below: range.upper, above: range.lower)
    }
    return sighting.evidence(among: rows ?? [])
  }

  /// What a page of a feed ordered by value proves.
  private func evidence(
    byValue page: Page, _ answer: Fetched<Page>, to ask: Ask, sentAt: Timestamp, of feed: FeedID
  ) -> Evidence {
    let shown = page.newest
    let least = clock.least(shown: shown, sentAt: answer.sentAt, receivedAt: answer.receivedAt)
    // Where nobody tells the time, all that an answer shows was written before it.
    let told = [least, shown.map { $0 + Evidence.settleSeconds }].compactMap(\.self).max()
    let clock = answer.date ?? told ?? answer.receivedAt.seconds
    let evidence = Evidence(page, to: ask.window, sentAt: sentAt, clock: clock)
    guard let timeline = states[feed]?.timeline else { return evidence }
    // What was proven below the last element it shows.
    let bound = evidence.elements.last { !$0.isDisplaced }.map { Cut.below($0.position) } ?? .top
    let known = timeline.proofs.reduce(0) { $0 + ($1.upper <= bound ? $1.count : 0) }
    let isDoubted = states[feed]?.doubtedEnd.doubts(
      page, to: ask.window, sentAt: sentAt, known: known, timeline: timeline)
    guard isDoubted == true, evidence.isEnd else { return evidence }
    var page = page
    page.hasNext = true
    return Evidence(page, to: ask.window, sentAt: sentAt, clock: clock)
  }

  /// The first empty answers to a feed that had elements prove only that it was asked, and a few
  /// that are apart by ``Policy/freshSeconds`` empty it: two, or three where it had more than
  /// ``FeedReader/smallCount``. Nil where the answer may be taken as it is.
  private func emptyLook(
    at page: Page, _ window: Window, sentAt: Timestamp, _ state: FeedState, of feed: FeedID
  ) -> Evidence? {
    guard window.page == 1 else { return nil }
    let count = state.timeline.proofs.reduce(0) { $0 + $1.count }
    guard page.count == 0, count > 0, let head = state.timeline.proofs.first else {
      states[feed]?.emptyLooks = nil
      return nil
    }
    var looks = state.emptyLooks ?? EmptyLooks(since: sentAt, count: 0)
    looks.count += 1
    states[feed]?.emptyLooks = looks
    let needed = count > FeedReader.smallCount ? 3 : 2
    guard looks.count < needed || sentAt - looks.since < .seconds(policy.freshSeconds) else {
      return nil
    }
    return Evidence(
      window: window, sentAt: sentAt, elements: [], upper: head.upper, lower: head.upper,
      rankBelow: 0, isTop: true, isEnd: false)
  }

  /// Where elements are known to stand, or last stood.
  private func known(_ ids: [Identity], in feed: FeedID) throws(StoreError)
    -> [Identity: KnownElement]
  {
    guard states[feed]?.isStored == true else { return [:] }
    return Dictionary(
      try store.known(in: feed, ids: ids).map { ($0.id, $0) },
      uniquingKeysWith: { $0.state == .removed ? $1 : $0 })
  }

  /// Notes an answer that showed nothing known of the place it was asked for.
  func noteMiss(_ ask: Ask, of feed: FeedID) {
    states[feed]?.barrenness.note(isBarren: true, at: time.now)
    if let cut = ask.above {
      states[feed]?.attempts[cut, default: ExtensionAttempts()].missesAbove += 1
    }
    guard let cut = ask.below else { return }
    states[feed]?.attempts[cut, default: ExtensionAttempts()].miss(ask.window, at: time.now)
  }

  /// Lays an answer's evidence into the timeline and stores what it changes. Where that did not
  /// prove the place it was asked for, the second that lies open there is counted.
  func take(_ evidence: Evidence, total: Int?, for ask: Ask, of feed: FeedID) throws(StoreError) {
    let before = try state(of: feed)
    guard Merging.mayApply(evidence, to: before.timeline) else {
      return noteMiss(ask, of: feed)
    }
    let laid = try lay(
      Merging.clipped(evidence, to: before.timeline), total: total, in: feed,
      isRefresh: ask.purpose == .reader)
    try noteLate(evidence, laid, total: total, of: feed)
    let timeline = states[feed]?.timeline ?? Timeline()
    var attempts = before.attempts.filter { timeline.isBound($0.key) }
    var isBarren = false
    defer {
      states[feed]?.attempts = attempts
      if ask.seek == nil { states[feed]?.barrenness.note(isBarren: isBarren, at: time.now) }
    }
    if let cut = ask.above, !timeline.isProven(above: cut) {
      attempts[cut, default: ExtensionAttempts()].missesAbove += 1
    }
    guard let cut = ask.below, !timeline.isProven(below: cut, after: ask.provenAt) else {
      let isBottom = timeline.runs.contains { $0.lower == evidence.lower && !$0.reachesEnd }
      if isBottom, evidence.upper > evidence.lower {
        attempts[evidence.lower, default: ExtensionAttempts()].meet(evidence, total: total)
      }
      return
    }
    var attempt = attempts[cut] ?? ExtensionAttempts()
    let tallied = attempt.tieCount
    attempt.learn(from: evidence, total: total, below: cut, at: time.now)
    isBarren = !laid.hasNews && attempt.tieCount == tallied
    attempts[cut] = attempt
    guard let tieCount = attempt.tieCount, tieCount.isComplete else { return }
    let counted = Evidence(tieCount, window: ask.window)
    try noteLate(counted, try lay(counted, total: nil, in: feed), total: total, of: feed)
    attempts[cut] = nil
  }

  /// Stores one piece of evidence and publishes the timeline it leads to. Returns what it showed.
  @discardableResult
  private func lay(
    _ evidence: Evidence, total: Int?, in feed: FeedID, isRefresh: Bool = false
  ) throws(StoreError) -> Laid {
    var state = try self.state(of: feed)
    var evidence = evidence
    let isKnown = state.isStored
    let knownByID = try known(evidence.elements.map(\.item.id), in: feed)
    if isKnown, feed.pattern.order == .value {
      evidence.doubted += try doubted(by: evidence, knownByID, in: feed)
    }
    let knownInRange = isKnown ? try known(in: evidence, of: feed) : []
    let doubtful = noteUnusable(in: evidence, knowing: knownInRange, of: feed, &state)
    // Positions of a feed that is observed are made as it is read, and leave no room for a gap.
    // One above all others is as one that is not written yet: the top begins where it did.
    if feed.pattern.order == .value {
      let head = evidence.isTop ? nil : state.timeline.proofs.first?.upper
      evidence.unproven = doubtful.filter { $0.upper < max(head ?? .bottom, evidence.upper) }
    }
    let context = Merging.Context(
      feed: feed, timeline: state.timeline,
      knownInRange: knownInRange, knownByID: knownByID,
      policy: policy, kept: Set(state.attempts.keys), isRefresh: isRefresh,
      territory: Territory(state.timeline, former: state.untold?.former, opened: state.opened))
    var merge = Merging.merge(evidence, total: total, in: context)
    if feed.pattern.order != .value, merge.timeline.needsLineage {
      merge.timeline.begin(Lineage(name: UInt64(random(1...Int64.max))))
    }
    state.timeline = merge.timeline
    try change { () throws(StoreError) in
      if isKnown || !merge.seen.isEmpty {
        state.timeline.sequence = try store.commit(merge, budget: budget)
        state.isStored = true
        noteHolding(of: feed, &state)
      }
      state.opened = Territory.opened(
        state.opened + evidence.doubted + evidence.unproven, in: state.timeline)
      state.untold = Untold(
        state.untold, from: context.timeline, to: state.timeline, isTop: evidence.isTop)
      keep(state, of: feed)
      publish(feed)
    }
    try confirm(merge, of: context)
    return Laid(
      arrived: evidence.elements.count {
        knownByID[$0.item.id].map { $0.state == .removed } ?? true
      },
      lacking: merge.missing.count,
      hasNews: merge.seen.contains { knownByID[$0.item.id] == nil },
      doubted: evidence.doubted)
  }

  /// The elements known where evidence speaks, tombstones included.
  private func known(in evidence: Evidence, of feed: FeedID) throws(StoreError) -> [KnownElement] {
    let isApart = evidence.lostRuns.filter {
      $0.upper <= evidence.lower || $0.lower >= evidence.upper
    }
    let ranges = [(evidence.upper, evidence.lower)] + isApart.map { ($0.upper, $0.lower) }
    var known: [KnownElement] = []
    for (upper, lower) in ranges where upper > lower {
      known += try store.known(in: feed, below: upper, above: lower)
    }
    return known
  }

  /// Tells positions by a name of their own while changes are held: should they be lost, nobody
  /// takes the positions for those that are given in their stead.
  private func noteHolding(of feed: FeedID, _ state: inout FeedState) {
    let period = store.holdingPeriod(of: feed)
    if let period, period != state.holdingPeriod, feed.pattern.order != .value {
      state.timeline.begin(Lineage(name: UInt64(random(1...Int64.max))))
    }
    state.holdingPeriod = period
  }

  /// Goes back to what is written of the source's feeds, where too much is held of them in memory
  /// to hold more. Returns false when nothing is.
  func discardBuffered() -> Bool {
    let held = states.keys.filter { store.holdingPeriod(of: $0) != nil }
    guard !held.isEmpty else { return false }
    change {
      published.withLock { published in held.forEach { published[$0] = nil } }
      store.discardBuffered(of: source)
      for feed in held { states[feed] = nil }
    }
    return true
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

  /// Changes what is stored, or what is published of it; then the version moves, whether or not
  /// that succeeded.
  func change<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    changesBegun.add(1, ordering: .sequentiallyConsistent)
    defer { changes.add(1, ordering: .sequentiallyConsistent) }
    return try body()
  }

  /// Follows up on elements that left a feed. What left the list of all items is deleted; what
  /// left another feed may only have left it, and what a reader's refresh lacks may be gone: one of
  /// these a feed and hour is asked for by itself.
  private func confirm(_ merge: Merge, of context: Merging.Context) throws(StoreError) {
    let feed = context.feed
    guard feed.pattern.content == .items, !feed.pattern.isOwners else { return }
    let ids = { (positions: [Position]) in
      let places = Set(positions)
      return context.knownInRange.filter { places.contains($0.position) }.map(\.id)
    }
    var left = ids(merge.removed)
    if !left.isEmpty, feed.pattern.words == ["items"], feed.query == nil {
      try delete(left, realm: feed.realm, sentAt: merge.sentAt)
      left = []
    }
    guard let first = left.first ?? (context.isRefresh ? ids(merge.missing).first : nil) else {
      return
    }
    let now = time.now
    let isDue = states[feed]?.confirmedAt.map { now - $0 >= FeedReader.confirmInterval } ?? true
    guard isDue, flights[.item(ItemName(first))] == nil,
      budget.bears(.recheck, reserve: policy.reserveCalls, at: now)
    else { return }
    states[feed]?.confirmedAt = now
    board(.item(ItemName(first)), Ask(Window(page: 1, perPage: 1), for: .recheck))
  }

  /// Erases items' contents everywhere: they are known to have gone.
  func delete(_ ids: [Identity], realm: String, sentAt: Timestamp) throws(StoreError) {
    try change { () throws(StoreError) in
      for (feed, sequence) in try store.delete(ids, realm: realm, sentAt: sentAt) {
        renumber(feed, to: sequence)
      }
    }
  }

  /// Sets the last number of a feed that another's answer touched.
  func renumber(_ name: String, to sequence: Int64) {
    guard let feed = states.keys.first(where: { $0.name == name }),
      let last = states[feed]?.timeline.sequence
    else { return }
    // What was written after these numbers were taken may be known already.
    states[feed]?.timeline.sequence = max(last, sequence)
    publish(feed)
  }

  /// Takes over the numbers that held changes took when they were written.
  package func noteRecovery(_ numbers: [(feed: String, sequence: Int64)]) {
    change { for (name, sequence) in numbers { renumber(name, to: sequence) } }
  }

  /// Lets readers outside the actor see a feed's timeline.
  func publish(_ feed: FeedID) {
    guard let state = states[feed] else { return }
    let published = Published(timeline: state.timeline, mark: state.mark)
    let before = self.published.withLock { $0.updateValue(published, forKey: feed) }?.timeline
    let isChanged =
      before?.sequence != state.timeline.sequence || before?.epoch != state.timeline.epoch
    if isChanged { tellListeners(of: feed) }
  }
}
