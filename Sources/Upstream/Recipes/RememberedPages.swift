internal import Feed
private import Synchronization

/// Pages of tops as they last came, by URL, with the tag they had (RFC 9110 §8.8.3): where an
/// answer that nothing has changed costs no call, the same page is taken again.
final class RememberedPages: Sendable {
  /// A page and its tag.
  struct Entry: Sendable {
    var page: Page
    var tag: String
  }

  /// The most pages kept, and the most bytes of one.
  static let countMax = 64
  /// See ``countMax``.
  static let bytesMax = 1 << 20

  private struct State {
    var entries: [String: Entry] = [:]
    /// The URLs, the one that was kept longest ago first.
    var order: [String] = []
  }
  private let state = Mutex(State())

  /// The page of a URL.
  subscript(url: String) -> Entry? { state.withLock { $0.entries[url] } }

  /// Keeps a page in place of what was kept of its URL.
  func keep(_ page: Page, _ tag: String, of url: String) {
    let bytes = page.items.reduce(0) { $0 + $1.item.bytes.count }
    guard bytes <= RememberedPages.bytesMax, tag.utf8.count <= 256 else { return }
    state.withLock { state in
      state.order.removeAll { $0 == url }
      state.order.append(url)
      state.entries[url] = Entry(page: page, tag: tag)
      guard state.order.count > RememberedPages.countMax else { return }
      state.entries[state.order.removeFirst()] = nil
    }
  }
}
