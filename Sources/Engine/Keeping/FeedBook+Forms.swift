import Feed

/// What another configuration has stored.
extension FeedBook {
  /// How long a feed that was dropped is not dropped again. Servers of two configurations that
  /// share a store, as while a new one is rolled out, would spend a call on it each time.
  static let dropInterval = Duration.seconds(30)

  /// What is stored of a feed. What was stored by another recipe is dropped, for all servers, and
  /// the feed is as one that was never read. Throws ``StoreError/otherForm(_:)`` where the feed is
  /// served in another order from now on, or was dropped a short time ago.
  func stored(_ feed: FeedID) throws(StoreError) -> Timeline? {
    do throws(StoreError) {
      return try store.timeline(of: feed)
    } catch {
      guard case .otherForm(let form) = error else { throw error }
      if form.fit(feed) == .reordered {
        slices.reordered.insert(feed)
        throw error
      }
      if store.isShared {
        let now = time.now
        guard dropped[feed.name].map({ now - $0 >= FeedBook.dropInterval }) ?? true else {
          throw error
        }
        if dropped.count >= FeedBook.statesMax { dropped = [:] }
        dropped[feed.name] = now
      }
      try drop(feed, of: form)
      return try store.timeline(of: feed)
    }
  }

  private func drop(_ feed: FeedID, of form: FeedForm) throws(StoreError) {
    // One of the same recipe has an order that was found wrong: no server can have mended that.
    let isSame = FeedForm.isSame(form.recipe, feed.pattern.recipe)
    try change(withdrawing: feed) { () throws(StoreError) in
      try store.dropEverywhere(
        feed.name, of: feed.source, unless: isSame ? nil : feed.pattern.recipe)
      forget(feed)
    }
    report(.reconfigured(feed: feed))
  }

  /// What is stored of a feed; nil where that is of another form.
  func fitting(_ feed: FeedID) throws(StoreError) -> Timeline? {
    do throws(StoreError) {
      return try store.timeline(of: feed)
    } catch {
      guard case .otherForm = error else { throw error }
      return nil
    }
  }
}
