import Feed
import Synchronization

/// The store's size, read by its writer and available on any thread.
final class LoadGauge: Sendable {
  private let bytes = Atomic<Int64>(0)
  private let feeds = Atomic(0)
  private let feedsEvicted = Atomic(0)
  private let placesEvicted = Atomic(0)

  /// Reads it again: two page counts.
  func read(_ writer: TimelineWriter) throws(StoreError) {
    bytes.store(try writer.bytes(), ordering: .relaxed)
    feeds.store(try writer.feeds.total(), ordering: .relaxed)
  }

  /// Counts evictions.
  func count(feeds: Int = 0, places: Int) {
    feedsEvicted.add(feeds, ordering: .relaxed)
    placesEvicted.add(places, ordering: .relaxed)
  }

  /// How full it is.
  var load: StoreLoad {
    var load = StoreLoad()
    load.bytes = bytes.load(ordering: .relaxed)
    load.feeds = feeds.load(ordering: .relaxed)
    load.feedsEvicted = feedsEvicted.load(ordering: .relaxed)
    load.placesEvicted = placesEvicted.load(ordering: .relaxed)
    return load
  }
}
