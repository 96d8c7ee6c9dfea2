import Feed
import Settings

extension Eviction.Limits {
  /// What a configuration lets the store hold.
  init(_ store: Configuration.Store) {
    guard store.url == nil else {
      // A copy: how many feeds are shared is the janitor's.
      self.init(
        bytesMax: Int64(store.localMegabytes) << 20, feedsMax: .max,
        remembers: .seconds(store.tombstoneDays * 86_400))
      return
    }
    self.init(
      bytesMax: Int64(store.maxMegabytes) << 20, feedsMax: store.maxFeeds,
      remembers: .seconds(store.tombstoneDays * 86_400))
  }
}
