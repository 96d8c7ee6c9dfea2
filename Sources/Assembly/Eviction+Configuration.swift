import Feed
import Settings

extension Eviction.Limits {
  /// What a configuration lets the store hold.
  init(_ store: Configuration.Store) {
    self.init(
      // Of a copy, how many feeds are shared is the janitor's.
      bytesMax: store.bytesMax, feedsMax: store.url == nil ? store.maxFeeds : .max,
      remembers: .seconds(store.tombstoneDays * 86_400))
  }
}
