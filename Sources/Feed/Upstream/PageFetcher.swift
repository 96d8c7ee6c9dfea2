/// Asks one upstream. Calls are neither cached, repeated nor counted here.
package protocol PageFetcher: Sendable {
  /// Asks for one window of a feed. Where its ``Page/revision`` would be `known` again, the answer
  /// may be `.unchanged` instead.
  func page(_ window: Window, of feed: FeedID, unlessStill known: UInt64?) async -> Fetched<Page>

  /// Asks for one window of a feed.
  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page>

  /// Asks for something that the source shows by itself.
  func item(_ name: ItemName) async -> Fetched<PageItem>

  /// What names the place right below an element, for a window that begins there; nil where places
  /// are not named by elements.
  func mark(of item: PageItem, in feed: FeedID) -> String?

  /// What names the place at which elements of a key and of lesser ones begin; nil where places are
  /// not named by keys.
  func mark(of key: Int64, in feed: FeedID) -> String?

  /// The key by which a feed would order an element, by the element's content; nil where it has
  /// none.
  func key(of content: [UInt8], in feed: FeedID) -> Int64?

  /// Whether the upstream shows it what others may not see, as to the owner of a token: then feeds
  /// that hang on an item are shown only once the item was.
  var seesPrivate: Bool { get }
}

extension PageFetcher {
  /// Without a token it sees what everybody sees.
  package var seesPrivate: Bool { false }

  /// Places are named by ranks.
  package func mark(of item: PageItem, in feed: FeedID) -> String? { nil }

  /// Places are named by ranks.
  package func mark(of key: Int64, in feed: FeedID) -> String? { nil }

  /// Contents have no keys.
  package func key(of content: [UInt8], in feed: FeedID) -> Int64? { nil }

  /// Asks for one window of a feed, whatever is known of it.
  package func page(
    _ window: Window, of feed: FeedID, unlessStill known: UInt64?
  ) async -> Fetched<Page> {
    await page(window, of: feed)
  }
}
