package import Feed

/// Tries a list of a recipe with two calls: whether what the recipe says of it is so.
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
    note(top, window)
    guard feed.pattern.order != .whole else { return findings }
    guard top.items.count >= 4 else {
      note(true, "pages.by: \(top.items.count) elements are too few to tell")
      return findings
    }
    await notePlace(below: top)
    return findings
  }

  private mutating func page(_ window: Window) async -> Page? {
    switch await fetcher.page(window, of: feed).result {
    case .success(let page): return page
    case .failure(let error):
      note(false, "path: \(error.reason)")
      return nil
    }
  }

  private mutating func note(_ isSo: Bool, _ text: String) {
    findings.append(Finding(isWrong: !isSo, text: text))
  }

  private mutating func note(_ top: Page, _ window: Window) {
    let many = top.count
    note(many > 0, "items: \(many) elements")
    let (nameless, undated) = (top.faults[.nameless] ?? 0, top.faults[.undated] ?? 0)
    let broken = (top.faults[.broken] ?? 0) + (top.faults[.repeated] ?? 0)
    note(nameless == 0, "id: \(list.id.text) in \(many - nameless) of \(many) elements")
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
    let hasMore = top.hasNext || top.total ?? 0 > many
    if hasMore, many < window.perPage, !list.pages.mayBeShort {
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
      let known = Set(shown).intersection(ids).count
      return note(
        !shown.isEmpty && known * 2 <= shown.count,
        "pages.by: the next page shows \(shown.count - known) other elements of \(shown.count)")
    }
    let found = shown.first.flatMap(ids.firstIndex)
    let isNear = found.map { abs($0 - rank) <= RecipeTrial.driftMax } ?? false
    note(
      isNear,
      "pages.by: a page asked for from rank \(rank) on begins at "
        + (found.map { "rank \($0)" } ?? "another element"))
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
