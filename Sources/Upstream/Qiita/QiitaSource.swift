package import Feed

/// The feeds of Qiita's API.
package enum QiitaSource {
  /// Pages 1 to 100 of up to 100 elements; page 101 is answered with 400.
  package static let paging = Paging(.page(max: 100), perPageMax: 100)

  /// Every feed of the source, by its path below the base URL; no two match the same path.
  ///
  /// Only the first three are ordered by what an element carries. The order of `tags` and `users`
  /// is by creation, which their elements do not tell either.
  package static let patterns: [FeedPattern] = [
    articles("items", order: .value, listsAll: true, takesQuery: true),
    articles("users/:id/items", order: .value),
    FeedPattern(
      "authenticated_user/items", order: .value, content: "items", paging: paging, isOwners: true),
    articles("tags/:id/items", order: .observed),
    articles("users/:id/stocks", order: .observed),
    FeedPattern("users/:id/followers", order: .observed, content: "users", paging: paging),
    FeedPattern("users/:id/followees", order: .observed, content: "users", paging: paging),
    FeedPattern("users/:id/following_tags", order: .observed, content: "tags", paging: paging),
    FeedPattern(
      "items/:id/stockers", order: .observed, content: "users", hangsOn: "items", paging: paging),
    FeedPattern("tags", order: .observed, content: "tags", paging: paging),
    FeedPattern("users", order: .observed, content: "users", paging: paging),
    FeedPattern(
      "items/:id/comments", order: .whole, content: nil, hangsOn: "items", paging: paging),
    FeedPattern(
      "items/:id/likes", order: .whole, content: nil, hangsOn: "items",
      identityPath: ["user", "id"], paging: paging),
  ]

  /// A list of articles, of which one that left may be asked for by itself.
  private static func articles(
    _ path: String, order: FeedOrder, listsAll: Bool = false, takesQuery: Bool = false
  ) -> FeedPattern {
    FeedPattern(
      path, order: order, content: "items", one: "items", listsAll: listsAll, paging: paging,
      takesQuery: takesQuery)
  }
}
