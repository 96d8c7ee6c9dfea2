import Bytes

/// The paths of Qiita's API that are answered, each by its meaning.
enum Route: Hashable {
  case items
  case item(String)
  case comments(item: String)
  case likes(item: String)
  case stockers(item: String)
  case comment(String)
  case users
  case user(String)
  case userItems(String)
  case stocks(user: String)
  case followers(user: String)
  case followees(user: String)
  case followingTags(user: String)
  case tags
  case tag(String)
  case tagItems(String)
  case owner
  case ownerItems

  /// The route of a path as sent; nil for any other path.
  init?(path: String) {
    let prefix = "/api/v2/"
    guard path.hasPrefix(prefix) else { return nil }
    let parts = path.dropFirst(prefix.count)
      .split(separator: "/", omittingEmptySubsequences: false)
      .map { percentDecoded($0) }
    let id = parts.count > 1 ? parts[1] : ""
    switch (parts[0], parts.count, parts.count > 2 ? parts[2] : "") {
    case ("items", 1, _): self = .items
    case ("items", 2, _): self = .item(id)
    case ("items", 3, "comments"): self = .comments(item: id)
    case ("items", 3, "likes"): self = .likes(item: id)
    case ("items", 3, "stockers"): self = .stockers(item: id)
    case ("comments", 2, _): self = .comment(id)
    case ("users", 1, _): self = .users
    case ("users", 2, _): self = .user(id)
    case ("users", 3, "items"): self = .userItems(id)
    case ("users", 3, "stocks"): self = .stocks(user: id)
    case ("users", 3, "followers"): self = .followers(user: id)
    case ("users", 3, "followees"): self = .followees(user: id)
    case ("users", 3, "following_tags"): self = .followingTags(user: id)
    case ("tags", 1, _): self = .tags
    case ("tags", 2, _): self = .tag(id)
    case ("tags", 3, "items"): self = .tagItems(id)
    case ("authenticated_user", 1, _): self = .owner
    case ("authenticated_user", 2, _) where id == "items": self = .ownerItems
    default: return nil
    }
  }
}
