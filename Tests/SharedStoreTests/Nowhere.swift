import Engine
import Feed

/// An upstream that nobody reaches.
struct Nowhere: PageFetcher {
  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> { nothing() }

  func item(_ name: ItemName) async -> Fetched<PageItem> { nothing() }

  private func nothing<Value: Sendable>() -> Fetched<Value> {
    let now = Timestamp(seconds: 0)
    return Fetched(
      sentAt: now, receivedAt: now, date: nil, budget: nil,
      result: .failure(.unreachable(reason: "nowhere")))
  }
}
