package import Feed

extension Paging {
  /// 100 pages of up to 100 elements.
  package static let hundreds = Paging(.page(max: 100), perPageMax: 100)

  /// Whether an upstream that pages so answers a window.
  package func takes(_ window: Window) -> Bool {
    let isInside = window.segment?.isInside == true
    var window = window
    window.segment = nil
    let isAddressed =
      switch (window.address, addressing) {
      case (.page(let page), .page(let pageMax)): (1...pageMax).contains(page)
      case (.page(let page), .key): page >= 1 && isInside && isPagedInside
      case (.page(let page), .pages): page >= 1 && window.perPage == perPageMax
      case (.offset(let offset), .offset): offset >= 0
      case (.mark(let mark, let rank), .anchor), (.mark(let mark, let rank), .key),
        (.mark(let mark, let rank), .next):
        mark == nil ? rank == 0 : rank > 0
      default: false
      }
    return isAddressed && (1...perPageMax).contains(window.perPage) && window.endRank <= reachMax
  }
}

extension FeedPattern {
  /// A pattern whose upstream has a hundred pages of up to 100 elements, and among whose things are
  /// articles: `items`.
  package init(
    _ path: String, order: FeedOrder, content: ItemKind? = "items",
    identityPath: [String] = ["id"], takesQuery: Bool = false, isOwners: Bool = false
  ) {
    self.init(
      path, order: order, content: content,
      one: content == "items" && !isOwners ? "items" : nil, listsAll: path == "items",
      hangsOn: path.hasPrefix("items/:") ? "items" : nil, identityPath: identityPath,
      paging: .hundreds, parameters: takesQuery ? ["query"] : [], isOwners: isOwners)
  }
}

extension FeedID {
  /// The feed of what a search finds.
  package init(source: String, pattern: FeedPattern, parts: [[UInt8]], query: [UInt8]) {
    self = FeedID(source: source, pattern: pattern, parts: parts).searched(for: query)
  }
}

extension ItemName {
  /// An article's name.
  package init(_ id: Identity) {
    self.init(id, kind: "items")
  }
}
