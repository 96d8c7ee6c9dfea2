import Feed
import Settings

extension Eviction.Limits {
  /// What a configuration lets the store hold.
  init(_ store: Configuration.Store) {
    self.init(
      bytesMax: Int64(store.maxMegabytes) << 20, feedsMax: store.maxFeeds,
      remembers: .seconds(store.tombstoneDays * 86_400))
  }
}
