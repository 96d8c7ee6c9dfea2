/// Pages with nothing on them, below which the list goes on: many upstreams count what they hide
/// from a reader, which leaves whole pages empty.
extension Continuation {
  /// What was looked at right below a page.
  package struct Hole: Sendable {
    /// How many pages with nothing on them came in a row.
    package fileprivate(set) var pages = 0
    /// How many ranks they are, from the end of the page on.
    package fileprivate(set) var ranks = 0
    /// Whether they came empty before, and something was found below them: one answer may be empty
    /// by a fault.
    package fileprivate(set) var isConfirmed = false
    /// Whether what stands below them is known, which nothing joins to what stands above.
    package var isCrossed = false
    /// What named the pages that were followed.
    fileprivate var marks: Set<String> = []

    /// Whether it is time for a pause: eight pages that tokens named were followed in a row, and
    /// the last one names another.
    package var isPaused: Bool {
      marks.count > 1 && pages % Continuation.emptyPagesMax == 1
    }

    /// Whether so many were that no further one is asked for.
    package var isExhausted: Bool { pages >= Continuation.namedPagesMax }

    /// Takes what the next page is named by. Returns whether that leads further: no page is named
    /// twice, and no list has so many that bring nothing.
    mutating func note(_ mark: String) -> Bool {
      guard !isExhausted, marks.insert(mark).inserted else { return false }
      pages += 1
      return true
    }
  }

  /// The most empty pages that are followed in a row below the first, where further down can be
  /// asked for: as many as of those that are named by a token.
  package static let emptyPagesMax = 8
  /// The same where nothing but the total says that more follows, and counts far more than so many
  /// pages have: some count what is nowhere.
  private static let countedPagesMax = 1
  /// The same of those that are named by tokens: there is a pause after each eight of them.
  static let namedPagesMax = 3 * emptyPagesMax
  /// The same where only the same place can be asked for.
  private static let emptyAnswersMax = 2

  /// The first rank below the page.
  package func endRank(in paging: Paging) -> Int {
    guard paging.isSized, let page else { return window.endRank }
    return window.firstRank + page.count
  }

  /// Whether the page shows one instant, which may go on below it: that is counted.
  package var isInstant: Bool {
    guard isByValue, let page, page.count > 1 else { return false }
    return page.items.first?.item.key == page.items.last?.item.key
  }

  /// How many elements more a total counts than there are down to the page's end.
  package func lacking(of total: Int) -> Int {
    max(0, total - window.firstRank - (page?.count ?? window.perPage))
  }

  /// How many elements another page begins with down to the last one of the run.
  package func again(atTopOf other: Page) -> Int {
    other.items.first { $0.item.id == tail.last?.id }.map { $0.index + 1 } ?? 0
  }

  /// Notes a page from below the page, of whose elements so many are `known` already: one with
  /// nothing on it, or one that was found below such. Returns whether what lies further down is to
  /// be looked at; nil where the page says by itself what it is.
  ///
  /// What is found is taken once the pages above it came empty again. One of which all is known is
  /// of another place, and shows nothing below; where pages `hides` elements it may lie above the
  /// page's end, and what lies further down is looked at.
  package mutating func looksFurther(
    than other: Page, known: Int, to asked: Window, in paging: Paging, perPageMax: Int,
    hides: Bool
  ) -> Bool? {
    guard asked.segment == nil else { return nil }
    guard paging.addressing != .next else {
      if let leadsOn = follows(other, known: known) { return leadsOn }
      return asksAgain(after: other, asked)
    }
    guard other.count == 0 || hides && idle > 0 && known == other.count else {
      let isBelow = hole.pages > 0 || idle > 0 && hides
      guard paging.isRanked, isBelow || next == .wanted, known == 0 || known == other.count
      else { return nil }
      if known > 0 { return false }
      guard isBelow, !hole.isConfirmed, asked.firstRank >= endRank(in: paging)
      else { return nil }
      hole = Hole(isConfirmed: true)
      return true
    }
    let isCounted = paging.isRanked && other.total ?? 0 > asked.firstRank
    guard other.hasNext || isCounted || hole.pages > 0 else { return nil }
    hole.pages += 1
    hole.ranks = max(hole.ranks, asked.endRank - endRank(in: paging))
    guard paging.isRanked else { return hole.pages < Continuation.emptyAnswersMax }
    let isLast = asked.endRank >= min(paging.reachMax, other.total ?? .max)
    let lacking = (other.total ?? 0) - endRank(in: paging)
    let isFar = !other.hasNext && lacking / 4 > Continuation.emptyPagesMax * perPageMax
    let most = isFar ? Continuation.countedPagesMax : Continuation.emptyPagesMax
    return !isLast && (other.hasNext || isCounted) && hole.pages <= most
      && belowHole(in: paging, perPageMax: perPageMax) != nil
  }

  /// Whether what a page names is followed which brought nothing: one with nothing on it, or that
  /// shows the run's end once more. False where that names itself, or a page that was followed
  /// before: so some lists end. Nil of another page.
  package mutating func follows(_ other: Page, known: Int) -> Bool? {
    guard known == other.count, other.count == 0 || again(atTopOf: other) > 0, other.hasNext,
      let next = other.nextMark
    else { return nil }
    guard next != mark, hole.note(next) else { return false }
    mark = next
    return true
  }

  /// Whether the same place is to be asked for once more: a page with nothing on it, which names
  /// none, and follows on a full one, is the end, or one answer that is empty by a fault. Where its
  /// total agrees, or the list has shrunk, it is no fault.
  private mutating func asksAgain(after other: Page, _ asked: Window) -> Bool? {
    guard isFull, other.count == 0, !other.hasNext, hole.pages == 0,
      other.total.map({ $0 > asked.firstRank }) ?? true
    else { return nil }
    hole.pages = 1
    return true
  }

  /// Notes that the hole reaches down to a rank.
  package mutating func widenHole(to rank: Int, in paging: Paging) {
    hole.ranks = max(hole.ranks, rank - endRank(in: paging))
  }

  /// The ranks at which a page begins that follows on the page, where the list is numbered.
  func followingRanks(_ count: Int) -> ClosedRange<Int> {
    window.endRank...window.endRank + (count == 0 || hole.isConfirmed ? hole.ranks : 0)
  }

  /// The window below those in which nothing was found, which shows nothing of the page; nil where
  /// there are none, or no window begins there.
  func belowHole(in paging: Paging, perPageMax: Int) -> Window? {
    guard hole.ranks > 0, paging.isRanked else { return nil }
    let end = endRank(in: paging)
    let rank = end + hole.ranks
    guard rank < paging.reachMax else { return nil }
    var next = paging.window(showing: rank, noneAbove: end, perPageMax: perPageMax)
    next?.isContinued = paging.isSized
    return next
  }
}
