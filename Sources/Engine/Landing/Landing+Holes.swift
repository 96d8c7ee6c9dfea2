import Feed

/// Pages with nothing on them, below which the list goes on: see ``Continuation/Hole``.
extension Landing {
  /// What a page shows that lies below the end of a run.
  enum Below {
    /// Nothing yet: what lies further down is looked at.
    case furtherDown
    /// Nothing at all, as this page right below the end shows it.
    case nothing(Page, in: Window)
  }

  /// Notes a page with nothing on it below the end of a run, or what was found below such; nil
  /// where it is none of these.
  mutating func noteHole(_ page: Page, to ask: Asked) throws(StoreError) -> Below? {
    let paging = state.paging(at: now)
    guard let below = ask.below,
      case (let cut, var end)? = state.continuations.lowest(from: below),
      page.count == 0 || end.hole.pages > 0 || end.next == .wanted || state.pageSize.hides
        || paging.addressing == .next
    else { return nil }
    if state.pageSize.hides, paging.isRanked, end.page != nil, !end.isInstant {
      end.idle = max(end.idle, 1)
      state.continuations[cut] = end
    }
    var next = ask.window
    if paging.addressing == .next {
      guard end.names(ask.window) else { return nil }
    } else if ask.window.isContinued {
      guard cut == below, end.page != nil else { return nil }
    } else {
      let isNumbered = paging.isRanked && !paging.isSized
      guard isNumbered, ask.window.firstRank >= end.window.endRank else { return nil }
      next = end.window.pageAfter
    }
    // What is known below the cut was found there before.
    let stored = try known(page.items.map(\.item.id)).filter { _, element in
      element.state != .removed && cut.isBelow(element.position)
    }
    let shown = Set((end.page?.items.map(\.item.id) ?? []) + end.tail.map(\.id))
    var knownCount = page.items.count { stored[$0.item.id] != nil || shown.contains($0.item.id) }
    // What begins with the end of the run goes on below it, with fewer than join the two.
    let isFew = knownCount <= (feed.pattern.order == .value ? 1 : OrderMatch.anchorCount)
    if end.idle > 0, isFew, knownCount < page.count, end.again(atTopOf: page) == knownCount {
      knownCount = 0
    }
    var leadsToFront = false
    if paging.addressing == .next, knownCount == page.count, try isFront(page) {
      // The first page again: where that is the last one, too, tokens may not be heard.
      guard end.again(atTopOf: page) == 0 else { return nil }
      leadsToFront = true
    }
    let perPageMax = state.pageSize.perPageMax
    let looksFurther = state.continuations[cut]?.looksFurther(
      than: page, known: knownCount, to: ask.window, in: paging, perPageMax: perPageMax,
      hides: state.pageSize.hides)
    guard looksFurther != true else {
      if state.continuations[cut]?.hole.isPaused == true {
        state.attempts[cut, default: ExtensionAttempts()].pause(at: now)
      }
      return .furtherDown
    }
    guard looksFurther != nil || leadsToFront else { return nil }
    if paging.isRanked, let total = page.total {
      state.doubts.noteHidden(total - end.endRank(in: paging), at: now)
    }
    let isDoubted = state.continuations[cut]?.hole.isExhausted == true
    return .nothing(.nothing(of: page.total, isDoubted: isDoubted), in: next)
  }

  /// Whether a page begins with the first element of all: so some lists end.
  private func isFront(_ page: Page) throws(StoreError) -> Bool {
    guard let first = page.items.first?.item.id,
      let top = try rows.position(at: 0, of: feed, below: .top)
    else { return false }
    return try known([first])[first]?.position == top
  }

  /// Follows first pages with nothing on them to the one that they lead to, which then is the first
  /// of the feed. Returns what is to be taken in; nil where a further one is asked for.
  mutating func followingFirst(
    _ answer: Fetched<Page>, to ask: Asked
  ) -> (Fetched<Page>, Asked)? {
    let lead = state.continuations[.top].flatMap { $0.names(ask.window) ? $0 : nil }
    guard state.paging.addressing == .next, lead != nil || ask.window.isTop else {
      return (answer, ask)
    }
    state.continuations[.top] = nil
    guard case .success(let page) = answer.result else { return (answer, ask) }
    var (answer, ask) = (answer, ask)
    ask.window = state.paging.top(perPage: ask.window.perPage)
    var next =
      lead
      ?? Continuation(
        toFirstOf: ask.window, sentAt: answer.sentAt, isByValue: feed.pattern.order == .value)
    guard page.count == 0, let leadsOn = next.follows(page, known: 0) else { return (answer, ask) }
    guard leadsOn else {
      answer.result = .success(.nothing(of: page.total, isDoubted: next.hole.isExhausted))
      return (answer, ask)
    }
    state.continuations[.top] = next
    guard next.hole.isPaused else { return nil }
    answer.result = .failure(.malformed(reason: "nothing on \(next.hole.pages) pages in a row"))
    return (answer, ask)
  }

  /// What a page proves that was found below others with nothing on them: a run of its own, which
  /// nothing joins to the one above. Nil where it is none of such.
  mutating func foundBelowHole(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked
  ) throws(StoreError) -> Evidence? {
    guard let cut = ask.below, let end = state.continuations[cut], end.hole.isConfirmed,
      end.hole.pages > 0 || state.pageSize.hides, !page.items.isEmpty, ask.window.isContinued,
      feed.pattern.order == .value || end.total == page.total,
      ask.window.firstRank >= end.endRank(in: state.paging(at: now))
    else { return nil }
    var found = ask
    // What it lacks stands at its top, where the hole goes on, unless it is the last.
    let lacking =
      page.endClaim(in: ask.window) == .end
      ? 0 : max(0, ask.window.perPage - page.count)
    found.window = Window(
      .mark("", rank: ask.window.firstRank + lacking), perPage: ask.window.perPage - lacking)
    let evidence =
      feed.pattern.order == .value
      ? try ownEvidence(of: page, answer, to: found)
      : try laid(page, answer, to: found, below: end)
    guard var evidence, evidence.upper < cut, evidence.lower < evidence.upper else {
      // Too little stands at its end: what follows is asked for from there on.
      let paging = state.paging(at: now)
      let count = page.count - end.again(atTopOf: page)
      state.continuations[cut]?.widenHole(to: ask.window.endRank - count, in: paging)
      return nil
    }
    evidence.window = ask.window
    state.continuations[cut]?.hole.isCrossed = true
    state.doubts.noteFoundBelow()
    return evidence
  }

  /// What a page proves of a list in an order of its own, where nothing but its rank shows that it
  /// stands below the end of a run.
  private mutating func laid(
    _ page: Page, _ answer: Fetched<Page>, to ask: Asked, below end: Continuation
  ) throws(StoreError) -> Evidence? {
    var laid = ask
    laid.window = Window(
      .mark("", rank: max(1, ask.window.firstRank - end.tail.count)),
      perPage: ask.window.perPage + end.tail.count)
    let shown = end.laid(page, without: end.again(atTopOf: page))
    guard var evidence = try ownEvidence(of: shown, answer, to: laid) else { return nil }
    let known = Set(end.tail.map(\.id))
    evidence.elements.removeAll { known.contains($0.item.id) }
    guard let first = evidence.elements.first else { return nil }
    evidence.upper = .above(first.position)
    return evidence
  }
}
