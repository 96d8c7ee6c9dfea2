import Engine
import Feed

/// An upstream that cannot be reached, or whose lists are empty.
struct Nowhere: PageFetcher {
  var isEmpty = false

  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    guard isEmpty else { return nothing() }
    let now = Timestamp(seconds: 1)
    return Fetched(
      sentAt: now, receivedAt: now, date: nil, budget: nil,
      result: .success(Page(items: [], count: 0, hasNext: false, total: 0)))
  }

  func item(_ name: ItemName) async -> Fetched<PageItem> { nothing() }

  private func nothing<Value: Sendable>() -> Fetched<Value> {
    let now = Timestamp(seconds: 0)
    return Fetched(
      sentAt: now, receivedAt: now, date: nil, budget: nil,
      result: .failure(.unreachable(reason: "nowhere")))
  }
}
