import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// What becomes of answers with elements that cannot be used.
@Suite struct FaultyElementTests {
  /// Gives one drawn page after the other, the last one for ever.
  private final class Drawn: PageFetcher {
    private let time: VirtualTime
    private let pages: Mutex<[Page]>

    init(_ pages: [Page], time: VirtualTime) {
      self.time = time
      self.pages = Mutex(pages)
    }

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      let sentAt = time.now
      await time.sleep(.milliseconds(100))
      let page = pages.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return Fetched(
        sentAt: sentAt, receivedAt: time.now, date: time.now.seconds, budget: nil,
        result: .success(page))
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      Fetched(
        sentAt: time.now, receivedAt: time.now, date: nil, budget: nil,
        result: .failure(.notFound))
    }
  }

  /// What refreshing so often shows each time, and what the operator was told meanwhile.
  private func refresh(
    _ pages: [Page], feeds: [FeedID] = [itemsFeed]
  ) throws -> (ids: [String], told: [String]) {
    let time = VirtualTime()
    let told = Mutex<[String]>([])
    let reader = try FeedReader(
      source: "qiita", policy: Policy(), fetcher: Drawn(pages, time: time), store: MemoryStore(),
      time: time, executor: time,
      report: { incident in
        guard case .faultyElements(_, _, let fault, let count, let isFirst) = incident else {
          return
        }
        told.withLock { $0.append("\(fault) \(count)\(isFirst ? " first" : "")") }
      })
    let shown = time.run { () async -> [String] in
      var shown: [String] = []
      for _ in pages {
        for feed in feeds {
          var request = SliceRequest(feed: feed, limit: 20, wait: .seconds(5))
          request.refreshes = true
          let slice = try? await reader.slice(request)
          shown.append(slice?.items.map(\.id.text).joined(separator: " ") ?? "none")
        }
        await time.sleep(.seconds(100))
      }
      return shown
    }
    return (shown ?? [], told.withLock { $0 })
  }

  private func answer(_ drawing: String, _ faults: [ElementFault: Int] = [:]) -> Page {
    var answer = page(drawing, hasNext: false)
    answer.faults = faults
    return answer
  }

  @Test func tellsOfAFaultFirstOnceAFeedAndKind() throws {
    let bad = answer("9a ? 7c", [.broken: 1])
    let worse = answer("9a ? ?", [.broken: 1, .repeated: 1])
    let told = try refresh([bad, bad, worse, worse]).told
    // What cannot be used is asked for again at once, so that there are more answers than looks.
    #expect(told.count > 6)
    #expect(told.filter { $0.hasSuffix("first") } == ["broken 1 first", "repeated 1 first"])
    #expect(told.allSatisfy { $0.hasPrefix("broken 1") || $0.hasPrefix("repeated 1") })
    let other = FeedID(
      source: "qiita", pattern: itemsFeed.pattern, parts: [Array("items".utf8)],
      query: Array("other".utf8))
    let apart = try refresh([bad], feeds: [itemsFeed, other]).told
    #expect(apart.filter { $0.hasSuffix("first") } == ["broken 1 first", "broken 1 first"])
  }

  @Test func tellsOfElementsOutOfTheirPlace() throws {
    let (ids, told) = try refresh([answer("9a 3c 7b 2d")])
    #expect(ids == ["a b c d"])
    #expect(told == ["displaced 1 first"])
  }

  /// `b` cannot be read any more, but nothing says that it has gone.
  @Test func anAnswerThatCouldNotBeReadWholeRefutesNothing() throws {
    let whole = answer("9a 8b 7c")
    let damaged = answer("9a ? 7c", [.broken: 1])
    #expect(try refresh([whole, damaged, damaged, damaged]).ids.last == "a b c")
    let without = answer("9a 7c")
    #expect(try refresh([whole, without, without, without]).ids.last == "a c")
  }

  /// The reader waits for the answer that shows it, or for three that agree.
  @Test func whatCouldNotBeReadIsAskedForAgain() throws {
    let damaged = answer("9a ? 7c", [.undated: 1])
    #expect(try refresh([damaged, answer("9a 8b 7c")]).ids == ["a b c", "a b c"])
    #expect(try refresh([damaged, damaged, answer("9a 8b 7c")]).ids.first == "a b c")
    let stays = try refresh([damaged, damaged, damaged, answer("9a 8b 7c")]).ids
    #expect(stays == ["a c", "a b c", "a b c", "a b c"])
  }
}
