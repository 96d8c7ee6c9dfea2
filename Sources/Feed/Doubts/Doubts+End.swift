/// An end that a feed's answers claim against what is known, or against what they say themselves.
///
/// The second answer is asked for less than the first one brought, so that it shows whether the
/// first was short or the upstream's pages are of that size.
extension Doubts {
  /// Whether the total counts elements below a page that is the last, as far as is known, and they
  /// were not looked for there.
  package func hides(below page: Page, to window: Window) -> Bool {
    let lacking = (page.total ?? 0) - window.firstRank - page.count
    return lacking > 0 && lacking == hiddenCount && page.endClaim(in: window) == .contested
  }

  /// Notes that the list ends above so many elements that its total counts, which were looked for.
  package mutating func noteHidden(_ count: Int, at now: Timestamp) {
    clear(.end)
    if count > 0 { hear(.hidden, at: now, value: count) }
  }

  /// Forgets that the list ends above elements that its total counts: they are further down.
  package mutating func noteFoundBelow() {
    clear(.end)
    clear(.hidden)
  }

  /// From when on a second answer can settle an end that one has claimed; nil where it can now, or
  /// where none is claimed.
  package func endSettles(after now: Timestamp) -> Timestamp? {
    self[.end].map { $0.since + Claim.end.apart }.flatMap { $0 > now ? $0 : nil }
  }

  /// How many elements more the total counts than there are down to the end that is believed.
  package var hiddenCount: Int { self[.hidden]?.value ?? 0 }

  /// The most elements that are asked for below a rank, where the contested end may be; nil where
  /// it is not.
  package func perPageMax(below rank: Int) -> Int? {
    guard let answer = self[.end]?.answer, answer.isContested,
      (answer.window.firstRank...answer.window.endRank).contains(rank)
    else { return nil }
    return max(answer.count, PageSize.perPageMin)
  }

  /// Whether more follows on a page, as it is taken: not where the end that it claims is to be
  /// asked for once more, since the feed had or has more elements than it shows, by its total, by
  /// what names a next page or by the `known` elements proven below. `total` is the last one that
  /// an answer gave; `isSized` where an answer can be asked for in another size; `rank` is
  /// where the page begins by what it shows, if not where it was asked for. Where windows begin at
  /// ranks, `isRanked`, what the total counts is looked for right below the end first. Where pages
  /// `hides` elements, the total may count what is shown below one.
  package mutating func hasMore(
    after page: Page, to window: Window, at rank: Int? = nil, sentAt: Timestamp, known: Int,
    total: Int?, isSized: Bool = true, isRanked: Bool = false, hides: Bool = false
  ) -> Bool {
    let end = (rank ?? window.firstRank) + page.count
    let before = self[.end]
    // An empty page does not show where the list ends. Of a first one it is decided elsewhere:
    // ``Claim/empty``.
    guard page.count > 0 else { return page.hasNext }
    // What lies below the page shows it.
    if page.isEndLeftOpen { return true }
    let says = page.endClaim(in: window)
    guard says != .more else {
      if let last = before?.answer, window.firstRank + page.count > last.end { clear(.end) }
      return page.hasNext
    }
    let lacking = max(0, (page.total ?? total ?? end) - end)
    // What the total counts below the page may be shown there.
    if hides, isRanked, lacking != hiddenCount, page.total ?? 0 > window.endRank {
      clear(.end)
      return true
    }
    let isRefuted = page.hasNext && self[.idleNext] == nil
    guard known > 0 || isRefuted || lacking > 0 && lacking != hiddenCount else {
      clear(.end)
      if page.total != nil, lacking == 0 { clear(.hidden) }
      return false
    }
    let answer = Answer(
      window: window, sentAt: sentAt, count: page.count, total: page.total,
      last: page.items.last?.item.id,
      isContested: says == .contested)
    var claim = Claim.end
    if let before, let last = before.answer {
      // Where the total stands still, another end is that of another page, or of a short one.
      let stands = page.total != nil && last.total == page.total
      claim.drift = stands ? 0 : claim.drift + moved(from: last, to: answer)
      // The last element says where it is, too: its rank may be an estimate.
      if last.last != nil, last.last == answer.last { claim.drift = .max }
    }
    // The same answer once more does not distinguish a short page from one of the
    // upstream's size.
    if let before, let last = before.answer, last.isContested, isSized, !hides,
      last.isSame(as: answer),
      page.count >= PageSize.perPageMin, sentAt - before.since >= claim.apart
    {
      clear(.end)
    }
    guard hear(claim, at: sentAt, value: end, by: answer) == .believed else { return true }
    clear(.end)
    hear(.hidden, at: sentAt, value: lacking)
    hear(.idleNext, page.hasNext, at: sentAt)
    // A window that reaches as far as the total shows that nothing more stands there.
    let reach = max(window.endRank, before?.answer?.window.endRank ?? 0)
    return isRanked && page.total ?? total ?? 0 > reach
  }

  /// How far the list has moved between two answers, as their totals tell, and its end with it. A
  /// total that comes or goes says nothing of that.
  private func moved(from before: Answer, to now: Answer) -> Int {
    guard let last = before.total, let total = now.total else { return 0 }
    return max(0, min(now.end < before.end ? last - total : total - last, .max / 2))
  }
}
