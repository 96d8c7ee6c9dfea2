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
    for number in 0..<SeenPages.topsMax { seen.note(top, of: feed(number)) }
    seen.note(top, of: feed(1))
    #expect(seen.top(of: feed(0))?.beside == 1)
    seen.note(top, of: feed(SeenPages.topsMax))
    #expect(seen.top(of: feed(0)) == nil)
    #expect(seen.top(of: feed(SeenPages.topsMax))?.beside == 1)
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
}
