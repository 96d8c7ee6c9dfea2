import History
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// Feeds that the upstream does not answer, beside others.
@Suite struct HangingFeedTests {
  /// Answers feeds at once, but for those of a search, which it does not answer in 30 s.
  private final class Hanging: PageFetcher {
    let time: VirtualTime
    let underWay = Mutex<(now: Int, most: Int)>((0, 0))

    init(time: VirtualTime) { self.time = time }

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      let sentAt = time.now
      underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      await time.sleep(feed.parameters == nil ? .milliseconds(100) : .seconds(30))
      underWay.withLock { $0.now -= 1 }
      let item = PageItem(id: Identity("a"), key: 1_000, updatedAt: nil, bytes: [])
      let page = Page(
        items: [Page.Slot(index: 0, item: item)], count: 1, hasNext: false, total: 1)
      return Fetched(
        sentAt: sentAt, receivedAt: time.now, date: time.now.seconds, budget: nil,
        result: feed.parameters == nil ? .success(page) : .failure(.timedOut))
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      Fetched(
        sentAt: time.now, receivedAt: time.now, date: nil, budget: nil,
        result: .failure(.notFound))
    }
  }

  @Test(arguments: [2, 4, 6])
  func theyDoNotTakeTheLastPlace(maxInFlight: Int) throws {
    let time = VirtualTime()
    let fetcher = Hanging(time: time)
    var policy = Policy()
    policy.maxInFlight = maxInFlight
    let reader = try FeedReader(
      source: "qiita", policy: policy, fetcher: fetcher, store: MemoryStore(), time: time,
      executor: time)
    let hanging = (0..<maxInFlight).map { itemsFeed.searched(for: Array("\($0)".utf8)) }
    let isAnswered = time.run { () async -> Bool in
      func ask(_ feed: FeedID) async -> Bool {
        (try? await reader.slice(SliceRequest(feed: feed, limit: 20, wait: .seconds(5)))) != nil
      }
      for pause in [40, 40, 1] {
        for feed in hanging { _ = Task(executorPreference: time) { await ask(feed) } }
        await time.sleep(.seconds(pause))
      }
      return await ask(itemsFeed)
    }
    #expect(isAnswered == true)
    #expect(fetcher.underWay.withLock(\.most) == maxInFlight)
  }
}
