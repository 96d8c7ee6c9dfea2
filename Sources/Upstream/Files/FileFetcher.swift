private import Bytes
package import Feed

/// Answers from a file of JSON: an array, or one object a line, in its order or by a key.
///
/// The file is looked at when it is asked for, and read only when it has changed since. One that
/// cannot be used is refused with its line, and read again when it changes; what was good before
/// stays where it is stored. All that blocks here runs on the caller's executor.
package actor FileFetcher: PageFetcher {
  /// The list of a file of which nothing is said: `id`, and the file's order, which comes whole.
  package static let list: ListRecipe = {
    var list = ListRecipe(path: "items")
    list.order = .whole
    return list
  }()

  /// The most elements of a window of a file that does not come whole.
  static let windowMax = 1_000

  /// The feeds of a file: one.
  package static func patterns(of list: ListRecipe = list) -> [FeedPattern] {
    var pattern = list.pattern
    pattern.content = "items"
    pattern.one = "items"
    pattern.listsAll = true
    pattern.paging =
      list.order == .whole
      ? Paging(.page(max: 1), perPageMax: FileElements.countMax)
      : Paging(.offset, perPageMax: windowMax)
    // Not what an API, or another key of the file, has stored under the same name before.
    let keys = "\(list.id.text) \(list.order.text) \(list.time.rawValue)"
    pattern.recipe = list == FileFetcher.list ? 0 : Fingerprint.value(of: keys)
    return [pattern]
  }

  /// How a file is kept: looked at again when a second has passed, tried again when it failed
  /// after a second, and never waited for ahead.
  package static let policy: Policy = {
    var policy = Policy()
    policy.freshSeconds = 1
    policy.staleSeconds = 1
    policy.recheckSeconds = 1
    policy.refreshSeconds = 0
    policy.prefetchItems = 0
    policy.reserveCalls = 0
    policy.pauseMax = .seconds(1)
    return policy
  }()

  /// What a look at a file may cost: nothing that runs out.
  private static let budgetLimit = 1_000_000

  private let path: String
  private let list: ListRecipe
  private let clock: any TimeSource
  private let bytesMax: Int
  private var content: Content?
  private var refusal: (stamp: RegularFile.Stamp, error: FetchError)?
  private var lastRevision: UInt64 = 0

  private struct Content {
    var stamp: RegularFile.Stamp
    /// Whether the file may have changed once more under the same stamp.
    var isRecent: Bool
    var items: [PageItem]
    var places: [Identity: Int]
    var revision: UInt64
  }

  /// A fetcher of the file at `path`, of at most `bytesMax` bytes; of `list` its identity, order
  /// and key count.
  package init(
    path: String, list: ListRecipe = FileFetcher.list, clock: any TimeSource, bytesMax: Int
  ) {
    self.path = path
    self.list = list
    self.clock = clock
    self.bytesMax = bytesMax
  }

  package func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    await page(window, of: feed, unlessStill: nil)
  }

  package func page(
    _ window: Window, of feed: FeedID, unlessStill known: UInt64?
  ) async -> Fetched<Page> {
    fetch { content throws(FetchError) in
      let isWhole = list.order == .whole
      guard !isWhole || content.revision != known else { throw .unchanged }
      let below = content.items.dropFirst(isWhole ? 0 : window.firstRank)
      let shown = isWhole ? below : below.prefix(window.perPage)
      let slots = shown.enumerated().map { Page.Slot(index: $0, item: $1) }
      var page = Page(
        items: slots, count: slots.count, hasNext: shown.count < below.count,
        total: content.items.count)
      if isWhole { page.revision = content.revision }
      return page
    }
  }

  package func item(_ name: ItemName) async -> Fetched<PageItem> {
    fetch { content throws(FetchError) in
      guard name.kind == "items", let place = content.places[name.id] else { throw .notFound }
      return content.items[place]
    }
  }

  private func fetch<Value: Sendable>(
    _ read: (Content) throws(FetchError) -> Value
  ) -> Fetched<Value> {
    let sentAt = clock.now
    let result = Result { () throws(FetchError) in try read(try look(at: sentAt)) }
    return Fetched(
      sentAt: sentAt, receivedAt: clock.now,
      // Who writes the file has this machine's clock, by which its newest instants are closed.
      date: list.order == .whole ? nil : sentAt.seconds,
      budget: BudgetReading(
        limit: FileFetcher.budgetLimit, remaining: FileFetcher.budgetLimit,
        resetSeconds: sentAt.seconds + 3_600),
      result: result)
  }

  /// What the file holds now.
  private func look(at now: Timestamp) throws(FetchError) -> Content {
    let stamp = try RegularFile.stamp(of: path)
    if let content, content.stamp == stamp, !content.isRecent { return content }
    if let refusal, refusal.stamp == stamp, !stamp.isRecent(at: now) { throw refusal.error }
    let read = try RegularFile.read(path, bytesMax: bytesMax)
    let items: [PageItem]
    do throws(FileFault) {
      items = try FileElements.read(read.bytes, list)
    } catch {
      let refused = FetchError.malformed(reason: "line \(error.line): \(error.reason)")
      refusal = (read.stamp, refused)
      throw refused
    }
    let isSame = content?.items == items
    if !isSame { lastRevision += 1 }
    let places =
      isSame
      ? content?.places
      : Dictionary(zip(items.map(\.id), items.indices), uniquingKeysWith: { first, _ in first })
    let new = Content(
      stamp: read.stamp, isRecent: read.stamp.isRecent(at: now), items: items,
      places: places ?? [:], revision: lastRevision)
    content = new
    refusal = nil
    return new
  }
}
