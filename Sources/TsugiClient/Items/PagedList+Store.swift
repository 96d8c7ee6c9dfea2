/// How a list begins from what a store has of it.
extension PagedList {
  /// What a store has of a feed: what is shared there, and its list.
  package struct Kept {
    /// What lists of the same items share.
    package var hub: ItemHub<Item>
    /// The list, if one is kept.
    package var list: StoredList?

    /// What a store has.
    package init(hub: ItemHub<Item>, list: StoredList?) {
      self.hub = hub
      self.list = list
    }
  }

  /// A list as it is kept, where it has the place; else an empty one, which the store does not keep
  /// where it begins at a place.
  static func state(
    of feed: Feed<Item>, at place: FeedPosition?, options: PagedOptions, _ kept: Kept
  ) -> (PagedState<Item>, Bool) {
    if let list = kept.list, let coder = kept.hub.coder,
      var state = PagedState(
        list, coder: coder, options: options, limit: feed.limit, backoff: feed.client.backoff)
    {
      guard let place else { return (state, true) }
      if let item = state.content.items.first(where: {
        place == .element(id: identityText(of: $0.id))
      }) {
        (state.place, state.resumesAt) = (.found, item.id)
        return (state, true)
      }
    }
    var state = PagedState<Item>(
      options: options, limit: feed.limit, backoff: feed.client.backoff, begin: place)
    state.isKept = place == nil
    return (state, place == nil)
  }

  /// A list of these items that asks for nothing.
  package convenience init(
    pictureOf items: [Item], _ feed: Feed<Item>, more: LoadState, top: LoadState
  ) {
    var state = PagedState<Item>()
    let place = FeedCursor(rawValue: "")
    state.content.replace(
      0..<0, with: [PagedItems.Piece(items: items, start: place, end: place)])
    (state.more.state, state.top.state) = (more, top)
    (state.isLoaded, state.isFrozen) = (!items.isEmpty || top == .idle, true)
    (state.hasMore, state.endReason) = (more != .idle, more == .idle ? .end : nil)
    self.init(feed, state: state)
  }
}
