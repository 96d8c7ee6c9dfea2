/// One element as the upstream gave it.
package struct PageItem: Hashable, Sendable {
  /// Its identity.
  package var id: Identity
  /// `created_at` in whole seconds since 1970; nil where the schema has none.
  package var key: Int64?
  /// `updated_at` in whole seconds since 1970; nil where the schema has none.
  package var updatedAt: Int64?
  /// Its JSON, byte for byte as received.
  package var bytes: [UInt8]

  /// An element from its parts.
  package init(id: Identity, key: Int64?, updatedAt: Int64?, bytes: [UInt8]) {
    self.id = id
    self.key = key
    self.updatedAt = updatedAt
    self.bytes = bytes
  }
}

/// One upstream answer to a ``Window``.
package struct Page: Hashable, Sendable {
  /// The good elements in the upstream's order, each with its index among all it sent.
  package var items: [Slot]
  /// How many elements the array had, bad ones included.
  package var count: Int
  /// Whether the answer's `Link` has `rel="next"`.
  package var hasNext: Bool
  /// `Total-Count`: elements in the feed, not capped by what can be reached.
  package var total: Int?
  /// How many elements were left out, by what was wrong with them.
  package var faults: [ElementFault: Int]
  /// The indices of elements that were left out though they are of the feed, in order: see
  /// ``ElementFault/isOmission``.
  package var omitted: [Int] = []
  /// Whether a page that is full may be the last one all the same: where the upstream always says
  /// of the next.
  package var mayEndFull = false
  /// Whether more may follow although nothing that could be asked for does: where all should have
  /// come and a next page is named, or where nothing is said of the next at the place for that.
  package var isEndDoubted = false
  /// Whether nothing but its size says whether more follows; then ``hasNext`` is set.
  package var isEndUntold = false
  /// Whether nothing but its size says that it is the last.
  package var isEndOfSize = false
  /// What the upstream names the page after this one by, where that is all that leads there.
  package var nextMark: String?
  /// Whether that only counts elements or pages, though the upstream is not said to do so.
  package var isNextCounted = false
  /// What names this state of the feed, where the upstream can tell whether it has changed.
  package var revision: UInt64?

  /// A good element and its index in the answer's array, from 0.
  package struct Slot: Hashable, Sendable {
    /// From 0; the element's rank is the window's first rank plus this.
    package var index: Int
    /// The element.
    package var item: PageItem

    /// A slot from its parts.
    package init(index: Int, item: PageItem) {
      self.index = index
      self.item = item
    }
  }

  /// A page from its parts; elements missing from `items` are bad ones that were left out.
  package init(
    items: [Slot], count: Int, hasNext: Bool, total: Int?, faults: [ElementFault: Int] = [:]
  ) {
    self.faults = faults
    self.items = items
    self.count = count
    self.hasNext = hasNext
    self.total = total
  }

  /// A page with nothing on it, on which nothing follows, of a list of which the total is said;
  /// with `isDoubted` more may follow all the same.
  package static func nothing(of total: Int?, isDoubted: Bool = false) -> Page {
    var page = Page(items: [], count: 0, hasNext: false, total: total)
    page.isEndDoubted = isDoubted
    return page
  }
}

/// What can be wrong with one element of an answer.
package enum ElementFault: String, CaseIterable, Error, Sendable {
  /// It is no object of valid JSON and UTF-8; it is left out.
  case broken
  /// It has no identity of 1 to 128 bytes; it is left out.
  case nameless
  /// It has no valid time in a feed that is ordered by it; it is left out.
  case undated
  /// Only the token's owner may see it, and the feed is not the owner's; it is left out.
  case hidden
  /// Its identity came before in the same answer, or on top of the first page as here; it is left
  /// out. Readers lack it where it is not the same there.
  case repeated
  /// It stands where its time does not belong; it is kept where its time belongs.
  case displaced

  /// Whether readers lack an element of the feed by it.
  package var isOmission: Bool {
    switch self {
    case .broken, .nameless, .undated: true
    case .hidden, .repeated, .displaced: false
    }
  }
}

extension Page {
  /// Whether its size says that it is the last, and that is not believed: what lies below shows it.
  package var isEndLeftOpen: Bool { isEndOfSize && isEndUntold }

  /// Whether it says that nothing follows on it.
  func isLast(of window: Window) -> Bool { !hasNext && (mayEndFull || count < window.perPage) }

  /// Where in the answer elements came that cannot be used.
  package var unusableIndices: [Int] {
    let usable = Set(items.map(\.index))
    return (0..<count).filter { !usable.contains($0) }
  }
}
