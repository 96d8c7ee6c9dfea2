internal import Feed
private import Synchronization

/// What the pages of lists were seen to be like. That a page is shorter than it was asked for says
/// that it is the last only where a larger one has come, as the upstream may give fewer to
/// everyone, and where what lies below such pages was seen to be nothing: some elements may be left
/// out of each. And that it names no next says so only where one has come that did. What stands on
/// top of the first page and of one below is pinned.
final class SeenPages: Sendable {
  private struct List {
    var most = 0
    var namesNext = false
    var fraction: Int?
    /// How many short pages were seen to be the last; nil once one was not.
    var lastPages: Int? = 0
  }
  private let lists = Mutex<[String: List]>([:])

  /// What stands on top of a feed's first page.
  struct Top {
    /// Its first elements: one more than may be pinned.
    private var ids: [Identity]
    /// How many of them are pinned; nil where it does not show that.
    private var pinned: Int?

    /// The top of a first page on which so many elements were asked for; `isSized` where no other
    /// number comes unless the list is shorter, or elements are pinned.
    init(_ page: Page, asked: Int, isSized: Bool) {
      let most = ListReaders.List.pinnedMax
      ids = page.items.prefix { $0.index <= most }.map(\.item.id)
      let beside = page.count - asked
      pinned = (isSized ? 0 : 1)...most ~= beside ? beside : nil
    }

    /// How many elements came beside those that were asked for.
    var beside: Int { pinned ?? 0 }

    /// How many elements of a page below are pinned: those that stand on top of both, unless that
    /// page may as well begin where the first one did.
    func pinned(on page: Page) -> Int {
      let same = zip(page.items, ids).prefix { $0.item.id == $1 }.count
      if let pinned { return same >= pinned ? pinned : 0 }
      return same <= ListReaders.List.pinnedMax ? same : 0
    }
  }

  /// A page of a feed of which only its size says that it is the last.
  private struct ShortPage {
    let firstRank: Int
    let last: Identity?
  }

  /// What was seen of one feed.
  private struct Seen {
    var top: Top?
    var shortPage: ShortPage?
  }
  /// The most feeds of which something is kept.
  static let feedsMax = 4_096
  private let feeds = Mutex<[FeedID: Seen]>([:])

  private func keep<Value>(_ value: Value?, at path: WritableKeyPath<Seen, Value?>, of feed: FeedID)
  {
    feeds.withLock { feeds in
      if feeds.count >= SeenPages.feedsMax, feeds[feed] == nil { feeds.removeAll() }
      feeds[feed, default: Seen()][keyPath: path] = value
    }
  }

  /// Notes a page of a list. Returns whether none that was larger has come.
  func note(_ count: Int, of list: String) -> Bool {
    lists.withLock { lists in
      let most = lists[list]?.most ?? 0
      if count > most { lists[list, default: List()].most = count }
      return count >= most
    }
  }

  /// Notes whether a page of a list has the place where the next is named. Returns whether one of
  /// them had.
  func note(namesNext: Bool, of list: String) -> Bool {
    lists.withLock { lists in
      if namesNext { lists[list, default: List()].namesNext = true }
      return lists[list]?.namesNext ?? false
    }
  }

  /// Notes how many digits behind the dot a key of a list has.
  func note(fraction: Int, of list: String) {
    lists.withLock { lists in
      if fraction > lists[list]?.fraction ?? -1 {
        lists[list, default: List()].fraction = fraction
      }
    }
  }

  /// How many digits behind the dot the keys of a list have; nil where none has come.
  func fraction(of list: String) -> Int? { lists.withLock { $0[list]?.fraction } }

  /// So many short pages below which there was nothing show that those of their list are the last.
  static let lastPagesMin = 3

  /// Notes a page of a feed of which only its size says that it is the last. Returns whether that
  /// is believed: not before pages of its list were seen to be so, nor once one was not.
  func isLast(_ page: Page, to window: Window, of feed: FeedID) -> Bool {
    let lastPages = lists.withLock { $0[feed.pattern.path]?.lastPages ?? 0 }
    guard lastPages < SeenPages.lastPagesMin else { return true }
    let short = ShortPage(firstRank: window.firstRank, last: page.items.last?.item.id)
    keep(short, at: \.shortPage, of: feed)
    return false
  }

  /// Notes what came for a place further down than a feed's short page, if there is one: nothing,
  /// also as the upstream has no such place, or no more than that page ends with; or more.
  func noteBelow(_ page: Page?, to window: Window, of feed: FeedID) {
    let last = page?.items.last?.item.id
    guard page == nil || page?.count == 0 || last != nil else { return }
    let short = feeds.withLock { feeds -> ShortPage? in
      guard let short = feeds[feed]?.shortPage, short.firstRank < window.firstRank else {
        return nil
      }
      feeds[feed]?.shortPage = nil
      return short
    }
    guard let short else { return }
    lists.withLock { lists in
      let list = lists[feed.pattern.path] ?? List()
      lists[feed.pattern.path, default: list].lastPages =
        last == nil || last == short.last ? list.lastPages.map { $0 + 1 } : nil
    }
  }

  /// Notes the top of a feed.
  func note(_ top: Top, of feed: FeedID) { keep(top, at: \.top, of: feed) }

  /// The top of a feed as its first page came last; nil where none is known.
  func top(of feed: FeedID) -> Top? { feeds.withLock { $0[feed]?.top } }
}
