import Feed

/// Pages that come in another size than they were asked for.
extension Landing {
  /// An answer whose page only its size says to be the last. That is left open where elements are
  /// known below it, as the upstream may give fewer to everyone by now. It is not where the list
  /// was seen to end there, or where the page was to show what follows on that, and has nothing.
  func leavingOpen(
    _ answer: Fetched<Page>, to ask: Asked
  ) throws(StoreError) -> Fetched<Page> {
    guard var page = try? answer.result.get(), page.isEndOfSize else { return answer }
    let known = try known(page.items.map(\.item.id)).values.filter { $0.state != .removed }
    let end = known.map(\.position).min().map { Cut.below($0) }
    let next = try end.flatMap { cut throws(StoreError) in
      try rows.position(at: 0, of: feed, below: cut)
    }
    if next != nil {
      (page.hasNext, page.isEndUntold) = (true, true)
    } else if page.isEndUntold, isEnd(page, at: end, knowing: known.count, ask) {
      (page.hasNext, page.isEndUntold) = (false, false)
    }
    var answer = answer
    answer.result = .success(page)
    return answer
  }

  /// Whether another answer has shown that the list ends where a page does, of which so many
  /// elements are known, the last above a cut: it was seen to end there, or what follows was to be
  /// shown, and only how the page above ends is. Where places are ranks and that one was smaller
  /// than others, half of what was asked for lies below what was asked for there: elements may be
  /// left out of both.
  private func isEnd(_ page: Page, at cut: Cut?, knowing count: Int, _ ask: Asked) -> Bool {
    if count == page.items.count, let cut, let last = state.timeline.runs.last, last.reachesEnd,
      last.upper > cut
    {
      return true
    }
    guard let above = ask.below.flatMap({ state.continuations[$0] }),
      above.showsEnd(page, of: ask.window)
    else { return false }
    let isSmaller = above.page?.isEndLeftOpen == true
    return !state.paging.isRanked || !isSmaller || above.reaches(beyond: ask.window)
  }

  /// Has what lies below an answer's page asked for behind the reply: the end was left open.
  mutating func lookBelow(_ evidence: Evidence) {
    let plan = state.plan(of: feed.pattern, by: policy, at: now)
    if let look = plan.look(below: evidence.lower, for: .gap) { followUps.append(.ask(look)) }
  }

  /// Notes a call that the upstream may have refused for its window's size. Returns whether another
  /// size is asked for next.
  mutating func noteRefusedSize(_ error: FetchError, _ ask: Asked) -> Bool {
    guard case .rejected = error else { return false }
    return state.pageSize.noteRefused(ask.window)
  }

  /// Notes whether a page shows that elements are hidden: see ``Hiding``. Not one that seems to
  /// have come in another window than it was asked for, which is returned.
  mutating func noteHiding(of page: Page, to ask: Asked) throws(StoreError) -> Window? {
    let seeming = try seemingWindow(of: page, to: ask)
    if seeming == nil {
      state.pageSize.noteHiding(page, to: ask.window, says: endClaim(of: page, to: ask))
    }
    return seeming
  }

  private func endClaim(of page: Page, to ask: Asked) -> EndClaim {
    page.isEndUntold ? .contested : page.endClaim(in: ask.window)
  }

  /// The size of a page, where the upstream serves fewer elements than are asked for; nil where it
  /// does not, as far as is known.
  mutating func servedSize(of page: Page, to ask: Asked) -> Int? {
    let size = state.pageSize.learn(
      count: page.count, of: ask.window, says: endClaim(of: page, to: ask),
      last: page.items.last?.item.id,
      isSized: feed.pattern.paging.isSized && state.paging(at: now).isSized)
    if size != nil { doubt(.short, ask.window) }
    return size
  }

  /// The window of a numbered page that came in another size than it was asked for, and so begins
  /// elsewhere, and whether that is certain; nil where it came in its own, as far as is known.
  ///
  /// One is larger; after such a one, what came for another place in another size is another. A
  /// smaller one that begins where a page of its number and its own size does may be such, or some
  /// of its elements are hidden: the page of that size shows which. It is the `seeming` one.
  mutating func ownWindow(
    of page: Page, to ask: Asked, seeming: Window?
  ) -> (window: Window, isCertain: Bool)? {
    let window = ask.window
    state.pageSize.noteCheck(window, page)
    let paging = feed.pattern.paging
    // Nothing follows on one that may be full and the last.
    guard paging.isSized, case .page(let number) = window.address, window.segment == nil,
      feed.pattern.order != .whole, !page.mayEndFull
    else { return nil }
    let full = paging.perPageMax
    guard page.count > 0 else {
      // It should have shown the end of the run again.
      if number > 1, window.perPage < full, !window.isContinued, state.pageSize.isUnkept {
        state.pageSize.noteUnkept(window, least: full)
      }
      return nil
    }
    var own = window
    own.perPage = page.count
    if page.count > window.perPage {
      state.pageSize.noteUnkept(window, least: page.count)
      return (own, true)
    }
    guard number > 1, page.count < window.perPage else { return nil }
    if state.pageSize.isUnkept, let last = state.doubts.shown(page)?.window,
      last.perPage != window.perPage,
      abs(last.firstRank - window.firstRank) > PageSize.driftMax
    {
      state.pageSize.noteUnkept(window, least: full)
      return (own, true)
    }
    guard let seeming,
      state.pageSize.suspect(window, of: page, says: endClaim(of: page, to: ask))
    else { return nil }
    return (seeming, false)
  }

  /// The window in which a numbered page seems to have come, which is smaller than it was asked for
  /// and begins nearer to where one of its number and its own size does; nil where it does not.
  private func seemingWindow(of page: Page, to ask: Asked) throws(StoreError) -> Window? {
    let window = ask.window
    guard feed.pattern.paging.isSized, case .page(let number) = window.address, number > 1,
      window.segment == nil, (1..<window.perPage).contains(page.count), !page.mayEndFull,
      feed.pattern.order != .whole, !state.pageSize.isTrusted, !state.pageSize.hides,
      let rank = try rank(of: page, above: ask.below)
    else { return nil }
    var own = window
    own.perPage = page.count
    let drift = abs(rank - window.firstRank)
    guard drift > 2 * PageSize.driftMax, abs(rank - own.firstRank) < drift else { return nil }
    return own
  }

  /// Reports that the upstream keeps to some sizes only, or that its pages have another size than
  /// is said, once that is known, and forgets what was tried in vain by others.
  mutating func noteSizes(since before: Paging, _ window: Window) {
    let paging = state.paging(at: now)
    guard paging.perPageMax != before.perPageMax || paging.perPageMin > before.perPageMin else {
      return
    }
    doubt(.resized, window)
    (state.attempts, state.continuations) = ([:], [:])
    state.doubts.forgetPlaces()
    state.pageSize.forgetPlaces()
  }

  /// The rank of a page's first element, by how many are known from it down to a cut; nil where the
  /// two are not of one run.
  private func rank(of page: Page, above cut: Cut?) throws(StoreError) -> Int? {
    guard let cut, let first = page.items.first?.item.id,
      let element = try known([first])[first], element.state != .removed
    else { return nil }
    let above = Cut.above(element.position)
    guard above > cut, state.timeline.runs.contains(where: { $0.upper >= above && $0.lower <= cut })
    else { return nil }
    let between = try known(in: CutRange(upper: above, lower: cut)).count { $0.state != .removed }
    return state.timeline.rank(of: cut) - between
  }
}
