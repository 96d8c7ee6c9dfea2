import Feed

/// From an upstream answer to what is committed: its age, what it proves, what that changes, what
/// to ask next. It belongs to the actor of the source, which performs what comes back.
final class Landing {
  let book: FeedBook
  let time: any TimeSource
  let random: @Sendable (ClosedRange<Int64>) -> Int64
  let report: @Sendable (Incident) -> Void
  /// What was edited a short while ago.
  var recentEdits = RecentEdits()
  /// When it began to know of edits: what was seen before is asked of the store.
  let begunAt: Timestamp
  /// What is known of the upstream's clock.
  private var clock = UpstreamClock()
  /// How the last answer moved the latest `Date`; nil where it did not.
  private(set) var moved: (from: UpstreamDate?, to: UpstreamDate)?
  /// The calls left, which are kept with what an answer changes.
  var budget: Budget { book.slices.budget }
  /// What the answer that is being taken in leads to.
  var followUps: [FollowUp] = []
  /// What that changes, not written yet.
  var draft = Draft()
  /// What was claimed of its feed when that was last written; nil where it was not read yet.
  var written: Doubts?

  /// By how much an answer may seem older than what is proven without being so.
  static let ageTolerance = Duration.milliseconds(1_500)

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
  /// for. A `Date` that cannot be trusted is taken away; `newest` is the newest time an element of
  /// the answer tells.
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

  /// Takes the latest `Date` that the source's answers told other servers.
  func adopt(_ latest: UpstreamDate?) {
    clock.adopt(latest)
  }

  /// Takes in an answer to a call for a window of a feed.
  func land(_ answer: Fetched<Page>, to ask: Asked, of feed: FeedID) -> Landed {
    written = book[feed]?.doubts
    defer { writeDoubts(of: feed, at: answer.sentAt) }
    let (answer, ask) = resolvingEnd(answer, to: ask, of: feed)
    switch answer.result {
    case .failure(.unchanged):
      book.renew(feed, at: answer.sentAt)
      return .taken(nil, [])
    case .failure(let error):
      return noteUnknownPlace(error, ask, of: feed) ? .taken(nil, []) : .failed(error)
    case .success(let page):
      do throws(StoreError) {
        return try land(page, answer, to: ask, of: feed)
      } catch {
        report(.notStored(error))
        return .notStored(error, followUps)
      }
    }
  }

  private func land(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID
  ) throws(StoreError) -> Landed {
    followUps = []
    var state = try book.retryingOnce { () throws(StoreError) in try book.state(of: feed) }
    written = written ?? state.doubts
    if let contradiction = page.contradiction(to: ask.window, order: feed.pattern.order) {
      doubt(.unusable, ask.window, of: feed)
      return .failed(contradiction)
    }
    var page = page
    let isHollow = page.isHollow(
      in: ask.window, paging: state.paging, perPageMax: state.pageSize.perPageMax)
    let verdict = state.doubts.hear(.hollow, isHollow, at: answer.sentAt)
    if isHollow == true {
      let isKnown = state.timeline.proofs.contains { $0.count > 0 }
      book.keep(state, of: feed)
      guard !isKnown, verdict == .believed else {
        doubt(.unusable, ask.window, of: feed)
        return .failed(
          .malformed(reason: "nothing of a feed that has elements, as the same answer says"))
      }
      (page.hasNext, page.total) = (false, nil)
    }
    // A page that is smaller than it was asked for may begin elsewhere by its number.
    let isSmaller = state.pageSize.served.map { $0 < ask.window.perPage } ?? false
    let isElsewhere = state.paging.isRanked && isSmaller
    if feed.pattern.order != .whole, !isElsewhere,
      state.doubts.isRepeated(page, to: ask.window, at: answer.receivedAt)
    {
      book.keep(state, of: feed)
      doubt(.repeated, ask.window, of: feed)
      return .failed(.malformed(reason: "the same elements came for another place"))
    }
    state.pageSize.noteWhole(of: ask.window.perPage)
    var ask = ask
    let says = page.isEndUntold ? .contested : page.endClaim(in: ask.window)
    let perPage = state.pageSize.learn(count: page.count, of: ask.window, says: says)
    book.keep(state, of: feed)
    if let perPage {
      ask.window.perPage = perPage
      doubt(.short, ask.window, of: feed)
    }
    // What a segment counts are its own elements.
    if ask.window.segment != nil { page.total = nil }
    noteTotal(of: page, to: ask.window, in: feed)
    let evidence = try book.retryingOnce { () throws(StoreError) in
      try take(page, answer, to: ask, of: feed)
    }
    if page.isNextCounted { doubt(.counting, ask.window, of: feed) }
    if answer.redirects > 0 { doubt(.redirected, ask.window, of: feed) }
    if evidence != nil { book[feed]?.revision = page.revision }
    report(page.faults, evidence, ask.window, of: feed)
    return .taken(evidence, followUps)
  }

  /// Stores what an answer proves, a second time from the beginning where too much was held.
  private func take(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID
  ) throws(StoreError) -> Evidence? {
    do throws(StoreError) {
      return try takeOnce(page, answer, to: ask, of: feed)
    } catch {
      guard error == .full, book.discardBuffered() else { throw error }
      return try takeOnce(page, answer, to: ask, of: feed)
    }
  }

  /// Stores what an answer proves. Where that cannot be, it is as if the answer had not come.
  private func takeOnce(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID
  ) throws(StoreError) -> Evidence? {
    followUps = []
    defer { draft = Draft() }
    let before = book[feed]
    do throws(StoreError) {
      let evidence = try evidence(from: page, answer, to: ask, of: feed)
      try commit(feed, sentAt: answer.sentAt)
      return evidence
    } catch {
      if book[feed] != nil { book[feed] = before }
      throw error
    }
  }

  /// What an answer proves, laid into the timeline; nil where that is nothing.
  private func evidence(
    from page: Page, _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID
  ) throws(StoreError) -> Evidence? {
    let clock = answer.date ?? answer.receivedAt.seconds
    // A copy that lags behind may tell the time of then.
    try recallEdits(
      of: page, in: feed, clock: max(clock, answer.receivedAt.seconds), sentAt: answer.sentAt)
    let page = recentEdits.settled(page, realm: feed.realm, sentAt: answer.sentAt)
    var (evidence, read) = try evidence(of: page, answer, to: ask, of: feed)
    if page.isEndDoubted, evidence?.isEnd == true {
      evidence?.belief = JoinProof.none
      doubt(feed.pattern.order == .whole ? .partial : .silent, ask.window, of: feed)
    }
    recentEdits.note(
      page, realm: feed.realm, unit: feed.pattern.unit, clock: clock, sentAt: answer.sentAt)
    if let evidence, try refusesOrder(evidence, of: feed) {
      report([:], evidence, ask.window, of: feed)
      return nil
    }
    if let evidence {
      try take(evidence, total: page.total, for: ask, of: feed)
      let timeline = book[feed]?.timeline ?? Timeline()
      noteContinuation(
        of: answer, read, Merging.clipped(evidence, to: timeline), in: ask.window, of: feed)
    } else {
      noteMiss(ask, of: feed)
    }
    return evidence
  }

  /// What a page proves: by value from the page alone, whole of everything, else by what is known
  /// of its elements; nil when it proves nothing.
  func ownEvidence(
    of page: Page, _ answer: Fetched<Page>, to ask: Asked, of feed: FeedID, believed: Int = .max
  ) throws(StoreError) -> Evidence? {
    let state = try book.state(of: feed)
    if book[feed] == nil { book.keep(state, of: feed) }
    // A feed's flights go one after the other. Where ages are told in whole seconds, the later of
    // two copies may seem older by one.
    let sentAt = state.timeline.proofs.reduce(ask.shownAt ?? answer.sentAt) { sentAt, proof in
      let lead = proof.provenAt - sentAt
      return lead > .zero && lead <= Landing.ageTolerance ? proof.provenAt : sentAt
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
      let rows = try known(in: CutRange(upper: .top, lower: .bottom), of: feed)
      return Replacement(page, rows: rows, timeline: state.timeline)
        .evidence(window: ask.window, sentAt: sentAt)
    }
    var page = page
    let known = try self.known(page.items.map(\.item.id), in: feed)
    // A page that shows nothing of what is known does not end it by itself.
    let isStrange = known.values.allSatisfy { $0.state == .removed }
    let count = isStrange ? state.timeline.proofs.elementCount : 0
    page.hasNext =
      book[feed]?.doubts.hasMore(
        after: page, to: ask.window, sentAt: max(sentAt, answer.sentAt), known: count,
        total: state.timeline.total?.value, isSized: state.paging.isSized)
      ?? page.hasNext
    let sighting = OrderMatch(
      page, to: ask.window, sentAt: sentAt, known: known, timeline: state.timeline,
      believed: believed)
    let rows = try sighting.range.map { range throws(StoreError) in
      try self.known(in: CutRange(upper: range.upper, lower: range.lower), of: feed)
    }
    return sighting.evidence(among: rows ?? [])
  }

  /// What a page of a feed ordered by value proves.
  private func evidence(
    byValue page: Page, _ answer: Fetched<Page>, to ask: Asked, sentAt: Timestamp, of feed: FeedID
  ) -> Evidence {
    let unit = feed.pattern.unit
    let shown = page.newest
    let least = clock.least(
      shown: shown.flatMap(unit.second), sentAt: answer.sentAt, receivedAt: answer.receivedAt)
    var top = SettledTop(
      at: answer.date ?? least ?? answer.receivedAt.seconds, in: unit,
      settling: feed.pattern.settleSeconds)
    if answer.date == nil, let shown { top.settle(shown: shown) }
    let evidence = Evidence(page, to: ask.window, sentAt: sentAt, top: top)
    guard let timeline = book[feed]?.timeline else { return evidence }
    // What was proven below the last element it shows.
    let bound = evidence.elements.last { !$0.isDisplaced }.map { Cut.below($0.position) } ?? .top
    let known = timeline.proofs.filter { $0.upper <= bound }.elementCount
    let hasMore = book[feed]?.doubts.hasMore(
      after: page, to: ask.window, sentAt: max(sentAt, answer.sentAt), known: known,
      total: timeline.total?.value,
      isSized: feed.pattern.paging.isSized)
    guard let hasMore, hasMore != page.hasNext else { return evidence }
    var page = page
    page.hasNext = hasMore
    return Evidence(page, to: ask.window, sentAt: sentAt, top: top)
  }

  /// The first empty answers to a feed that had elements prove only that it was asked, until it is
  /// believed that it is empty. Nil where the answer may be taken as it is.
  private func emptyLook(
    at page: Page, _ window: Window, sentAt: Timestamp, _ state: FeedState, of feed: FeedID
  ) -> Evidence? {
    guard window.isTop else { return nil }
    let count = state.timeline.proofs.elementCount
    guard page.count == 0, count > 0, let head = state.timeline.proofs.first else {
      book[feed]?.doubts.clear(.empty)
      return nil
    }
    let apart = Duration.seconds(book.slices.policy.freshSeconds)
    let claim = Doubts.Claim.empty.of(count: count, apart: apart)
    guard book[feed]?.doubts.hear(claim, at: sentAt) != .believed else { return nil }
    return Evidence(
      window: window, sentAt: sentAt, elements: [], upper: head.upper, lower: head.upper,
      rankBelow: 0, isTop: true, isEnd: false)
  }

  /// Notes an answer that showed nothing known of the place it was asked for.
  func noteMiss(_ ask: Asked, of feed: FeedID) {
    note(isBarren: true, ask.window, of: feed)
    if let cut = ask.above {
      book[feed]?.attempts[cut, default: ExtensionAttempts()].missesAbove += 1
    }
    guard let cut = ask.below else { return }
    var attempt = book[feed]?.attempts[cut] ?? ExtensionAttempts()
    let rests = attempt.rests
    attempt.miss(ask.window, at: time.now)
    if attempt.rests > rests { doubt(.barren, ask.window, of: feed) }
    book[feed]?.attempts[cut] = attempt
  }

  /// Lays an answer's evidence into the timeline and stores what it changes. Where that did not
  /// prove the place it was asked for, the second that lies open there is counted.
  private func take(_ evidence: Evidence, total: Int?, for ask: Asked, of feed: FeedID)
    throws(StoreError)
  {
    let before = try book.state(of: feed)
    guard Merging.mayApply(evidence, to: before.timeline) else {
      return noteMiss(ask, of: feed)
    }
    let laid = try lay(
      Merging.clipped(evidence, to: before.timeline), total: total, in: feed,
      isRefresh: ask.purpose == .reader)
    try noteLate(evidence, laid, total: total, of: feed)
    noteEnd(evidence, laid, for: ask, of: feed)
    let timeline = book[feed]?.timeline ?? Timeline()
    var attempts = before.attempts.filter { timeline.isBound($0.key) }
    var isBarren = false
    defer {
      book[feed]?.attempts = attempts
      if ask.seek == nil { note(isBarren: isBarren, ask.window, of: feed) }
    }
    // Ranks that are only estimated count nothing, nor do positions that are no keys.
    let paging = feed.pattern.paging
    let isRanked = paging.isRanked || ask.window.segment != nil
    let isCounted = feed.pattern.order == .value && isRanked && paging.joins == nil
    if let cut = ask.above, !timeline.isProven(above: cut) {
      attempts[cut, default: ExtensionAttempts()].missesAbove += 1
    }
    guard let cut = ask.below, !timeline.isProven(below: cut, after: ask.seenAt) else {
      let isBottom = timeline.runs.contains { $0.lower == evidence.lower && !$0.reachesEnd }
      if isBottom, isCounted, evidence.upper > evidence.lower {
        attempts[evidence.lower, default: ExtensionAttempts()].meet(
          evidence, total: total, paging: paging, perPageMax: before.pageSize.served ?? .max)
      }
      return
    }
    var attempt = attempts[cut] ?? ExtensionAttempts()
    let (tallied, rests) = (attempt.tieCount, attempt.rests)
    attempt.learn(
      from: evidence, total: total, below: cut, isCounted: isCounted, at: time.now)
    if attempt.rests > rests { doubt(.barren, ask.window, of: feed) }
    // Where all is too young to be proven, it gets on by what it shows to stand above.
    let rank = { (timeline: Timeline) in
      timeline.proofs.first { $0.lower == cut && $0.count == 0 }?.rankBelow ?? 0
    }
    let isFurther = rank(timeline) > rank(before.timeline)
    isBarren = !laid.hasNews && attempt.tieCount == tallied && !isFurther
    attempts[cut] = attempt
    guard let tieCount = attempt.tieCount, tieCount.isComplete else { return }
    let counted = Evidence(tieCount, window: ask.window)
    try noteLate(counted, try lay(counted, total: nil, in: feed), total: total, of: feed)
    attempts[cut] = nil
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
