internal import Feed

/// What an answer shows of its list, in the light of the answers before it.
extension ListReaders.List {
  /// The page that an answer to a window is. It says of the end what the response says:
  /// - a page shorter than asked for, of which nothing else says that it is the last, is the last
  ///   only where a larger one has come;
  /// - one that has nothing where the next is to be named is so only where one has come that had.
  ///
  /// Of a first page it says whether the next only counts.
  ///
  /// What names the next page is a URL at `base`, or as it came where it leads elsewhere.
  ///
  /// - Throws: as ``page(_:countMax:isTop:below:note:pace:)``.
  func page(
    _ answer: AnswerReader, to window: Window, of feed: FeedID, at base: BaseURL,
    given: SeenPages, pace: WorkPace = WorkPace {}
  ) throws(FetchError) -> Page {
    let isWhole = recipe.order == .whole
    let pages = recipe.pages
    let countMax = isWhole ? ListFetcher.wholeCountMax : window.perPage
    var page = try page(
      answer, countMax: countMax, isTop: window.isTop,
      below: window.isTop ? nil : given.top(of: feed), note: { given.note($0, of: feed) },
      pace: pace)
    if let fraction = fraction(of: page) { given.note(fraction: fraction, of: recipe.path) }
    let isLarger = given.note(page.count, of: recipe.path)
    given.noteBelow(page, to: window, of: feed)
    if !isWhole, !page.hasNext, !page.tellsItsEnd(in: window, answer, pages) {
      // Pages of a few elements hardly meet: what follows on a short one would be a gap.
      let isFew = pages.max < PageSize.perPageMin || page.items.count < page.count
      let isTold = window.segment != nil || page.total != nil || isFew
      let isLast = !isLarger && (isTold || given.isLast(page, to: window, of: feed))
      (page.hasNext, page.isEndUntold, page.isEndOfSize) = (!isLast, !isLast, !isLarger)
    }
    let names = pages.by == .next && (page.nextMark != nil || answer.hasPlace(pages.next))
    if !given.note(namesNext: names, of: recipe.path), page.isSilent(in: window, answer, pages) {
      page.isEndDoubted = true
    }
    if let mark = page.nextMark, pages.at == nil {
      page.nextMark = base.resolved(mark, against: answer.url) ?? mark
    }
    page.isNextCounted = window.isTop && page.countedByNext(pages) != nil
    return page
  }

  /// The digits behind the dot of the keys by which pages are named: of the first one as it is
  /// written, or three where another is within a second.
  private func fraction(of page: Page) -> Int? {
    guard recipe.isByKey, recipe.time.unit == .milliseconds, let first = page.items.first else {
      return nil
    }
    let range = recipe.key?.inside(recipe.item).flatMap { path in
      FieldPath(keys: path).range(in: first.item.bytes[...])
    }
    let isWithin = page.items.contains { $0.item.key.map { $0 % 1_000 != 0 } ?? false }
    let written = range.map { KeyForm.fraction(of: first.item.bytes[$0]) } ?? 0
    return max(written, isWithin ? 3 : 0)
  }
}
