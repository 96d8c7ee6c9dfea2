/// What an answer says of itself, held against itself and against what is known: an answer that
/// contradicts either proves nothing, and what is stored stands.
extension Page {
  /// The newest time that an element tells; nil without any.
  package var newest: Int64? { items.compactMap(\.item.key).max() }

  /// Why an answer cannot be what was asked for; nil where it may be.
  ///
  /// - Elements of which none can be used show nothing of the feed, so they are not its end.
  package func contradiction(to window: Window, order: FeedOrder) -> FetchError? {
    // What comes whole is replaced by whatever comes; a total it does not reach is told as such.
    guard order != .whole else { return nil }
    let isUsable = { (slot: Slot) in order != .value || slot.item.key != nil }
    if count > 0, !items.contains(where: isUsable) {
      return .malformed(reason: "none of its \(count) elements can be used")
    }
    if let keyMax = window.keyMax, items.contains(where: { $0.item.key ?? keyMax > keyMax }) {
      return .malformed(reason: "it begins above the place that was asked for")
    }
    if let nextMark, nextMark.utf8.count > Window.markBytesMax {
      return .malformed(
        reason: "what names the next page has more than \(Window.markBytesMax) bytes")
    }
    return nil
  }

  /// Whether it is a first page with nothing on it, of a feed that has elements as the same answer
  /// says. Where more can be asked for by its rank it is one of `perPageMax` elements: those of a
  /// smaller one may be hidden from us.
  package func isHollow(in window: Window, paging: Paging, perPageMax: Int) -> Bool {
    let isWhole = window.perPage >= perPageMax || !paging.isRanked
    return count == 0 && window.isTop && isWhole && (hasNext || total ?? 0 > 0)
  }
}

/// An end that a feed's answers claim against what is known, or against what they tell themselves:
/// it is believed when a second answer says the same.
///
/// The second one is asked for less than the first one brought, so that it shows whether the first
/// was short or the upstream's pages are of that size.
package struct DoubtedEnd: Hashable, Sendable {
  /// The shortest time between the two, so that they are not of one moment's fault.
  package static let settlingTime = Duration.seconds(1)
  /// By how many ranks two claims of one end may differ, besides what the total tells of how the
  /// list has moved meanwhile.
  package static let driftMax = 2

  /// A claim that was not believed yet.
  private struct Claim: Hashable {
    var sentAt: Timestamp
    /// The rank it puts the end at.
    var end: Int
    /// The total that the same answer told.
    var total: Int?
    /// What was asked for, and how many elements came.
    var window: Window
    var count: Int
    /// Whether the answer contradicts itself.
    var isContested: Bool
  }
  private var claim: Claim?
  /// How many elements the total had beyond the end that was believed last: an upstream may count
  /// some that it shows to nobody.
  private var believedLacking = 0
  /// Whether an end was believed after which a next page was named.
  private var believesAgainstNext = false
  /// Since when answers have nothing of a feed that has elements as they say.
  private var hollowSince: Timestamp?

  /// Nothing was claimed yet.
  package init() {}

  /// From when on a second answer can settle what one has claimed; nil where nothing is claimed.
  package var settlesAt: Timestamp? { claim.map { $0.sentAt + DoubtedEnd.settlingTime } }

  /// The most elements that are asked for below a rank, where the contested end may be; nil where
  /// it is not.
  package func perPageMax(below rank: Int) -> Int? {
    guard let claim, claim.isContested,
      (claim.window.firstRank...claim.window.endRank).contains(rank)
    else { return nil }
    return max(claim.count, PageSize.perPageMin)
  }

  /// Whether more follows on a page, as it is taken: not where the end that it claims is to be
  /// asked for once more, since the feed had or has more elements than it shows, by its total, by
  /// what names a next page or by the `known` elements proven below. `isSized` where an answer can
  /// be asked for in another size.
  package mutating func hasMore(
    after page: Page, to window: Window, sentAt: Timestamp, known: Int, timeline: Timeline,
    isSized: Bool = true
  ) -> Bool {
    if page.count > 0 { hollowSince = nil }
    let end = window.firstRank + page.count
    // Of an empty first page it is decided elsewhere: see ``EmptyLooks``.
    let says = page.endClaim(in: window)
    guard says != .more, page.count > 0 || !window.isTop else {
      if let claim, end > claim.end { self.claim = nil }
      return page.hasNext
    }
    let lacking = max(0, (page.total ?? timeline.total?.value ?? end) - end)
    let isRefuted = page.hasNext && !believesAgainstNext
    guard known > 0 || isRefuted || lacking > 0 && lacking != believedLacking else {
      claim = nil
      return false
    }
    let last = claim
    claim = Claim(
      sentAt: sentAt, end: end, total: page.total, window: window, count: page.count,
      isContested: says == .contested)
    guard let last else { return true }
    // The end moves as the list does, at most as far and the same way. A total that comes or goes
    // says nothing of that.
    var moved = 0
    if let total = page.total, let before = last.total {
      moved = end < last.end ? before - total : total - before
    }
    guard abs(end - last.end) <= DoubtedEnd.driftMax + max(0, moved) else { return true }
    guard sentAt - last.sentAt >= DoubtedEnd.settlingTime else {
      claim = last
      return true
    }
    // The same answer once more does not tell a short page from one of the upstream's size.
    let isSame = last.window == window && last.count == page.count
    if isSame, isSized, last.isContested, page.count >= PageSize.perPageMin { return true }
    claim = nil
    believedLacking = lacking
    believesAgainstNext = page.hasNext
    return false
  }

  /// Whether a hollow answer (``Page/isHollow(in:paging:perPageMax:)``) to a feed of which nothing
  /// is known is to be asked for once more.
  package mutating func doubtsHollow(sentAt: Timestamp) -> Bool {
    let since = hollowSince ?? sentAt
    hollowSince = since
    return sentAt - since < DoubtedEnd.settlingTime
  }
}

/// Answers in a row that brought nothing new of a feed: after some it rests, longer each time, so
/// that no list, and no single request, can spend an hour's calls on showing nothing.
package struct Barrenness: Hashable, Sendable {
  /// Answers in a row after which the feed rests.
  package static let answersMax = 6

  private var answers = 0
  private var rests = 0
  /// Until when nothing further down is asked for; looks at the top go on.
  package private(set) var restsUntil: Timestamp?

  /// None so far.
  package init() {}

  /// Notes an answer that brought an element, a proof or a count, or nothing of these.
  package mutating func note(isBarren: Bool, at now: Timestamp) {
    guard isBarren else {
      self = Barrenness()
      return
    }
    answers += 1
    guard answers >= Barrenness.answersMax else { return }
    answers = 0
    rests += 1
    restsUntil =
      now + ExtensionAttempts.restMin.doubled(for: rests, upTo: ExtensionAttempts.restMax)
  }
}
