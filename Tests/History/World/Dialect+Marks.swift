package import Feed
import Support

/// Lists whose places are not named by ranks: by an element above, by an instant, by what the page
/// above told.
extension Dialect {
  /// Articles below an element: the one named does not come again.
  package static let below = Dialect(
    "below", paging: Paging(.anchor(isShown: false), perPageMax: 100, joins: .upstream),
    unit: .seconds)
  /// Articles from an element on, which comes again and must exist.
  package static let from = Dialect(
    "from", paging: Paging(.anchor(isShown: true), perPageMax: 100, joins: .upstream),
    unit: .seconds)
  /// Articles older than an instant, and page by page inside one.
  package static let older: Dialect = {
    var paging = Paging(.key, perPageMax: 100)
    paging.isPagedInside = true
    return Dialect("older", paging: paging, unit: .milliseconds)
  }()
  /// Articles page after page, by what each page tells of the next.
  package static let next = Dialect(
    "next", paging: Paging(.next, perPageMax: 100, joins: .upstream), unit: .seconds)
  /// Articles page after page, by how many stand above the next.
  package static let tallied = Dialect(
    "tallied", paging: Paging(.next, perPageMax: 100, joins: JoinProof.none, accept: .none),
    unit: .seconds)
  /// Articles by pages of 20, with an exact total.
  package static let counted = Dialect(
    "counted", paging: Paging(.pages, perPageMax: 20, joins: .count), unit: .seconds)
  /// Articles by pages of 20, side by side.
  package static let unproven = Dialect(
    "unproven", paging: Paging(.pages, perPageMax: 20, joins: JoinProof.none, accept: .none),
    unit: .seconds)

  /// Articles by pages as far as 200, and by their key, taken by five seconds, past that.
  package static let walled = Dialect(
    "walled",
    paging: Paging(
      .page(max: 4), perPageMax: 50, past: KeyGrain(length: 5, origin: 3)), unit: .seconds)

  /// Articles by a hundred pages of a hundred, and past that by whole days in Japan.
  package static let days = days(accept: .upstream)

  /// The same where no join weaker than `accept` is served.
  package static func days(accept: JoinProof) -> Dialect {
    Dialect(
      "days",
      paging: Paging(
        .page(max: 100), perPageMax: 100, accept: accept,
        past: KeyGrain(length: 86_400, origin: -9 * 3_600)), unit: .seconds)
  }

  private init(_ name: String, paging: Paging, unit: KeyUnit) {
    func pattern(
      _ path: String, _ order: FeedOrder, _ content: ItemKind? = "items"
    ) -> FeedPattern {
      FeedPattern(
        path, order: order, content: content, one: content == "items" ? "items" : nil,
        listsAll: path == "items", hangsOn: path.hasPrefix("items/:") ? "items" : nil, unit: unit,
        paging: order == .value ? paging : Dialect.observed(by: paging),
        parameters: path == "items" ? ["query"] : [])
    }
    self.init(
      name, paging: paging, unit: unit,
      lists: ScriptedFeeds(
        source: name, items: pattern("items", .value), tagged: pattern("tags/:id/items", .observed),
        stocked: pattern("users/:id/stocks", .observed),
        followers: pattern("users/:id/followers", .observed, "users"),
        comments: pattern("items/:id/comments", .whole, nil)))
  }

  /// How lists are paged whose order is not in their elements.
  private static func observed(by paging: Paging) -> Paging {
    if paging.past != nil { return .hundreds }
    return paging.addressing == .key ? Dialect.below.paging : paging
  }

  /// What names the place right below an element.
  func mark(of item: PageItem, in feed: FeedID) -> String? {
    feed.pattern.paging.isAnchored ? item.id.text : nil
  }

  /// What names the place at which a key begins.
  func mark(of key: Int64) -> String? { paging.addressing == .key ? "\(key + 1)" : nil }

  /// What the page after the one that ends with an element, above a rank, is named by: where that
  /// is gone, what stands below its place is meant; or the rank itself.
  func token(after entry: ScriptedList.Entry, above rank: Int) -> String? {
    guard paging.addressing == .next else { return nil }
    return paging.joins == JoinProof.none ? "\(rank)" : "\(entry.second) \(entry.id.text)"
  }

  /// The ranks that a window stands for in a list now; nil where the place it names is not there.
  func window(_ window: Window, in list: ScriptedList?, of feed: FeedID) -> Window? {
    if let segment = window.segment {
      let entries = list?.entries ?? []
      let above = entries.firstIndex { key($0.second) <= segment.keyMax } ?? entries.count
      return Window(offset: above + window.firstRank - segment.rank, perPage: window.perPage)
    }
    guard case .mark(let mark, _) = window.address else { return window }
    guard let mark else { return Window(offset: 0, perPage: window.perPage) }
    let entries = list?.entries ?? []
    let begin: Int?
    switch feed.pattern.paging.addressing {
    case .key:
      begin = Int64(mark).map { key in
        entries.firstIndex { self.key($0.second) < key } ?? entries.count
      }
    case .anchor(let isShown):
      begin = entries.firstIndex { $0.id.text == mark }.map { isShown ? $0 : $0 + 1 }
    case .next where paging.joins == JoinProof.none: begin = Int(mark)
    default:
      let parts = mark.split(separator: " ")
      let second = Int64(parts[0]) ?? 0
      begin =
        entries.firstIndex { $0.id.text == String(parts[1]) }.map { $0 + 1 }
        ?? (second == 0 ? nil : entries.firstIndex { $0.second < second } ?? entries.count)
    }
    return begin.map { Window(offset: $0, perPage: window.perPage) }
  }
}
