import History
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// Answers that contradict themselves or what is known, and what they may cost.
@Suite struct JudgementTests {
  /// An upstream whose answers are what a test makes of the list's own.
  private final class Odd: PageFetcher {
    let time: VirtualTime
    let ids: [String]
    /// When the topmost element was made.
    let newest: Int64
    let isDated: Bool
    let calls = Mutex(0)
    /// The most elements on a page.
    let perPageServed = Mutex(100)
    let tellsTotal = Mutex(true)
    let odd: @Sendable (Window, Page) -> Page

    init(
      _ time: VirtualTime, count: Int, isDated: Bool,
      odd: @escaping @Sendable (Window, Page) -> Page
    ) {
      self.time = time
      newest = time.now.seconds - 1_000
      ids = (0..<count).map { "e\(10_000 - $0)" }
      self.isDated = isDated
      self.odd = odd
    }

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      calls.withLock { $0 += 1 }
      let window = Window(
        page: window.page, perPage: min(window.perPage, perPageServed.withLock { $0 }))
      let shown = ids.enumerated().dropFirst(window.firstRank).prefix(window.perPage)
      let slots = shown.enumerated().map { index, element in
        Page.Slot(index: index, item: item(element.element, rank: element.offset))
      }
      let page = Page(
        items: slots, count: slots.count, hasNext: window.endRank < ids.count,
        total: tellsTotal.withLock { $0 } ? ids.count : nil)
      return Fetched(
        sentAt: time.now, receivedAt: time.now, date: time.now.seconds, budget: nil,
        result: .success(odd(window, page)))
    }

    func item(_ id: String, rank: Int) -> PageItem {
      PageItem(
        id: Identity(id), key: isDated ? newest - 10 * Int64(rank) : nil,
        updatedAt: nil, bytes: Array(id.utf8))
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      Fetched(
        sentAt: time.now, receivedAt: time.now, date: nil, budget: nil,
        result: .failure(.notFound))
    }
  }

  private final class Stand {
    let time = VirtualTime()
    let upstream: Odd
    let reader: FeedReader
    let feed: FeedID

    init(
      count: Int, isDated: Bool,
      odd: @escaping @Sendable (Window, Page) -> Page
    ) throws {
      upstream = Odd(time, count: count, isDated: isDated, odd: odd)
      reader = try FeedReader(
        source: "s", policy: Policy(), fetcher: upstream, store: MemoryStore(), time: time,
        executor: time, random: { $0.lowerBound })
      feed = isDated ? Dialect.articles.lists.items : Dialect.articles.lists.followers
    }

    func slice(limit: Int = 100, refreshes: Bool = false) -> Result<Slice, ReadError> {
      var request = SliceRequest(feed: feed, limit: limit, wait: .seconds(5))
      request.refreshes = refreshes
      let asked = request
      return time.run { [reader] in
        do throws(ReadError) {
          return .success(try await reader.slice(asked))
        } catch {
          return .failure(error)
        }
      } ?? .failure(.timedOut)
    }

    func rest(_ seconds: Int) { time.run { [time] in await time.sleep(.seconds(seconds)) } }

    var calls: Int { upstream.calls.withLock { $0 } }
  }

  /// Lists that show nothing, or other pages than asked for.
  static let shapes: [(name: String, odd: @Sendable (Window, Page) -> Page)] = [
    ("empty", { _, page in Page(items: [], count: 0, hasNext: page.hasNext, total: page.total) }),
    (
      "empty first page",
      { window, page in
        window.page > 1
          ? page : Page(items: [], count: 0, hasNext: page.hasNext, total: page.total)
      }
    ),
    (
      "nulls",
      { _, page in Page(items: [], count: page.count, hasNext: page.hasNext, total: page.total) }
    ),
    (
      "first 98 hidden",
      { window, page in
        let items = page.items.filter { window.firstRank + $0.index >= 98 }
        let slots = items.enumerated().map { Page.Slot(index: $0, item: $1.item) }
        return Page(items: slots, count: slots.count, hasNext: page.hasNext, total: page.total)
      }
    ),
    (
      "one element a page",
      { _, page in
        Page(
          items: Array(page.items.prefix(1)), count: min(1, page.count), hasNext: page.hasNext,
          total: page.total)
      }
    ),
  ]

  @Test(arguments: shapes.indices, [true, false])
  func oneRequestSpendsFewCalls(shape: Int, isDated: Bool) throws {
    let stand = try Stand(count: 600, isDated: isDated, odd: Self.shapes[shape].odd)
    for _ in 0..<3 { _ = stand.slice() }
    #expect(stand.calls <= 20, "\(Self.shapes[shape].name)")
  }

  @Test(arguments: 0..<3, [true, false])
  func storedSlicesOutliveAnswersOfNothing(shape: Int, isDated: Bool) throws {
    let isOdd = Mutex(false)
    let stand = try Stand(count: 300, isDated: isDated) { window, page in
      isOdd.withLock { $0 } ? Self.shapes[shape].odd(window, page) : page
    }
    let first = try stand.slice().get().items.map(\.id)
    #expect(first.count == 100)
    isOdd.withLock { $0 = true }
    for _ in 0..<6 {
      stand.rest(65)
      #expect(try stand.slice(refreshes: true).get().items.map(\.id) == first)
    }
    isOdd.withLock { $0 = false }
    stand.rest(65)
    let last = try stand.slice(refreshes: true).get()
    #expect(last.items.map(\.id) == first && last.freshness.state == .fresh)
  }

  @Test(arguments: [1, 5, 60, 250], [true, false])
  func aPageOfWhichNothingCanBeUsedIsNoEnd(count: Int, isDated: Bool) throws {
    let stand = try Stand(count: count, isDated: isDated, odd: Self.shapes[2].odd)
    #expect(throws: ReadError.self) { try stand.slice().get() }
    #expect(stand.calls == 1)
  }

  /// 100 of 400 are known; the next answer is short, or empty, and has no `rel=next`.
  @Test(arguments: [0, 1, 30, 60], [true, false])
  func aContradictedEndIsAskedForOnceMore(kept: Int, isDated: Bool) throws {
    let oddAnswers = Mutex(0)
    let stand = try Stand(count: 400, isDated: isDated) { window, page in
      let isOdd = oddAnswers.withLock { answers in
        defer { answers = max(0, answers - 1) }
        return answers > 0
      }
      guard isOdd else { return page }
      let items = Array(page.items.prefix(kept))
      return Page(items: items, count: items.count, hasNext: false, total: page.total)
    }
    _ = try stand.slice(limit: 20).get()
    stand.rest(10)
    oddAnswers.withLock { $0 = 1 }
    var request = SliceRequest(feed: stand.feed, limit: 100, wait: .seconds(5))
    let (reader, time) = (stand.reader, stand.time)
    request.refreshes = false
    let asked = request
    let walk = try #require(
      time.run { await Walk.run(reader, asked) { await time.sleep(.seconds(3)) } })
    #expect(walk.ids == stand.upstream.ids.map { Identity($0) })
  }

  /// Sizes above 20, 30 or 50 are served as that.
  @Test(arguments: [20, 30, 50], [(true, true), (true, false), (false, true), (false, false)])
  func theSizeThatComesIsLearned(size: Int, kind: (isDated: Bool, tellsTotal: Bool)) throws {
    let (isDated, tellsTotal) = kind
    let stand = try Stand(count: 400, isDated: isDated) { _, page in page }
    stand.upstream.perPageServed.withLock { $0 = size }
    if !tellsTotal { stand.upstream.tellsTotal.withLock { $0 = false } }
    let (reader, time) = (stand.reader, stand.time)
    let asked = SliceRequest(feed: stand.feed, limit: 100, wait: .seconds(5))
    let walk = try #require(
      time.run { await Walk.run(reader, asked) { await time.sleep(.seconds(3)) } })
    #expect(walk.ids == stand.upstream.ids.map { Identity($0) })
    // Each page overlaps the one above by a few.
    #expect(stand.calls <= 400 / size * 2 + 4)
  }

  /// An end that is there although the total says otherwise, as where elements are hidden.
  @Test(arguments: [true, false])
  func anEndThatIsClaimedAgainIsBelieved(isDated: Bool) throws {
    let stand = try Stand(count: 150, isDated: isDated) { _, page in
      Page(items: page.items, count: page.count, hasNext: page.hasNext, total: 9_000)
    }
    let (reader, time) = (stand.reader, stand.time)
    let asked = SliceRequest(feed: stand.feed, limit: 100, wait: .seconds(5))
    let walk = try #require(
      time.run { await Walk.run(reader, asked) { await time.sleep(.seconds(3)) } })
    #expect(walk.ids == stand.upstream.ids.map { Identity($0) })
    #expect(stand.calls <= 6)
  }
}
