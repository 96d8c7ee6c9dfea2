import Feed
import Synchronization

/// The feeds that are served as the upstream orders them, by name, with the fingerprints of their
/// recipes: those whose answers showed so, and those stored so at the start.
final class ReorderedFeeds: Sendable {
  private let isEmpty = Atomic<Bool>(true)
  private let recipes: Mutex<[String: Int64?]>

  init(stored feeds: [StoredFeed], of source: String) {
    let observed = feeds.lazy.filter { $0.source == source && $0.order == .observed }
    let recipes = Dictionary(observed.map { ($0.name, $0.recipe) }) { $1 }
    self.recipes = Mutex(recipes)
    isEmpty.store(recipes.isEmpty, ordering: .releasing)
  }

  /// Whether a feed is, by the recipe that it has now.
  func contains(_ feed: FeedID) -> Bool {
    guard !isEmpty.load(ordering: .acquiring) else { return false }
    guard let recipe = recipes.withLock({ $0[feed.name] }) else { return false }
    return FeedForm.isSame(recipe, feed.pattern.recipe)
  }

  func insert(_ feed: FeedID) {
    recipes.withLock { _ = $0.updateValue(feed.pattern.recipe, forKey: feed.name) }
    isEmpty.store(false, ordering: .releasing)
  }
}
