import Feed

/// What an answer to a call for a window leads to, decided from values: the state of its feed, the
/// rows that are stored, and the answer. It changes its own values and nothing else; ``Lander``
/// performs what comes out.
struct Landing {
  let feed: FeedID
  /// What is stored of the feed's elements.
  let rows: any StoredRows
  let policy: Policy
  /// When it lands.
  let now: Timestamp
  /// Whether the store may know of edits that this process has not seen.
  let recallsEdits: Bool
  /// Makes a lineage, should one begin.
  let newLineage: () -> Lineage

  /// What is known of the feed, afterwards what it is to be.
  var state: FeedState
  /// What was edited a short while ago.
  var recentEdits: RecentEdits
  /// What is known of the upstream's clock.
  var clock: UpstreamClock

  /// What is written.
  var draft = Draft()
  /// Where identities stand that were looked up so far.
  let lookedUp = LookedUp()
  /// The calls that the answer leads to.
  var followUps: [FollowUp] = []
  /// What the operator is to know.
  var incidents: [Incident] = []
  /// Whether the feed is served in another order from now on.
  var isReordered = false

  /// By how much an answer may seem older than what is proven without being so.
  static let ageTolerance = Duration.milliseconds(1_500)
  /// What the state is where the answer cannot be stored: what it claims as a whole is heard.
  var heard: FeedState

  /// An answer lands on what is known of a feed.
  init(
    on state: FeedState, of feed: FeedID, rows: any StoredRows, policy: Policy, at now: Timestamp,
    clock: UpstreamClock, recentEdits: RecentEdits, recallsEdits: Bool,
    newLineage: @escaping () -> Lineage
  ) {
    (self.state, heard) = (state, state)
    self.feed = feed
    self.rows = rows
    self.policy = policy
    self.now = now
    self.clock = clock
    self.recentEdits = recentEdits
    self.recallsEdits = recallsEdits
    self.newLineage = newLineage
  }

  /// Takes in an answer to a call for a window of the feed. Throws where what is stored cannot be
  /// read; ``heard`` is what is known then.
  mutating func land(_ answer: Fetched<Page>, to ask: Asked) throws(StoreError) -> Landed {
    let answer = try leavingOpen(answer, to: ask)
    let seeming = try (try? answer.result.get()).flatMap { page throws(StoreError) in
      try noteHiding(of: page, to: ask)
    }
    guard let (answer, ask) = followingFirst(answer, to: ask),
      let (answer, ask) = try resolvingEnd(answer, to: ask)
    else { return .taken(nil) }
    let paging = state.paging(at: now)
    defer { noteSizes(since: paging, ask.window) }
    switch answer.result {
    case .failure(let error):
      state.pageSize.noteCheck(ask.window, nil)
      return noteUnknownPlace(error, ask) || noteRefusedSize(error, ask)
        ? .taken(nil) : .failed(error)
    case .success(let page):
      return try land(page, answer, to: ask, seeming: seeming)
    }
  }

  private mutating func land(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked, seeming: Window?
  ) throws(StoreError) -> Landed {
    let contradiction = page.contradiction(
      to: ask.window, order: feed.pattern.order, unit: feed.pattern.unit)
    let showsTop = try noteTop(page, to: ask, isContradicted: contradiction != nil)
    if let contradiction {
      doubt(.unusable, ask.window)
      if showsTop { noteMiss(ask, showing: page) }
      return .failed(contradiction)
    }
    var page = page
    let isHollow = page.isHollow(
      in: ask.window, paging: state.paging, perPageMax: state.pageSize.perPageMax)
    let verdict = state.doubts.hear(.hollow, isHollow, at: answer.sentAt)
    if isHollow == true {
      let isKnown = state.timeline.proofs.contains { $0.count > 0 }
      guard !isKnown, verdict == .believed else {
        doubt(.unusable, ask.window)
        return .failed(
          .malformed(reason: "nothing of a feed that has elements, as the same answer says"))
      }
      (page.hasNext, page.total) = (false, nil)
    }
    // A page that is smaller than it was asked for may begin elsewhere by its number.
    let isSmaller = state.pageSize.served.map { $0 < ask.window.perPage } ?? false
    let own = ownWindow(of: page, to: ask, seeming: seeming)
    let isElsewhere = state.paging.isRanked && isSmaller
    if feed.pattern.order != .whole, !isElsewhere,
      state.doubts.isRepeated(
        page, to: ask.window, at: answer.receivedAt, hides: state.pageSize.hides),
      !state.pageSize.isUnkept
    {
      doubt(.repeated, ask.window)
      if showsTop { noteMiss(ask, showing: page) }
      return .failed(.malformed(reason: "the same elements came for another place"))
    }
    state.pageSize.noteWhole(of: ask.window.perPage)
    var ask = ask
    if let own, own.isCertain {
      ask.window = own.window
    } else if let perPage = servedSize(of: page, to: ask) {
      ask.window.perPage = perPage
    }
    // That it is shorter than it was asked for says nothing of the end then.
    if let own, page.total ?? .max > own.window.firstRank + page.count,
      own.isCertain || page.endClaim(in: ask.window) == .end
    {
      (page.hasNext, page.isEndUntold) = (true, !page.hasNext)
    }
    // What a segment counts are its own elements.
    if ask.window.segment != nil { (ask.segmentTotal, page.total) = (page.total, nil) }
    noteTotal(of: page, to: ask.window)
    heard = state
    if lacksFirstKey(page, ask) {
      // Some of that may be gone: what shows the key above shows what there is.
      if let cut = ask.below { state.continuations[cut] = nil }
      noteMiss(ask, showing: page)
      return .taken(nil)
    }
    let evidence = try evidence(from: page, answer, to: ask)
    if page.isNextCounted { doubt(.counting, ask.window) }
    if answer.redirects > 0 { doubt(.redirected, ask.window) }
    if evidence != nil { state.revision = page.revision }
    report(page.faults, evidence, ask.window)
    return .taken(evidence)
  }

  /// Whether a page that was to begin with the first key below a cut lacks elements that are known
  /// of that: what names the key may leave out some of it.
  private func lacksFirstKey(_ page: Page, _ ask: Asked) -> Bool {
    guard state.paging.addressing == .key, ask.window.segment == nil, let cut = ask.below,
      ask.window.keyMax == cut.keyBelow
    else { return false }
    let shown = Set(page.items.map(\.item.id))
    return state.continuations[cut]?.open.contains { !shown.contains($0.id) } ?? true
  }

  /// What an answer proves, laid into the timeline; nil where that is nothing.
  private mutating func evidence(
    from page: Page, _ answer: Fetched<Page>, to ask: Asked
  ) throws(StoreError) -> Evidence? {
    let clock = answer.date ?? answer.receivedAt.seconds
    // A copy that lags behind may tell the time of then.
    try recallEdits(
      of: page, clock: max(clock, answer.receivedAt.seconds), sentAt: answer.sentAt)
    let page = recentEdits.settled(page, realm: feed.realm, sentAt: answer.sentAt)
    var (evidence, read) = try evidence(of: page, answer, to: ask)
    if page.isEndDoubted, evidence?.isEnd == true {
      evidence?.belief = JoinProof.none
      doubt(feed.pattern.order == .whole ? .partial : .silent, ask.window)
    }
    recentEdits.note(
      page, realm: feed.realm, unit: feed.pattern.unit, clock: clock, sentAt: answer.sentAt)
    if let evidence, refusesOrder(evidence) {
      report([:], evidence, ask.window)
      return nil
    }
    if let evidence {
      let saysMore = page.hasNext && !page.isEndUntold
      try take(evidence, total: page.total, saysMore: saysMore, for: ask)
      askAgain()
      noteContinuation(
        of: answer, read, Merging.clipped(evidence, to: state.timeline), to: ask)
      if page.isEndLeftOpen { lookBelow(evidence) }
    } else {
      noteMiss(ask, showing: page)
    }
    return evidence
  }

  /// What a page proves: by value from the page alone, whole of everything, else by what is known
  /// of its elements; nil when it proves nothing.
  mutating func ownEvidence(
    of page: Page, _ answer: Fetched<Page>, to ask: Asked, believed: Int = .max
  ) throws(StoreError) -> Evidence? {
    // A feed's flights go one after the other. Where ages come in whole seconds, the later of two
    // copies may seem older by one.
    let sentAt = state.timeline.proofs.reduce(ask.shownAt ?? answer.sentAt) { sentAt, proof in
      let lead = proof.provenAt - sentAt
      return lead > .zero && lead <= Landing.ageTolerance ? proof.provenAt : sentAt
    }
    if feed.pattern.order != .whole, let look = emptyLook(at: page, ask.window, sentAt: sentAt) {
      return look
    }
    if feed.pattern.order == .value {
      return evidence(byValue: page, answer, to: ask, sentAt: sentAt)
    }
    if feed.pattern.order == .whole {
      let rows = try known(in: CutRange(upper: .top, lower: .bottom))
      return Replacement(page, rows: rows, timeline: state.timeline)
        .evidence(window: ask.window, sentAt: sentAt)
    }
    var page = page
    let known = try self.known(page.items.map(\.item.id))
    // A page that shows nothing of what is known does not end it by itself.
    let isStrange = known.values.allSatisfy { $0.state == .removed }
    page.hasNext = hasMore(
      after: page, to: ask, sentAt: max(sentAt, answer.sentAt),
      known: isStrange ? state.timeline.proofs.elementCount : 0)
    let sighting = OrderMatch(
      page, to: ask.window, sentAt: sentAt, known: known, timeline: state.timeline,
      believed: believed)
    let rows = try sighting.range.map { range throws(StoreError) in
      try self.known(in: CutRange(upper: range.upper, lower: range.lower))
    }
    return sighting.evidence(among: rows ?? [])
  }

  /// What a page of a feed ordered by value proves.
  private mutating func evidence(
    byValue page: Page, _ answer: Fetched<Page>, to ask: Asked, sentAt: Timestamp
  ) -> Evidence {
    let unit = feed.pattern.unit
    let shown = page.newest
    let least = clock.least(
      shown: shown.flatMap(unit.second), sentAt: answer.sentAt, receivedAt: answer.receivedAt)
    var top = SettledTop(
      at: answer.date ?? least ?? answer.receivedAt.seconds, in: unit,
      settling: feed.pattern.settleSeconds)
    if answer.date == nil, let shown { top.settle(shown: shown) }
    let window = window(of: ask, showing: page)
    let evidence = Evidence(page, to: window, sentAt: sentAt, top: top)
    // What was proven below the last element it shows.
    let bound = evidence.elements.last { !$0.isDisplaced }.map { Cut.below($0.position) } ?? .top
    let known = state.timeline.proofs.filter { $0.upper <= bound }.elementCount
    let hasMore = hasMore(
      after: page, to: ask, at: window.firstRank, sentAt: max(sentAt, answer.sentAt), known: known)
    guard hasMore != page.hasNext else { return evidence }
    var page = page
    page.hasNext = hasMore
    return Evidence(page, to: window, sentAt: sentAt, top: top)
  }

  /// Whether more follows on a page, as it is taken: see ``Doubts``.
  private mutating func hasMore(
    after page: Page, to ask: Asked, at rank: Int? = nil, sentAt: Timestamp, known: Int
  ) -> Bool {
    let paging = state.paging(at: now)
    return state.doubts.hasMore(
      after: page, to: ask.window, at: rank, sentAt: sentAt, known: known,
      total: state.timeline.total?.value, isSized: paging.isSized, isRanked: paging.isRanked,
      hides: state.pageSize.hides)
  }

  /// The first empty answers to a feed that had elements prove nothing, until it is believed that
  /// it is empty: its top stays as old as it was. Nil where the answer may be taken as it is.
  private mutating func emptyLook(
    at page: Page, _ window: Window, sentAt: Timestamp
  ) -> Evidence? {
    guard window.isTop else { return nil }
    let count = state.timeline.proofs.elementCount
    guard page.count == 0, count > 0, let head = state.timeline.proofs.first else {
      state.doubts.clear(.empty)
      return nil
    }
    let apart = Duration.seconds(policy.freshSeconds)
    let claim = Doubts.Claim.empty.of(count: count, apart: apart)
    guard state.doubts.hear(claim, at: sentAt) != .believed else { return nil }
    return Evidence(
      window: window, sentAt: sentAt, elements: [], upper: head.upper, lower: head.upper,
      rankBelow: 0, isTop: false, isEnd: false)
  }

  /// Notes an answer that showed nothing known of the place it was asked for.
  private mutating func noteMiss(_ ask: Asked, showing page: Page) {
    noteMiss(ask, showing: page.items.map(\.item.id), total: page.total)
  }

  /// The same; `ids` are those of its elements, where it had a page.
  mutating func noteMiss(_ ask: Asked, showing ids: [Identity]?, total: Int?) {
    note(isBarren: true, ask.window)
    if let cut = ask.above {
      state.attempts[cut, default: ExtensionAttempts()].missesAbove += 1
    }
    guard let cut = ask.below else { return }
    state.attempts[cut] = attempted(state.attempts[cut], ask.window) { [now] attempt in
      attempt.miss(ask.window, showing: ids, total: ask.segmentTotal ?? total, at: now)
    }
  }

  /// Notes and returns whether the answer to what lies below a cut begins with the feed's top. One
  /// that begins at a key may do so, unless that is `isContradicted`.
  private mutating func noteTop(
    _ page: Page, to ask: Asked, isContradicted: Bool
  ) throws(StoreError) -> Bool {
    guard let cut = ask.below, !ask.window.isTop, let first = page.items.first?.item.id else {
      return false
    }
    let isElsewhere = isContradicted || state.paging.addressing != .key
    let place = isElsewhere ? try known([first])[first]?.position : nil
    let top = place == nil ? nil : try rows.position(at: 0, of: feed, below: .top)
    let isTop = top != nil && top == place
    if isTop || state.attempts[cut]?.showsTop == true {
      state.attempts[cut, default: ExtensionAttempts()].showsTop = isTop
    }
    return isTop
  }

  /// The attempts to prove a place after one more, which is reported where the place rests then.
  private mutating func attempted(
    _ attempt: ExtensionAttempts?, _ window: Window, by learn: (inout ExtensionAttempts) -> Void
  ) -> ExtensionAttempts {
    var after = attempt ?? ExtensionAttempts()
    learn(&after)
    if after.rests > attempt?.rests ?? 0 { doubt(.barren, window) }
    return after
  }

  /// Lays an answer's evidence into the timeline. Where that did not prove the place it was asked
  /// for, the second that lies open there is counted.
  private mutating func take(
    _ evidence: Evidence, total: Int?, saysMore: Bool, for ask: Asked
  ) throws(StoreError) {
    let before = state
    guard Merging.mayApply(evidence, to: before.timeline) else {
      return noteMiss(ask, showing: evidence.elements.map(\.item.id), total: total)
    }
    let laid = try lay(
      Merging.clipped(evidence, to: before.timeline), total: total,
      isRefresh: ask.purpose == .reader)
    try noteLate(evidence, laid, total: total)
    noteEnd(evidence, laid, for: ask)
    let timeline = state.timeline
    var attempts = before.attempts.filter { timeline.isBound($0.key) }
    var isBarren = false
    defer {
      state.attempts = attempts
      if ask.seek == nil { note(isBarren: isBarren, ask.window) }
    }
    // Ranks that are only estimated count nothing, nor do positions that are no keys.
    let paging = state.paging(at: now)
    let isRanked = paging.isRanked || ask.window.segment != nil
    let isCounted =
      feed.pattern.order == .value && isRanked && paging.isSized && paging.joins == nil
    let countedTotal = ask.segmentTotal ?? total
    if let cut = ask.above, !timeline.isProven(above: cut) {
      attempts[cut, default: ExtensionAttempts()].missesAbove += 1
    }
    if let target = ask.target, timeline.isBound(target),
      !timeline.isProven(below: target, after: nil)
    {
      attempts[target] = attempted(attempts[target], ask.window) { [now] attempt in
        attempt.pass(evidence, at: now)
      }
    }
    guard let cut = ask.below, !timeline.isProven(below: cut, after: ask.seenAt) else {
      let isBottom = timeline.runs.contains { $0.lower == evidence.lower && !$0.reachesEnd }
      if isBottom, isCounted, evidence.upper > evidence.lower {
        attempts[evidence.lower, default: ExtensionAttempts()].meet(
          evidence, total: countedTotal, paging: paging,
          perPageMax: before.pageSize.served ?? .max)
      }
      return
    }
    let tallied = attempts[cut]?.tieCount
    let attempt = attempted(attempts[cut], ask.window) { [now] attempt in
      if laid.hasNews {
        attempt.noteNews()
      } else if saysMore, evidence.lower == cut {
        attempt.noteEnd()
      }
      attempt.learn(from: evidence, total: countedTotal, below: cut, isCounted: isCounted, at: now)
    }
    // Where all is too young to be proven, it gets on by what it shows to stand above.
    let rank = { (timeline: Timeline) in
      timeline.proofs.first { $0.lower == cut && $0.count == 0 }?.rankBelow ?? 0
    }
    let isFurther = rank(timeline) > rank(before.timeline)
    isBarren = !laid.hasNews && attempt.tieCount == tallied && !isFurther
    attempts[cut] = attempt
    guard let tieCount = attempt.tieCount, tieCount.isComplete else { return }
    let counted = Evidence(tieCount, window: ask.window)
    try noteLate(counted, try lay(counted, total: nil), total: total)
    attempts[cut] = nil
  }
}
