package import Feed
import Support

/// How a made-up upstream speaks: what its lists are called, how it pages, what its keys count.
package struct Dialect: Hashable, Sendable, CustomStringConvertible {
  /// Its name.
  package let description: String
  /// The lists it has.
  package let lists: ScriptedFeeds
  /// How it pages.
  package let paging: Paging
  /// What its times are in.
  package let unit: KeyUnit

  /// Articles by pages of up to 100, with times in seconds.
  package static let articles = Dialect(
    "articles", paging: .hundreds, unit: .seconds,
    lists: ScriptedFeeds(
      source: "qiita", items: FeedPattern("items", order: .value, takesQuery: true),
      tagged: FeedPattern("tags/:id/items", order: .observed),
      stocked: FeedPattern("users/:id/stocks", order: .observed),
      followers: FeedPattern("users/:id/followers", order: .observed, content: "users"),
      comments: FeedPattern("items/:id/comments", order: .whole, content: nil)))

  /// Notes by offsets, 50 at once, with times in milliseconds, and another name for everything.
  package static let notes: Dialect = {
    let paging = Paging(.offset, perPageMax: 50)
    func notes(_ path: String, order: FeedOrder, isAll: Bool = false) -> FeedPattern {
      FeedPattern(
        path, order: order, content: "notes", one: "notes", listsAll: isAll,
        identityPath: ["data", "key"], unit: .milliseconds, paging: paging,
        parameters: isAll ? ["query"] : [])
    }
    return Dialect(
      "notes", paging: paging, unit: .milliseconds,
      lists: ScriptedFeeds(
        source: "tidings", items: notes("notes", order: .value, isAll: true),
        tagged: notes("topics/:name/notes", order: .observed),
        stocked: notes("people/:name/kept", order: .observed),
        followers: FeedPattern(
          "people/:name/fans", order: .observed, content: "people", unit: .milliseconds,
          paging: paging),
        comments: FeedPattern(
          "notes/:key/replies", order: .whole, content: nil, hangsOn: "notes", unit: .milliseconds,
          paging: paging)))
  }()

  /// Every dialect of which the promise holds.
  package static let all = [articles, notes, below, from, older]
  /// Those whose joins are believed.
  package static let believed = [next, tallied, counted, unproven, walled]

  init(_ name: String, paging: Paging, unit: KeyUnit, lists: ScriptedFeeds) {
    description = name
    self.paging = paging
    self.unit = unit
    self.lists = lists
  }

  /// The key of what was written in a second: all of one second have the same.
  package func key(_ second: Int64) -> Int64 {
    unit == .seconds ? second : second * 1_000 + Int64(UInt64(bitPattern: second) % 997)
  }
}

/// The lists a history is about.
package struct ScriptedFeeds: Hashable, Sendable {
  /// All articles.
  package let items: FeedID
  /// Some of them, found by a search.
  package let found: FeedID
  /// Some of them, in the order in which they were tagged.
  package let tagged: FeedID
  /// Some of them, in the order in which somebody stocked them.
  package let stocked: FeedID
  /// People.
  package let followers: FeedID
  /// Comments, all in one answer whatever is asked.
  package let comments: FeedID

  init(
    source: String, items: FeedPattern, tagged: FeedPattern, stocked: FeedPattern,
    followers: FeedPattern, comments: FeedPattern
  ) {
    func feed(_ pattern: FeedPattern, query: String? = nil) -> FeedID {
      let feed = FeedID(
        source: source, pattern: pattern,
        parts: pattern.words.map { Array(($0.hasPrefix(":") ? "swift" : $0).utf8) })
      return query.map { feed.searched(for: Array($0.utf8)) } ?? feed
    }
    self.items = feed(items)
    found = feed(items, query: "swift")
    self.tagged = feed(tagged)
    self.stocked = feed(stocked)
    self.followers = feed(followers)
    self.comments = feed(comments)
  }

  /// The source that has them.
  package var source: String { items.source }
  /// Every list but that of all articles.
  package var others: [FeedID] { [found, tagged, stocked, followers, comments] }
  /// What its articles are.
  var kind: ItemKind { items.pattern.content ?? "items" }
}

extension Window {
  /// How traces name it.
  var name: String {
    switch address {
    case .page(let page): "page \(page)×\(perPage)"
    case .offset(let offset): "offset \(offset)+\(perPage)"
    case .mark(let mark, let rank): "below \(mark ?? "the top") (rank \(rank))+\(perPage)"
    }
  }
}
