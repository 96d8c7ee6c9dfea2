import Feed
import Synchronization

/// The names of feeds that are served as the upstream orders them: those whose answers showed so,
/// and of all that were stored so at the start, whatever their pattern says.
final class ReorderedFeeds: Sendable {
  private let isEmpty = Atomic<Bool>(true)
  private let names: Mutex<Set<String>>

  init(stored feeds: [StoredFeed], of source: String) {
    let observed = feeds.lazy.filter { $0.source == source && $0.order == .observed }
    let names = Set(observed.map(\.name))
    self.names = Mutex(names)
    isEmpty.store(names.isEmpty, ordering: .releasing)
  }

  func contains(_ name: String) -> Bool {
    guard !isEmpty.load(ordering: .acquiring) else { return false }
    return names.withLock { $0.contains(name) }
  }

  func insert(_ name: String) {
    names.withLock { _ = $0.insert(name) }
    isEmpty.store(false, ordering: .releasing)
  }
}
