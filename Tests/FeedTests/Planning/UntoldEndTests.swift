import History
import Testing

@testable import Feed

/// A page of which nothing tells whether more follows, and the answer for the place right below.
@Suite struct UntoldEndTests {
  private static func page(_ numbers: Range<Int>, hasNext: Bool = false) -> Page {
    let items = numbers.enumerated().map { index, number in
      Page.Slot(
        index: index,
        item: PageItem(
          id: Identity("i\(number)"), key: 900 - Int64(number), updatedAt: nil, bytes: []))
    }
    return Page(items: items, count: numbers.count, hasNext: hasNext, total: nil)
  }

  /// What is kept of the page of these elements, which a window brought.
  private static func kept(
    _ numbers: Range<Int>, of window: Window = Window(page: 1, perPage: 100),
    in paging: Paging = Paging(.offset, perPageMax: 100)
  ) throws -> Continuation {
    var page = page(numbers, hasNext: true)
    page.isEndUntold = true
    let now = Timestamp(seconds: 10)
    let answer = Fetched(
      sentAt: now, receivedAt: now, date: nil, budget: nil, result: .success(page))
    let evidence = Evidence(page, to: window, sentAt: now, clock: 1000)
    return try #require(
      Continuation(page, evidence, in: window, paging: paging, order: .value, answer: answer))
  }

  /// How places are named, the window that brought seven elements, and the one below these.
  @Test(
    arguments: [
      (.page(max: 100), Window(page: 1, perPage: 100), Window(page: 2, perPage: 7)),
      (.page(max: 100), Window(page: 3, perPage: 7), Window(page: 4, perPage: 7)),
      (.page(max: 100), Window(page: 2, perPage: 10), Window(page: 3, perPage: 10)),
      (.pages, Window(page: 1, perPage: 20), Window(page: 2, perPage: 20)),
      (.offset, Window(offset: 3, perPage: 20), Window(offset: 10, perPage: 20)),
      (
        .anchor(isShown: true), Window(.mark(nil, rank: 0), perPage: 20),
        Window(.mark(nil, rank: 7), perPage: 20)
      ),
    ] as [(Paging.Addressing, Window, Window)])
  func thePlaceBelowIsAskedFor(addressing: Paging.Addressing, window: Window, below: Window) throws
  {
    var below = below
    below.isContinued = true
    let paging = Paging(addressing, perPageMax: 100)
    let kept = try Self.kept(0..<7, of: window, in: paging)
    #expect(kept.following(window, in: paging) == below)
  }

  @Test func belowTheLastPageThatThereIsNoneIsAskedFor() throws {
    let paging = Paging(.page(max: 4), perPageMax: 100)
    let last = Window(page: 4, perPage: 12)
    #expect(try Self.kept(0..<7, of: last, in: paging).following(last, in: paging) == nil)
    let other = Window(page: 3, perPage: 12)
    #expect(try Self.kept(0..<7, of: other, in: paging).following(other, in: paging) != nil)
  }

  @Test func aWindowThatShowsMoreThanThePageIsAskedForInstead() throws {
    let paging = Paging(.offset, perPageMax: 100)
    let kept = try Self.kept(0..<7)
    #expect(kept.following(Window(offset: 6, perPage: 100), in: paging) == nil)
    #expect(kept.following(nil, in: paging) != nil)
  }

  /// What is asked for from a key on shows the elements of that key once more.
  @Test(arguments: [(1, true), (2, false)])
  func belowAPageOfOneKeyTheNextKeyIsAskedFor(count: Int, isAsked: Bool) throws {
    let paging = Paging(.key, perPageMax: 100)
    let kept = try Self.kept(0..<count, of: Window(.mark(nil, rank: 0), perPage: 20), in: paging)
    let aim = Window(.mark(nil, rank: 1), perPage: 20)
    #expect((kept.following(aim, in: paging) != nil) == isAsked)
  }

  /// The elements of the page, and of the one below it.
  @Test(
    arguments: [
      (0..<7, 0..<0, true), (0..<7, 6..<7, true), (0..<7, 0..<7, true), (0..<7, 6..<8, false),
      (0..<7, 7..<9, false), (0..<12, 0..<0, true), (0..<12, 11..<12, true),
      (0..<12, 0..<12, false),
    ])
  func onlyNewElementsFollow(numbers: Range<Int>, below: Range<Int>, isLast: Bool) throws {
    let last = try Self.kept(numbers).asLast(before: Self.page(below))
    #expect((last != nil) == isLast)
    if let page = try last?.result.get() { #expect(!page.hasNext && !page.isEndUntold) }
  }

  @Test func aPageBelowThatNamesANextOneIsNotTheEnd() throws {
    #expect(try Self.kept(0..<7).asLast(before: Self.page(6..<7, hasNext: true)) == nil)
  }
}
