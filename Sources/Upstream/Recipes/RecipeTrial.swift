package import Feed

/// Tries a list of a recipe with two calls: whether what the recipe says of it is so. A third shows
/// why a place is not where it should be, whether the end is stated, or whether there is a page
/// before the first.
package struct RecipeTrial {
  /// What was seen of one thing that the recipe says.
  package struct Finding: Hashable, Sendable {
    /// Whether the recipe is wrong there.
    package let isWrong: Bool
    /// The key of the list, and what was seen: `id: in 100 of 100 elements`.
    package let text: String
  }

  private let fetcher: any PageFetcher
  private let list: ListRecipe
  private let feed: FeedID
  private var findings: [Finding] = []

  /// A trial of a feed of a list.
  package init(of list: ListRecipe, _ feed: FeedID, through fetcher: any PageFetcher) {
    (self.list, self.feed, self.fetcher) = (list, feed, fetcher)
  }

  /// Asks, and says what came.
  package mutating func run() async -> [Finding] {
    let paging = feed.pattern.paging
    let window = paging.top(perPage: paging.perPageMax)
    guard let top = await page(window) else { return findings }
    guard top.count > 0 else {
      let hasMore = (top.hasNext || top.isEndDoubted) && !list.pages.mayBeShort
      noteEmpty(hasMore || top.total ?? 0 > 0, top.total)
      return findings
    }
    note(top, window)
    guard feed.pattern.order != .whole else { return findings }
    noteCounting(top)
    guard top.items.count >= 4 else {
      note(true, "pages.by: \(top.items.count) elements are too few to tell")
      return findings
    }
    await notePlace(below: top)
    await noteEnd(after: top)
    return findings
  }

  private mutating func page(_ window: Window) async -> Page? {
    let answer = await fetcher.page(window, of: feed)
    if let path = answer.movedTo, !findings.contains(where: { $0.text.contains("redirected") }) {
      noteRedirect(to: path)
    }
    switch answer.result {
    case .success(let page)
    where page.count <= window.perPage || list.pages.by == .next || feed.pattern.order == .whole:
      return page
    case .success:
      note(false, "path: more than \(window.perPage) elements")
      return nil
    case .failure(let error):
      note(false, "path: \(error.reason)")
      noteRefusal(error, of: window)
      return nil
    }
  }

  /// Each call costs a second one.
  private mutating func noteRedirect(to place: String) {
    guard !place.contains("://") else {
      return note(false, "path: each call is redirected to \(place), above baseURL or beside it")
    }
    let words = list.path.split(separator: "/").map { word in
      word.hasPrefix(":") ? "{\(word.dropFirst())}" : String(word)
    }
    let written = list.upstreamPath?.text ?? words.joined(separator: "/")
    let isSlash = place.hasSuffix("/") && !written.hasSuffix("/") && !list.variables.isEmpty
    let path = isSlash ? written + "/" : place.isEmpty ? "/" : place
    note(false, "path: each call is redirected; write \"\(path)\"")
  }

  /// A place is named by what stands there, or by a number that no element need have.
  private mutating func noteRefusal(_ error: FetchError, of window: Window) {
    guard list.pages.by == .item, case .mark(.some, _) = window.address else { return }
    switch error {
    case .rejected, .notFound:
      guard feed.pattern.paging.addressing == .key else { return }
      note(false, "pages.existing: true is needed where an element must exist to be named")
    default: return
    }
  }

  private mutating func noteEmpty(_ hasMore: Bool, _ total: Int?) {
    guard hasMore else { return note(true, "items: the list is empty: nothing else can be told") }
    let count = total.map { ", and the total is \($0)" } ?? ", and more follows"
    note(false, "items: 0 elements\(count)")
  }

  /// Whether what names the next page drifts, and the recipe does not say so.
  private mutating func noteCounting(_ top: Page) {
    guard let count = top.countedByNext(list.pages) else { return }
    note(
      false, "pages.counted: the next counts (\(count)): ask by page or offset, or say true here")
  }

  /// Whether what names the next page says that nothing follows on the last element.
  private mutating func noteEnd(after top: Page) async {
    let pages = list.pages
    guard pages.by == .page || pages.by == .offset, pages.more == nil, pages.next != .nowhere,
      top.hasNext, let total = top.total, total > top.count
    else { return }
    let paging = feed.pattern.paging
    let window = paging.window(upFrom: total - 1)
    guard window.endRank >= total, let last = await page(window), last.count > 0 else { return }
    let isOver = last.total == total && window.firstRank + last.count >= total
    note(
      !(isOver && last.hasNext),
      "pages.next: \(pages.next.text) \(last.hasNext ? "goes on" : "ends") at element \(total)"
        + (isOver && last.hasNext ? " of \(total); none if it always goes on" : ""))
  }

  private mutating func note(_ isSo: Bool, _ text: String) {
    findings.append(Finding(isWrong: !isSo, text: text))
  }

  private mutating func note(_ top: Page, _ window: Window) {
    let many = top.count
    note(many > 0, "items: \(many) elements")
    let (nameless, undated) = (top.faults[.nameless] ?? 0, top.faults[.undated] ?? 0)
    let broken = (top.faults[.broken] ?? 0) + (top.faults[.repeated] ?? 0)
    let id = list.namesItself ? "itself" : list.id.text
    note(nameless == 0, "id: \(id) in \(many - nameless) of \(many) elements")
    if broken > 0 { note(false, "item: \(broken) of \(many) elements cannot be used") }
    if let key = list.key {
      let keys = top.items.compactMap(\.item.key)
      let displaced = zip(keys, keys.dropFirst()).count { $0 < $1 }
      note(undated == 0, "order: \(key.text) in \(many - undated) of \(many) elements")
      note(
        displaced * 20 <= keys.count,
        "order: \(keys.count - displaced) of \(keys.count) falling")
    }
    if top.isEndDoubted { note(false, "order: the answer of the whole list names a next page") }
    // A list of a few elements whose end nothing states is taken for one.
    let isFew = top.isEndUntold && many < PageSize.perPageMin
    let hasMore = top.hasNext && !isFew || top.total ?? 0 > many
    if feed.pattern.order == .whole {
      let isWhole = !top.isEndDoubted && !hasMore
      note(isWhole, "order: the answer is \(isWhole ? "" : "not ")whole, as far as it says")
    } else if hasMore, many < window.perPage, !list.pages.mayBeShort {
      note(false, "pages.max: \(many) of \(window.perPage) came, and more follows")
    }
    if let place = list.pages.total {
      let total = top.total.map { "\($0)" } ?? "nothing"
      note(top.total ?? -1 >= many, "pages.total: \(place.text) says \(total)")
    }
  }

  /// Whether the place further down is where the recipe says.
  private mutating func notePlace(below top: Page) async {
    let ids = top.items.map(\.item.id)
    let anchor = top.items[ids.count / 2]
    let (window, rank) = window(below: anchor, of: top)
    guard let window else {
      return note(!top.hasNext, "pages.by: nothing tells where the next page begins")
    }
    guard let below = await page(window) else { return }
    let shown = below.items.map(\.item.id)
    guard let rank else {
      await noteFirst(before: ids)
      let known = Set(shown).intersection(ids).count
      return note(
        !shown.isEmpty && known * 2 <= shown.count,
        "pages.by: the next page shows \(shown.count - known) other elements of \(shown.count)")
    }
    let found = shown.first.flatMap(ids.firstIndex)
    let isNear = found.map { abs($0 - rank) <= RecipeTrial.driftMax } ?? false
    if !isNear {
      await noteRounding(of: rank, ids)
      await noteFirst(before: ids)
    }
    note(
      isNear,
      "pages.by: a page asked for from rank \(rank) on begins at "
        + (found.map { "rank \($0)" } ?? "another element"))
  }

  /// Whether an offset is only taken as a multiple of the size.
  private mutating func noteRounding(of rank: Int, _ ids: [Identity]) async {
    guard feed.pattern.paging.addressing == .offset, rank > RecipeTrial.driftMax,
      let page = await page(Window(offset: rank, perPage: rank)),
      let found = page.items.first.flatMap({ ids.firstIndex(of: $0.item.id) }),
      abs(found - rank) <= RecipeTrial.driftMax
    else { return }
    note(false, "pages.aligned: true is needed: offsets are rounded down to the size")
  }

  /// Whether pages are counted from one below the first that was requested, whose elements are
  /// these.
  private mutating func noteFirst(before ids: [Identity]) async {
    let (pages, paging) = (list.pages, feed.pattern.paging)
    guard pages.by == .page, pages.firstNumber > 0,
      let page = try? await fetcher.page(
        Window(page: 0, perPage: paging.perPageMax), of: feed
      ).result.get(),
      !page.items.isEmpty, Set(ids).isDisjoint(with: page.items.map(\.item.id))
    else { return }
    let first = pages.firstNumber - 1
    note(false, "pages.first: \(first) is needed: page \(first) has other elements")
  }

  /// By how many ranks a list may move between two calls.
  private static let driftMax = 4

  /// The window that begins right below an element, and its rank; no rank where it shows others.
  private func window(below anchor: Page.Slot, of top: Page) -> (Window?, rank: Int?) {
    let rank = anchor.index
    let paging = feed.pattern.paging
    switch paging.addressing {
    case .page: return (Window(page: 2, perPage: rank), rank)
    case .pages: return (Window(page: 2, perPage: paging.perPageMax), nil)
    case .offset: return (Window(offset: rank, perPage: paging.perPageMax), rank)
    case .anchor(let isShown):
      let mark = fetcher.mark(of: anchor.item, in: feed)
      return (mark.map { Window(.mark($0, rank: rank), perPage: 5) }, isShown ? rank : rank + 1)
    case .key:
      guard let key = anchor.item.key, let mark = fetcher.mark(of: key, in: feed) else {
        return (nil, nil)
      }
      let first = top.items.first { $0.item.key == key }?.index
      return (Window(.mark(mark, rank: rank), perPage: paging.perPageMax), first ?? rank)
    case .next:
      return (
        top.nextMark.map { Window(.mark($0, rank: top.count), perPage: paging.perPageMax) }, nil
      )
    }
  }
}
