package import Feed

extension Paging {
  /// 100 pages of up to 100 elements.
  package static let hundreds = Paging(.page(max: 100), perPageMax: 100)
}

extension FeedPattern {
  /// A pattern whose upstream has a hundred pages of up to 100 elements.
  package init(
    _ path: String, order: FeedOrder, content: FeedContent = .items,
    identityPath: [String] = ["id"], takesQuery: Bool = false, isOwners: Bool = false
  ) {
    self.init(
      path, order: order, content: content, identityPath: identityPath, paging: .hundreds,
      takesQuery: takesQuery, isOwners: isOwners)
  }
}
