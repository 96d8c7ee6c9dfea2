import Feed
import Support
import Testing

@testable import Upstream

@Suite struct SeenPagesTests {
  private func feed(_ number: Int) -> FeedID {
    FeedID(
      source: "api", pattern: FeedPattern("lists/:id", order: .observed),
      parts: ["lists", "\(number)"].map { Array($0.utf8) })
  }

  private func page(_ names: [String]) -> Page {
    let slots = names.enumerated().map { index, name in
      Page.Slot(
        index: index, item: PageItem(id: Identity(name), key: nil, updatedAt: nil, bytes: []))
    }
    return Page(items: slots, count: slots.count, hasNext: true, total: nil)
  }

  /// The tops of so many feeds are kept, and of one more only its own.
  @Test func theTopsOfSoManyFeedsAreKept() {
    let seen = SeenPages()
    let top = SeenPages.Top(page(["a", "b", "c"]), asked: 2, isSized: true)
    for number in 0..<SeenPages.feedsMax { seen.note(top, of: feed(number)) }
    seen.note(top, of: feed(1))
    #expect(seen.top(of: feed(0))?.beside == 1)
    seen.note(top, of: feed(SeenPages.feedsMax))
    #expect(seen.top(of: feed(0)) == nil)
    #expect(seen.top(of: feed(SeenPages.feedsMax))?.beside == 1)
  }

  /// Up to four come beside those that were asked for; a page that goes on as the first one did is
  /// no page below it.
  @Test(arguments: [(3, 0), (4, 1), (7, 4), (8, 0)]) func soManyArePinned(count: Int, pinned: Int) {
    let names = (0..<count).map { "e\($0)" }
    let top = SeenPages.Top(page(names), asked: 3, isSized: true)
    #expect(top.beside == pinned)
    #expect(top.pinned(on: page(names.prefix(pinned) + ["x", "y"])) == (count == 8 ? 0 : pinned))
    let unsized = SeenPages.Top(page(names), asked: 100, isSized: false)
    #expect(unsized.pinned(on: page(names.prefix(3) + ["x"])) == 3)
    #expect(unsized.pinned(on: page(names)) == (count > 4 ? 0 : count))
  }

  private func isLast(_ seen: SeenPages, below names: [String]?, of number: Int = 0) -> Bool {
    let window = { Window(offset: $0, perPage: 10) }
    defer { seen.noteBelow(names.map(page), to: window(30), of: feed(number)) }
    return seen.isLast(page(["a", "b"]), to: window(20), of: feed(number))
  }

  /// Short pages are believed to be the last once so many were, whatever shows it, and never once
  /// one was not.
  @Test func shortPagesAreBelievedToBeTheLast() {
    let seen = SeenPages()
    for names in [nil, [], ["b"]] as [[String]?] { #expect(!isLast(seen, below: names)) }
    #expect(isLast(seen, below: nil))
    #expect(isLast(seen, below: ["c"]))
    let other = SeenPages()
    for names in [[], ["c"], [], [], [], []] { #expect(!isLast(other, below: names)) }
  }

  /// What comes for a place further up says nothing of a short page, nor does an answer in which
  /// nothing can be used.
  @Test func onlyWhatLiesBelowAShortPageTells() {
    let seen = SeenPages()
    for _ in 0..<8 {
      #expect(!seen.isLast(page(["a", "b"]), to: Window(offset: 20, perPage: 10), of: feed(0)))
      seen.noteBelow(page(["c"]), to: Window(offset: 20, perPage: 10), of: feed(0))
      seen.noteBelow(
        Page(items: [], count: 2, hasNext: true, total: nil), to: Window(offset: 30, perPage: 10),
        of: feed(0))
    }
    for _ in 0..<3 { #expect(!isLast(seen, below: [])) }
    #expect(isLast(seen, below: []))
  }

  /// The short pages of so many feeds are kept, and of one more only its own.
  @Test func theShortPagesOfSoManyFeedsAreKept() {
    let window = { Window(offset: $0, perPage: 10) }
    for (more, isKept) in [(0, true), (1, false)] {
      let seen = SeenPages()
      for number in 0..<SeenPages.feedsMax + more {
        #expect(!seen.isLast(page(["a"]), to: window(20), of: feed(number)))
      }
      for number in 0..<3 { seen.noteBelow(nil, to: window(30), of: feed(number)) }
      #expect(seen.isLast(page(["a"]), to: window(20), of: feed(0)) == isKept)
    }
  }
}
