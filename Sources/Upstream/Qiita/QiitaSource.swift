package import Feed

/// The feeds of Qiita's API.
package enum QiitaSource {
  /// Every feed of the source, by its path below the base URL; no two match the same path.
  ///
  /// Only the first three are ordered by what an element carries. The order of `tags` and `users`
  /// is by creation, which their elements do not tell either.
  package static let patterns: [FeedPattern] = [
    FeedPattern("items", order: .value, takesQuery: true),
    FeedPattern("users/:id/items", order: .value),
    FeedPattern("authenticated_user/items", order: .value, isOwners: true),
    FeedPattern("tags/:id/items", order: .observed),
    FeedPattern("users/:id/stocks", order: .observed),
    FeedPattern("users/:id/followers", order: .observed, content: .users),
    FeedPattern("users/:id/followees", order: .observed, content: .users),
    FeedPattern("users/:id/following_tags", order: .observed, content: .tags),
    FeedPattern("items/:id/stockers", order: .observed, content: .users),
    FeedPattern("tags", order: .observed, content: .tags),
    FeedPattern("users", order: .observed, content: .users),
    FeedPattern("items/:id/comments", order: .whole, content: .own),
    FeedPattern(
      "items/:id/likes", order: .whole, content: .own, identityPath: ["user", "id"]),
  ]
}
