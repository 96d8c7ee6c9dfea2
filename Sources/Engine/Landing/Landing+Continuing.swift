import Feed

/// Pages that are joined to a run by the upstream's word: see ``Continuation``.
extension Landing {
  /// What a page proves, by itself or with the run's end before it where the upstream's word is
  /// taken; and the page that was read so.
  mutating func evidence(of page: Page, _ answer: Fetched<Page>, to ask: Asked)
    throws(StoreError) -> (Evidence?, Page)
  {
    if let joined = try joined(page, answer, to: ask) { return joined }
    if let found = try foundBelowHole(page, answer, to: ask) { return (found, page) }
    if let apart = try apart(page, answer, to: ask) { return (apart, page) }
    return (try ownEvidence(of: page, answer, to: ask), page)
  }

  /// The rank at which a page begins by what it shows above a cut; nil where that is nothing, in a
  /// feed whose ranks are exact, and in one whose keys do not tell its order. Which element of an
  /// instant stands lowest upstream is not known, so a page named by one may begin further up than
  /// was estimated; what comes again takes no rank further down.
  private func firstRank(of page: Page, showing cut: Cut) -> Int? {
    guard feed.pattern.order == .value, !state.paging.isRanked else { return nil }
    let last = page.items.last { slot in
      slot.item.key.map { cut.isBelow(Position(order: $0, tie: slot.item.id.bytes)) } ?? false
    }
    return last.map { max(1, state.timeline.rank(of: cut) - $0.index - 1) }
  }

  /// The window that was asked for, with the rank at which its page begins by what it shows.
  func window(of ask: Asked, showing page: Page) -> Window {
    var window = ask.window
    if state.paging.isAnchored, case .mark(let mark?, _) = window.address, window.keyMax == nil,
      let rank = ask.below.flatMap({ firstRank(of: page, showing: $0) })
    {
      window.address = .mark(mark, rank: rank)
    }
    return window
  }

  /// The same with the run's end before it; nil where the page stands by itself.
  private mutating func joined(_ page: Page, _ answer: Fetched<Page>, to ask: Asked)
    throws(StoreError) -> (Evidence?, Page)?
  {
    let paging = state.paging(at: now)
    guard let joins = paging.joins, paging.servesJoins, let below = ask.below,
      case (let cut, var continuation)? = state.continuations.lowest(from: below)
    else { return nil }
    try renew(&continuation, at: cut)
    guard var spliced = continuation.spliced(page, to: ask.window, by: joins) else {
      // What ended there ends elsewhere by now.
      if page.count == 0 || continuation.leads(to: ask.window, in: paging) {
        state.continuations[cut] = nil
      }
      return nil
    }
    // What is in its elements may have been seen again since, in another list.
    for (index, item) in continuation.tail.enumerated() {
      let stored = try rows.item(item.id, realm: feed.realm)
      let isNewer = stored.map { $0.sentAt > continuation.sentAt } ?? false
      if isNewer, let bytes = stored?.bytes { spliced.items[index].item.bytes = bytes }
    }
    var followed = ask
    let added = spliced.count - page.count
    let above = paging.isRanked ? added : continuation.provenCount
    let rank = firstRank(of: spliced, showing: cut) ?? max(1, ask.window.firstRank - above)
    followed.window = Window(
      .mark("", rank: rank), perPage: max(1, ask.window.perPage + added))
    // All that stands at its first key is in it, above what nothing newer is remembered of too.
    if feed.pattern.order == .value { followed.window.keyMax = cut.keyBelow }
    let own = try ownEvidence(
      of: spliced, answer, to: followed, believed: continuation.believed)
    guard var evidence = own else { return nil }
    // What is known below says that it leads elsewhere by now: the next one above is tried.
    if page.count == 0, isKnown(below: cut), !evidence.isEnd { return (nil, page) }
    if evidence.upper >= cut {
      (evidence.upper, evidence.lower) = (cut, min(evidence.lower, cut))
      evidence.belief = joins
    }
    let tail = Set(continuation.tail.map(\.id))
    if joins != .upstream, feed.pattern.order == .value {
      let skipped = try skipped(by: evidence, below: tail, shownAt: continuation.sentAt)
      guard skipped.isEmpty else {
        state.continuations[cut] = nil
        draft(missing: skipped, at: answer.sentAt)
        return nil
      }
    }
    evidence.window = ask.window
    evidence.remembered = tail.subtracting(page.items.map(\.item.id))
    return (evidence, spliced)
  }

  /// Places known between a run's end and the first element that a page is only believed to follow
  /// with: where there are some, more has gone above than came, and the page begins further down.
  /// What lacked before already, and lacks once more behind an end that was shown since, has gone.
  /// Keys tell what stands between; positions of an order that is observed may have been left by
  /// what moved.
  private func skipped(
    by evidence: Evidence, below tail: Set<Identity>, shownAt: Timestamp
  ) throws(StoreError) -> [Position] {
    let inOrder = evidence.inOrder
    guard let last = inOrder.lastIndex(where: { tail.contains($0.item.id) }),
      last + 1 < inOrder.count
    else { return [] }
    // What shares an instant with either may stand on its other side.
    let (above, below) = (inOrder[last].position.order, inOrder[last + 1].position.order)
    let between = CutRange(upper: .below(key: above), lower: .above(key: below))
    guard between.upper > between.lower else { return [] }
    let shown = Set(inOrder.map(\.item.id))
    return try known(in: between).filter { known in
      known.state == .live && !shown.contains(known.id)
        && known.missingSince.map { $0 >= shownAt } ?? true
    }.map(\.position)
  }

  /// Notes places that lacked their element.
  private mutating func draft(missing places: [Position], at sentAt: Timestamp) {
    var merge = Merge(feed: feed, sentAt: sentAt, timeline: state.timeline)
    merge.missing = places
    draft.merges.append(merge)
    draft.isLaid = true
  }

  /// Whether elements are proven below a cut.
  private func isKnown(below cut: Cut) -> Bool {
    state.timeline.proofs.contains { $0.upper <= cut && $0.count > 0 }
  }

  /// Takes what is remembered of a run's end as it is by now: elements of it may have gone since,
  /// and others stand there then.
  private func renew(_ end: inout Continuation, at cut: Cut) throws(StoreError) {
    let isByValue = feed.pattern.order == .value
    let run = state.timeline.runs.first { $0.lower == cut }
    let sentAt = end.sentAt
    let seen = try known(end.tail.map(\.id)).filter { $0.value.sentAt > sentAt }
    guard !seen.isEmpty else { return }
    // What was open stands right below the end, unless it has moved from there.
    let next =
      isByValue || !state.record.isStored
      ? nil : try rows.position(at: end.open.count, of: feed, below: cut)
    let gone = end.tail.filter { item in
      guard let last = seen[item.id] else { return false }
      if last.state == .removed { return true }
      if isByValue { return last.position.order != item.key }
      return run?.upper.isBelow(last.position) == true || next.map { last.position <= $0 } == true
    }
    guard !gone.isEmpty else { return }
    // By ranks a page that reaches into the run is asked for, where too few are left to tie one.
    let standing = isByValue || state.paging.isRanked ? nil : try run.flatMap(anchors)
    end.renew(without: Set(gone.map(\.id)), tiedBy: standing)
  }

  /// The last elements of a run in an order of its own, as many as tie a page to it.
  private func anchors(of run: Timeline.Run) throws(StoreError) -> [PageItem]? {
    guard state.record.isStored, draft.merges.isEmpty else { return nil }
    let range = CutRange(upper: run.upper, lower: run.lower)
    return try rows.last(OrderMatch.anchorCount, of: feed, in: range).map { element in
      PageItem(id: element.id, key: nil, updatedAt: nil, bytes: Array(element.bytes))
    }
  }

  /// What a page proves of a list in an order of its own that was asked for below its last run
  /// since none reaches beyond the end of that and shows it again: it stands below a gap. Nil where
  /// it is none of these, or shows what is known.
  private mutating func apart(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked
  ) throws(StoreError) -> Evidence? {
    let paging = state.paging(at: now)
    guard feed.pattern.order == .observed, paging.isRanked, paging.joins == nil, page.count > 0,
      let cut = ask.below, let run = state.timeline.runs.last, run.lower == cut, !run.reachesEnd,
      ask.window.firstRank >= state.timeline.rank(of: cut), ask.window.segment == nil,
      page.count >= ask.window.perPage || page.isEndOfSize
        || page.endClaim(in: ask.window) == .end,
      state.continuations[cut]?.hole.pages ?? 0 == 0, !state.pageSize.hides,
      try known(page.items.map(\.item.id)).allSatisfy({ $0.value.state == .removed }),
      let tail = try anchors(of: run)
    else { return nil }
    var below = ask
    below.window = Window(
      .mark("", rank: max(1, ask.window.firstRank - tail.count)),
      perPage: ask.window.perPage + tail.count)
    let laid = try ownEvidence(of: page.below(tail), answer, to: below)
    guard var evidence = laid else { return nil }
    evidence.window = ask.window
    evidence.standApart(from: cut)
    return evidence
  }

  /// Keeps where an answer's end may be gone on with.
  mutating func noteContinuation(
    of answer: Fetched<Page>, _ page: Page, _ evidence: Evidence, to ask: Asked
  ) {
    let window = ask.window
    let paging = state.paging(at: now)
    let count = (try? answer.result.get())?.count ?? 0
    // An empty page among numbered ones leaves what ends above it as it was.
    if paging.isRanked, count == 0 { return }
    let served = state.pageSize.served
    let isWanted = paging.isRanked && state.doubts.hides(below: page, to: window)
    // One that ends where the last one did, and is not the last.
    let mayFollow =
      page.hasNext || state.pageSize.hides && page.endClaim(in: window) == .contested
    let isInVain = paging.isRanked && mayFollow && page.count < window.perPage
    let isStuck = isInVain && ask.below == evidence.lower
    let needsNext =
      isWanted || isStuck && page.count != served
      || page.needsNext(of: window, in: paging) && (page.count != served || paging.isSideBySide)
    guard paging.joins != nil || needsNext || paging.addressing == .key else { return }
    var kept = state.continuations.filter { state.timeline.isBound($0.key) }
    var end = Continuation(
      page, evidence, in: window, paging: paging, order: feed.pattern.order,
      answer: needsNext ? answer : nil)
    if isWanted { end?.next = .wanted }
    let before = state.continuations[evidence.lower]
    // A shorter one was found below it, and it came short again.
    if isStuck, before?.next == .less, state.pageSize.check == nil {
      state.pageSize.believeHiding()
    }
    let showsEnd = before?.showsEnd(page, of: window) ?? false
    // Numbered pages may still span what is hidden, once that is known.
    let isSpanned = paging.addressing != .offset && !state.pageSize.hides
    // One from further down shows the end of another that brought nothing, and no more.
    if isStuck, showsEnd, before?.idle ?? 0 > 0 { state.pageSize.believeHiding() }
    if isStuck || state.pageSize.hides && isWanted, end?.isInstant == false {
      let isSame = before?.page?.items.map(\.item.id) == page.items.map(\.item.id)
      let comesAgain = isSame || showsEnd && !isSpanned
      end?.idle = comesAgain && before?.idle ?? 0 > 0 ? 2 : 1
    }
    end?.isFull = count >= min(window.perPage, served ?? .max)
    if let before, end?.tail.map(\.id) == before.tail.map(\.id) {
      if before.hole.isCrossed { end?.hole = before.hole }
      if before.next == .less, !paging.isRanked { end?.next = .less }
    }
    kept[evidence.lower] = end
    // A look at the top shows the first page of an instant once more, of which further ones were
    // read since it was proven.
    let provenAt = state.timeline.proof(below: evidence.lower)?.provenAt
    if let further = before,
      provenAt.map({ further.sentAt > $0 }) ?? true,
      kept[evidence.lower].map(further.goesOn) == true
    {
      kept[evidence.lower] = further
    }
    // One that was forgotten since the page after it did not follow is nothing new.
    let last = before?.tail.count ?? (paging.isRanked ? .max : 0)
    if let tail = kept[evidence.lower]?.tail, tail.count > last,
      state.attempts[evidence.lower]?.notesMore(tail.count) ?? true
    {
      state.doubts.clear(.barren)
    }
    state.continuations = withoutSpare(kept, but: evidence.lower)
  }

  /// No more ends than are remembered: those at a run's end are needed, and of the others those of
  /// which what follows is due first.
  private func withoutSpare(_ ends: [Cut: Continuation], but cut: Cut) -> [Cut: Continuation] {
    let excess = ends.count - Continuation.countMax
    guard excess > 0 else { return ends }
    let bottoms = Set(state.timeline.runs.map(\.lower))
    let spare = ends.keys.filter { !bottoms.contains($0) && $0 != cut }.map { cut in
      let provenAt = state.timeline.proof(below: cut)?.provenAt
      return (provenAt: provenAt ?? Timestamp(milliseconds: .min), cut: cut)
    }
    let gone = Set(spare.sorted { $0 > $1 }.prefix(excess).map(\.cut))
    return ends.filter { !gone.contains($0.key) }
  }

  /// What is taken in of an answer for the place right below a page, where only that answer shows
  /// whether the page is the last: where it has nothing of its own, that page, as the last one. Nil
  /// where the page is to be seen once more before that.
  mutating func resolvingEnd(
    _ answer: Fetched<Page>, to ask: Asked
  ) throws(StoreError) -> (Fetched<Page>, Asked)? {
    var (answer, ask) = (answer, ask)
    let paging = state.paging(at: now)
    if let page = try? answer.result.get() {
      if let cut = ask.below,
        state.continuations[cut]?.showsOwn(page, to: ask.window, in: paging) == true
      {
        state.continuations[cut]?.next = .own
        return nil
      }
      if let below = try noteHole(page, to: ask) {
        guard case .nothing(let nothing, let window) = below else { return nil }
        answer.result = .success(nothing)
        ask.window = window
      }
    }
    guard ask.window.isContinued else { return seenAgain(answer, to: ask) }
    guard let cut = ask.below, let end = state.continuations[cut], let last = end.page else {
      return (answer, ask)
    }
    var next = Page.nothing(of: nil)
    switch answer.result {
    case .success(let page): next = page
    case .failure(.notFound), .failure(.rejected):
      // An element that names a place may be gone.
      guard state.paging.isRanked else { return (answer, ask) }
    case .failure: return (answer, ask)
    }
    if var last = end.asLast(before: next) {
      // Pages that nothing else joins are joined to one with nothing on it, too.
      if state.pageSize.hides || end.page?.isEndLeftOpen == true, paging.addressing == .pages,
        paging.servesJoins, next.count == 0, !isKnown(below: cut)
      {
        answer.result = .success(next)
        return (answer, ask)
      }
      // By its rank the place may be beyond a list that has become shorter since.
      if state.paging.isRanked, end.namesNext {
        state.continuations[cut]?.next = .nothing
        return nil
      }
      if state.paging.isRanked, let total = next.total {
        state.doubts.noteHidden(end.lacking(of: total), at: now)
      }
      (ask.window, ask.shownAt) = (end.window, last.sentAt)
      last.sentAt = answer.sentAt
      return (last, ask)
    }
    guard !end.hole.isConfirmed else { return (answer, ask) }
    return noteMore(next, below: last, end, at: cut, to: ask) ? (answer, ask) : nil
  }

  /// Notes that more was found right below a page, whose end is remembered at a cut. Returns
  /// whether that is taken in: else another page is to show it with what it follows on.
  private mutating func noteMore(
    _ next: Page, below last: Page, _ end: Continuation, at cut: Cut, to ask: Asked
  ) -> Bool {
    let paging = state.paging(at: now)
    state.continuations[cut]?.answer = nil
    if next.endClaim(in: ask.window) == .more, next.count < last.count {
      state.continuations[cut]?.next = .less
    }
    if end.next == .own { state.pageSize.believeHiding() }
    if end.next == .wanted {
      // More follows: with the end of the run it is shown by a page that spans what is hidden.
      state.doubts.noteFoundBelow()
      return false
    }
    guard last.isEndLeftOpen else {
      if last.isEndUntold, paging.isSized { state.pageSize.serve(last.count) }
      return true
    }
    if !paging.isRanked, end.next != .less {
      // It came meanwhile, as far as is known.
      state.continuations[cut]?.next = .less
      return false
    }
    state.pageSize.believeHiding()
    return true
  }

  /// What is taken in of an answer that names its place by itself: as the last page of its list
  /// where it is one on which nothing followed, once more.
  private mutating func seenAgain(
    _ answer: Fetched<Page>, to ask: Asked
  ) -> (Fetched<Page>, Asked) {
    for end in state.continuations.values {
      guard let last = end.asLast(answer, to: ask.window) else { continue }
      guard let nothing = end.nothing(below: last, in: state.paging(at: now)) else {
        return (last, ask)
      }
      var below = ask
      below.window = nothing.window
      return (nothing.answer, below)
    }
    // What was the last page stands elsewhere by now.
    for (cut, end) in state.continuations where end.isAgain(ask.window) {
      state.continuations[cut]?.answer = nil
      state.continuations[cut]?.next = .unknown
    }
    return (answer, ask)
  }

  /// Notes a call that the upstream refused since it does not know the place that was named: the
  /// element there is gone, or the token too old. Returns whether it was such, and another place
  /// is named next.
  mutating func noteUnknownPlace(_ error: FetchError, _ ask: Asked) -> Bool {
    guard case .mark(let mark?, _) = ask.window.address else { return false }
    switch error {
    case .rejected, .notFound: break
    default: return false
    }
    let isNew =
      feed.pattern.paging.isAnchored
      && state.doubts.hear(.refused, of: .word(mark), at: now) == .doubted
    guard let cut = ask.below else { return isNew }
    state.continuations[cut] = nil
    if isNew {
      state.attempts[cut, default: ExtensionAttempts()].noteRefusal(at: now)
    } else {
      noteMiss(ask, showing: nil, total: nil)
    }
    return true
  }
}
