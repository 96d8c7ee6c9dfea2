/// Pages of which only what lies right below them shows whether they are the last.
extension Continuation {
  /// The page; nil where it shows that by itself.
  package var page: Page? { answer.flatMap { try? $0.result.get() } }

  /// Whether the page names a next one.
  package var namesNext: Bool { page.map { $0.hasNext && !$0.isEndUntold } ?? false }

  /// The window of the page, to be asked for once more.
  var again: Window {
    var again = window
    again.isContinued = false
    return again
  }

  /// Whether a window is that of the page, asked for once more since nothing followed on it.
  package func isAgain(_ other: Window) -> Bool { next == .nothing && other == again }

  /// The window right below the page, where the one that would be asked for is that one or shows
  /// the page once more; nil where it shows more than the page, or no window begins there.
  func following(
    _ aim: Window?, in paging: Paging, perPageMax: Int = .max, hides: Bool = false
  ) -> Window? {
    guard let page, aim?.segment == nil, next != .nothing else { return nil }
    if let next = belowHole(in: paging, perPageMax: perPageMax) { return next }
    let end = window.firstRank + page.count
    // What begins at a key shows the last one once more.
    let isAgain =
      paging.addressing == .key && isByValue
      ? page.items.first?.item.key == page.items.last?.item.key
      : aim.map { $0.firstRank <= window.firstRank } ?? true
    guard end < paging.reachMax else { return nil }
    let isOpen = paging.isRanked && page.isEndLeftOpen && aim.map(reaches(beyond:)) != true
    var next: Window
    let largest =
      hides
      ? paging.window(showing: window.endRank, noneAbove: end, perPageMax: perPageMax) : nil
    switch paging.addressing {
    case .page where largest != nil: next = largest ?? window
    case .page(let pageMax)
    where self.next != .own && end.isMultiple(of: page.count) && end / page.count < pageMax:
      next = Window(page: end / page.count + 1, perPage: page.count)
    case .page(let pageMax) where window.page >= pageMax: return nil
    case .page, .pages: next = window.pageAfter
    case .offset:
      let isSeen = hides || self.next == .own || isOpen
      next = Window(offset: isSeen ? window.endRank : end, perPage: window.perPage)
    case .anchor, .key: next = Window(.mark(nil, rank: end), perPage: window.perPage)
    case .next: return nil
    }
    guard isAgain || isOpen || self.next == .wanted || self.next == .own || next == aim else {
      return nil
    }
    next.isContinued = true
    return next
  }

  /// Whether half of what a window asks for lies below what was asked for here: where elements may
  /// be left out of pages, their ranks show only what was asked for.
  package func reaches(beyond other: Window) -> Bool {
    2 * (other.endRank - window.endRank) >= other.perPage
  }

  /// An answer to a window as the last page of its list, where it is the page on which nothing
  /// followed; nil where it is another.
  package func asLast(_ other: Fetched<Page>, to window: Window) -> Fetched<Page>? {
    guard next == .nothing, window.firstRank == self.window.firstRank, let page,
      let same = try? other.result.get(), same.count == page.count,
      same.items.map(\.item.id) == page.items.map(\.item.id)
    else { return nil }
    return Continuation.last(same, of: other)
  }

  /// Nothing right below the page, where that is what ties the page to the run, which has too few
  /// elements to be tied by sight: as an answer that came when the page did, and its window. Nil
  /// where the page has a total, which says that by itself, or pages show what joins them.
  package func nothing(
    below answer: Fetched<Page>, in paging: Paging
  ) -> (answer: Fetched<Page>, window: Window)? {
    guard !isByValue, paging.servesJoins, !paging.isSized, let page, page.total == nil else {
      return nil
    }
    var (nothing, window) = (answer, window.pageAfter)
    nothing.result = .success(.nothing(of: nil))
    window.isContinued = true
    return (nothing, window)
  }

  /// Whether a page from within its window shows some of its elements and no others, or nothing
  /// though more is said to follow: some are hidden, and it lies further up than right below it.
  package func showsOwn(_ other: Page, to asked: Window, in paging: Paging) -> Bool {
    guard paging.isRanked, next == .unknown || next == .wanted, hole.pages == 0, let page,
      asked.firstRank > window.firstRank, asked.firstRank < window.endRank,
      other.count < page.count, other.count == other.items.count,
      other.count > 0 || window.isTop && page.total ?? 0 > page.count
    else { return false }
    if !asked.isContinued, other.items.last?.item.id == page.items.last?.item.id { return false }
    return Set(page.items.map(\.item.id)).isSuperset(of: other.items.map(\.item.id))
  }

  /// Whether a page from further down shows its last elements, and no others.
  package func showsEnd(_ other: Page, of asked: Window) -> Bool {
    guard let page, asked.firstRank > window.firstRank, 1..<page.count ~= other.count else {
      return false
    }
    return page.items.suffix(other.items.count).map(\.item.id) == other.items.map(\.item.id)
  }

  /// An answer whose page is the last of its list.
  private static func last(_ page: Page, of answer: Fetched<Page>) -> Fetched<Page> {
    var (page, answer) = (page, answer)
    (page.hasNext, page.isEndUntold, page.mayEndFull) = (false, false, true)
    answer.result = .success(page)
    return answer
  }

  /// The answer as the last page of its list, where one for the place right below it has nothing of
  /// its own; nil where it has. What has moved down comes again, to the page's last element; what
  /// ends further up is of another place. The whole of a page of some size comes again where the
  /// place is not heard; of a few elements it is taken for the end. The last element comes again
  /// where it names the place, whatever that names next.
  package func asLast(before other: Page) -> Fetched<Page>? {
    guard let page, let answer, other.count == other.items.count else { return nil }
    var isLastAgain = false
    if case .mark = window.address, other.count == 1 {
      isLastAgain = other.items.first?.item.id == page.items.last?.item.id
    }
    guard isLastAgain || !other.hasNext || other.isEndUntold else { return nil }
    let known = Set(page.items.map(\.item.id))
    let isFew = page.count < PageSize.perPageMin
    let isBottom = other.count == 0 || other.items.last?.item.id == page.items.last?.item.id
    guard other.items.allSatisfy({ known.contains($0.item.id) }),
      isFew || isBottom && other.count < page.count
    else { return nil }
    return Continuation.last(page, of: answer)
  }
}

extension Page {
  /// Whether only what lies right below it says that it is the last: where nothing of it does, or
  /// it names a next page, is shorter than it was asked for and has no total, or where its total
  /// says otherwise, by a rank that is known, and it is too small to be asked for in two parts. Or
  /// where no other page shows anything of it.
  package func needsNext(of window: Window, in paging: Paging) -> Bool {
    if paging.isSideBySide, endClaim(in: window) != .end { return true }
    if hasNext, count < window.perPage, isEndUntold || total == nil { return true }
    let isFew = 1..<PageSize.perPageMin ~= count
    // Elements may be hidden of those that the total counts.
    let isWhole = window.isTop && count > 0 && total ?? .max <= window.endRank
    return paging.isRanked && (isFew || isWhole) && !hasNext
      && endClaim(in: window) == .contested
  }
}
