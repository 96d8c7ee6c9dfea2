import Feed
import Proxy

extension Eviction.Limits {
  /// What a configuration lets the store hold.
  init(_ store: Proxy.Configuration.Store) {
    self.init(
      bytesMax: Int64(store.maxMegabytes) << 20, feedsMax: store.maxFeeds,
      remembers: .seconds(store.tombstoneDays * 86_400))
  }
}
