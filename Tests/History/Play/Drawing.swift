package import Feed
import Support

/// The feed most tests read.
package let itemsFeed = FeedID(
  source: "qiita", pattern: FeedPattern("items", order: .value, takesQuery: true),
  parts: [Array("items".utf8)])

/// An upstream answer drawn element by element, in the upstream's order: `"9a 9b 8c"` is `a` and
/// `b` of second 9, then `c` of second 8. `?` is an element that could not be used.
package func page(_ drawing: String, hasNext: Bool = true, total: Int? = nil) -> Page {
  let marks = drawing.split(separator: " ")
  let items = marks.enumerated().compactMap { index, mark -> Page.Slot? in
    mark == "?" ? nil : Page.Slot(index: index, item: item(mark))
  }
  return Page(items: items, count: marks.count, hasNext: hasNext, total: total)
}

/// One element drawn as `9a`: its second, then its identity.
package func item(_ mark: some StringProtocol) -> PageItem {
  let digits = mark.prefix { $0.isNumber || $0 == "-" }
  let id = Identity(String(mark.dropFirst(digits.count)))
  let second = Int64(digits) ?? 0
  return PageItem(id: id, key: second, updatedAt: second, bytes: Array(mark.utf8))
}

/// A place drawn as `9a`.
package func position(_ mark: String) -> Position {
  let item = item(mark)
  return Position(order: item.key ?? 0, tie: item.id.bytes)
}

/// The evidence of a drawn answer whose window is as large as the drawing, unless said otherwise.
/// The upstream's clock stands at 1000, long after everything drawn in one or two digits.
package func evidence(
  _ drawing: String, page number: Int = 1, perPage: Int? = nil, hasNext: Bool = true,
  sentAt: Int64 = 1000, clock: Int64 = 1000
) -> Evidence {
  let page = page(drawing, hasNext: hasNext)
  let window = Window(page: number, perPage: perPage ?? max(1, page.count))
  return Evidence(page, to: window, sentAt: Timestamp(seconds: sentAt), clock: clock)
}

extension Evidence {
  /// Its covered elements, drawn.
  package var drawing: String {
    covered.map { "\($0.position.order)\($0.item.id.text)" }.joined(separator: " ")
  }
}

/// A timeline and the rows under it, into which drawn answers are laid one after the other.
package final class Ledger {
  /// The rows.
  package let store = MemoryStore()
  /// What is proven.
  package var timeline = Timeline()
  /// The rules.
  package var policy = Policy()
  /// The last merge.
  package private(set) var lastMerge: Merge?
  private let feed: FeedID
  private var attempts: [Cut: ExtensionAttempts] = [:]

  /// Nothing is known of a feed.
  package init(of feed: FeedID = itemsFeed) {
    self.feed = feed
  }

  /// Lays an answer in, as the reader does, and returns what it changed; nil when it was refused.
  @discardableResult
  package func lay(_ evidence: Evidence, total: Int? = nil) throws -> Merge? {
    guard Merging.mayApply(evidence, to: timeline) else { return nil }
    return try apply(Merging.clipped(evidence, to: timeline), total: total)
  }

  private func apply(_ clipped: Evidence, total: Int?) throws -> Merge {
    let ids = clipped.elements.map(\.item.id)
    let context = Merging.Context(
      feed: feed, timeline: timeline,
      knownInRange: try store.known(in: feed, below: clipped.upper, above: clipped.lower),
      knownByID: try known(ids),
      policy: policy)
    let merge = Merging.merge(clipped, total: total, in: context)
    timeline = merge.timeline
    timeline.sequence = try store.commit(merge, budget: nil)
    lastMerge = merge
    return merge
  }

  /// Lays an answer in, and counts with it the second that stays open below the first run, until
  /// all of that was seen.
  package func layCounting(_ evidence: Evidence, total: Int) throws {
    let before = timeline.runs.first?.lower
    try lay(evidence, total: total)
    guard let cut = before, !timeline.isProven(below: cut, after: nil) else {
      attempts[evidence.lower, default: ExtensionAttempts()].meet(
        evidence, total: total, paging: .hundreds)
      return
    }
    attempts[cut, default: ExtensionAttempts()]
      .learn(from: evidence, total: total, below: cut, isCounted: true, at: evidence.sentAt)
    guard let count = attempts[cut]?.tieCount, count.isComplete else { return }
    _ = try apply(Evidence(count, window: evidence.window), total: nil)
  }

  /// Lays an answer of an observed feed in: its places are found by what is known of its elements.
  package func lay(_ page: Page, to window: Window, sentAt: Timestamp) throws {
    let match = OrderMatch(
      page, to: window, sentAt: sentAt, known: try known(page.items.map(\.item.id)),
      timeline: timeline)
    let rows = try match.range.map { try store.known(in: feed, below: $0.upper, above: $0.lower) }
    if let evidence = match.evidence(among: rows ?? []) { try lay(evidence) }
  }

  /// Where elements are known to stand, or last stood.
  private func known(_ ids: [Identity]) throws -> [Identity: KnownElement] {
    Dictionary(
      try store.known(in: feed, ids: ids).map { ($0.id, $0) },
      uniquingKeysWith: { $0.state == .removed ? $1 : $0 })
  }

  /// The runs with what stands in each, drawn: `"9a 8b | 3d"`, and without the seconds where they
  /// are no order: `"a b | d"`.
  package var drawing: String {
    timeline.runs.map { run in
      (try? store.makeReader().elements(
        of: feed, below: run.upper, above: run.lower, limit: 1000)) ?? []
    }
    .map { $0.map(mark).joined(separator: " ") }
    .joined(separator: " | ")
  }

  private func mark(_ element: Element) -> String {
    feed.pattern.order == .value
      ? "\(element.position.order)\(element.id.text)" : element.id.text
  }
}

extension Evidence {
  /// The evidence of an answer of a feed ordered by seconds, by the upstream's clock.
  package init(_ page: Page, to window: Window, sentAt: Timestamp, clock: Int64) {
    self.init(page, to: window, sentAt: sentAt, top: SettledTop(at: clock, in: .seconds))
  }
}
