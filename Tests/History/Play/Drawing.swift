package import Feed

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
  return PageItem(id: id, createdAt: second, updatedAt: second, bytes: Array(mark.utf8))
}

/// A place drawn as `9a`.
package func position(_ mark: String) -> Position {
  let item = item(mark)
  return Position(order: item.createdAt ?? 0, tie: item.id.bytes)
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

  /// Nothing is known.
  package init() {}

  /// Lays an answer in, as the reader does, and returns what it changed; nil when it was refused.
  @discardableResult
  package func lay(_ evidence: Evidence, total: Int? = nil) throws -> Merge? {
    guard Merging.mayApply(evidence, to: timeline) else { return nil }
    let clipped = Merging.clipped(evidence, to: timeline)
    let ids = clipped.elements.map(\.item.id)
    let context = Merging.Context(
      feed: itemsFeed, timeline: timeline,
      knownInRange: try store.known(in: itemsFeed, below: clipped.upper, above: clipped.lower),
      knownByID: Dictionary(
        try store.known(in: itemsFeed, ids: ids).map { ($0.id, $0) },
        uniquingKeysWith: { $0.state == .removed ? $1 : $0 }),
      policy: policy)
    let merge = Merging.merge(clipped, total: total, in: context)
    timeline = merge.timeline
    timeline.sequence = try store.commit(merge, budget: nil)
    lastMerge = merge
    return merge
  }

  /// The runs with what stands in each, drawn: `"9a 8b | 3d"`.
  package var drawing: String {
    timeline.runs.map { run in
      (try? store.makeReader().elements(
        of: itemsFeed, below: run.upper, above: run.lower, limit: 1000)) ?? []
    }
    .map { $0.map { "\($0.position.order)\($0.id.text)" }.joined(separator: " ") }
    .joined(separator: " | ")
  }
}
